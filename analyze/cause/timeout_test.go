package cause

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// TestTimeouts: a producer signalled before its item was in place, so the consumer woke, found nothing, and
// continued only when its time limit of 8 ms had passed. The report called the signal "of an unknown thread" and advised more producer threads,
// although the trace has which waits timed out.
func TestTimeouts(t *testing.T) {
	const ms = 1_000_000
	for name, c := range map[string]struct {
		early, again   bool // the producer signals too early; after the time limit, the consumer waits again
		evidence, says string
		fix            string
	}{
		"signals come too early": {early: true,
			evidence: "50 of 59 waits ended by their timeout, after 8.00 ms: nobody signalled",
			says:     "50 times before such a wait, thread 2 signalled too early", fix: "signal after"},
		"nobody signals": {evidence: "50 of 59 waits ended by their timeout, after 8.00 ms", fix: "signal after"},
		"the time limit only checks": {again: true, evidence: "for the signal of an unknown thread",
			fix: "more producer threads"},
	} {
		w := handmade.New(620 * ms)
		timedOut := func(begin analyze.Nanos) {
			w.SignalWait(w.A, handmade.At(begin, begin+8*ms), 0x100, nil, 0, 0)
			w.Trace.CPUWaits.Signals[len(w.Trace.CPUWaits.Signals)-1].TimedOut = true
		}
		for i := range analyze.Nanos(59) {
			begin := 1000 + i*10*ms
			if i%6 == 5 { // the signal comes in time
				w.SignalWait(w.A, handmade.At(begin+7*ms, begin+8*ms), 0x100, w.B, begin+8*ms-1000, 0)
			} else {
				if c.early {
					w.SignalWait(w.A, handmade.At(begin-20_000, begin-2000), 0x100, w.B, begin-3000, 0)
				}
				timedOut(begin)
				if c.again {
					w.SignalWait(w.A, handmade.At(begin+8*ms+200_000, begin+8*ms+290_000), 0x100, nil, 0, 0)
				}
			}
			b := w.Buffer(w.A, begin+8*ms+300_000, handmade.At(begin+8*ms+310_000, begin+9*ms))
			w.Wait(w.A, handmade.At(begin+8*ms+302_000, begin+9*ms+10_000), b)
		}
		w.Trace.Finish()
		v := Analyze(w.Trace, Options{}).Verdict
		f := v.finding(Starvation)
		holds := func(want string) bool {
			return slices.ContainsFunc(f.Evidence, func(e string) bool { return strings.Contains(e, want) })
		}
		if v.Cause != Starvation || !holds(c.evidence) || !holds(c.says) || !strings.Contains(f.Advice, c.fix) {
			t.Errorf("%s: %s\n%s\n%q\n%s", name, v.Cause, v.Summary, f.Evidence, f.Advice)
		}
	}
}
