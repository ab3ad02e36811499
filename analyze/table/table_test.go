package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"mtrace/analyze"
	"mtrace/analyze/wholefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/consumers"
	"mtrace/fixtures/tracetest"
)

var update = flag.Bool("update", false, "write the golden files and docs/schema/events.1.json")

func load(t testing.TB, path string, w *Writer) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
	if err == nil {
		err = w.Whole(trace)
	}
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func jsonLines(t testing.TB, path string) []byte {
	var b bytes.Buffer
	load(t, path, NewJSONLines(&b))
	return b.Bytes()
}

func directory(t testing.TB, path string, f Format) string {
	d := &Directory{Path: filepath.Join(t.TempDir(), "out")}
	load(t, path, NewFiles(d, f))
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	return d.Path
}

// grid is a table as rows of texts by column, without missing values: the common ground of all formats.
type grid []map[string]string

func fromJSON(t testing.TB, data []byte) map[string]grid {
	t.Helper()
	tables := map[string]grid{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		var row map[string]any
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return tables
		} else if err != nil {
			t.Fatal(err)
		}
		flat := map[string]string{}
		for k, v := range row {
			if k != "table" {
				flat[k] = fmt.Sprint(v)
			}
		}
		name := row["table"].(string)
		tables[name] = append(tables[name], flat)
	}
}

