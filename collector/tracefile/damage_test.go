package tracefile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// readable is what can be read of a trace, in an order that tells what is missing.
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
		if err := r.Read(s, func(records []wire.Record) error { got.streams[key] = append(got.streams[key], records...); return nil }); err != nil {
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

// isPart says whether records are others with some left out.
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

// TestEveryBit: whichever bit of a trace is flipped, either nothing changes or it is said, and what is read is right; of records that a
// block of a known header or index held it is known how many are missing. One flipped bit used to make the whole file unreadable.
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
	step := 7 // some bit of every byte
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
				t.Errorf("bit %d of byte %d changes what is read, and nothing is said", bit%8, bit/8)
			}
			continue
		}
		left++
		for key, all := range want {
			part := got.streams[key]
			if !isPart(part, all) {
				t.Fatalf("bit %d: stream %v has records that were never made", bit, key)
			}
			if n, m := uint64(len(part)), got.missing[key]; got.cut == nil && !slices.ContainsFunc(got.damage, func(d Damage) bool { return d.Unknown() || d.Records == 0 && !d.Remade() }) && n+m < uint64(len(all)) {
				t.Errorf("bit %d: of %d records of stream %v %d are there and %d are missing: %+v", bit, len(all), key, n, m, got.damage)
			}
		}
	}
	t.Logf("of %d flips %d changed nothing, %d were said, %d made the file unreadable", 8*len(whole)/step, silent, left, refused)
}

// TestRepair: what is whole of a damaged or cut trace becomes a file that reads without a complaint of its own, has the same records, and
// says what it lacks.
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
	for at := fileHeader; at < len(whole); at += 7 {
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
			if after.missing[key] < before.missing[key] && before.cut == nil && !strings.Contains(fmt.Sprint(said.Lines), "not known") {
				t.Fatalf("byte %d: %d records of stream %v are missing, and the repaired file says %d", at, before.missing[key], key, after.missing[key])
			}
		}
	}
	for size := fileHeader + 1; size < len(whole); size += 11 {
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

// TestSoFar: of a cut trace it is known what the processes had counted when they were last looked at.
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

// FuzzRepair: whatever a file is, what is repaired of it reads without a complaint of its own.
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
