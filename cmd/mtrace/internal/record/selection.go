package record

import (
	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

// selectionOptions say which calls of a run are kept.
type selectionOptions struct {
	only, leaveOut []string
	selection      *collector.Selection // nil is all
}

func (o *selectionOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.only, "only", nil,
		"keep only what is `SUBJECT:NAME`: thread:NAME, queue:LABEL, label:LABEL (of a command buffer) or call:SELECTOR, "+
			"with * and ? as in "+
			"a shell, or a number of a thread or queue; given again, any of a subject's names will do, and all subjects must")
	flags.StringArrayVar(&o.leaveOut, "leave-out", nil, "keep nothing that is `SUBJECT:NAME`, as --only says it")
}

func (o *selectionOptions) check() (err error) {
	if o.selection, err = collector.NewSelection(o.only, o.leaveOut); err != nil {
		return cli.UsageError("%w", err)
	}
	return nil
}
