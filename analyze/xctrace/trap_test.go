package xctrace

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The traps of the format that a reader can fall into. Each test opens with a bug that really occurred. The traps of
// interpreting the rows are tested in package summary, and the traps of running xctrace in package bundle.

// doc makes a document of nodes.
func doc(nodes ...string) string {
	return "<?xml version=\"1.0\"?>\n<trace-query-result>\n" + strings.Join(nodes, "\n") + "</trace-query-result>\n"
}

// node makes a node with a schema of "mnemonic:type" columns.
func node(schema, columns string, rows ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<node xpath='//trace-toc[1]/run[1]/data[1]/table[1]'><schema name="%s">`, schema)
	for _, c := range strings.Fields(columns) {
		mnemonic, kind, _ := strings.Cut(c, ":")
		fmt.Fprintf(&b, "<col><mnemonic>%s</mnemonic><name>%s</name><engineering-type>%s</engineering-type></col>", mnemonic,
			mnemonic, kind)
	}
	b.WriteString("</schema>")
	for _, r := range rows {
		b.WriteString("<row>" + r + "</row>\n")
	}
	return b.String() + "</node>"
}

const gpuColumns = "start:start-time duration:duration channel-name:gpu-channel-name start-latency:duration " +
	"event-label:formatted-label process:process cmdbuffer-id:metal-command-buffer-id"

// read reads a document and returns its GPU intervals.
func read(t *testing.T, document string) ([]GPUInterval, *Document, *Dictionary) {
	t.Helper()
	var rows []GPUInterval
	sink := &Sink{Dictionary: NewDictionary(), GPU: GPUSinks{Interval: func(g *GPUInterval) { rows = append(rows, *g) }}}
	d, err := Read(strings.NewReader(document), "test", sink)
	if err != nil {
		t.Fatal(err)
	}
	return rows, d, sink.Dictionary
}

const firstRow = `<start-time id="1" fmt="00:00.000.100">100000</start-time>` +
	`<duration id="2" fmt="5.00 µs">5000</duration><gpu-channel-name id="3" fmt="Compute">Compute</gpu-channel-name>` +
	`<duration id="4" fmt="7 ns">7</duration><formatted-label id="5" fmt="a:b ( p (42) )">` +
	`<string id="6" fmt="a:b">a:b</string><narrative-text id="7" fmt=" ("> (</narrative-text>` +
	`<process id="8" fmt="p (42)"><pid id="9" fmt="42">42</pid>` +
	`<device-session id="10" fmt="TODO">TODO</device-session></process>` +
	`<narrative-text id="11" fmt=")">)</narrative-text></formatted-label>` +
	`<process ref="8"/><metal-command-buffer-id id="12" fmt="0x10">16</metal-command-buffer-id>`

// Trap 1. A duration equal to an earlier one is <duration ref="2"/> with no text;
// a tool that skipped rows without text lost 1,899 of 2,786.
func TestTrap01ReferencedDurations(t *testing.T) {
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns, firstRow,
		`<start-time id="13" fmt="">200000</start-time><duration ref="2"/><gpu-channel-name ref="3"/><duration ref="2"/>`+
			`<formatted-label ref="5"/><process ref="8"/><metal-command-buffer-id ref="12"/>`)))
	if len(rows) != 2 || rows[1].Duration != 5000 || rows[1].StartLatency != 5000 || rows[1].CommandBuffer != 16 ||
		d.Tables[0].Dangling != 0 {
		t.Errorf("rows %+v, table %+v", rows, d.Tables[0])
	}
}

// Trap 2. <sentinel/> is a value too: skipping it moved every later column.
func TestTrap02SentinelsKeepTheirColumn(t *testing.T) {
	rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns,
		`<start-time id="1" fmt="">100</start-time><sentinel/><sentinel/><duration id="2" fmt="">7</duration><sentinel/>`+
			`<sentinel/><metal-command-buffer-id id="3" fmt="">9</metal-command-buffer-id>`)))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if r.Start != 100 || r.Duration != 0 || d.Text(r.Channel) != "" || r.StartLatency != 7 || r.Process != 0 ||
		r.CommandBuffer != 9 {
		t.Errorf("row %+v", r)
	}
}

// Trap 3. In real exports the process column refers to a process that was first written inside the label of the same
// row. A reader that registered only cells found no process at all (43,818 of 44,280 cells were references).
func TestTrap03IdsInsideOtherCells(t *testing.T) {
	rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns, firstRow)))
	if len(rows) != 1 || d.Processes[rows[0].Process] != (Process{42, "p"}) || rows[0].LabelProcess != rows[0].Process {
		t.Errorf("rows %+v, processes %+v", rows, d.Processes)
	}
}

// Trap 4. A process cell may be a sentinel, and so may the pid inside one.
func TestTrap04ProcessMayBeASentinel(t *testing.T) {
	rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns,
		strings.Replace(firstRow, `<process ref="8"/>`, `<sentinel/>`, 1),
		`<start-time id="20" fmt="">1</start-time><duration ref="2"/><gpu-channel-name ref="3"/><duration ref="2"/>`+
			`<sentinel/><process id="21" fmt="q"><sentinel/></process><sentinel/>`)))
	if len(rows) != 2 || rows[0].Process != 0 || d.Processes[rows[1].Process] != (Process{0, "q"}) {
		t.Errorf("rows %+v, processes %+v", rows, d.Processes)
	}
}

// A row with another number of cells than columns, or with a cell of another
// type than its column, is left out and counted: never read by guess.
func TestTrapRowsThatBreakTheRules(t *testing.T) {
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns, firstRow,
		`<start-time id="13" fmt="">1</start-time>`,
		`<start-time id="14" fmt="">1</start-time><uint32 id="15" fmt="">2</uint32><sentinel/><sentinel/><sentinel/>`+
			`<sentinel/><sentinel/>`,
		`<start-time id="16" fmt="">soon</start-time><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`,
		`<start-time ref="12"/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`,
		`<start-time ref="999"/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`)))
	table := d.Tables[0]
	if len(rows) != 1 || table.Rows != 6 || table.Rejected != 5 {
		t.Errorf("%d rows delivered, table %+v", len(rows), table)
	}
	for _, want := range []string{"row 2 ", "1 cells for 7 columns", "column duration holds a <uint32>, not a <duration>",
		"does not fit its type", "value whose type differs", "not in the document"} {
		if !strings.Contains(fmt.Sprint(table.Problems), want) {
			t.Errorf("problems %v: no %q", table.Problems, want)
		}
	}
	if table.Dangling != 2 {
		t.Errorf("%d dangling references, there are 2", table.Dangling)
	}
}

// A dangling reference in a column that is not read costs no row, but is counted.
func TestTrapDanglingReferencesAreCounted(t *testing.T) {
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns+" color:render-buffer-depth",
		firstRow+`<render-buffer-depth ref="777"/>`)))
	if len(rows) != 1 || d.Tables[0].Dangling != 1 || d.Tables[0].Rejected != 0 {
		t.Errorf("%d rows, table %+v", len(rows), d.Tables[0])
	}
}

// The displayed text depends on the language of the machine ("2.287.014.575")
// and on the version: nothing may come from it.
func TestTrapDisplayedTextIsNotRead(t *testing.T) {
	row := firstRow
	for _, fmtOf := range []string{"00:00.000.100", "5.00 µs", "7 ns", "a:b ( p (42) )", "0x10", "42"} {
		row = strings.ReplaceAll(row, `fmt="`+fmtOf+`"`, `fmt="9.999.999,5 Kühe"`)
	}
	rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns, row)))
	r := rows[0]
	if r.Start != 100000 || r.Duration != 5000 || r.StartLatency != 7 || d.Text(r.Label) != "a:b" ||
		r.CommandBuffer != 16 || d.Processes[r.Process].PID != 42 {
		t.Errorf("row %+v, label %q", r, d.Text(r.Label))
	}
}

// Labels have the same parts in all versions, joined differently in the
// displayed text; a program's own label may hold anything, brackets included.
func TestTrapLabels(t *testing.T) {
	part := func(tag, text string) string { return fmt.Sprintf(`<%s fmt="x">%s</%s>`, tag, text, tag) }
	process := `<process fmt="p (42)"><pid fmt="42">42</pid></process>`
	for _, c := range []struct{ name, parts, want string }{
		{"26.0", part("string", "a:b") + part("narrative-text", " ") + part("string", " ") + part("narrative-text", " (") +
			process + part("narrative-text", ") ") + part("metal-encoder-id", "7"), "a:b"},
		{"no label", part("string", "") + part("narrative-text", " ") + part("string", " ") + part("narrative-text", " (") +
			process + part("narrative-text", ") "), ""},
		{"own brackets", part("string", "f (x): [1, 2]") + part("narrative-text", " (") + process, "f (x): [1, 2]"},
		{"two texts", part("metal-object-label", "cb") + part("metal-object-label", "enc") + process, "cb enc"},
		{"narrative", part("narrative-text", "Minimum GPU Performance State"), "Minimum GPU Performance State"},
		{"escapes", part("string", "a &lt;b&gt; &amp;amp; &quot;c&quot; &#955;") + process, `a <b> &amp; "c" λ`},
	} {
		rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns,
			`<start-time fmt="">1</start-time><duration fmt="">1</duration><sentinel/><sentinel/><formatted-label fmt="">`+
				c.parts+`</formatted-label><sentinel/><sentinel/>`)))
		if len(rows) != 1 || d.Text(rows[0].Label) != c.want {
			t.Errorf("%s: label %q, want %q", c.name, d.Text(rows[0].Label), c.want)
		}
	}
}

// Numbers that mean "no value", as the tables give them.
func TestTrapMagicNumbersAreNull(t *testing.T) {
	v := valueReader{tags: newTagTable(), dict: NewDictionary()}
	for _, c := range []struct {
		tag  string
		text string
	}{
		{"start-time", "1125899906842623"}, {"event-time", "1125899906842623"}, {"sample-time", "1125899906842623"},
		{"duration", "0"}, {"boolean", "3"}, {"pid", "131071"}, {"core", "65535"},
		{"uint64", "18446744073709551615"}, {"size-in-bytes", "18446744073709551615"}, {"tid", "18446744073709551615"},
		{"connection-uuid64", "-1"}, {"connection-uuid64", "18446744073709551615"},
		{"metal-command-buffer-id", "18446744073709551615"},
		{"gpu-hardware-trace", "18446744073709551615"}, {"uint32", "4294967295"}, {"gpu-frame-number", "4294967295"},
		{"render-buffer-depth", "4294967295"},
	} {
		if got := v.leaf(v.tags.find([]byte(c.tag)), []byte(c.text)); got.state != cellNull {
			t.Errorf("%s %s is %+v, not null", c.tag, c.text, got)
		}
		if got := v.leaf(v.tags.find([]byte(c.tag)), []byte("1")); got.state != cellValue || got.word != 1 {
			t.Errorf("%s 1 is %+v", c.tag, got)
		}
	}
	if got := v.leaf(v.tags.find([]byte("uint64")), []byte("18446744073709551616")); got.state != cellBroken {
		t.Errorf("2^64 is %+v, not broken", got)
	}
	if got := v.leaf(v.tags.find([]byte("start-time")), []byte("9223372036854775807")); got.nanos() != 0 {
		t.Errorf("a time of 292 years is %d", got.nanos())
	}
}

// A row without its point in time is rejected and counted. Once its time became 0, so the trace began with the boot of
// the machine.
func TestTrapRowsWithoutTime(t *testing.T) {
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns,
		`<start-time id="1" fmt="">5</start-time><duration id="2" fmt="">3</duration><sentinel/><sentinel/><sentinel/>`+
			`<sentinel/><sentinel/>`,
		`<start-time id="3" fmt="">1125899906842623</start-time><duration ref="2"/><sentinel/><sentinel/><sentinel/>`+
			`<sentinel/><sentinel/>`,
		`<start-time ref="3"/><duration ref="2"/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`,
		`<sentinel/><duration ref="2"/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`)))
	table := d.Tables[0]
	if len(rows) != 1 || rows[0].Start != 5 || table.Rejected != 3 || len(table.Problems) != 1 {
		t.Errorf("rows %+v, %d rejected, problems %+v", rows, table.Rejected, table.Problems)
	}
}

// A reference to a null is a null as well.
func TestTrapReferencesToNull(t *testing.T) {
	rows, _, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns,
		`<start-time id="1" fmt="">5</start-time><duration id="2" fmt="0 ns">0</duration><sentinel/><duration ref="2"/>`+
			`<sentinel/><sentinel/><metal-command-buffer-id id="3" fmt="">18446744073709551615</metal-command-buffer-id>`,
		`<start-time id="4" fmt="">6</start-time><duration ref="2"/><sentinel/><duration ref="2"/><sentinel/><sentinel/>`+
			`<metal-command-buffer-id ref="3"/>`)))
	if len(rows) != 2 || rows[1].HasLatency || rows[1].CommandBuffer != 0 {
		t.Errorf("rows %+v", rows)
	}
}

// Trap 7 and others: columns are inserted in the middle over time, so only the mnemonic identifies a column. Unknown
// columns are skipped; a column whose type changed its kind is not read by guess.
func TestTrapColumnsMove(t *testing.T) {
	rows, _, _ := read(t, doc(node("metal-gpu-intervals",
		"new-one:new-type process:process channel-name:gpu-channel-name start:start-time event-label:formatted-label "+
			"another:uint32 duration:duration",
		`<new-type id="1" fmt="">?</new-type><sentinel/><sentinel/><start-time id="2" fmt="">11</start-time><sentinel/>`+
			`<uint32 id="3" fmt="">1</uint32><duration id="4" fmt="">12</duration>`)))
	if len(rows) != 1 || rows[0].Start != 11 || rows[0].Duration != 12 {
		t.Errorf("rows %+v", rows)
	}
	// Without labels, or with labels under another name, the whole table was lost, although its times matter.
	for _, label := range []string{"", "label:formatted-label"} {
		cell := strings.Repeat("<sentinel/>", strings.Count(label, ":"))
		rows, d, _ := read(t, doc(node("metal-gpu-intervals", strings.Replace(gpuColumns, "event-label:formatted-label",
			label, 1),
			`<start-time fmt="">1</start-time><duration fmt="">2</duration><sentinel/><sentinel/>`+cell+
				`<sentinel/><sentinel/>`)))
		if len(rows) != 1 || rows[0].Duration != 2 {
			t.Errorf("without event-label: rows %+v, refused %q", rows, d.Tables[0].Refused)
		}
	}
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", strings.Replace(gpuColumns, "duration:duration",
		"duration:process", 1),
		`<start-time fmt="">1</start-time><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/><sentinel/>`)))
	if len(rows) != 0 || !strings.Contains(d.Tables[0].Refused, "column duration has type process") {
		t.Errorf("rows %+v, refused %q", rows, d.Tables[0].Refused)
	}
	rows, d, _ = read(t, doc(node("metal-gpu-intervals", "start:start-time", `<start-time fmt="">1</start-time>`)))
	if len(rows) != 0 || !strings.Contains(d.Tables[0].Refused, "column duration is missing") {
		t.Errorf("rows %+v, refused %q", rows, d.Tables[0].Refused)
	}
}

// A number is read in whichever of its types a version writes it.
func TestTrapNumbersOfOtherTypes(t *testing.T) {
	rows, _, _ := read(t, doc(node("metal-gpu-intervals",
		strings.Replace(gpuColumns, "cmdbuffer-id:metal-command-buffer-id", "cmdbuffer-id:uint64", 1),
		`<start-time fmt="">1</start-time><duration fmt="">1</duration><sentinel/><sentinel/><sentinel/><sentinel/>`+
			`<uint64 fmt="1.0">10</uint64>`)))
	if len(rows) != 1 || rows[0].CommandBuffer != 10 {
		t.Errorf("rows %+v", rows)
	}
}

const twoNodesTail = `<node xpath='//trace-toc[1]/run[1]/data[1]/table[1]'><row><start-time ref="1"/>` +
	`<duration ref="2"/><gpu-channel-name ref="3"/><duration ref="4"/><formatted-label ref="5"/><process ref="8"/>` +
	`<metal-command-buffer-id ref="12"/></row></node>`

var twoNodes = doc(node("metal-gpu-intervals", gpuColumns, firstRow), twoNodesTail)

// Several nodes of one document share ids, and a node without a schema has the schema of the node before.
func TestTrapNodesShareIdsAndSchema(t *testing.T) {
	rows, d, _ := read(t, twoNodes)
	if len(rows) != 2 || rows[0] != rows[1] || !d.Tables[1].Inherited || d.Tables[1].Schema != "metal-gpu-intervals" {
		t.Errorf("rows %+v, tables %+v", rows, d.Tables)
	}
}

// A script of Microsoft's joins nine exports into one file without their first
// lines: ids begin again at every root, and mean something else.
func TestTrapSeveralRoots(t *testing.T) {
	one := doc(node("metal-gpu-intervals", gpuColumns, firstRow))
	two := strings.ReplaceAll(strings.Replace(one, "<?xml version=\"1.0\"?>\n", "", 1), ">5000<", ">6000<")
	rows, d, _ := read(t, one+two)
	if d.Roots != 2 || len(rows) != 2 || rows[0].Duration != 5000 || rows[1].Duration != 6000 {
		t.Errorf("%d roots, rows %+v", d.Roots, rows)
	}
	// A reference to an id of the document before is dangling.
	_, d, _ = read(t, one+strings.Replace(two, `<duration id="2" fmt="5.00 µs">6000</duration>`, `<duration ref="2"/>`, 1))
	if d.Tables[1].Rejected != 1 || d.Tables[1].Dangling != 1 {
		t.Errorf("second root: %+v", d.Tables[1])
	}
}

// A table without rows and an xpath that matches no table both end with status
// 0 of xctrace, and mean different things.
func TestTrapEmptyTableAndNoTable(t *testing.T) {
	_, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns)))
	if len(d.Tables) != 1 || d.Tables[0].Rows != 0 || d.EmptyRoot != 0 {
		t.Errorf("an empty table: %+v", d)
	}
	_, d, _ = read(t, doc())
	if len(d.Tables) != 0 || d.EmptyRoot != 1 {
		t.Errorf("no table: %+v", d)
	}
	_, err := Read(strings.NewReader(""), "x.xml", &Sink{})
	if err == nil || !strings.Contains(err.Error(), "x.xml: the file is empty") {
		t.Errorf("no bytes: %v", err)
	}
}

// Apple writes an attribute named resident-%, which is not XML: every standard
// parser stops there. Detail views have no schema and count their ids from 0.
func TestTrapIllegalAttributeNames(t *testing.T) {
	_, d, _ := read(t, doc(`<node xpath='//trace-toc[1]/run[1]/tracks[1]/track[1]/details[1]/detail[1]'>`+
		`<row path="a" resident-%="100.00"/>
<row path="b" resident-%="0.00"><backtrace><frame id="0" name="f" addr="0x1"><binary id="1" name="l"/></frame>`+
		`<frame ref="0"/></backtrace></row>`+"\n</node>"))
	table := d.Tables[0]
	if d.IllegalNames != 2 || table.Shape != ShapeDetail || table.Rows != 2 || table.Dangling != 0 ||
		len(table.Columns) != 2 || table.Columns[1].Mnemonic != "resident-%" {
		t.Errorf("document %+v, table %+v", d, table)
	}
}

// Tools that trim fixtures write them again with ElementTree: values without an
// id, attributes in another order, <sentinel />, indentation.
func TestTrapFixturesWrittenAgain(t *testing.T) {
	rows, _, d := read(t, `<trace-query-result>
  <node xpath="//trace-toc[1]/run[1]/data[1]/table[1]">
    <schema name="metal-gpu-intervals">
      <col><mnemonic>start</mnemonic><name>s</name><engineering-type>start-time</engineering-type></col>
      <col><mnemonic>duration</mnemonic><name>s</name><engineering-type>duration</engineering-type></col>
      <col><mnemonic>channel-name</mnemonic><name>s</name><engineering-type>gpu-channel-name</engineering-type></col>
      <col><mnemonic>process</mnemonic><name>s</name><engineering-type>process</engineering-type></col>
      <col><mnemonic>event-label</mnemonic><name>s</name><engineering-type>formatted-label</engineering-type></col>
    </schema>
    <row>
      <start-time fmt="x">
        77
      </start-time>
      <duration fmt="1" id="40000000">5</duration>
      <gpu-channel-name fmt="">Blit</gpu-channel-name>
      <process fmt="p (3)" id="7"><pid fmt="3">3</pid></process>
      <sentinel />
    </row>
    <row><start-time fmt="">78</start-time><duration ref="40000000" /><gpu-channel-name fmt="" id="9" />`+
		`<process ref="7" /><sentinel></sentinel></row>
  </node>
</trace-query-result>`)
	if len(rows) != 2 || rows[0].Start != 77 || rows[1].Duration != 5 || d.Text(rows[0].Channel) != "Blit" ||
		rows[1].Channel != 0 || rows[1].Process != rows[0].Process {
		t.Errorf("rows %+v", rows)
	}
}

// Threads are displayed in three formats; the name is separated by the tid, so that a name with brackets or numbers
// stays complete.
func TestTrapThreadNames(t *testing.T) {
	for display, want := range map[string]string{
		"Main Thread  0x54469d8 (p, pid: 42)":        "Main Thread",
		"proxima-core-0 0x54469d8 (p, pid: 42)":      "proxima-core-0",
		"worker (3) (0x54469d8) (p (x), pid: 42)":    "worker (3)",
		"0x54469d8 (p, pid: 42)":                     "",
		"something without a number":                 "something without a number",
		"0x54469d8 of 7 (0x54469d8) (p, pid: 42)":    "0x54469d8 of 7",
		"com.apple.NSEventThread 0x54469d8 (p 0x54)": "com.apple.NSEventThread",
	} {
		if got := threadName(display, 0x54469d8); got != want {
			t.Errorf("%q: %q, want %q", display, got, want)
		}
	}
	if got := processName("Google Chrome (Renderer) (42)", 42); got != "Google Chrome (Renderer)" {
		t.Errorf("process %q", got)
	}
}

// Stacks come as frames (once, then by reference), tagged in newer versions, or
// as addresses; frames without a symbol have no library. The library of a frame is
// mostly a reference: a reader that looked for its name found it in the first frame
// only.
func TestTrapStacks(t *testing.T) {
	frames := `<frame id="20" name="f" addr="0x100"><binary id="21" name="lib" UUID="U" arch="arm64e" load-addr="0x1" ` +
		`path="/lib"/></frame><frame id="22" name="0x200" addr="0x200"/><frame id="23" name="g" addr="0x300">` +
		`<binary ref="21"/><source line="7"><path id="24">/src/a.rs</path></source></frame>` +
		`<frame id="25" name="g" addr="0x304"><binary ref="21"/><source line="9"><path ref="24"/></source></frame>` +
		`<frame ref="20"/>`
	for name, stack := range map[string]string{
		"backtrace": `<backtrace id="19">` + frames + `</backtrace>`,
		"tagged-backtrace": `<tagged-backtrace id="18" fmt="f"><backtrace id="19">` + frames +
			`</backtrace></tagged-backtrace>`,
	} {
		var samples []CPUSample
		sink := &Sink{Dictionary: NewDictionary(), CPU: CPUSinks{Sample: func(s *CPUSample) {
			samples = append(samples,
				*s)
		}}}
		row := `<sample-time id="1" fmt="">5</sample-time><thread id="2" fmt="t"><tid id="3" fmt="0x7">7</tid></thread>` +
			`<weight id="4" fmt="">1000000</weight>`
		again := fmt.Sprintf(`<sample-time ref="1"/><thread ref="2"/><weight ref="4"/><%s ref="%d"/>`, name,
			map[string]int{"backtrace": 19, "tagged-backtrace": 18}[name])
		_, err := Read(strings.NewReader(doc(node("time-profile", "time:sample-time thread:thread weight:weight stack:"+name,
			row+stack, again))), "x", sink)
		if err != nil || len(samples) != 2 {
			t.Fatalf("%s: %d samples, %v", name, len(samples), err)
		}
		d := sink.Dictionary
		var got []Frame
		for _, f := range d.Stacks[samples[0].Stack] {
			got = append(got, d.Frames[f])
		}
		want := []Frame{{"f", 0x100, "lib", "", 0}, {"0x200", 0x200, "", "", 0}, {"g", 0x300, "lib", "/src/a.rs", 7},
			{"g", 0x304, "lib", "/src/a.rs", 9}, {"f", 0x100, "lib", "", 0}}
		if fmt.Sprint(got) != fmt.Sprint(want) || samples[1].Stack != samples[0].Stack || samples[0].Weight != 1000000 {
			t.Errorf("%s: stack %v, want %v; second %+v", name, got, want, samples[1])
		}
	}
}

// The first line of a table is 3 to 10 kB, and a row with a stack is longer: a reader of lines of at most 64 KiB loses
// them.
func TestTrapLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*windowSize)
	rows, _, d := read(t, doc(node("metal-gpu-intervals", gpuColumns, strings.ReplaceAll(firstRow, "a:b", long))))
	if len(rows) != 1 || d.Text(rows[0].Label) != long {
		t.Errorf("%d rows", len(rows))
	}
}

// Hexadecimal numbers are displayed so, and written in decimal; some do not fit
// a signed number.
func TestTrapLargeIdentifiers(t *testing.T) {
	if n, ok := parseNumber([]byte("18446744073709551614")); !ok || n != math.MaxUint64-1 {
		t.Errorf("%d, %v", n, ok)
	}
	for _, bad := range []string{"", "0x10", "1,106,263,150", "18446744073709551616", "99999999999999999999",
		"123456789012345678901", "1.5"} {
		if n, ok := parseNumber([]byte(bad)); ok {
			t.Errorf("%q read as %d", bad, n)
		}
	}
}

// Unknown tables are listed with their rows, and are no error.
func TestTrapUnknownTables(t *testing.T) {
	_, d, _ := read(t, doc(node("some-new-table", "a:start-time "+
		"b:unheard-of", `<start-time id="1" fmt="">1</start-time><unheard-of id="2" fmt="x">`+
		`<deeper id="3" fmt="">z</deeper></unheard-of>`, `<start-time ref="1"/><unheard-of ref="2"/>`)))
	table := d.Tables[0]
	if table.Rows != 2 || table.Rejected != 0 || table.Dangling != 0 || table.Decoded || len(table.Columns) != 2 {
		t.Errorf("table %+v", table)
	}
}

// Input that is not an export is refused in one line that says so.
func TestNotAnExport(t *testing.T) {
	for content, want := range map[string]string{
		"hello":                      "not an export",
		`{"a": 1}`:                   "not an export",
		"<html><body>":               "the document is a <html>, not a <trace-query-result>",
		"<trace-query-result><row/>": "<row> in the query result where a <node> should be",
		"<plist version=\"1.0\"/>":   "the document is a <plist>",
		"<trace-query-result></a>":   "</a> closes <trace-query-result>",
		"<trace-query-result><node><row><a/></row></node></trace-query-result>": "rows without a schema",
	} {
		_, err := Read(bytes.NewReader([]byte(content)), "f.xml", &Sink{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f.xml: ") {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

// A signpost's message has parts, as a label does; read as plain text it was
// empty.
func TestTrapMessagesHaveParts(t *testing.T) {
	var messages []string
	sink := &Sink{Dictionary: NewDictionary()}
	sink.CPU.Mark = func(s *SignpostEvent) { messages = append(messages, sink.Dictionary.Text(s.Message)) }
	_, err := Read(strings.NewReader(doc(node("os-signpost", "time:event-time name:signpost-name message:os-log-metadata",
		`<event-time id="1" fmt="">5</event-time><signpost-name id="2" fmt="">n</signpost-name>`+
			`<os-log-metadata id="3" fmt="Launch Time 1,109.4500"><string id="4" fmt="">Launch Time</string>`+
			`<narrative-text id="5" fmt=" "> </narrative-text><fixed-decimal id="6" `+
			`fmt="1,109.4500">1109.450000000</fixed-decimal></os-log-metadata>`,
		`<event-time ref="1"/><signpost-name ref="2"/><os-log-metadata ref="3"/>`))), "x", sink)
	if err != nil || len(messages) != 2 || messages[0] != "Launch Time" || messages[1] != messages[0] {
		t.Errorf("messages %q, %v", messages, err)
	}
}

// Recordings of Metal have begins and ends of signposts, out of order, and no
// table of intervals: phases were thought not to be in them.
func TestSignpostsArePaired(t *testing.T) {
	row := func(at int, kind, name string, id int) string {
		return fmt.Sprintf(`<event-time fmt="">%d</event-time><event-type fmt="">%s</event-type>`+
			`<signpost-name fmt="">%s</signpost-name><os-signpost-identifier fmt="">%d</os-signpost-identifier>`, at, kind, name,
			id)
	}
	document := doc(node("os-signpost", "time:event-time event-type:event-type name:signpost-name "+
		"identifier:os-signpost-identifier",
		row(100, "Begin", "step", 1), row(150, "End", "step", 2), row(400, "End", "step", 1), row(120, "Begin", "step", 2),
		row(130, "Begin", "step", 2), row(140, "End", "step", 2),
		row(400, "End", "step", 1), row(100, "Begin", "step", 1), row(10, "End", "step", 9), row(500, "Begin", "load", 1),
		row(300, "Event", "load", 1)))
	path := put(t, t.TempDir(), "s.xml", []byte(document))
	inputs, _, err := Inputs([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.CPU.Signposts {
		got = append(got, fmt.Sprint(r.Text(s.Name), " ", int64(s.Start), " ", int64(s.Duration)))
	}
	if want := "[step 130 10 step 120 30 step 100 300]"; fmt.Sprint(got) != want {
		t.Errorf("intervals %v, want %s", got, want)
	}
}

// A duration of -1, or of 2^64-1, was read as 0: the row counted, and its time did not. Such rows are left out and
// counted, also where the value is referred to.
func TestTrapTimesThatAreNone(t *testing.T) {
	wrong := strings.Replace(firstRow, ">5000<", ">-5<", 1)
	rows, d, _ := read(t, doc(node("metal-gpu-intervals", gpuColumns, wrong,
		`<start-time id="13" fmt="">200000</start-time><duration ref="2"/><gpu-channel-name ref="3"/><duration ref="4"/>`+
			`<formatted-label ref="5"/><process ref="8"/><metal-command-buffer-id ref="12"/>`,
		`<start-time id="14" fmt="">300000</start-time><duration id="15" fmt="">18446744073709551615</duration>`+
			`<gpu-channel-name ref="3"/><duration ref="4"/><formatted-label ref="5"/><process ref="8"/>`+
			`<metal-command-buffer-id ref="12"/>`,
		`<start-time id="16" fmt="">400000</start-time><duration ref="4"/><gpu-channel-name ref="3"/><duration ref="4"/>`+
			`<formatted-label ref="5"/><process ref="8"/><metal-command-buffer-id ref="12"/>`)))
	table := d.Tables[0]
	if len(rows) != 1 || table.Rejected != 3 || table.Dangling != 0 || !strings.Contains(table.Problems[0].What,
		"negative or longer") {
		t.Errorf("rows %+v, table %+v", rows, table)
	}
}

const counters = "time:sample-time thread:thread pmc-events:any weight:weight"

var counterRows = []string{
	`<sample-time id="1" fmt="">1000</sample-time><thread id="2" fmt="main 0x7 (p, pid: 42)">` +
		`<tid id="3" fmt="0x7">7</tid><process id="4" fmt="p (42)"><pid id="5" fmt="42">42</pid></process></thread>` +
		`<pmc-event id="6" fmt="1, 2">1 2</pmc-event><weight id="7" fmt="">1</weight>`,
	`<sample-time id="8" fmt="">2000</sample-time><thread ref="2"/><uint64 id="9" fmt="9">9</uint64><weight ref="7"/>`,
	`<sample-time id="10" fmt="">3000</sample-time><thread ref="2"/><sentinel/><weight ref="7"/>`,
}

// Cells in a column of type any may have any type: every row of counters was rejected, because a <pmc-event> is not an
// <any>.
func TestTrapColumnsOfAnyType(t *testing.T) {
	r := NewRecording()
	d, err := Read(strings.NewReader(doc(node("thread-counters", counters, counterRows...))), "test", r.sink())
	if err != nil || d.Tables[0].Rejected != 0 || d.Tables[0].Rows != 3 || len(r.Others) != 1 ||
		len(r.Others[0].Others) != 3 {
		t.Fatalf("%v, table %+v, %+v", err, d.Tables[0], r.Others)
	}
	if x := r.Others[0].Others[1]; x.Start != 2000 || r.Processes[x.Process].PID != 42 {
		t.Errorf("row %+v", x)
	}
}
