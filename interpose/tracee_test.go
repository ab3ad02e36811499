package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"mtrace/collector/wire"
)

// A tracee is one process as a small collector of these tests saw it: the data from the socket, then the rest in the
// shared memory. It is written independently of package collector, so that a misunderstanding of the format shows.
type tracee struct {
	hello  wire.Hello
	region *wire.Region // nil until the process used Metal
	rings  map[int]*ringCopy
	loose  []byte // facts of no ring
	clocks []wire.ClockSample
	err    error
}

// A ringCopy is all that one ring ever held.
type ringCopy struct {
	records  []byte
	facts    []byte
	bySocket int // bytes of records received by the socket
}

// An event is one record with its companion, and the thread that made it.
type event struct {
	wire.Record
	more   *wire.More
	thread uint64
}

// listen starts a collector for one test and returns the path of its socket and how to get the tracees when the
// processes are gone.
func listen(t testing.TB) (path string, finish func() []*tracee) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mt")
	if err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(dir, "last")
	path = filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	var all []*tracee
	var mutex sync.Mutex
	var connections sync.WaitGroup
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			if c.RemoteAddr().String() == last {
				c.Close()
				return
			}
			connections.Add(1)
			go func() {
				defer connections.Done()
				p := &tracee{rings: map[int]*ringCopy{}}
				p.err = p.collect(c)
				mutex.Lock()
				all = append(all, p)
				mutex.Unlock()
			}()
		}
	}()
	finish = sync.OnceValue(func() []*tracee {
		// Connections made before the processes ended may still wait to be accepted. They come in the order in which they
		// were made.
		c, err := net.DialUnix("unix", &net.UnixAddr{Name: last}, &net.UnixAddr{Name: path})
		if err != nil {
			t.Error(err)
			l.Close()
		}
		<-accepted
		if err == nil {
			c.Close()
		}
		connections.Wait()
		l.Close()
		os.RemoveAll(dir)
		return all
	})
	t.Cleanup(func() { finish() })
	return path, finish
}

func (p *tracee) ring(i int) *ringCopy {
	if p.rings[i] == nil {
		p.rings[i] = &ringCopy{}
	}
	return p.rings[i]
}

func (p *tracee) collect(c *net.UnixConn) error {
	defer c.Close()
	in := &passing{c: c}
	for {
		h, err := wire.ReadFrameHeader(in)
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		payload := make([]byte, h.Length)
		if err == nil {
			_, err = io.ReadFull(in, payload)
		}
		if err != nil {
			break // cut by the end of the process
		}
		if err := p.frame(h, payload, in); err != nil {
			return err
		}
	}
	return p.salvage()
}

// changing changes the shared memory of processes when it is opened and when records arrive; nil changes nothing.
var changing atomic.Pointer[func(wire.Region)]

func (p *tracee) change() {
	if f := changing.Load(); f != nil && p.region != nil {
		(*f)(*p.region)
	}
}

