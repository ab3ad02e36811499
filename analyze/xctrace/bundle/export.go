package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mtrace/analyze/xctrace"
	"mtrace/collector"
)

// Failed describes a table that xctrace could not export completely, and why.
type Failed struct {
	Schema string
	Err    error
	Kept   bool // the complete rows that it wrote before it failed were read
}

// TOC exports the table of contents of a bundle with xctrace and reads it.
func (t *Tool) TOC(ctx context.Context, bundle string) (*xctrace.TOC, error) {
	dir, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-xctrace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return t.exportTOC(ctx, bundle, filepath.Join(dir, "toc.xml"))
}

func (t *Tool) exportTOC(ctx context.Context, bundle, file string) (*xctrace.TOC, error) {
	t.progress("exporting the table of contents of %s", bundle)
	if err := t.export(ctx, file, "</trace-toc>", "export", "--input", bundle, "--toc"); err != nil {
		return nil, fmt.Errorf("%s: %w", bundle, err)
	}
	src, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	doc, err := xctrace.Read(src, file, &xctrace.Sink{})
	if err != nil {
		return nil, err
	}
	if len(doc.TOCs) != 1 || len(doc.TOCs[0].Runs) == 0 {
		return nil, fmt.Errorf("%s: nothing was recorded: the table of contents lists no run", bundle)
	}
	return doc.TOCs[0], nil
}

// Export exports the tables that mtrace reads of one run of a bundle (run 0 means the first). It passes each table to
// `read`, the table of contents first. xctrace holds all requested tables in memory, so Export requests one table at a
// time, and deletes its XML before the next. If a table cannot be exported, Export continues with the others. Without a
// table of contents it tries all tables that mtrace reads.
func (t *Tool) Export(ctx context.Context, bundle string, run int, read func(xctrace.Input) error) ([]Failed, error) {
	dir, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-xctrace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	handOver := func(file string) error {
		defer os.Remove(file)
		inputs, _, err := xctrace.Inputs([]string{file}, nil)
		for _, in := range inputs {
			in.Name = filepath.Base(bundle) + ":" + strings.TrimSuffix(filepath.Base(file), ".xml")
			err = errors.Join(err, read(in))
		}
		return err
	}
	file := filepath.Join(dir, "toc.xml")
	toc, tocErr := t.exportTOC(ctx, bundle, file)
	number, schemas := max(run, 1), xctrace.ReadSchemas()
	if _, err := os.Stat(bundle); tocErr != nil && (err != nil || ctx.Err() != nil) {
		return nil, tocErr
	}
	if tocErr != nil {
		t.say("%v: trying each table without the table of contents", tocErr)
	} else {
		chosen, err := choose(toc, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", bundle, err)
		}
		if err := handOver(file); err != nil {
			return nil, err
		}
		number, schemas = chosen.Number, wanted(chosen)
	}
	var failed []Failed
	exported := 0
	for i, schema := range schemas {
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		t.progress("exporting table %d of %d: %s", i+1, len(schemas), schema)
		file := filepath.Join(dir, schema+".xml")
		xpath := fmt.Sprintf(`/trace-toc/run[@number="%d"]/data/table[@schema="%s"]`, number, schema)
		exportErr := t.export(ctx, file, "</trace-query-result>", "export", "--input", bundle, "--xpath", xpath)
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if tocErr != nil && exported == 0 && exportErr != nil && len(failed) == attempts {
			return nil, tocErr // the failure is not a crash, so other exports of this bundle would fail, too
		}
		if tocErr != nil && exportErr == nil && !bytes.Contains(head(file), []byte("<node")) {
			continue // the recording has no such table
		}
		if exportErr != nil && !bytes.Contains(head(file), []byte("<trace-query-result>")) {
			failed = append(failed, Failed{Schema: schema, Err: exportErr})
			continue
		}
		exported++
		readErr := handOver(file)
		switch {
		case exportErr != nil:
			failed = append(failed, Failed{schema, exportErr, readErr == nil})
		case readErr != nil:
			return failed, readErr
		}
	}
	if tocErr != nil && exported == 0 {
		return nil, tocErr
	}
	return failed, nil
}

// choose returns the run with the number, or the first run if number is 0.
func choose(toc *xctrace.TOC, number int) (*xctrace.Run, error) {
	if number == 0 {
		return &toc.Runs[0], nil
	}
	for i := range toc.Runs {
		if toc.Runs[i].Number == number {
			return &toc.Runs[i], nil
		}
	}
	return nil, fmt.Errorf("no run %d: it has %d", number, len(toc.Runs))
}

// wanted returns the names of the run's tables that mtrace reads.
func wanted(run *xctrace.Run) []string {
	var schemas []string
	for _, s := range xctrace.ReadSchemas() {
		// without a counter set, this table has one meaningless counter with a gigabyte of values
		if s == "metal-gpu-counter-intervals" && run.Setting("Counter Set") == "(null)" {
			continue
		}
		if run.Table(s) {
			schemas = append(schemas, s)
		}
	}
	return schemas
}

// errUnfinished means that xctrace exited with status 0 although the XML has no closing tag. Another attempt may
// succeed.
var errUnfinished = errors.New("xctrace export reported success, but its output ends before the closing tag")

// export runs xctrace with its output into a file, at most attempts times, until the output ends with the closing
// tag. After a failure the file has the output of the last attempt.
func (t *Tool) export(ctx context.Context, file, closing string, args ...string) error {
	var last error
	pause := t.Pause
	for attempt := 1; attempt <= attempts; attempt++ {
		if attempt > 1 {
			t.say("%v: attempt %d of %d", last, attempt, attempts)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
			pause *= 2
		}
		last = t.exportOnce(ctx, file, closing, args)
		var f *failure
		if last == nil || !errors.Is(last, errUnfinished) && !(errors.As(last, &f) && f.crashed()) {
			return last
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("%w (%d times)", last, attempts)
}

func (t *Tool) exportOnce(ctx context.Context, file, closing string, args []string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	var said tail
	cmd := t.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = out, &said
	if err := cmd.Run(); err != nil {
		return asFailure("export", err, said.String())
	}
	if end, err := ends(out, closing); err != nil || !end {
		return errors.Join(err, errUnfinished)
	}
	return nil
}

// ends reports whether a file ends with the closing tag, apart from white space.
func ends(file *os.File, closing string) (bool, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	buf := make([]byte, min(size, 256))
	if _, err := file.ReadAt(buf, size-int64(len(buf))); err != nil && err != io.EOF {
		return false, err
	}
	return bytes.HasSuffix(bytes.TrimSpace(buf), []byte(closing)), nil
}

// head returns the first 256 bytes of a file, or nil if it cannot be read.
func head(path string) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	buf := make([]byte, 256)
	n, _ := io.ReadFull(file, buf)
	return buf[:n]
}
