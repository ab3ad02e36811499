package record

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

var updateLog = flag.Bool("update-log", false, "write testdata/log.golden instead of comparing with it")

// Every row of the table has a line that describes the event in words: no bare number that only the table explains, and
// no forgotten row. The golden file is for reading.
func TestLogOfEveryCall(t *testing.T) {
	q := &loggedProcess{Process: tracefile.Process{Hello: wire.Hello{PID: 1}},
		texts: map[wire.StringID]string{7: "a name", 8: "a label"}}
	var b strings.Builder
	for c := range wire.Table {
		call := wire.Call(c)
		row := call.Row()
		if !logged(row) {
			continue
		}
		r := wire.Record{Object: 3, Arg: 7, Call: call}
		m := wire.More{X0: 7, X1: 8, X2: 9, X3: 10}
		switch {
		case row.Has(wire.RoleGrid):
			r.Arg, m = 4096, wire.More{X0: 64 | 64<<32, X1: 1 | 16<<32, X2: 16 | 1<<32}
		case row.Has(wire.RoleMember):
			r.Arg, m = 3, wire.More{X0: 21 | 22<<32, X1: 23}
		case row.Has(wire.RoleOptions):
			m = wire.More{X0: 4096, X1: 2 << 4}
		case row.Has(wire.RoleSampling) && row.Effect != wire.EffectTimes:
			m = wire.More{X0: 1, X1: uint64(wire.SamplingFull)}
		case call == wire.CallCompleted:
			r.Arg, m = 5|2<<8, wire.More{X0: 1000, X1: 3500}
		case call == wire.CallEncoderTimes:
			r.Arg, m = uint64(wire.SamplingMeasured), wire.More{X0: 1000, X1: 3500}
		case len(row.More) == 0:
			m = wire.More{}
		}
		logLine{begin: 1_500_000, end: 1_502_000, process: q, thread: 42, record: r, more: m}.write(&b, 0)
	}
	b.WriteString("\n")
	for _, r := range []wire.Record{
		{Object: 3, Call: wire.MustLookup(wire.FamilyDevice, "newBufferWithLength:options:"), Flags: wire.Failed},
		{Object: 5, Arg: 9, Call: wire.MustLookup(wire.FamilyEvent, "waitUntilSignaledValue:timeoutMS:"), Flags: wire.Failed},
	} {
		logLine{begin: 1_500_000, end: 1_502_000, process: q, thread: 42, record: r, more: wire.More{X0: 100}}.write(&b, 0)
	}
	path := filepath.Join("testdata", "log.golden")
	if *updateLog {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != b.String() {
		t.Errorf("the lines differ from %s (%v); run the test with -update-log and look at the difference", path, err)
	}
}
