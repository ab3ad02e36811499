package record

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mtrace/analyze"
	"mtrace/analyze/hang"
	"mtrace/analyze/policy"
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

const (
	// keyPatience is how long the program may take to end after Ctrl-C before mtrace prints where it is stuck.
	keyPatience = time.Second
	// interruptsTogether is the maximum time between two Ctrl-C that count together. After a longer time the program
	// has handled the first, as a prompt does.
	interruptsTogether = 5 * time.Second
	// quitPatience is how long the program may take to end after SIGQUIT. If it still runs, it handles the signal,
	// and mtrace prints where it is stuck.
	quitPatience = 200 * time.Millisecond
)

// A hangWatch prints where a running program is stuck: after --hang-after without progress, on SIGQUIT, or if SIGINT
// does not end the program. It observes the arriving records to know when there was progress.
type hangWatch struct {
	collector.Nobody
	after    time.Duration // report a hang after this time without progress; 0: only after a signal
	began    time.Time
	progress atomic.Int64 // time of the last record of progress, in nanoseconds after began; 0: no record yet

	session *session
	program *child
	out     io.Writer
	over    chan struct{}
	done    sync.WaitGroup
}

func newHangWatch(after time.Duration) *hangWatch {
	return &hangWatch{after: after, began: time.Now(), over: make(chan struct{})}
}

// Records implements collector.Observer: it notes the time of progress, which is a command buffer created, committed
// or completed, or a wait for one ended. The first record of all begins the watch, whatever its call: a program may
// wait for an event before it creates a command buffer.
func (h *hangWatch) Records(_ tracefile.ProcessIndex, _ uint16, records []wire.Record) {
	for i := range records {
		if call := records[i].Call; call == wire.CallCompleted || call.Row().Group.Progress() {
			h.progress.Store(int64(time.Since(h.began)))
			return
		}
	}
	if len(records) > 0 {
		h.progress.CompareAndSwap(0, int64(time.Since(h.began)))
	}
}

// start begins to watch the program. Reports about hangs are written to out.
func (h *hangWatch) start(s *session, program *child, out io.Writer) {
	h.session, h.program, h.out = s, program, out
	h.done.Go(h.watch)
}

// end stops watching; the program has ended.
func (h *hangWatch) end() {
	close(h.over)
	h.done.Wait()
}

// watch checks regularly whether the program hangs, and handles SIGQUIT and SIGINT. A hang is reported once, and
// again only after the program made progress.
func (h *hangWatch) watch() {
	var look, interrupted <-chan time.Time
	// told is the time of the last progress before the hang that was reported last: no hang is reported twice. next
	// is how long the program must have made no progress at the next check
	var told, next time.Duration
	if h.after > 0 {
		tick := time.NewTicker(min(h.after/4, 250*time.Millisecond))
		defer tick.Stop()
		look, next = tick.C, h.after
	}
	warned := false
	interrupts, last := 0, time.Time{} // the number of SIGINTs in quick succession, and when the last one came
	for {
		select {
		case <-h.over:
			return
		case <-look:
			last := time.Duration(h.progress.Load())
			quiet := time.Since(h.began) - last
			switch {
			case last == 0:
			case quiet < h.after:
				next = h.after
			case quiet >= next && last != told:
				next *= 2 // the program may only be slow now, and hang later
				if h.say("", false) {
					told = last
				}
			}
		case s := <-h.program.keys:
			switch {
			case s == syscall.SIGQUIT:
				if !h.ended(quitPatience) {
					h.say("", true)
				}
			case warned:
				syscall.Kill(h.program.pid(), syscall.SIGKILL)
			default:
				if time.Since(last) > interruptsTogether {
					interrupts = 0 // the program answered the earlier one, as a prompt does
				}
				last = time.Now()
				if interrupts++; interrupted == nil || interrupts == 2 {
					interrupted = time.After(keyPatience)
				}
			}
		case <-interrupted:
			interrupted = time.After(keyPatience)
			switch {
			case h.say("The program has not ended after SIGINT. Press Ctrl-C again to kill it.", false):
				warned, interrupted = true, nil
			case interrupts > 1:
				// it may be an interpreter with a prompt, which a third Ctrl-C must not kill
				h.say(fmt.Sprintf("The program handles or ignores SIGINT; kill -KILL %d ends it.", h.program.pid()), true)
				interrupts = 0
			}
		}
	}
}

// ended waits up to the given time for the program's end, and reports whether it ended.
func (h *hangWatch) ended(within time.Duration) bool {
	select {
	case <-h.over:
		return true
	case <-time.After(within):
		return h.program.over.Load()
	}
}

// say prints where the program is stuck, followed by sentence, and returns true; likewise if it probably hangs. If the
// program does not hang, say returns false; it then prints why there is no hang, but only if always is set.
func (h *hangWatch) say(sentence string, always bool) bool {
	d, err := h.find()
	switch {
	case err != nil:
		if !always {
			return false
		}
		fmt.Fprintf(h.out, "mtrace run: cannot find out whether the program hangs: %v\n", err)
	case len(d.Hangs) > 0:
		fmt.Fprint(h.out, hangText(d))
	case !always && !slices.ContainsFunc(d.Pauses, func(p hang.Waiting) bool { return p.Likely != "" }):
		return false
	case len(d.Pauses) == 0:
		fmt.Fprintln(h.out, "mtrace run: the program makes progress")
	default:
		for i := range d.Pauses {
			fmt.Fprintf(h.out, "mtrace run: %s\n", d.Pauses[i].Line())
		}
	}
	if sentence != "" {
		fmt.Fprintf(h.out, "mtrace run: %s\n", sentence)
	}
	return err == nil && (len(d.Hangs) > 0 || !always)
}

// find looks for hangs in what was recorded so far.
func (h *hangWatch) find() (*hang.Document, error) {
	if h.session.file == nil || h.session.file.Kept {
		return nil, fmt.Errorf("the trace is not written to a local file")
	}
	if err := h.session.collector.Snapshot(); err != nil {
		return nil, err
	}
	f, err := analyze.Open(h.session.file.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	quiet := policy.QuietBeforeHang
	if h.after > 0 {
		quiet = min(quiet, analyze.Nanos(h.after))
	}
	return hang.Of(f, nil, hang.Options{Quiet: quiet, Now: true})
}

// hangText returns a hang report as text for a terminal.
func hangText(d *hang.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "mtrace: HANG: %s\n", d.Title())
	for _, l := range d.Lines() {
		fmt.Fprintf(&b, "  %s\n", analyze.Printable(l.Text))
	}
	return b.String()
}
