package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// families maps the names of object kinds in the self-test program's output to the same kinds in the trace format.
var families = map[string]wire.Family{
	"function": wire.FamilyFunction, "device": wire.FamilyDevice, "queue": wire.FamilyQueue,
	"command_buffer":  wire.FamilyCommandBuffer,
	"compute_encoder": wire.FamilyEncoder, "blit_encoder": wire.FamilyEncoder, "library": wire.FamilyLibrary,
	"event": wire.FamilyEvent,
}

// A sight holds what readTrace found in the trace of the self-test program.
type sight struct {
	calls    map[wire.Call]uint64
	threads  int
	timed    int       // command buffers with GPU times
	untimed  int       // completed command buffers without GPU times
	handlers []float64 // duration of each run of the tracer's completion handler, ns
	acquire  float64   // longest time to create a command buffer, ns
	lock     float64   // longest wait for a lock, ns
	nested   uint64
	commits  wire.Audit // counted inside Metal, independently of the hooks
	complete wire.Audit
	checked  map[wire.Call]int // calls that the self-check made
	canary   map[wire.Call]int // the calls among them that the tracer recorded
	lost     uint64
	warnings []string
	unseen   string // the reason why no wait for a lock was recorded; empty if one was
	cut      string
}

// readTrace counts the calls, GPU times and waits in the trace at path.
func readTrace(path string) (*sight, error) {
	reader, err := tracefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	s := &sight{calls: map[wire.Call]uint64{}, checked: map[wire.Call]int{}, canary: map[wire.Call]int{}}
	if cut, why := reader.Truncated(); cut {
		s.cut = why
	}
	for _, p := range reader.Processes() {
		s.warnings = append(s.warnings, p.Warnings...)
		s.unseen = cmp.Or(s.unseen, p.WaitsUnseen)
		for call, n := range p.Canary {
			s.checked[call] += n
		}
		if p.End != nil {
			s.nested += p.End.Nested
			s.commits.Add(p.End.Commits)
			s.complete.Add(p.End.Completions)
			s.lost += p.End.Lost()
		}
	}
	for _, stream := range reader.Streams() {
		process := reader.Processes()[stream.Process]
		var completed bool
		err := reader.Read(stream, func(records []wire.Record) error {
			for _, r := range records {
				if r.Call == wire.CallMore {
					if completed {
						s.addTimes(r.More())
					}
					completed = false
					continue
				}
				s.calls[r.Call]++
				if r.Call == wire.CallCanary {
					s.canary[wire.Call(r.Arg)]++
				}
				took := float64(process.Nanos(r.End) - process.Nanos(r.Begin))
				switch r.Call.Row().Group {
				case wire.GroupAcquire:
					s.acquire = max(s.acquire, took)
				case wire.GroupLock:
					s.lock = max(s.lock, took)
				}
				if completed = r.Call == wire.CallCompleted; completed {
					s.handlers = append(s.handlers, took)
				}
				if r.Call == wire.CallThreadStart {
					s.threads++
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if damage := reader.Damage(); len(damage) > 0 && s.cut == "" {
		s.cut = reader.Text(damage[0])
	}
	return s, nil
}

// addTimes counts a completed command buffer as timed or untimed. Metal reports zero if it has no GPU times.
func (s *sight) addTimes(m wire.More) {
	if m.X0 > 0 && m.X1 >= m.X0 {
		s.timed++
	} else {
		s.untimed++
	}
}

// compareCalls checks that the trace has each call as often as the self-test program says it made it, no more and no
// less.
func compareCalls(r *selfTestOutput, s *sight) Check {
	expected := map[wire.Call]uint64{}
	var total, seen uint64
	c := Check{ID: "self-test", Status: OK}
	for _, call := range r.Calls {
		row, ok := wire.Lookup(families[call.Role], call.Selector)
		if !ok {
			c.Details = append(c.Details, fmt.Sprintf("this version of mtrace does not trace %s", call.Selector))
			continue
		}
		expected[row] += call.Count
	}
	type count struct {
		Selector string `json:"selector"`
		Made     uint64 `json:"made"`
		Seen     uint64 `json:"seen"`
	}
	var table []count
	for call := range wire.Table {
		call := wire.Call(call)
		made, got := expected[call], s.calls[call]
		switch family := call.Row().Family; {
		case family == wire.FamilyTracer, made == 0 && got == 0:
			continue
		case family == wire.FamilyLock, family == wire.FamilySignal:
			continue // whether Metal's own locks are contended is random
		}
		total += made
		seen += min(made, got)
		table = append(table, count{call.String(), made, got})
		if made != got {
			c.Status = Fail
			c.Details = append(c.Details, fmt.Sprintf("%s %s: made %d, seen %d", call.Row().Family, call, made, got))
		}
	}
	c.Data = map[string]any{"calls": table, "lost": s.lost, "warnings": s.warnings}
	c.Text = fmt.Sprintf("%d of %d calls of %d kinds were recorded, each exactly once", seen, total, len(table))
	if c.Status == Fail {
		c.Text = fmt.Sprintf("%d of %d calls were recorded; some are missing, or recorded more than once", seen, total)
		c.Advice = "please report this with the output of mtrace doctor --json, which shows the classes of this driver"
	}
	for _, warning := range s.warnings {
		c.Details = append(c.Details, "warning of the library: "+warning)
	}
	switch {
	case !r.ResultRight || r.Completed != r.CommandBuffers:
		c.Status = Fail
		c.Text += fmt.Sprintf(
			"; when traced, the program computed a wrong result, or only %d of %d command buffers completed",
			r.Completed, r.CommandBuffers)
	case s.cut != "":
		c.Status = Fail
		c.Text += "; the trace is cut: " + s.cut
	case s.lost > 0 && c.Status == OK:
		c.Status = Warn
		c.Text += fmt.Sprintf("; %d records were lost", s.lost)
	}
	return c
}

// clockTolerance is how much GPU and CPU times may contradict each other because of rounding. CPU clock ticks last up
// to 42 ns, and Metal reports seconds as floating-point numbers.
const clockTolerance = 2000.0 // ns

// compareTimes checks that command buffers have GPU times on the CPU's clock: they must start after their commit and
// end before the wait for them returns. Otherwise GPU work would appear shifted in reports.
func compareTimes(r *selfTestOutput, s *sight) Check {
	c := Check{ID: "gpu-clock", Status: OK, Data: map[string]any{
		"gpu_start_after_commit_ns": r.StartAfter, "return_after_gpu_end_ns": r.ReturnAfter, "timed": s.timed,
		"untimed": s.untimed,
	}}
	commits := int(s.calls[wire.MustLookup(wire.FamilyCommandBuffer, "commit")])
	c.Text = fmt.Sprintf("%d of %d command buffers have GPU times; "+
		"the GPU starts at least %s after the commit, and ends at least %s before the wait returns",
		s.timed, commits, nanosText(r.StartAfter), nanosText(r.ReturnAfter))
	switch {
	case s.timed < commits:
		c.Status = Fail
		c.Advice = "reports will lack GPU times; please report this with the output of mtrace doctor --json"
	case r.StartAfter < -clockTolerance || r.ReturnAfter < -clockTolerance:
		c.Status = Warn
		c.Text = fmt.Sprintf("the GPU's clock differs from the CPU's: "+
			"one GPU start is %s after its commit, one GPU end is %s before its wait returned",
			nanosText(r.StartAfter), nanosText(r.ReturnAfter))
		c.Advice = "GPU intervals in reports may be shifted by this much"
	}
	return c
}

// fullQueue checks that waiting for a full command queue is recorded. The self-test fills a queue of 4 and creates a
// fifth command buffer; that call must be recorded with the time it waited.
func fullQueue(r *selfTestOutput, s *sight) Check {
	c := Check{ID: "full-queue", Status: OK, Data: map[string]any{"waited_ns": r.FullQueue, "seen_ns": s.acquire}}
	c.Text = fmt.Sprintf("creating a command buffer on a full queue waited %s; the trace records a wait of %s",
		nanosText(r.FullQueue), nanosText(s.acquire))
	switch {
	case r.FullQueue < 5e6:
		c.Status = Warn
		c.Text = fmt.Sprintf(
			"a queue for 4 command buffers created a fifth within %s: this Metal does not wait when a queue is full",
			nanosText(r.FullQueue))
	case math.Abs(s.acquire-r.FullQueue) > r.FullQueue/10:
		c.Status, c.Advice = Fail, "the tracer did not record this wait as the duration of the call that waited; "+
			"please report this with the output of mtrace doctor --json"
	}
	return c
}

// lock checks that the wait for a mutex held by another thread is recorded, to within 10%.
func lock(r *selfTestOutput, s *sight) Check {
	c := Check{ID: "lock", Status: OK, Data: map[string]any{"waited_ns": r.Lock, "seen_ns": s.lock}}
	c.Text = fmt.Sprintf("a wait for a mutex took %s; the trace records a wait of %s",
		nanosText(r.Lock), nanosText(s.lock))
	if s.unseen != "" {
		c.Status, c.Text = Fail, s.unseen
		c.Advice = "reports cannot show whether threads wait for each other; no setting of mtrace changes that"
	} else if math.Abs(s.lock-r.Lock) > r.Lock/10 {
		c.Status, c.Advice = Warn, "reports will not name contended locks; "+
			"please report this with the output of mtrace doctor --json"
	}
	return c
}

// cost compares an untraced with a traced run in two values: the duration of a call, and the delay from a command
// buffer's end on the GPU until the wait for it returns.
func cost(untraced, traced *selfTestOutput, s *sight) Check {
	handler := math.NaN()
	if len(s.handlers) > 0 {
		slices.Sort(s.handlers)
		handler = s.handlers[len(s.handlers)/2]
	}
	added, notify := traced.Call-untraced.Call, traced.Notify-untraced.Notify
	c := Check{ID: "cost", Status: OK}
	data := map[string]any{"call_untraced_ns": untraced.Call, "call_traced_ns": traced.Call,
		"notify_untraced_ns": untraced.Notify, "notify_traced_ns": traced.Notify}
	c.Text = fmt.Sprintf("a call takes %.1f ns untraced and %.1f ns traced (%+.1f)", untraced.Call, traced.Call, added)
	if !math.IsNaN(handler) {
		data["handler_ns"] = handler
		c.Text += fmt.Sprintf("; the tracer's completion handler takes %s", nanosText(handler))
	}
	c.Text += fmt.Sprintf("; from the end on the GPU until the wait returns: %s untraced, %s traced",
		nanosText(untraced.Notify), nanosText(traced.Notify))
	data["added_ns"], data["notify_added_ns"] = added, notify
	c.Data = data
	if added > 1000 {
		c.Status, c.Advice = Warn, "this machine is slow or busy: tracing will slow programs down noticeably; "+
			"close other programs"
	}
	return c
}

// coverage checks that no call was missed, by two counts that the injected library makes. It counts the calls of its
// own self-check, and it counts command buffers inside Metal, independently of the hooks.
func coverage(s *sight) Check {
	made, seen := 0, 0
	c := Check{ID: "coverage", Status: OK}
	for _, call := range slices.Sorted(maps.Keys(s.checked)) {
		made += s.checked[call]
		seen += min(s.canary[call], s.checked[call])
		if s.canary[call] != s.checked[call] {
			c.Status = Fail
			c.Details = append(c.Details, fmt.Sprintf("%s: made %d, seen %d", call, s.checked[call], s.canary[call]))
		}
	}
	c.Data = map[string]any{"made": made, "seen": seen, "commits": s.commits, "completions": s.complete}
	c.Text = fmt.Sprintf("self-check: %d of %d calls of the library recorded, each once; "+
		"of what was counted inside Metal, %d of %d commits and %d of %d completions were recorded",
		seen, made, s.commits.Seen(), s.commits.Reached, s.complete.Seen(), s.complete.Reached)
	switch {
	case made == 0:
		c.Status, c.Text = Fail, "the library made no self-check"
	case c.Status == Fail:
		c.Text = fmt.Sprintf("self-check: %d of %d calls of the library recorded; "+
			"some are missing, or recorded more than once", seen, made)
	case s.commits.Missed+s.complete.Missed > 0:
		c.Status = Fail
	case s.commits.Reached == 0:
		c.Status = Warn
		c.Text += ": this Metal has no internal function at which commits can be counted, " +
			"so reports cannot tell whether they miss some"
	}
	if c.Status == Fail {
		c.Advice = "please report this with the output of mtrace doctor --json"
	}
	return c
}

// nested reports how many calls Metal made inside other calls. They are counted but not recorded, because they are
// part of the outer call's time.
func nested(s *sight) Check {
	return Check{
		ID: "nested-calls", Status: Info, Data: map[string]any{"nested": s.nested},
		Text: fmt.Sprintf("%d calls that Metal made inside other calls were not recorded, as intended", s.nested),
	}
}

func nanosText(ns float64) string {
	switch magnitude := math.Abs(ns); {
	case magnitude < 1000:
		return fmt.Sprintf("%.0f ns", ns)
	case magnitude < 1e6:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	default:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
}
