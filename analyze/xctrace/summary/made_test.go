package summary

import (
	"bytes"
	"fmt"
	"mtrace/analyze/xctrace"
	"mtrace/fixtures/xctrace/export"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tables made by hand, for tests of one thing each.

// gpuRow is a row of metal-gpu-intervals, for tables made by hand.
type gpuRow struct {
	start, duration, latency uint64
	channel, label           string
	pid                      uint64 // 0: no process
	labelPID                 uint64 // 0: as pid
	buffer, encoder          uint64
}

func gpuTable(rows ...gpuRow) func(*export.Writer) {
	return func(w *export.Writer) {
		schema, _ := export.SchemaOf(tableGPU)
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[1]", tableGPU, schema.Columns)
		for i, r := range rows {
			w.Row(gpuCells(i, r))
		}
		w.EndTable()
	}
}

// gpuCells are the cells of row number i of metal-gpu-intervals.
func gpuCells(i int, r gpuRow) []export.Value {
	process := export.Sentinel
	if r.pid != 0 {
		process = export.ProcessValue(fmt.Sprintf("p%d", r.pid), r.pid)
	}
	labelPID := r.labelPID
	if labelPID == 0 {
		labelPID = r.pid
	}
	parts := []export.Value{export.Text("string", r.label), export.Text("narrative-text", " (")}
	if labelPID != 0 {
		parts = append(parts, export.ProcessValue(fmt.Sprintf("p%d", labelPID), labelPID))
	}
	return []export.Value{
		export.Time("start-time", r.start), export.Duration(r.duration), export.Text("gpu-channel-name", r.channel),
		export.Frame(uint64(i)),
		export.Duration(r.latency), export.Number("metal-nesting-level", 0), export.Joined("formatted-label", parts...),
		export.Text("gpu-state", "Active"),
		export.Number("connection-uuid64", 1), export.Number("render-buffer-depth", 0), process,
		export.Text("metal-device-name", "M1"),
		export.Text("metal-object-label", ""), export.Joined("formatted-label", export.Text("string", "")), export.Size(0),
		export.Hex("metal-command-buffer-id", r.buffer), export.Hex("metal-command-buffer-id", r.encoder),
		export.Number("uint64", uint64(1000+i)),
	}
}

// submissionRow is a row of metal-application-command-buffer-submissions, for tables made by hand.
type submissionRow struct{ start, duration, pid, buffer uint64 }

func submissionTable(rows ...submissionRow) func(*export.Writer) {
	return func(w *export.Writer) {
		column := func(mnemonic, kind string) export.Column {
			return export.Column{Mnemonic: mnemonic, Name: mnemonic, Type: kind}
		}
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[2]", tableSubmissions, []export.Column{
			column("start", "start-time"), column("duration", "duration"), column("process", "process"),
			column("thread", "thread"), column("cmdbuffer-id", "metal-command-buffer-id")})
		for _, r := range rows {
			w.Row([]export.Value{export.Time("start-time", r.start), export.Duration(r.duration),
				export.ProcessValue(fmt.Sprintf("p%d", r.pid), r.pid), export.Sentinel,
				export.Hex("metal-command-buffer-id", r.buffer)})
		}
		w.EndTable()
	}
}

// summarise summarises documents made by hand, and a table of contents if given.
func summarise(t *testing.T, f Filter, toc string, tables ...func(*export.Writer)) *Summary {
	t.Helper()
	dir := t.TempDir()
	if toc != "" {
		if err := os.WriteFile(filepath.Join(dir, "toc.xml"), []byte(toc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, table := range tables {
		var b bytes.Buffer
		w := export.NewWriter(&b)
		table(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.xml", i)), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs, _, err := xctrace.Inputs([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return of(t, load(t, inputs), f)
}

// contents is a table of contents; settings are lines like "Counter Set: (null)".
func contents(target string, seconds float64, tables []string, settings ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><trace-toc><run number="1"><info><target>`+
		`<device name="x" platform="macOS"/>%s</target><summary><start-date>2026-10-10T14:43:30.540-05:00</start-date>`+
		`<duration>%f</duration><template-name>Metal System Trace</template-name><intruments-recording-settings>`+
		`<instrument name="Metal Application"><array><dictionary><key name="GPU">`, target, seconds)
	for _, s := range settings {
		fmt.Fprintf(&b, "<value>%s</value>", s)
	}
	b.WriteString("</key></dictionary></array></instrument></intruments-recording-settings></summary></info>" +
		"<processes/><data>")
	for _, s := range tables {
		fmt.Fprintf(&b, `<table schema="%s"/>`, s)
	}
	b.WriteString("</data><tracks/></run></trace-toc>")
	return b.String()
}

const launched = `<process type="launched" name="p7" pid="7" termination-reason="exit(0)"/>`

func emptyTable(name string) func(*export.Writer) {
	return func(w *export.Writer) {
		schema, ok := export.SchemaOf(name)
		if !ok {
			panic(name)
		}
		w.BeginTable("//trace-toc[1]/run[1]/data[1]/table[9]", name, schema.Columns)
		w.EndTable()
	}
}

func warned(s *Summary, text string) bool {
	return slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, text) })
}

func whyMissing(s *Summary, what string) string {
	for _, m := range s.Missing {
		if strings.Contains(m.What, what) {
			return m.Why
		}
	}
	return ""
}

// many is n rows of a process, one after another.
func many(n int, r gpuRow) []gpuRow {
	rows := make([]gpuRow, n)
	for i := range rows {
		rows[i] = r
		rows[i].start += uint64(i) * 1000
		rows[i].buffer += uint64(i) * 2
		rows[i].encoder += uint64(i) * 2
	}
	return rows
}
