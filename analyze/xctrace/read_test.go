package xctrace

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "mtrace/fixtures/testheap"
	"mtrace/fixtures/xctrace/export"
)

// exportFiles lists the exports of the generated recording.
func exportFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../fixtures/xctrace/recording/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatal("no generated recording: ", err)
	}
	return files
}

// intervalLine, submissionLine and sampleLine return the content of a row, in words that both readers can write.
func intervalLine(d *Dictionary, g *GPUInterval) string {
	return fmt.Sprint("gpu ", int64(g.Start), " ", int64(g.Duration), " ", int64(g.StartLatency), " ", d.Text(g.Channel),
		" ", d.Processes[g.Process].PID, " ", d.Processes[g.Process].Name, " ",
		uint64(g.CommandBuffer), uint64(g.Encoder), uint64(g.Submission))
}

func submissionLine(d *Dictionary, s *Submission) string {
	t := d.Threads[s.Thread]
	return fmt.Sprint("submission ", int64(s.Start), " ", int64(s.Duration), " ", int64(s.EncoderTime), " ", s.Encoders,
		" ", d.Text(s.Label), " ",
		d.Processes[s.Process].PID, " ", t.TID, " ", uint64(s.CommandBuffer))
}

func sampleLine(d *Dictionary, s *CPUSample) string {
	line := fmt.Sprint("sample ", int64(s.Time), " ", d.Threads[s.Thread].TID)
	for _, f := range d.Stacks[s.Stack] {
		line += fmt.Sprintf(" %x", d.Frames[f].Address)
	}
	return line
}

func fastLines(t testing.TB, data []byte) ([]string, *Document, *Dictionary) {
	var lines []string
	sink := &Sink{Dictionary: NewDictionary()}
	d := sink.Dictionary
	sink.GPU.Interval = func(g *GPUInterval) { lines = append(lines, intervalLine(d, g)) }
	sink.Commands.Submission = func(s *Submission) { lines = append(lines, submissionLine(d, s)) }
	sink.CPU.Sample = func(s *CPUSample) { lines = append(lines, sampleLine(d, s)) }
	doc, err := Read(bytes.NewReader(data), "test", sink)
	if err != nil {
		t.Fatal(err)
	}
	return lines, doc, d
}