func fromCSV(t testing.TB, dir string) map[string]grid {
	t.Helper()
	tables := map[string]grid{}
	for _, d := range descriptions() {
		f, err := os.Open(filepath.Join(dir, d.name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		records, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[1:] {
			flat := map[string]string{}
			for i, v := range r {
				if v != "" {
					flat[records[0][i]] = v
				}
			}
			tables[d.name] = append(tables[d.name], flat)
		}
	}
	return tables
}

func fromParquet(t testing.TB, dir string) map[string]grid {
	t.Helper()
	all := map[string]grid{}
	for _, tb := range tables {
		tb.(interface {
			read(testing.TB, string, map[string]grid)
		}).read(t, dir, all)
	}
	return all
}

// read reads the table's Parquet file.
func (tb table[T]) read(t testing.TB, dir string, tables map[string]grid) {
	t.Helper()
	rows, err := parquet.ReadFile[T](filepath.Join(dir, tb.name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		v := reflect.ValueOf(row)
		flat := map[string]string{}
		for _, c := range columnsOf(v.Type()) {
			if f := v.FieldByIndex(c.index); !c.optional || !f.IsZero() {
				flat[c.name] = fmt.Sprint(f.Interface())
			}
		}
		tables[tb.name] = append(tables[tb.name], flat)
	}
}

// All formats hold the same tables, to the last value.
func TestFormatsAgree(t *testing.T) { formatsAgree(t, tracetest.Small(t)) }

// Labels are the program's: any bytes may be in them, and every reader must be able to read the file.
func TestStrangeLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strange.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "strange")
	th := p.Thread(8, "bad \xff name")
	th.NewQueue("new\nline, \"quoted\" \\ \x01 ")
	th.Run(tracetest.Step{Pipeline: th.NewPipeline(" k"), Label: "caf\xc3\xa9 \xc3(", Encode: 100, Commit: 100,
		Delay: 100, GPU: 100, Notify: 100})
	p.End()
	f.Close()
	tables := formatsAgree(t, path)
	if got := tables["command_buffers"][0]["label"]; got != "café \uFFFD(" {
		t.Errorf("label %q", got)
	}
}

// TestEveryTable: the threads' waits outside of Metal, the devices' memory totals, and the calls that were open at a
// process's end are in the tables, as in the model.
func TestEveryTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "every.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "every")
	a, b, pool := p.Thread(8, "main"), p.Thread(9, "worker"), p.Thread(10, "pool")
	a.NewQueue("q")
	a.Run(tracetest.Step{Pipeline: a.NewPipeline("k"), Encode: 100, Commit: 1000, Delay: 1000, GPU: 50_000, Notify: 1000})
	a.DeviceMemory(1 << 20)
	a.HoldingInterpreter(func() {
		a.Call(wire.FamilyLock, "pthread_mutex_lock", 1, 9, 700, &wire.More{X0: a.Text("the lock"), X1: 0x1000})
	})
	a.HoldingInterpreter(func() {
		a.Call(wire.FamilyCommandBuffer, "waitUntilCompleted", a.NewObject(), 0, 300, nil)
	})
	a.SignalWait("ready", 0x2000, 9, 5000, 200)
	a.TimedOut(func() { a.SignalWait("", 0x2000, 0, 900, 0) })
	a.Opens("step 3", 0)
	b.Call(wire.FamilyDevice, "newBufferWithLength:options:", p.Device, uint64(b.NewObject()), 2_000,
		&wire.More{X0: 1 << 20, X1: 2 << 4})
	pool.SignalWait("work", 0x3000, 8, 40_000, 100)
	p.End()
	f.Close()
	tables := formatsAgree(t, path)
	for _, d := range descriptions() {
		if len(tables[d.name]) == 0 && d.name != "processor_times" {
			t.Errorf("nothing in %s", d.name)
		}
	}
	for _, want := range []struct {
		table string
		row   int
		cells map[string]string
	}{
		{"signal_waits", 0, map[string]string{"tid": "10", "name": "work", "object": "12288", "signaller": "8",
			"selector": "pthread_cond_wait", "duration_ns": "40000"}},
		{"signal_waits", 1, map[string]string{"tid": "8", "name": "ready", "object": "8192", "signaller": "9",
			"duration_ns": "5000"}},
		{"signal_waits", 2, map[string]string{"timed_out": "true", "duration_ns": "900"}},
		{"memory_samples", 0, map[string]string{"device": "scripted", "bytes": "1048576", "pid": "7"}},
		{"scopes", 0, map[string]string{"name": "step 3", "unfinished": "true"}},
		{"locks", 0, map[string]string{"interpreter_lock": "held", "name": "the lock", "holder": "9", "own_ns": "700"}},
		{"waits", 1, map[string]string{"interpreter_lock": "held"}},
		{"threads", 0, map[string]string{"signal_wait_ns": "5900"}},
		{"threads", 2, map[string]string{"signal_wait_ns": "40000", "outside_ns": "40000"}},
	} {
		for name, value := range want.cells {
			if got := tables[want.table][want.row][name]; got != value {
				t.Errorf("%s, row %d: %s is %q, want %q, in %v", want.table, want.row, name, got, value,
					tables[want.table][want.row])
			}
		}
	}
	first := tables["signal_waits"][1]
	if begin, end, at := first["begin_ns"], first["end_ns"], first["signalled_ns"]; at <= begin || at >= end {
		t.Errorf("signalled at %s, in a wait from %s to %s", at, begin, end)
	}
}

func formatsAgree(t *testing.T, path string) map[string]grid {
	t.Helper()
	lines := fromJSON(t, jsonLines(t, path))
	delete(lines, "trace")
	if got := fromCSV(t, directory(t, path, CSV)); !reflect.DeepEqual(got, lines) {
		t.Errorf("CSV:\n%v\nJSON lines:\n%v", got, lines)
	}
	got := fromParquet(t, directory(t, path, Parquet))
	if !reflect.DeepEqual(got, lines) {
		t.Errorf("Parquet:\n%v\nJSON lines:\n%v", got, lines)
	}
	return lines
}

func TestGoldenLines(t *testing.T) {
	path := tracetest.Small(t)
	got := bytes.ReplaceAll(jsonLines(t, path), []byte(path), []byte("small.mtrace"))
	golden := filepath.Join("testdata", "small.jsonl")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v): go test -update writes it anew; got\n%s", golden, err, got)
	}
}

