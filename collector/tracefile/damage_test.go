package tracefile

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/race"
	_ "mtrace/fixtures/testheap"
)

// readable is the readable content of a trace, in an order that shows gaps.
type readable struct {
	streams map[streamKey][]wire.Record
	missing map[streamKey]uint64
	text    string // everything
	damage  []Damage
	cut     *Cut
}

func readData(t testing.TB, data []byte) (readable, error) {
	t.Helper()
	r, err := NewReader("data", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %q", err)
		}
		return readable{}, err
	}
	got := readable{streams: map[streamKey][]wire.Record{}, missing: map[streamKey]uint64{}}
	for _, s := range r.Streams() {
		key := streamKey{s.Process, s.Ring}
		got.missing[key] = s.Missing
		if err := r.Read(s, func(records []wire.Record) error {
			got.streams[key] = append(got.streams[key],
				records...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	got.text, got.damage, got.cut = text.String(), r.Damage(), r.Cut()
	for _, d := range got.damage {
		got.missing[streamKey{d.Process, d.Ring}] += d.Records
		if line := r.Text(d); line == "" || strings.Contains(line, "\n") {
			t.Errorf("%+v: %q", d, line)
		}
	}
	return got, nil
}

// isPart reports whether records are all with some left out.
func isPart(part, all []wire.Record) bool {
	for _, r := range part {
		i := slices.Index(all, r)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// fewer is a step through the bytes of a trace. Under the race detector it is nine times as long: each place is read by
// the same code.
func fewer(step int) int {
	if race.Enabled {
		return 9 * step
	}
	return step
}

// TestEveryBit: whichever bit of a trace is flipped, either nothing changes or the damage is reported, and the read
// content is right. For a block with a known header or index entry the number of missing records is known. One flipped
// bit used to make the whole file unreadable.
func TestEveryBit(t *testing.T) {
	path, want := writeSmall(t, true)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := readData(t, whole)
	if err != nil || len(before.damage) > 0 || before.cut != nil {
		t.Fatal(err, before.damage, before.cut)
	}
	silent, refused, left := 0, 0, 0
	step := fewer(7) // some bit of every byte
	if os.Getenv("MTRACE_EVERY_BIT") != "" {
		step = 1
	}
	for bit := 0; bit < 8*len(whole); bit += step {
		data := bytes.Clone(whole)
		data[bit/8] ^= 1 << (bit % 8)
		got, err := readData(t, data)
		switch {
		case err != nil:
			refused++
			if bit/8 >= fileHeader {
				t.Errorf("bit %d: %v", bit, err)
			}
			continue
		case len(got.damage) == 0 && got.cut == nil:
			silent++
			if got.text != before.text {
				t.Errorf("bit %d of byte %d changes the read content, and no damage is reported", bit%8, bit/8)
			}
			continue
		}
		left++
		for key, all := range want {
			part := got.streams[key]
			if !isPart(part, all) {
				t.Fatalf("bit %d: stream %v has records that were never made", bit, key)
			}
			unknown := func(d Damage) bool { return d.Unknown() || d.Records == 0 && !d.Remade() }
			if n, m := uint64(len(part)), got.missing[key]; got.cut == nil && !slices.ContainsFunc(got.damage, unknown) &&
				n+m < uint64(len(all)) {
				t.Errorf("bit %d: of %d records of stream %v %d are there and %d are missing: %+v", bit, len(all), key, n, m,
					got.damage)
			}
		}
	}
	t.Logf("of %d flips %d changed nothing, %d were said, %d made the file unreadable", 8*len(whole)/step, silent, left,
		refused)
}

// TestRepair: the intact blocks of a damaged or cut trace become a file that reads without errors, has the same
// records, and states its losses.
func TestRepair(t *testing.T) {
	path, _ := writeSmall(t, true)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	repair := func(data []byte) (readable, *Repair) {
		t.Helper()
		r, err := NewReader("data", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		said, err := r.Repair(&out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readData(t, out.Bytes())
		if err != nil || len(got.damage) > 0 {
			t.Fatalf("the repaired file: %v %+v", err, got.damage)
		}
		again, err := NewReader("repaired", bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || !reflect.DeepEqual(again.Repaired(), said) {
			t.Fatalf("%v: it says %+v and not %+v", err, again.Repaired(), said)
		}
		return got, said
	}
	for at := fileHeader; at < len(whole); at += fewer(7) {
		data := bytes.Clone(whole)
		data[at] ^= 0x20
		before, err := readData(t, data)
		if err != nil {
			t.Fatal(err)
		}
		after, said := repair(data)
		if said == nil && after.text != before.text {
			t.Fatalf("byte %d: the repaired file differs and does not say so", at)
		}
		remade := !slices.ContainsFunc(before.damage, func(d Damage) bool { return !d.Remade() })
		if remade != (said == nil) && before.cut == nil {
			t.Fatalf("byte %d: %+v, and the file says %+v", at, before.damage, said)
		}
		for key, records := range before.streams {
			if !slices.Equal(after.streams[key], records) {
				t.Fatalf("byte %d: stream %v differs", at, key)
			}
			if after.missing[key] < before.missing[key] && before.cut == nil && !strings.Contains(fmt.Sprint(said.Lines),
				"not known") {
				t.Fatalf("byte %d: %d records of stream %v are missing, and the repaired file says %d", at, before.missing[key],
					key, after.missing[key])
			}
		}
	}
	for size := fileHeader + 1; size < len(whole); size += fewer(11) {
		before, _ := readData(t, whole[:size])
		after, said := repair(whole[:size])
		if said == nil || said.Cut == nil || after.cut == nil {
			t.Fatalf("cut at %d: the repaired file does not say so", size)
		}
		for key, records := range before.streams {
			if !slices.Equal(after.streams[key], records) {
				t.Fatalf("cut at %d: stream %v differs", size, key)
			}
		}
	}
}

// TestSoFar: for a cut trace the processes' last saved counters are known.
func TestSoFar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	w, err := Create(path, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(testHello(7))
	w.Region(p, wire.ClockNanoseconds, 0, 0)
	w.Records(p, 0, 0, workload(100, 1))
	w.SoFar(p, End{Unix: 5e9, Rings: []RingEnd{{Ring: 0, Head: 200}}})
	w.Flush()
	w.SoFar(p, End{Unix: 6e9, Rings: []RingEnd{{Ring: 0, Head: 400, Dropped: 30}, {Ring: 1, Head: 50}}})
	w.Flush()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Close(Result{})
	r, err := NewReader("cut", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Cut(); c == nil || c.At != 6e9 || c.All {
		t.Errorf("%+v", c)
	}
	if e := r.Processes()[0].Last(); e == nil || e.Lost() != 30 {
		t.Errorf("%+v", e)
	}
	if s := r.Streams(); len(s) != 2 || s[0].Missing != 300 || s[1].Missing != 50 {
		t.Errorf("%+v", s)
	}
}

// The record that passes a ring to another thread was in a damaged block. The records after it were attributed to the
// ring's previous thread, which had not made those calls (found by the torture test, seeds 1119 and 11925).
func TestThreadStartDamaged(t *testing.T) {
	start := func(thread uint64) wire.Record {
		return wire.Record{Begin: 1, End: 1, Arg: thread, Call: wire.CallThreadStart}
	}
	var file memory
	w, err := NewWriter(&file, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(testHello(100))
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.Region(p, wire.ClockNanoseconds, 0, 0))
	position := uint64(0)
	for _, records := range [][]wire.Record{ // a block each
		append([]wire.Record{start(11)}, workload(20, 1)...),
		append([]wire.Record{start(12)}, workload(20, 2)...),
		workload(20, 3),
		append(workload(20, 4), start(13)),
		workload(20, 5),
	} {
		check(w.Records(p, 7, position, records))
		check(w.streams[streamKey{p, 7}].flushLocked())
		position += uint64(len(records))
	}
	check(w.EndProcess(p, End{Rings: []RingEnd{{Ring: 7, Thread: 13, Head: position}}}))
	check(w.Close(Result{}))
	whole, err := NewReader("whole", bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	var blocks, owners []int64 // where they are
	for i := range whole.blocks {
		switch b := &whole.blocks[i]; b.kind {
		case blockRecords:
			blocks = append(blocks, b.offset)
		case blockOwners:
			owners = append(owners, b.offset)
		}
	}
	if len(blocks) != 5 || len(owners) != 1 {
		t.Fatalf("%d blocks of records, %d of owners", len(blocks), len(owners))
	}
	calls := func(r *Reader) map[uint64]int {
		of, thread := map[uint64]int{}, uint64(0)
		check(r.Read(r.Streams()[0], func(records []wire.Record) error {
			for _, record := range records {
				if record.Call == wire.CallThreadStart {
					thread = record.Arg
				} else {
					of[thread]++
				}
			}
			return nil
		}))
		return of
	}
	made := calls(whole)
	each := made[11]
	// The first parts of a trace in parts are gone: these calls are attributed to the ring's last owner.
	var kept, assembled memory
	check(WithoutRecords(&kept, bytes.NewReader(file.Bytes()[:blocks[2]])))
	check(Assemble(&assembled, io.MultiReader(&kept, bytes.NewReader(file.Bytes()[blocks[2]:])), ""))
	if got, want := calls(assembled.open(t)), (map[uint64]int{12: 2 * each, 13: each}); !maps.Equal(got, want) {
		t.Errorf("of the last parts: calls of threads %v, want %v", got, want)
	}
	for _, c := range []struct {
		name    string
		damaged []int64
		want    map[uint64]int
		left    uint64 // out, beside what the damaged blocks held
	}{
		{"nothing", nil, map[uint64]int{11: each, 12: 2*each + each, 13: each}, 0},
		{"a thread's start", blocks[1:2], map[uint64]int{11: each, 12: 2 * each, 13: each}, 0},
		{"the first", blocks[:1], map[uint64]int{12: 3 * each, 13: each}, 0},
		{"both before", blocks[:2], map[uint64]int{12: 2 * each, 13: each}, 0},
		{"the last start", blocks[3:4], map[uint64]int{11: each, 12: 2 * each, 13: each}, 0},
		{"no start", blocks[2:3], map[uint64]int{11: each, 12: 2 * each, 13: each}, 0},
		{"owners", owners, map[uint64]int{11: each, 12: 3 * each, 13: each}, 0},
		{"a thread's start, and owners", append(owners[:1:1], blocks[1]), map[uint64]int{11: each, 13: each},
			uint64(2 * each)},
		{"records of the last thread, and owners", append(owners[:1:1], blocks[3]), map[uint64]int{11: each, 12: 2 * each},
			uint64(each)},
	} {
		data := bytes.Clone(file.Bytes())
		for _, at := range c.damaged {
			data[at+blockHeader] ^= 1
		}
		r, err := NewReader("damaged", bytes.NewReader(data), int64(len(data)))
		check(err)
		for range 2 { // the second time damage is known from the start
			if got := calls(r); !maps.Equal(got, c.want) {
				t.Errorf("%s: calls of threads %v, want %v", c.name, got, c.want)
			}
		}
		got := map[uint64]int{}
		thread := uint64(0)
		for i := range r.Blocks(r.Streams()[0]) { // one by one
			check(r.ReadBlock(r.Streams()[0], i, func(records []wire.Record) error {
				for _, record := range records {
					if record.Call == wire.CallThreadStart {
						thread = record.Arg
					} else {
						got[thread]++
					}
				}
				return nil
			}))
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s, block by block: calls of threads %v, want %v", c.name, got, c.want)
		}
		left := uint64(0)
		for _, d := range r.Damage() {
			if d.Why == errOwner.Error() {
				left += d.Records
			}
		}
		if left != c.left {
			t.Errorf("%s: %d records are said to be nobody's, want %d", c.name, left, c.left)
		}
		var out memory
		_, err = r.Repair(&out)
		check(err)
		if got := calls(out.open(t)); !maps.Equal(got, c.want) {
			t.Errorf("%s, repaired: calls of threads %v, want %v", c.name, got, c.want)
		}
	}
}

// FuzzRepair: the repaired copy of any file reads without errors.
func FuzzRepair(f *testing.F) {
	for _, closed := range []bool{false, true} {
		path, _ := writeSmall(f, closed)
		whole, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole, uint32(0), byte(0))
		f.Add(whole, uint32(len(whole)/2), byte(4))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, change byte) {
		data = bytes.Clone(data)
		if len(data) > 0 {
			data[int(at)%len(data)] ^= change
		}
		r, err := NewReader("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := r.Repair(&out); err != nil {
			t.Fatal(err)
		}
		again, err := NewReader("repaired", bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range again.Streams() {
			again.Read(s, func([]wire.Record) error { return nil })
		}
		if damage := again.Damage(); len(damage) > 0 {
			t.Fatalf("%+v", damage)
		}
	})
}
