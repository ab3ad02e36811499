package mac

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/validate"
)

// trace runs a program with the real collector, and opens the trace. took is longer than the program's lifetime.
func (b *built) trace(t *testing.T, cmd *exec.Cmd) (trace *tracefile.Reader, said string, took time.Duration) {
	t.Helper()
	path, said, took := b.traceTo(t, cmd)
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace, said, took
}

// traceTo runs a program with the real collector, and returns the trace's path.
func (b *built) traceTo(t *testing.T, cmd *exec.Cmd) (path, said string, took time.Duration) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "t.mtrace")
	writer, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := collector.New(collector.Options{Writer: writer})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	cmd.Env = append(append(append(os.Environ(), "MTRACE_SOCKET="+c.Address()), b.env...), cmd.Env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s%s", err, &stdout, &stderr)
	}
	took = time.Since(begin)
	result, err := c.Close()
	if err != nil || result.Lost > 0 || len(result.Warnings) > 0 {
		t.Errorf("%v: %d records lost, warnings %q", err, result.Lost, result.Warnings)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	return path, stdout.String(), took
}

// The Mac's half and the collector agree: the trace is complete, its ticks become nanoseconds by the Mac's timebase,
// with both clocks that Macs have, and every kind of wait is in it.
func (b *built) testTrace(t *testing.T) {
	for _, clock := range []struct {
		env              string
		numerator, denom uint32
	}{{"MAC_TICKS_PER_SECOND=24000000", 125, 3}, {"MAC_TICKS_PER_SECOND=1000000000", 1, 1}} {
		t.Run(clock.env, func(t *testing.T) {
			cmd := exec.Command(b.program(t, "waits"))
			cmd.Env = []string{clock.env}
			trace, _, took := b.trace(t, cmd)
			problems, err := validate.Trace(trace)
			// as it is in shapes.m
			problems = slices.DeleteFunc(problems, func(s string) bool { return strings.HasSuffix(s, "device 1 has no name") })
			if err != nil || len(problems) > 0 {
				t.Errorf("%v, %q", err, problems)
			}
			p := trace.Processes()[0]
			if p.OS != "darwin" || p.Clock != wire.ClockMach || p.TimebaseNumer != clock.numerator ||
				p.TimebaseDenom != clock.denom {
				t.Errorf("a process of %s with clock %v, %d/%d", p.OS, p.Clock, p.TimebaseNumer, p.TimebaseDenom)
			}
			first, last := wire.Ticks(0), wire.Ticks(0)
			calls := map[wire.Call]int{}
			for _, s := range trace.Streams() {
				if s.Records > 0 && (first == 0 || s.First < first) {
					first = s.First
				}
				last = max(last, s.Last)
				err := trace.Read(s, func(records []wire.Record) error {
					for _, r := range records {
						calls[r.Call]++
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
			// Seven waits of the program end by their times, or are held up for as long, of 10 ms or more.
			if span := time.Duration(p.Nanos(last) - p.Nanos(first)); span > took || span < 50*time.Millisecond {
				t.Errorf("the trace is %v long, of a program that ran %v", span, took)
			}
			for family, names := range waits {
				for _, name := range names {
					if call, known := wire.Lookup(family, name); !known || calls[call] == 0 {
						t.Errorf("no %v %s", family, name)
					}
				}
			}
		})
	}
}

// waits are the waits that a Mac's library records, by their family.
var waits = map[wire.Family][]string{
	wire.FamilyLock: {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "dispatch_semaphore_wait",
		"dispatch_sync", "dispatch_sync_f", "dispatch_barrier_sync",
		"dispatch_barrier_sync_f", "dispatch_async_and_wait", "dispatch_async_and_wait_f", "dispatch_barrier_async_and_wait",
		"dispatch_barrier_async_and_wait_f"},
	wire.FamilySignal: {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_timedwait_relative_np",
		"dispatch_semaphore_wait", "dispatch_group_wait"},
}