// The counts of the tables are the model's.
func TestNothingIsLost(t *testing.T) {
	var b bytes.Buffer
	trace := load(t, tracetest.Small(t), NewJSONLines(&b))
	got := fromJSON(t, b.Bytes())
	for name, want := range map[string]int{
		"calls": int(trace.Events) + len(trace.Unfinished), "processes": len(trace.Processes), "threads": len(trace.Threads),
		"queues":          len(trace.Queues),
		"command_buffers": len(trace.CommandBuffers), "waits": len(trace.Waits), "allocations": len(trace.Memory.Allocations),
		"compilations": len(trace.Compilations), "trace": 1,
	} {
		if len(got[name]) != want {
			t.Errorf("%s: %d rows, the model has %d", name, len(got[name]), want)
		}
	}
}

// The parts of a thread's time add up to the thread's time, and the parts of a wait to the wait.
func TestPartsAddUp(t *testing.T) {
	got := fromJSON(t, jsonLines(t, tracetest.Small(t)))
	number := func(row map[string]string, key string) (n int64) {
		if row[key] != "" {
			if _, err := fmt.Sscan(row[key], &n); err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	for _, c := range []struct {
		table, whole string
		parts        []string
	}{
		{"threads", "", []string{"encode_ns", "commit_ns", "acquire_ns", "compile_ns", "allocate_ns", "lock_ns",
			"wait_executing_ns", "wait_queued_own_ns",
			"wait_queued_other_ns", "wait_scheduling_ns", "wait_notify_ns", "wait_foreign_ns", "other_api_ns", "outside_ns"}},
		{"waits", "duration_ns", []string{"executing_ns", "queued_own_ns", "queued_other_ns", "scheduling_ns", "notify_ns",
			"foreign_ns"}},
	} {
		for _, row := range got[c.table] {
			sum, whole := int64(0), number(row, "end_ns")-number(row, "begin_ns")
			for _, p := range c.parts {
				sum += number(row, p)
			}
			if sum != whole || c.whole != "" && whole != number(row, c.whole) {
				t.Errorf("%s: the parts are %d of %d: %v", c.table, sum, whole, row)
			}
		}
	}
}

const published = "../../docs/schema/events.1.json"

func TestPublishedSchemaIsCurrent(t *testing.T) {
	want, err := EventsSchema()
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(published, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(published); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v) is not what the tables are: go test -update writes it anew", published, err)
	}
	page, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descriptions() {
		if !bytes.Contains(page, []byte("`"+d.name+"`")) {
			t.Errorf("docs/export.md does not name the table %s", d.name)
		}
	}
}

// checkLine checks a line against the part of JSON schema that the published one uses.
func checkLine(schema map[string]any, line []byte) error {
	var row map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		return err
	}
	for _, k := range schema["oneOf"].([]any) {
		kind := k.(map[string]any)
		properties := kind["properties"].(map[string]any)
		if properties["table"].(map[string]any)["const"] != row["table"] {
			continue
		}
		for _, r := range kind["required"].([]any) {
			if _, there := row[r.(string)]; !there {
				return fmt.Errorf("no %s in %s", r, line)
			}
		}
		for name, v := range row {
			p, known := properties[name].(map[string]any)
			if !known {
				return fmt.Errorf("%s is not in the schema", name)
			}
			is := map[string]func(any) bool{
				"string":  func(v any) bool { _, ok := v.(string); return ok },
				"boolean": func(v any) bool { _, ok := v.(bool); return ok },
				"array":   func(v any) bool { _, ok := v.([]any); return ok },
				"integer": func(v any) bool { n, ok := v.(json.Number); return ok && !strings.ContainsAny(n.String(), ".eE") },
			}
			if want, typed := p["type"].(string); typed && !is[want](v) {
				return fmt.Errorf("%s is %v, not a %s", name, v, want)
			}
		}
		return nil
	}
	return fmt.Errorf("no table %v", row["table"])
}