// naiveLines writes the same lines from the trees of the slow reader.
func naiveLines(t testing.TB, data []byte) []string {
	tables, err := readNaively(bytes.NewReader(data))
	if err != nil && !strings.Contains(err.Error(), "EOF") {
		t.Fatal(err)
	}
	num := func(v *naiveValue) uint64 {
		if v == nil || v.null {
			return 0
		}
		n, err := strconv.ParseUint(v.text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if n == 1<<64-1 {
			return 0
		}
		return n
	}
	child := func(v *naiveValue, tag string) *naiveValue {
		if v == nil {
			return nil
		}
		for _, c := range v.children {
			if c.tag == tag {
				return c
			}
		}
		return nil
	}
	text := func(v *naiveValue) string {
		if v == nil || v.null {
			return ""
		}
		return v.text
	}
	name := func(v *naiveValue, pid uint64) string {
		if v == nil || v.null {
			return ""
		}
		return strings.TrimSuffix(v.fmt, fmt.Sprintf(" (%d)", pid))
	}
	var lines []string
	for _, table := range tables {
		for _, r := range table.rows {
			switch table.schema {
			case "metal-gpu-intervals":
				pid := num(child(r["process"], "pid"))
				lines = append(lines, fmt.Sprint("gpu ", nanosOf(num(r["start"])), " ", nanosOf(num(r["duration"])), " ",
					nanosOf(num(r["start-latency"])), " ",
					text(r["channel-name"]), " ", pid, " ", name(r["process"], pid), " ",
					num(r["cmdbuffer-id"]), num(r["encoder-id"]), num(r["gpu-submission-id"])))
			case "metal-application-command-buffer-submissions":
				lines = append(lines, fmt.Sprint("submission ", nanosOf(num(r["start"])), " ", nanosOf(num(r["duration"])), " ",
					nanosOf(num(r["encoder-time"])), " ", num(r["num-encoders"]), " ",
					text(child(r["event-label"], "metal-object-label")), " ", num(child(r["process"], "pid")), " ",
					num(child(r["thread"], "tid")), " ", num(r["cmdbuffer-id"])))
			case "time-sample":
				line := fmt.Sprint("sample ", nanosOf(num(r["time"])), " ", num(child(r["thread"], "tid")))
				stack := r["cp-user-callstack"]
				if stack != nil && !stack.null {
					pc := num(child(stack, "text-address"))
					line += fmt.Sprintf(" %x", pc)
					for i, a := range strings.Fields(text(child(stack, "text-addresses"))) {
						n, _ := strconv.ParseUint(a, 10, 64)
						if n != 0 && (i > 0 || n != pc) {
							line += fmt.Sprintf(" %x", n)
						}
					}
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func nanosOf(n uint64) int64 { return int64(cell{n, cellValue}.nanos()) }

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%d rows, want %d; the first that is missing: %s", len(got), len(want), want[i])
		case i >= len(want):
			t.Fatalf("%d rows, want %d; the first too many: %s", len(got), len(want), got[i])
		case got[i] != want[i]:
			t.Fatalf("row %d:\n got %s\nwant %s", i+1, got[i], want[i])
		}
	}
}

// Every row of a known table must read as the slow reader reads it, in exports of several shapes.
func TestGeneratedExportsReadAsTheSlowReaderDoes(t *testing.T) {
	for name, c := range map[string]export.Config{
		"one thread": {Seed: 1, CommandBuffers: 50},
		"labels, compositor": {Seed: 2, CommandBuffers: 400, Threads: 4, Encoders: 3, Labels: 7, Compositor: true,
			Unattributed: 2},
		"waiting, compositor": {Seed: 3, CommandBuffers: 300, Threads: 8, Wait: true, Compositor: true},
	} {
		r := export.Record(c)
		for _, table := range []string{"metal-gpu-intervals", "metal-application-command-buffer-submissions", "time-sample"} {
			t.Run(name+"/"+table, func(t *testing.T) {
				var b bytes.Buffer
				if err := r.Write(&b, table); err != nil {
					t.Fatal(err)
				}
				got, doc, _ := fastLines(t, b.Bytes())
				sameLines(t, got, naiveLines(t, b.Bytes()))
				if len(got) == 0 || doc.Tables[0].Rejected != 0 || doc.Tables[0].Dangling != 0 || doc.Truncated {
					t.Errorf("%d rows, document %+v", len(got), doc)
				}
			})
		}
	}
}

// A file cut at any byte gives the rows before the cut, never a part of one,
// and says that it is cut.
func TestCutAtEveryByte(t *testing.T) {
	var b bytes.Buffer
	r := export.Record(export.Config{Seed: 4, CommandBuffers: 6, Compositor: true})
	if err := r.Write(&b, "metal-gpu-intervals"); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	whole, _, _ := fastLines(t, data)
	end := bytes.LastIndex(data, []byte("</trace-query-result>")) + len("</trace-query-result>")
	for cut := 1; cut < end; cut++ {
		var lines []string
		sink := &Sink{Dictionary: NewDictionary()}
		sink.GPU.Interval = func(g *GPUInterval) { lines = append(lines, intervalLine(sink.Dictionary, g)) }
		doc, err := Read(bytes.NewReader(data[:cut]), "cut", sink)
		complete := bytes.Count(data[:cut], []byte("</row>"))
		switch {
		case err != nil && doc.Roots == 0: // before the root: not an export at all
			continue
		case err != nil:
			t.Fatalf("cut at %d: %v", cut, err)
		case !doc.Truncated:
			t.Fatalf("cut at %d of %d: not said to be cut", cut, end)
		case len(lines) != complete:
			t.Fatalf("cut at %d: %d rows, %d are complete", cut, len(lines), complete)
		}
		sameLines(t, lines, whole[:complete])
	}
}

// Whatever the bytes, reading ends with a document whose counts are true, and
// with the same one however large the window is through which it is read.
func FuzzRead(f *testing.F) {
	r := export.Record(export.Config{Seed: 5, CommandBuffers: 3, Compositor: true, Unattributed: 2})
	for _, s := range export.Schemas {
		var b bytes.Buffer
		if err := r.Write(&b, s.Name); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()*2/3])
	}
	var toc bytes.Buffer
	r.WriteTOC(&toc, true)
	f.Add(toc.Bytes())
	f.Add([]byte(twoNodes))
	f.Add([]byte(`<trace-query-result><node xpath='//a/tracks[1]'><row a="1" b-%="2"><backtrace>` +
		`<frame id="0" name="x" addr="0x1"><binary id="1" name="l"/></frame><frame ref="0"/></backtrace></row></node>` +
		`</trace-query-result>`))
	f.Add([]byte(`<trace-query-result><node><schema name="time-sample"><col><mnemonic>time</mnemonic>` +
		`<engineering-type>sample-time</engineering-type></col></schema><row><sample-time id="4294967295">1</sample-time>` +
		`</row><row><sample-time ref="99999999999"/></row></node></trace-query-result>`))
	f.Add([]byte(shortcutRows))
	whole := windowSize
	f.Cleanup(func() { windowSize, noShortcuts = whole, false })
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(window int) (*Document, *Recording, int64, error) {
			windowSize = window
			var rows int64
			rec := NewRecording()
			sink := rec.sink()
			counted := *sink
			counted.GPU.Interval = func(g *GPUInterval) { rows++; sink.GPU.Interval(g) }
			doc, err := Read(bytes.NewReader(data), "fuzz", &counted)
			return doc, rec, rows, err
		}
		doc, rec, rows, err := read(len(data) + 1)
		if crc32.ChecksumIEEE(data)%4 == 0 { // the second reading takes longer than the first
			noShortcuts = len(data)%2 == 0
			again, recAgain, _, errAgain := read(1 + len(data)%61)
			noShortcuts = false
			content := func(r *Recording) string {
				return fmt.Sprintf("%+v %+v %+v", r.GPU.Intervals, r.Commands.Submissions, r.CPU.Samples)
			}
			what := func(err error) string { // the error and its position; after that it quotes some of the window
				text, _, _ := strings.Cut(fmt.Sprint(err), `"`)
				return text
			}
			if what(err) != what(errAgain) || content(rec) != content(recAgain) || len(doc.Tables) != len(again.Tables) {
				t.Fatalf("two readings differ: %v and %v", err, errAgain)
			}
		}
		var delivered int64
		for _, table := range doc.Tables {
			if table.Rejected > table.Rows {
				t.Fatalf("%d of %d rows rejected", table.Rejected, table.Rows)
			}
			if table.Rejected > 0 && len(table.Problems) == 0 {
				t.Fatal("rows were rejected without a reason")
			}
			if table.Schema == "metal-gpu-intervals" && table.Decoded {
				delivered += table.Rows - table.Rejected
			}
		}
		if delivered != rows {
			t.Fatalf("%d rows delivered, the tables count %d", rows, delivered)
		}
	})
}

