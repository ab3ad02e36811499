package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mtrace/analyze/table"
	"mtrace/analyze/xctrace"
)

// writeTable writes the rows of one table of a recording of Instruments, whatever the table is.
func (x *exportJob) writeTable(std stdio, path string) error {
	format := x.formats[0]
	switch {
	case !instruments(path):
		return usageError("--table is for recordings of Instruments; the tables of a trace are what --format csv or " +
			"parquet write")
	case len(x.formats) > 1 || !formatNamed(format).single:
		return usageError("--table takes one format of %s", singleFormats())
	case x.part.from != 0 || x.part.to != 0 || len(x.part.pids) > 0:
		return usageError("--table writes all rows: --from, --to and --pid do not go with it")
	}
	inputs, bundles, err := xctrace.Inputs([]string{path}, std.in)
	if err != nil {
		return status{exitUsage, err}
	}
	if len(inputs) == 0 && len(bundles) > 0 {
		return usageError("%s is a bundle: export the table with xctrace export --input %s --xpath "+
			"'/trace-toc/run[@number=\"1\"]/data/table[@schema=\"%s\"]', and give that",
			path, path, x.table)
	}
	var cut []string
	err = writeFile(std, x.output, path, x.force, func(f *os.File) (err error) {
		cut, err = x.tableTo(std, inputs, path, format, f)
		return err
	})
	if err != nil {
		return err
	}
	if x.output != standardOutput {
		fmt.Fprintln(std.out, x.output)
	}
	if len(cut) > 0 {
		return usageError("%s cut: only the rows before the cut are written; export again for a whole one", are(cut))
	}
	return nil
}

// tableTo writes the table, and returns the inputs that were cut.
func (x *exportJob) tableTo(std stdio, inputs []xctrace.Input, path, format string, w io.Writer) (cut []string,
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
				return fmt.Errorf("the tables named %s have different columns: name one file", x.table)
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
	show := progressOn(std.err)
	for i := range inputs {
		doc, _, err := recording.ReadTable(&inputs[i], x.table,
			func(name string, read, size int64) error { show(name, read, size); return nil }, begin, func(values []any) error {
				rows++
				return out.Row(values)
			})
		if err != nil && (inputs[i].Listed || doc != nil && len(doc.Tables) > 0) {
			return nil, status{exitUsage, err}
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
				tell(std.err, "mtrace: %s: %d of %d rows left out: %s", t.Name(), t.Rejected, t.Rows, t.Problems[0])
			}
			if t.Refused != "" {
				tell(std.err, "mtrace: %s in %s is left out: %s", t.Name(), doc.Name, t.Refused)
			}
		}
	}
	if out == nil || rows == 0 {
		if len(there) == 0 {
			there = []string{"none"}
		}
		return nil, status{exitUsage, errors.New("no row of a table named " + x.table + " in " + path + ": there are " +
			strings.Join(there, ", "))}
	}
	return cut, out.Close()
}