func TestLinesFollowTheSchema(t *testing.T) {
	text, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(jsonLines(t, tracetest.Small(t))) {
		if err := checkLine(schema, line); err != nil {
			t.Error(err)
		}
		var row struct{ Table string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		seen[row.Table] = true
	}
	if len(seen) < 11 {
		t.Errorf("only %v were checked", seen)
	}
	for _, bad := range []string{`{"table":"calls"}`, `{"table":"processes","pid":"1","program":"x"}`,
		`{"table":"processes","pid":1.5,"program":"x"}`,
		`{"table":"processes","pid":1,"program":"x","more":1}`, `{"table":"nothing"}`} {
		if checkLine(schema, []byte(bad)) == nil {
			t.Errorf("the check accepts %s", bad)
		}
	}
}

// Readers of others must find the same number of rows, where they are installed.
func TestOtherReaders(t *testing.T) {
	python := consumers.Python(t, "pyarrow.parquet", "jsonschema")
	path := tracetest.Small(t)
	file := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(file, jsonLines(t, path), 0o644); err != nil {
		t.Fatal(err)
	}
	const script = `
import json, sys, pyarrow.parquet as pq, jsonschema
schema = jsonschema.Draft202012Validator(json.load(open(sys.argv[3])))
rows = [json.loads(l) for l in open(sys.argv[2])]
for r in rows: schema.validate(r)
for name in sorted({r["table"] for r in rows} - {"trace"}):
    mine = [{k: v for k, v in r.items() if k != "table"} for r in rows if r["table"] == name]
    table = pq.read_table(sys.argv[1] + "/" + name + ".parquet")
    theirs = [{k: v for k, v in r.items() if v is not None} for r in table.to_pylist()]
    assert mine == theirs, (name, mine, theirs)
print("ok")`
	out, err := exec.Command(python, "-c", script, directory(t, path, Parquet), file, published).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v: %s", err, out)
	}
}

// The queries of the documentation run, in the database they are written for, and find rows.
func TestDocumentedQueries(t *testing.T) {
	python := consumers.Python(t, "duckdb")
	text, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	queries := strings.Split(string(text), "```sql\n")[1:]
	if len(queries) == 0 {
		t.Fatal("there are no queries in docs/export.md")
	}
	dir := directory(t, tracetest.Small(t), Parquet)
	partition := filepath.Join(dir, "calls", "host=mac1", "run=1") // as --partition run has it
	if err := errors.Join(os.MkdirAll(partition, 0o755), os.Link(filepath.Join(dir, "calls.parquet"),
		filepath.Join(partition, "calls.parquet"))); err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		q, _, _ = strings.Cut(q, "```")
		q = strings.ReplaceAll(q, "'tables/", "'"+dir+"/")
		out, err := exec.Command(python, "-c", "import duckdb, sys; print(len(duckdb.sql(sys.argv[1]).fetchall()))",
			q).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) == "0" && !strings.Contains(q, "foreign_ns") {
			// nobody waits for others there
			t.Errorf("%v: %s: %s", err, out, q)
		}
	}
}

// failing is a disk that takes so many bytes more, in files that several goroutines write.
type failing struct{ left atomic.Int64 }

func full(left int64) *failing {
	f := &failing{}
	f.left.Store(left)
	return f
}

var errFull = errors.New("no space left on device")

func (f *failing) Write(b []byte) (int, error) {
	if f.left.Add(-int64(len(b))) < 0 {
		return 0, errFull
	}
	return len(b), nil
}
func (f *failing) Close() error                          { return nil }
func (f *failing) Create(string) (io.WriteCloser, error) { return f, nil }

func TestFullDisk(t *testing.T) {
	path := tracetest.Small(t)
	for _, w := range []*Writer{NewJSONLines(full(0)), NewFiles(full(0), CSV), NewFiles(full(0), Parquet)} {
		trace, err := analyze.Load(path, analyze.Options{Visit: w.Call})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Whole(trace); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk ends with %v", w.out.format, err)
		}
	}
}