func (p *tracee) frame(h wire.FrameHeader, payload []byte, in *passing) (err error) {
	r := p.ring(int(h.Ring))
	switch h.Kind {
	case wire.FrameHello:
		p.hello, err = wire.DecodeHello(payload)
	case wire.FrameRings:
		if in.fd < 1 {
			return fmt.Errorf("a rings frame without a descriptor")
		}
		memory, err := syscall.Mmap(in.fd, 0, wire.RegionSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		syscall.Close(in.fd)
		if err != nil {
			return err
		}
		region, err := wire.OpenRegion(memory)
		p.region = &region
		p.change()
		return err
	case wire.FrameRecords:
		p.change()
		if uint64(len(r.records)) != h.Position*wire.RecordSize {
			return fmt.Errorf("ring %d: records from %d after %d bytes", h.Ring, h.Position, len(r.records))
		}
		r.records = append(r.records, payload...)
		r.bySocket = len(r.records)
	case wire.FrameFacts:
		if uint64(len(r.facts)) != h.Position {
			return fmt.Errorf("ring %d: facts from %d after %d bytes", h.Ring, h.Position, len(r.facts))
		}
		r.facts = append(r.facts, payload...)
	case wire.FrameProcessFacts:
		p.loose = append(p.loose, payload...)
	case wire.FrameClock:
		for ; len(payload) > 0; payload = payload[16:] {
			rec := wire.DecodeRecord(append(slices.Clone(payload[:16]), make([]byte, 16)...))
			p.clocks = append(p.clocks, wire.ClockSample{Ticks: rec.Begin, Nanos: int64(rec.End)})
		}
	}
	return err
}

// salvage reads the records that the process left behind, from the position reached on.
func (p *tracee) salvage() error {
	if p.region == nil {
		return nil
	}
	for i := range p.region.RingsUsed() {
		r, copied := p.region.Ring(i), p.ring(i)
		have := uint64(len(copied.records)) / wire.RecordSize
		head := r.Head()
		if head < have || head-have > wire.RecordsPerRing {
			return fmt.Errorf("ring %d: head %d after %d records", i, head, have)
		}
		for piece := range r.Slots(have, head) {
			copied.records = append(copied.records, piece...)
		}
		a, b := r.FactBytes(uint64(len(copied.facts)), r.FactsHead())
		copied.facts = append(append(copied.facts, a...), b...)
	}
	return nil
}

// events decodes all rings, in the order of each, and checks that records and More records pair up.
func (p *tracee) events(t testing.TB) []event {
	t.Helper()
	return slices.DeleteFunc(p.allEvents(t), func(e event) bool {
		return e.Call.Row().Effect.Blocks() || e.Call.Row().Effect == wire.EffectFeeds
	})
}

// allEvents are the events, and with them the waits outside of Metal: how often a program waits until it can write its
// output is not the same in each run.
func (p *tracee) allEvents(t testing.TB) (events []event) {
	t.Helper()
	for i := range len(p.rings) {
		records, err := wire.DecodeRecords(nil, p.ring(i).records)
		if err != nil {
			t.Fatalf("ring %d: %v", i, err)
		}
		thread := uint64(0)
		for n := 0; n < len(records); n++ {
			r := records[n]
			e := event{Record: r}
			if r.Flags&wire.HasMore != 0 {
				n++
				if n == len(records) || records[n].Call != wire.CallMore {
					t.Fatalf("ring %d: record %d, %v, says that a More record follows, and none does", i, n-1, r.Call)
				}
				m := records[n].More()
				e.more = &m
			}
			if r.Call == wire.CallThreadStart {
				thread = r.Arg
			}
			switch {
			case r.Call == wire.CallMore, r.Call == wire.CallNone, int(r.Call) >= len(wire.Table):
				t.Fatalf("ring %d: record %d is %d", i, n, r.Call)
			case r.End < r.Begin:
				t.Fatalf("ring %d: %v ends %d ticks before it begins", i, r.Call, r.Begin-r.End)
			case thread == 0:
				t.Fatalf("ring %d: starts with %v and not with a thread", i, r.Call)
			}
			e.thread = thread
			events = append(events, e)
		}
	}
	return events
}

// facts decodes the facts of the process and of all rings.
func (p *tracee) facts(t testing.TB) (facts []wire.Fact) {
	t.Helper()
	facts, err := wire.DecodeFacts(p.loose)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(p.rings) {
		more, err := wire.DecodeFacts(p.ring(i).facts)
		if err != nil {
			t.Fatalf("ring %d: %v", i, err)
		}
		facts = append(facts, more...)
	}
	return facts
}

// nested is how many calls inside calls of the same family were counted.
func (p *tracee) nested() (sum uint64) {
	for i := range p.region.RingsUsed() {
		for f := range wire.Family(wire.NestedFamilies) {
			sum += p.region.Ring(i).Nested(f)
		}
	}
	return sum
}

// text is the text a StringID stands for.
func (p *tracee) text(t testing.TB, name uint64) string {
	t.Helper()
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactString && f.Key == name {
			return f.Text
		}
	}
	return ""
}

// calls returns how often each thread made each call, "thread selector", without the tracer's own records and without
// waits for locks, whose number is unknown: the Objective-C runtime's own are among them.
func calls(events []event) map[string]int {
	counts := map[string]int{}
	for _, e := range events {
		if f := e.Call.Row().Family; f != wire.FamilyTracer && f != wire.FamilyLock && f != wire.FamilySignal {
			counts[fmt.Sprint(e.thread, " ", e.Call)]++
		}
	}
	return counts
}

// passing reads a unix socket and keeps the last descriptor received with the bytes.
type passing struct {
	c  *net.UnixConn
	fd int
}

func (p *passing) Read(b []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4))
	n, oobn, _, _, err := p.c.ReadMsgUnix(b, oob)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || err == nil && n == 0 {
		return 0, io.EOF
	}
	if messages, e := syscall.ParseSocketControlMessage(oob[:oobn]); e == nil && len(messages) > 0 {
		if fds, e := syscall.ParseUnixRights(&messages[0]); e == nil {
			p.fd = fds[0]
		}
	}
	return n, err
}
