// Package tracesim makes trace files whose truth is known: record by record (File), or by running a program on a
// simulated Metal in virtual time (Sim), so that the analyses are tested on real files without a device.
package tracesim

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A File is a trace file in the making: one process's records by ring, its facts, its end.
type File struct {
	Info      tracefile.Info
	Processes []*Process
	Cut       bool // leave out the end of the processes
}

// A Process is one process of a File.
type Process struct {
	Hello wire.Hello
	Facts []wire.Fact
	End   tracefile.End

	Clock   wire.ClockKind     // ClockNanoseconds when it is 0
	Samples []wire.ClockSample // of that clock
	Times   []wire.ThreadTime
	rings   []*Ring
}

// A Ring is the records of one thread, in the order of their ends.
type Ring struct {
	process *Process
	Records []wire.Record
}

// NewFile is a file with one process on a software device of ObjectID 1.
func NewFile() (*File, *Process) {
	p := &Process{Hello: wire.Hello{Version: wire.Version, PID: 100, PPID: 1, Program: "/usr/bin/example",
		Args: []string{"example", "--threads", "2"},
		Host: "testhost", OS: "linux", Arch: "amd64", Started: 1_700_000_000_000_000_000}}
	p.Facts = append(p.Facts, wire.Fact{Kind: wire.FactDevice, Key: 1, Text: "Test Device", Aux: 1})
	f := &File{Info: tracefile.Info{Tool: "test", Command: p.Hello.Args, Host: "testhost", OS: "linux", Arch: "amd64",
		Started: p.Hello.Started, Processors: 16}}
	f.Processes = []*Process{p}
	return f, p
}

// Thread begins a ring for a thread. at is the instant of its first call.
func (p *Process) Thread(id uint64, name string, at int64) *Ring {
	r := &Ring{process: p}
	p.rings = append(p.rings, r)
	r.Start(id, name, at)
	return r
}

// Start makes the records that follow those of another thread, as when a ring is used again.
func (r *Ring) Start(id uint64, name string, at int64) {
	r.AddMore(wire.Record{Begin: wire.Ticks(at), End: wire.Ticks(at), Arg: id, Call: wire.CallThreadStart},
		wire.More{X0: r.process.String(name)})
}

// String is the StringID of a text, which becomes a fact.
func (p *Process) String(text string) uint64 {
	if text == "" {
		return 0
	}
	id := uint64(wire.HashString(text))
	p.Facts = append(p.Facts, wire.Fact{Kind: wire.FactString, Key: id, Text: text})
	return id
}

// Add appends a call.
func (r *Ring) Add(call wire.Call, begin, end int64, object uint32, arg uint64) {
	r.Records = append(r.Records, wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(end),
		Object: wire.ObjectID(object), Arg: arg, Call: call})
}

// AddMore appends a call and what belongs to it.
func (r *Ring) AddMore(c wire.Record, m wire.More) {
	c.Flags |= wire.HasMore
	r.Records = append(r.Records, c, m.Record())
}

// Write writes the file into the test's folder and returns its path.
func (f *File) Write(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.mtrace")
	if err := os.WriteFile(path, f.Bytes(t), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A memory is a file that is written to no disk.
type memory struct{ bytes.Buffer }

func (*memory) Close() error { return nil }

// Bytes are the file's.
func (f *File) Bytes(t testing.TB) []byte {
	t.Helper()
	var m memory
	w, err := tracefile.NewWriter(&m, f.Info)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range f.Processes {
		index := w.AddProcess(p.Hello)
		check(w.Region(index, cmp.Or(p.Clock, wire.ClockNanoseconds), 0, 0))
		check(w.Samples(index, p.Samples))
		check(w.Facts(index, p.Facts))
		check(w.ThreadTimes(index, p.Times))
		for i, r := range p.rings {
			check(w.Records(index, uint16(i), 0, r.Records))
		}
		if !f.Cut {
			check(w.EndProcess(index, p.End))
		}
	}
	check(w.Close(tracefile.Result{Finished: f.Info.Started + 1_000_000_000}))
	return m.Bytes()
}

// Rings are the process's rings so far.
func (p *Process) Rings() []*Ring { return p.rings }