// Tables that were not committed must not look like a complete export.
func TestDiscardLeavesNothing(t *testing.T) {
	d := &Directory{Path: filepath.Join(t.TempDir(), "out")}
	load(t, tracetest.Small(t), NewFiles(d, CSV))
	entries, err := os.ReadDir(d.Path)
	if err != nil || len(entries) == 0 || slices.ContainsFunc(entries,
		func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != wholefile.Suffix }) {
		t.Errorf("before the end there are %v, %v", entries, err)
	}
	d.Discard()
	if _, err := os.Stat(d.Path); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

// Memory does not grow with the calls: after writing, less memory is left in use than the rows themselves would take.
func TestMemoryIsBounded(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	steps := 40_000
	if testing.Short() {
		steps = 8_000
	}
	path := tracetest.Steps(t, steps)
	for _, f := range []Format{CSV, JSONLines} {
		w := NewFiles(full(1<<40), f)
		if f == JSONLines {
			w = NewJSONLines(full(1 << 40))
		}
		before, most, n := heap(), uint64(0), 0
		_, err := analyze.Load(path, analyze.Options{Visit: func(c *analyze.VisitedCall) {
			w.calls.add(callRow{Selector: "x"})
			if n++; n == steps*15/2 { // the model has almost all of its command buffers by now
				most = heap()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		model := uint64(steps * 1200) // a generous bound on the model's memory for them
		if grown := most - min(most, before); grown > model {
			t.Errorf("%s: %d calls took %d MB", f, n, grown>>20)
		}
	}
}

func benchmark(b *testing.B, open func(*failing) *Writer) {
	const steps = 20_000
	path := tracetest.Steps(b, steps)
	rows := float64(bytes.Count(jsonLines(b, path), []byte("\n")) - 1) // of all tables, without the summary
	defer debug.SetGCPercent(debug.SetGCPercent(analyze.GCPercent))    // as the command does
	size := int64(0)
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		w := full(1 << 40)
		load(b, path, open(w))
		size = 1<<40 - w.left.Load()
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(rows*float64(b.N)/(processorTime(b)-before).Seconds()/1e6, "Mrows/cpu-s")
	b.ReportMetric(float64(size)/rows, "B/row")
}

// processorTime returns the processor time of the process so far. On a machine with other load it is more reliable than
// the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkJSONLines(b *testing.B) {
	benchmark(b, func(w *failing) *Writer { return NewJSONLines(w) })
}
func BenchmarkCSV(b *testing.B) { benchmark(b, func(w *failing) *Writer { return NewFiles(w, CSV) }) }
func BenchmarkParquet(b *testing.B) {
	benchmark(b, func(w *failing) *Writer { return NewFiles(w, Parquet) })
}

// TestSpreadsheetsRunNoLabels: a text that a spreadsheet would run as a formula is a text there; numbers are numbers.
func TestSpreadsheetsRunNoLabels(t *testing.T) {
	for text, want := range map[string]string{
		`=HYPERLINK("http://x")`: `"'=HYPERLINK(""http://x"")"`, "+cmd": "'+cmd", "-rf": "'-rf", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "\"'\r=1\"",
		"-5": "-5", "+5.25": "+5.25", "-1.5e-7": "-1.5e-7", "a=b": "a=b", "": "", "-": "'-", "-inf": "'-inf",
	} {
		if got := string(appendQuoted(nil, text)); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
	var b bytes.Buffer
	p, err := NewPlain(&b, CSV, "t", []PlainColumn{{Name: "label", Kind: PlainText}, {Name: "n", Kind: PlainNumber},
		{Name: "f", Kind: PlainFloat}})
	if err == nil {
		err = p.Row([]any{"=1+1", uint64(7), -0.5})
	}
	if err == nil {
		err = p.Close()
	}
	if b.String() != "label,n,f\n'=1+1,7,-0.5\n" || err != nil {
		t.Errorf("%q, %v", b.String(), err)
	}
}