// shortcutRows has cells that almost fit a shortcut, each in a row of its own with a column for a time and one for a
// text.
var shortcutRows = func() string {
	doc := `<trace-query-result><node><schema name="metal-gpu-state-intervals"><col><mnemonic>start</mnemonic>` +
		`<engineering-type>start-time</engineering-type></col>` +
		`<col><mnemonic>duration</mnemonic><engineering-type>duration</engineering-type></col><col>` +
		`<mnemonic>state</mnemonic><engineering-type>gpu-state</engineering-type></col></schema>`
	for i, duration := range []string{
		`<duration id="7" fmt="1 ns">1</duration>`, `<duration ref="7"/>`, `<duration ref="7" />`,
		`<duration ref="7"></duration>`, `<duration  ref="7"/>`, `<duration ref='7'/>`,
		`<duration ref="07"/>`, `<duration ref="1000000007"/>`, `<duration ref="4294967303"/>`, `<duration ref=""/>`,
		`<duration ref="-7"/>`, `<duration ref="7" x="1"/>`,
		`<duration ref="8"/>`, `<duration ref="3"/>`, `<durations ref="7"/>`, `<dur ref="7"/>`, `<sentinel/>`, `<duration/>`,
		`<duration ref="7" id="9"/>`,
		`<duration id="1000000011" fmt="2 ns">2</duration>`, `<duration id="12" fmt="&lt;">2</duration>`,
		`<duration id="12" fmt="'">2</duration>`, `<duration id="12" fmt='"'>2</duration>`,
		`<duration id="13" fmt="3" x="y">3</duration>`, `<duration id="13" fmt="3"/>`,
		`<duration id="13" fmt="3"></duration>`, `<duration id="13" fmt="3" >3</duration>`,
		`<duration id="14" fmt="x">9999999999999999999</duration>`,
		`<duration id="14" fmt="x">18446744073709551615</duration>`,
		`<duration id="14" fmt="x">99999999999999999999</duration>`,
		`<duration ref="14"/>`, `<duration id="15" fmt="x"> 4 </duration>`, `<duration id="15" fmt="x">-4</duration>`,
		`<duration id="15" fmt="x">0</duration>`, `<duration ref="15"/>`,
		`<duration id="16" fmt="x">4</duration >`, `<duration id="16" fmt="x">4<a/></duration>`,
		`<duration id="16" fmt="x"><!-- no -->4</duration>`, `<duration fmt="x" id="17">4</duration>`,
		"\n<duration id=\"18\" fmt=\"x\">4</duration>",
	} {
		doc += fmt.Sprintf(`<row><start-time id="%d" fmt="x">%d</start-time>%s<gpu-state id="%d" `+
			`fmt="Active">Active</gpu-state></row>`, 100+2*i, 1000+i, duration, 101+2*i)
	}
	return doc + `</node></trace-query-result>`
}()

// The scanner reads the same as a shortcut: the rows, and the reports on rows that break a rule.
func TestShortcuts(t *testing.T) {
	read := func(without bool) (states []GPUState, doc *Document, err error) {
		noShortcuts = without
		defer func() { noShortcuts = false }()
		doc, err = Read(strings.NewReader(shortcutRows), "rows",
			&Sink{GPU: GPUSinks{State: func(s *GPUState) { states = append(states, *s) }}})
		return states, doc, err
	}
	states, doc, err := read(false)
	want, wantDoc, wantErr := read(true)
	if err != nil || wantErr != nil {
		t.Fatalf("%v and %v", err, wantErr)
	}
	if fmt.Sprint(states) != fmt.Sprint(want) || fmt.Sprintf("%+v", *doc.Tables[0]) != fmt.Sprintf("%+v",
		*wantDoc.Tables[0]) {
		t.Errorf("with shortcuts %v\n%+v\nwithout %v\n%+v", states, *doc.Tables[0], want, *wantDoc.Tables[0])
	}
	if n := len(states); n < 15 || doc.Tables[0].Rejected < 8 {
		t.Errorf("%d rows were read, and %d rejected", n, doc.Tables[0].Rejected)
	}
}
