package collector

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// The tests run this binary again as the traced process. It acts like the shim and its drainer, and notes its calls in
// a file in shared memory: the truth with which the trace is compared.

// A task describes the actions of a traced process.
type task struct {
	Socket   string
	Token    wire.Token
	Truth    string
	Threads  int
	PerStep  int           // calls between two pauses, of each thread
	Pause    time.Duration // 0: none
	Calls    int           // of each thread, and then it exits; 0: it continues until it is killed
	Drain    string        // "yes", "no", "stuck": the drainer stops for ever, holding the claims it took
	FactEach int           // a fact after every so many calls
	Block    bool          // waits when a ring is full instead of dropping
	Child    bool          // leaves a child behind that holds the connection
	Exit     int
	Linger   bool // does not exit after its calls
	Exec     bool // executes another such program in its place, after its calls
	Workload int  // instead of numbered calls: so many records of a workload, of each thread
	Rate     int  // of those, records a second of each thread; 0: as fast as possible
	Compute  int  // instead: so many threads compute
	Sleep    int  // and so many sleep, for Pause, under the ids that they have
	Nonsense bool // writes over its counters, after its calls
	Silent   int  // instead: makes so many silent connections, and holds them

	user int // the user id to run as; 0: the test's own
}

// sayNothing connects again and again, whatever becomes of the connections.
func (t task) sayNothing() {
	var held []net.Conn
	for range t.Silent {
		if conn, err := net.Dial("unix", t.Socket); err == nil {
			held = append(held, conn)
		}
	}
	fmt.Println(len(held))
	time.Sleep(time.Minute)
	runtime.KeepAlive(held)
	os.Exit(0)
}

// The truth file: for each thread how many calls it published and how many records it dropped.
const truthSize = 4096

type truth struct {
	path   string
	memory []byte
}

func openTruth(path string) truth {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := file.Truncate(truthSize); err != nil {
		panic(err)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, truthSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return truth{path, memory}
}

func (t truth) calls(thread int) *uint64   { return (*uint64)(unsafe.Pointer(&t.memory[thread*32])) }
func (t truth) dropped(thread int) *uint64 { return (*uint64)(unsafe.Pointer(&t.memory[thread*32+8])) }
func (t truth) began() *int64              { return (*int64)(unsafe.Pointer(&t.memory[truthSize-8])) }
func (t truth) facts(thread int) *uint64   { return (*uint64)(unsafe.Pointer(&t.memory[thread*32+16])) }

// firstThread is the system's thread id that the first thread of a traced process claims to have.
const firstThread = 1000

var (
	callCommandBuffer = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
	callCommit        = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	callWait          = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
)

func TestMain(m *testing.M) {
	if text := os.Getenv("MTRACE_TEST_TASK"); text != "" {
		var t task
		if err := json.Unmarshal([]byte(text), &t); err != nil {
			panic(err)
		}
		t.run()
		os.Exit(t.Exit)
	}
	if path := os.Getenv("MTRACE_TEST_COLLECTOR"); path != "" {
		collectAlone(path)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "traced process:", err)
		os.Exit(99)
	}
	return v
}

func (t task) run() {
	signal.Ignore(syscall.SIGPIPE)
	if t.Silent > 0 {
		t.sayNothing()
	}
	conn := must(wiretest.DialWith(t.Socket, t.Token, wiretest.Hello()))
	memory := must(wiretest.Memory())
	now := wiretest.Now()
	region := must(wiretest.Format(must(wiretest.Map(memory)), os.Getpid(), wire.ClockNanoseconds, 0, 0,
		wire.ClockSample{Ticks: now, Nanos: int64(now)}))
	must(0, wiretest.SendRings(conn, memory))
	memory.Close()
	if t.Child {
		child := exec.Command("sleep", "60")
		child.ExtraFiles = []*os.File{must(conn.File())}
		must(0, child.Start())
	}
	if t.Compute+t.Sleep > 0 {
		t.live(region)
		return
	}
	truth := openTruth(t.Truth)
	done := make(chan struct{})
	for i := range t.Threads {
		thread, ok := region.Thread(uint64(firstThread+i), wiretest.Now())
		if !ok {
			panic("no ring")
		}
		work := t.record
		if t.Workload > 0 {
			work = t.prepare()
		}
		go func() {
			work(thread, i, truth)
			done <- struct{}{}
		}()
	}
	if t.Drain != "no" {
		go t.drain(conn, region)
	}
	for range t.Threads {
		<-done
	}
	if t.Exec {
		t.Exec, t.Truth = false, t.Truth+".exec"
		text := must(json.Marshal(t))
		os.Setenv("MTRACE_TEST_TASK", string(text))
		must(0, syscall.Exec(must(os.Executable()), []string{"again"}, os.Environ()))
	}
	if t.Nonsense {
		t.scribble(region)
	}
	if t.Linger {
		select {}
	}
}

