package record

import (
	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

// selectionOptions select the calls of a run that are kept.
type selectionOptions struct {
	only, leaveOut []string
	selection      *collector.Selection // nil is all
}

func (o *selectionOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.only, "only", nil,
		"keep only calls with `SUBJECT:NAME`: thread:NAME, queue:LABEL, label:LABEL (of a command buffer) or call:SELECTOR, "+
			"with * and ? as in "+
			"a shell, or a number of a thread or queue; repeated, a call must match one name of each given subject")
	flags.StringArrayVar(&o.leaveOut, "leave-out", nil, "drop calls with `SUBJECT:NAME`, in the form of --only")
}

func (o *selectionOptions) check() (err error) {
	if o.selection, err = collector.NewSelection(o.only, o.leaveOut); err != nil {
		return cli.UsageError("%w", err)
	}
	return nil
}
