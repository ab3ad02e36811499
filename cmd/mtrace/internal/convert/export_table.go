package convert

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mtrace/analyze/table"
	"mtrace/analyze/xctrace"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// writeTable writes the rows of one table of an Instruments recording, for mtrace export --table.
func (x *ExportJob) writeTable(std cli.Stdio, path string) error {
	format := x.Formats[0]
	switch {
	case !loading.Instruments(path):
		return cli.UsageError("--table is for recordings of Instruments; " +
			"--format csv or parquet without --table writes all tables of a trace")
	case len(x.Formats) > 1 || !FormatNamed(format).single:
		return cli.UsageError("--table takes one --format, which must be one of %s", singleFormats())
	case x.Selection.From != 0 || x.Selection.To != 0 || len(x.Selection.PIDs) > 0:
		return cli.UsageError("--table writes all rows: leave --from, --to and --pid out")
	}
	inputs, bundles, err := xctrace.Inputs([]string{path}, std.In)
	if err != nil {
		return cli.AsStatus(err)
	}
	if len(inputs) == 0 && len(bundles) > 0 {
		return cli.UsageError("%s is a bundle: export the table with "+
			"xctrace export --input %s --xpath '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"%s\"]', "+
			"and give mtrace the file that it writes",
			path, path, x.table)
	}
	var cut []string
	err = cli.WriteFile(std, x.Output, path, x.force, func(f *os.File) (err error) {
		cut, err = x.tableTo(std, inputs, path, format, f)
		return err
	})
	if err != nil {
		return err
	}
	if x.Output != cli.StandardOutput {
		fmt.Fprintln(std.Out, x.Output)
	}
	if len(cut) > 0 {
		return cli.UsageError("%s incomplete: only the rows before the end of the file are written; "+
			"export the recording from Instruments again", loading.Are(cut))
	}
	return nil
}

// tableTo writes the rows of the table to w, and returns the names of inputs that end in the middle of the table.
func (x *ExportJob) tableTo(std cli.Stdio, inputs []xctrace.Input, path, format string, w io.Writer) (cut []string,
	err error) {
	var out *table.Plain
	var columns []string
	begin := func(list []xctrace.RawColumn) error {
		var names []string
		plain := make([]table.PlainColumn, len(list))
		for i, c := range list {
			names = append(names, c.Mnemonic)
			plain[i] = table.PlainColumn{Name: c.Mnemonic,
				Kind: map[xctrace.RawKind]table.PlainKind{xctrace.RawNumber: table.PlainNumber,
					xctrace.RawFloat: table.PlainFloat}[c.Kind]}
		}
		if out != nil {
			if !slices.Equal(names, columns) {
				return fmt.Errorf("several files have a table %s, with different columns: give mtrace one of the files",
					x.table)
			}
			return nil
		}
		columns = names
		var err error
		out, err = table.NewPlain(w, table.Format(format), x.table, plain)
		return err
	}
	var there []string
	rows, recording := 0, xctrace.NewRecording()
	show := loading.ProgressOn(std.Err)
	for i := range inputs {
		doc, _, err := recording.ReadTable(&inputs[i], x.table,
			func(name string, read, size int64) error { show(name, read, size); return nil }, begin, func(values []any) error {
				rows++
				return out.Row(values)
			})
		if err != nil && (inputs[i].Listed || doc != nil && len(doc.Tables) > 0) {
			return nil, cli.AsStatus(err)
		}
		if doc == nil {
			continue
		}
		if doc.Truncated && slices.ContainsFunc(doc.Tables, func(t *xctrace.Table) bool { return t.Name() == x.table }) {
			cut = append(cut, doc.Name)
		}
		for _, t := range doc.Tables {
			there = append(there, fmt.Sprintf("%s (%d rows)", t.Name(), t.Rows))
			if t.Rejected > 0 {
				cli.PrintLine(std.Err, "mtrace: table %s: %d of %d rows are left out: %s",
					t.Name(), t.Rejected, t.Rows, t.Problems[0])
			}
			if t.Refused != "" {
				cli.PrintLine(std.Err, "mtrace: table %s in %s is left out: %s", t.Name(), doc.Name, t.Refused)
			}
		}
	}
	if out == nil || rows == 0 {
		if len(there) == 0 {
			there = []string{"none"}
		}
		return nil, cli.UsageError("no rows of a table named %s in %s; its tables: %s",
			x.table, path, strings.Join(there, ", "))
	}
	return cut, out.Close()
}
