package record

import (
	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

// selectionOptions hold --only and --leave-out, which choose the calls that the trace keeps.
type selectionOptions struct {
	only, leaveOut []string
	selection      *collector.Selection // nil is all
}

func (o *selectionOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.only, "only", nil,
		"keep only calls with `SUBJECT:NAME`: thread:NAME, queue:LABEL, label:LABEL (of a command buffer) "+
			"or call:SELECTOR. NAME may contain * and ?, or be the number of a thread or queue. "+
			"If repeated, a call must match one NAME of each SUBJECT")
	flags.StringArrayVar(&o.leaveOut, "leave-out", nil, "drop calls with `SUBJECT:NAME`, written as for --only")
}

func (o *selectionOptions) check() (err error) {
	if o.selection, err = collector.NewSelection(o.only, o.leaveOut); err != nil {
		return cli.UsageError("%w", err)
	}
	return nil
}
