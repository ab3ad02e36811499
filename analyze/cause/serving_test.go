package cause_test

import (
	"strings"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/fixtures/tracesim"
)

// poller is a thread that prepares the data of each command buffer, at a request of the submitting thread.
type poller struct {
	sleeps   func(t *tracesim.Thread) int64 // length of a sleep of the server
	woken    bool                           // the server waits for requests; then it sleeps for each if sleeps is not nil
	prepares int64                          // time of the server's own work for a request
	gpu      int64
	clients  int   // submitting threads
	polls    int64 // how often a client asks for the status of its command buffer; 0 if it waits in a call
}

func (c poller) build() *tracesim.Sim {
	s := tracesim.NewSim(8, 7)
	asked := &tracesim.Shelf{}
	var requests []*tracesim.Shelf
	left := c.clients
	s.Thread(func(t *tracesim.Thread) { // the server
		for left > 0 {
			if c.woken && !asked.Take(t) {
				return
			}
			if c.sleeps != nil {
				t.Nanosleep(c.sleeps(t))
			}
			if len(requests) == 0 {
				continue
			}
			t.Work(c.prepares)
			answered := requests[0]
			requests = requests[1:]
			answered.Put(t)
		}
	})
	for range c.clients {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 150 {
				answered := &tracesim.Shelf{}
				if requests = append(requests, answered); c.woken {
					asked.Put(t)
				}
				answered.Take(t)
				b := t.CommandBuffer(q)
				t.Encode(b, "step", c.gpu)
				t.Commit(b)
				if c.polls > 0 {
					t.Poll(b, c.polls)
				} else {
					t.Wait(b)
				}
			}
			if left--; left == 0 {
				asked.Close()
			}
		})
	}
	return s
}

func always(d int64) func(*tracesim.Thread) int64 { return func(*tracesim.Thread) int64 { return d } }

func between(from, to int64) func(*tracesim.Thread) int64 {
	return func(t *tracesim.Thread) int64 { return from + int64(t.Random()*float64(to-from)) }
}

// TestServerThatSleeps tells of submitting threads that waited for a thread which looked for requests once in a
// millisecond. The verdict was starvation, and its removal was predicted to bring 12×, because the server's own work
// was removed, too. With a server that is woken the program is 4× as fast.
func TestServerThatSleeps(t *testing.T) {
	for name, c := range map[string]struct {
		poller
		verdict string
	}{
		"short requests":          {poller{always(ms), false, 150 * us, 60 * us, 1, 0}, cause.Polling},
		"work longer than sleeps": {poller{always(ms), false, 50 * us, 700 * us, 1, 0}, cause.Polling},
		"short sleeps":            {poller{always(300 * us), false, 50 * us, 60 * us, 1, 0}, cause.Polling},
		"two threads":             {poller{always(ms), false, 50 * us, 150 * us, 2, 0}, cause.Polling},
		"sleeps for work":         {poller{between(700*us, 1300*us), false, 50 * us, 60 * us, 1, 0}, cause.Starvation},
		"long sleeps":             {poller{always(6 * ms), false, 50 * us, 60 * us, 1, 0}, cause.Starvation},
		"woken, and works":        {poller{nil, true, 900 * us, 60 * us, 1, 0}, ""},
		"woken, and sleeps":       {poller{always(ms), true, 50 * us, 60 * us, 1, 0}, ""},
	} {
		trace := load(t, c.build().Run(t))
		without := c.poller
		without.woken, without.sleeps = true, nil
		real := rate(load(t, without.build().Run(t))) / rate(trace)
		a := cause.Analyze(trace, cause.Options{})
		if v := a.Verdict.Cause; v == cause.Polling != (c.verdict == cause.Polling) || c.verdict != "" && v != c.verdict {
			t.Errorf("%s: %s: %s", name, a.Verdict.Cause, a.Verdict.Summary)
			continue
		}
		if c.verdict == cause.Polling && !strings.Contains(a.Verdict.Summary, "looks for requests at intervals") {
			t.Errorf("%s: %s", name, a.Verdict.Summary)
		}
		if c.verdict == "" {
			continue
		}
		g, why, err := a.Predict([]replay.Wanted{{Kind: cause.KindCause, Pattern: c.verdict}})
		if err != nil || why != "" || g.Estimate > 1.15*real || g.Estimate < real/1.25 {
			t.Errorf("%s: predicted %s (%s, %v), and with a server that is woken it is %.2f times as fast", name,
				g.InWords(), why, err, real)
		}
	}
}

// TestPollingServerAndStatus tells of submitting threads that ask for the status of their command buffers at intervals,
// and wait for a thread that looks for requests at intervals. The verdict named only the one that cost more, and
// predicted the gain of removing only that.
func TestPollingServerAndStatus(t *testing.T) {
	for name, c := range map[string]poller{
		"the server costs more": {always(2 * ms), false, 50 * us, 1200 * us, 1, ms},
		"status costs more":     {always(400 * us), false, 50 * us, 1200 * us, 1, 2 * ms},
	} {
		trace := load(t, c.build().Run(t))
		without := c
		without.woken, without.sleeps, without.polls = true, nil, 0
		real := rate(load(t, without.build().Run(t))) / rate(trace)
		a := cause.Analyze(trace, cause.Options{})
		if a.Verdict.Cause != cause.Polling {
			t.Errorf("%s: %s: %s", name, a.Verdict.Cause, a.Verdict.Summary)
			continue
		}
		top := a.Verdict.Causes[0]
		evidence := strings.Join(top.Evidence, "\n")
		if !strings.Contains(evidence, "by polling") || !strings.Contains(evidence, "it slept for") {
			t.Errorf("%s: the evidence has only one of both: %s", name, evidence)
		}
		if g := top.Speedup; g == nil || g.Estimate > 1.15*real || g.Estimate < real/1.25 {
			t.Errorf("%s: predicted %v, and without both kinds of polling it is %.2f times as fast", name, g, real)
		}
	}
}

// TestServerThatCostsNextToNothing tells of a polling server for which submitting threads wait for less than a
// hundredth of their time, which was listed as a cause.
func TestServerThatCostsNextToNothing(t *testing.T) {
	c := poller{always(ms), false, 50 * us, 90 * ms, 1, 0}
	a := cause.Analyze(load(t, c.build().Run(t)), cause.Options{})
	for _, f := range a.Verdict.Causes {
		if f.Cause == cause.Polling || f.Cause == cause.Starvation {
			t.Errorf("%s: %s", f.Cause, f.Summary)
		}
	}
}