func (t task) record(thread *wiretest.Thread, index int, truth truth) {
	made := wiretest.Now()
	thread.Record(wire.Record{Begin: made, End: made, Arg: uint64(index + 1), Call: callCommandBuffer})
	for n := uint64(0); t.Calls == 0 || n < uint64(t.Calls); n++ {
		begin := wiretest.Now()
		thread.Enter(begin, wire.ObjectID(index+1), callWait)
		for t.Block && thread.Full(2) {
			runtime.Gosched()
		}
		call := wire.Record{Begin: begin, End: begin + 1, Object: wire.ObjectID(index + 1), Arg: n, Call: callCommit}
		records := []wire.Record{call}
		if n%3 == 0 {
			records[0].Flags = wire.HasMore
			records = append(records, wire.More{X0: n}.Record())
		}
		ok := thread.Record(records...)
		if ok {
			atomic.AddUint64(truth.calls(index), 1)
		} else {
			atomic.AddUint64(truth.dropped(index), uint64(len(records)))
		}
		thread.Leave()
		if t.FactEach > 0 && n%uint64(t.FactEach) == 0 {
			text := fmt.Sprintf("thread %d fact %d", index, n)
			if thread.Fact(wire.Fact{Kind: wire.FactString, Key: uint64(wire.HashString(text)), Text: text}) {
				atomic.AddUint64(truth.facts(index), 1)
			}
		}
		if t.Pause > 0 && n%uint64(t.PerStep) == uint64(t.PerStep)-1 {
			time.Sleep(t.Pause)
		}
	}
}

// prepare makes the records of a workload beforehand, so that only recording them is measured.
func (t task) prepare() func(*wiretest.Thread, int, truth) {
	object := wire.ObjectID(0)
	w := wiretest.NewWorkload(1, 1, func() wire.ObjectID { object++; return object })
	prepared := slices.Clone(w.Start())
	for len(prepared) < 1<<17 {
		prepared = append(prepared, w.Step()...)
	}
	return func(thread *wiretest.Thread, index int, truth truth) {
		began := time.Now()
		atomic.CompareAndSwapInt64(truth.began(), 0, began.UnixNano())
		const batch = 64
		due := time.Duration(0)
		for n := 0; n < t.Workload; n += batch {
			for t.Block && thread.Full(batch) {
				time.Sleep(50 * time.Microsecond)
			}
			if at := n % (len(prepared) - batch); thread.Record(prepared[at : at+batch]...) {
				atomic.AddUint64(truth.calls(index), batch)
			} else {
				atomic.AddUint64(truth.dropped(index), batch)
			}
			if t.Rate > 0 {
				// Lost time is not made up for: that would make a burst and not a rate.
				due = max(due+batch*time.Second/time.Duration(t.Rate), time.Since(began)-time.Millisecond)
				for time.Since(began) < due {
					runtime.Gosched()
				}
			}
		}
	}
}

// A stuckWriter takes a few frames and then never returns.
type stuckWriter struct {
	w io.Writer
	n int
}

func (s *stuckWriter) Write(b []byte) (int, error) {
	if s.n--; s.n < 0 {
		s.w.Write(b[:len(b)/2])
		select {}
	}
	return s.w.Write(b)
}

func (t task) drain(conn io.Writer, region wiretest.Region) {
	if t.Drain == "stuck" {
		conn = &stuckWriter{conn, 5}
	}
	for {
		moved := uint64(0)
		for i := range region.RingsUsed() {
			n, facts, err := wiretest.DrainRing(conn, uint16(i), region.Ring(i))
			if err != nil {
				return
			}
			moved += n + facts
		}
		if moved == 0 {
			now := wiretest.Now()
			region.Sample(wire.ClockSample{Ticks: now, Nanos: int64(now)})
			time.Sleep(time.Millisecond)
		}
	}
}

// start runs a traced process.
func (t task) start(tb testing.TB, socket string) (*exec.Cmd, truth) {
	tb.Helper()
	t.Socket = socket
	t.Truth = filepath.Join(tb.TempDir(), "truth")
	text, err := json.Marshal(t)
	if err != nil {
		tb.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "MTRACE_TEST_TASK="+string(text), "GOMAXPROCS=2", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	truth := openTruth(t.Truth)
	if t.user != 0 {
		t.become(tb, cmd)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { cmd.Process.Kill() })
	return cmd, truth
}

// become permits a process to be started as another user, who must reach the program, its folders and the truth.
func (t task) become(tb testing.TB, cmd *exec.Cmd) {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "mtrace-user-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "program")
	text, err := os.ReadFile(cmd.Path)
	for _, failed := range []error{err, os.WriteFile(program, text, 0o755), os.Chmod(dir, 0o755),
		os.Chmod(t.Truth, 0o666)} {
		if failed != nil {
			tb.Fatal(failed)
		}
	}
	for folder := filepath.Dir(t.Truth); folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		os.Chmod(folder, 0o755)
	}
	cmd.Path, cmd.Args[0], cmd.Dir = program, program, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(t.user), Gid: uint32(t.user)}}
}
