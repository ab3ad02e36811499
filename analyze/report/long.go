package report

import (
	"fmt"
	"maps"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/compile"
	"mtrace/analyze/evidence"
	"mtrace/analyze/hang"
	"mtrace/analyze/insight"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/replay"
	"mtrace/analyze/steps"
)

// Limits decide which runs are too long to be analysed as a whole, and how a long run is divided. Analyses that
// compare events with each other run only on some sample ranges of it, the windows. Everything that can be summed is
// summed range by range over the whole run, so that memory does not grow with the run's length (docs/scale.md).
type Limits struct {
	Whole  int64 // maximum number of records that are analysed as a whole
	Window int64 // records of a window
	Summed int64 // records of a range that is loaded and added to the totals at once
	// minimum number of command buffers in a window (a range that is analysed for causes). A window with fewer is
	// widened, but only within the part of the run that it represents
	Buffers int
}

// UsualLimits are the default limits. The longest run that is analysed as a whole, about a million calls, takes two
// to three seconds and 400 MB. A window usually has thousands of command buffers, where the statistical tests need
// hundreds. Summed ranges are so large that reading calls at their borders twice costs little, and so small that the
// garbage collector has little work.
var UsualLimits = Limits{Whole: 3 << 19, Window: 3 << 14, Summed: 3 << 16, Buffers: 300}

// windows is the number of equal ranges into which a long run is divided. Only the middle of each range, the window, is
// analysed for causes. With 8 windows, a phase that lasts a quarter of the run contains two of them.
const windows = 8

// Sampled describes the ranges (windows) of a long run on which causes are based: the verdict, its evidence,
// predictions, tests, critical path, chains and insights. Totals cover the whole run: calls, times of threads,
// queues, the GPU, kernels, memory, compilations.
type Sampled struct {
	Windows []SampledWindow `json:"windows"`
	// number of ranges for which gains were predicted: every second range if the verdicts of these agree, else all
	Predicted int     `json:"predicted"`
	Calls     int64   `json:"calls"` // number of calls in all windows together
	Share     float64 `json:"share"` // share of the run's calls that are in the windows
	Rule      string  `json:"rule"`
}

// A SampledWindow is a range of a long run that was analysed for causes, with its own verdict.
type SampledWindow struct {
	BeginNS    int64   `json:"begin_ns"` // from the beginning of the trace
	EndNS      int64   `json:"end_ns"`
	Calls      int64   `json:"calls"`
	Verdict    string  `json:"verdict"`
	Share      float64 `json:"share"`
	Confidence float64 `json:"confidence"`
}

// Text describes the ranges in one line.
func (s *Sampled) Text() string {
	if len(s.Windows) == 0 { // no requested section needs causes
		return "Totals cover the whole run."
	}
	predictions := "Causes, predictions and insights come"
	of := ""
	if s.Predicted < len(s.Windows) {
		predictions, of = "Causes and insights come", fmt.Sprintf("; predictions come from %d of them, which agree",
			s.Predicted)
	}
	return fmt.Sprintf("Totals cover the whole run. %s from %d ranges spread over it, with %s of its calls%s.",
		predictions, len(s.Windows), analyze.FormatShare(s.Share), of)
}

func writeSampled(w *sheet, r *Report) {
	if r.Sampled != nil {
		wrap(w, r.Sampled.Text(), "", "")
	}
}

// Long reports whether a file, or the requested range of it, is too long to be analysed as a whole. BuildLong must
// then be used instead of Build, or the analysis may need more memory than there is.
func (l Limits) Long(f *analyze.File, asked analyze.Options) bool {
	return f.Records() > l.Whole && len(f.Ranges(asked, l.Whole)) > 1
}

// BuildLong builds the report of a long trace; see Sampled. The returned trace has totals and no single events.
func BuildLong(f *analyze.File, asked analyze.Options, opts Options) (*Report, *analyze.Trace, error) {
	if opts.Limits == (Limits{}) {
		opts.Limits = UsualLimits
	}
	asked = f.Asked(asked)
	l := &long{file: f, asked: asked, opts: opts, parts: f.Ranges(asked, opts.Limits.Summed), total: &analyze.Total{},
		memory: memory.NewRunning(), repeats: steps.NewSequences(), first: 1<<63 - 1}
	l.threads = evidence.NewTotal(l.total)
	small := f.Ranges(asked, opts.Limits.Window)
	l.start = small[0]
	l.choose(small)
	if !opts.wants(totals) {
		l.parts = nil
	}
	if !opts.wants(causes) {
		l.analyses = nil
	}
	if err := l.read(); err != nil {
		return nil, nil, err
	}
	if asked.To == 0 { // a hang is at the end of the run
		found, err := hang.Of(f, asked.PIDs, hang.Options{})
		if err != nil {
			return nil, nil, err
		}
		l.hang = found
	}
	return l.report(f.Calls(asked.PIDs))
}

// long is the state while the report of a long trace is built.
type long struct {
	file     *analyze.File
	opts     Options
	asked    analyze.Options
	parts    []analyze.Options
	analyses []rangeAnalysis
	start    analyze.Options // a small range at the beginning of the run
	known    map[uint64]bool // the objects for analyze.Options.RequestObjects
	done     int             // number of finished steps of progress, out of steps
	steps    int

	total   *analyze.Total
	threads *evidence.Total
	kernels *kernels.Sum
	memory  *memory.Running
	scopes  []Scope
	repeats *steps.Sequences
	first   analyze.Nanos // time of the first commit

	found *windowed // nil if causes were not requested
	hang  *hang.Document
}

// A rangeAnalysis is the analysis of one window (sample range) of a long run. `at` is the window, `represented` the
// part of the run for which the window stands, and `wide` a wider window, used if `at` has too few command buffers.
type rangeAnalysis struct {
	at          analyze.Options
	represented analyze.Options
	wide        analyze.Options
	found       cause.Range
	answer      *answers
}

// A windowed holds the conclusions for the whole run that are drawn from its windows (sample ranges). It does not
// refer to the windows' traces, so that their memory can be freed.
type windowed struct {
	judgement *cause.Judgement
	fusions   []kernels.Fusion
	insights  []insight.Insight
	helps     helps
	windows   []SampledWindow
	predicted int
	phases    []Phase
	replay    *replay.Replay // the replay of a typical window; nil if nothing was predicted
}

// choose divides the run into equal ranges and selects the middle of each as a window, which is analysed for causes.
// `small` has consecutive small ranges of the whole run.
func (l *long) choose(small []analyze.Options) {
	n := min(windows, len(small))
	for i := range n {
		from, to := len(small)*i/n, len(small)*(i+1)/n
		around := small[from]
		around.To = small[to-1].To
		wide := small[max(from, (from+to)/2-4)]
		wide.To = small[min(to-1, (from+to)/2+4)].To
		l.analyses = append(l.analyses, rangeAnalysis{at: small[(from+to)/2], represented: around, wide: wide})
	}
}

// read analyses the windows (sampled ranges) for causes, and then reads the whole run range by range and sums the
// totals in order.
func (l *long) read() error {
	if err := l.learn(l.start); err != nil {
		return err
	}
	l.steps = stepsOfLook*len(l.analyses) + len(l.parts)
	err := l.lookAtAll()
	if err == nil {
		err = l.lookAgain()
	}
	if err == nil && len(l.analyses) > 0 {
		l.conclude()
	}
	if err == nil {
		err = concurrentInOrder(len(l.parts), func(i int) (*measured, error) { return l.measure(l.parts[i]) },
			func(m *measured) error {
				l.step(1)
				return l.add(m)
			})
	}
	return err
}

// lookAtAll analyses the windows (sampled ranges of the run). It first analyses every second window with predictions,
// which take the most time. If the verdicts of these windows agree, the windows in between are analysed without
// predictions. A window in between that has another verdict is then analysed again with predictions.
func (l *long) lookAtAll() error {
	var first, between []*rangeAnalysis
	for i := range l.analyses {
		if i%2 == 0 {
			first = append(first, &l.analyses[i])
		} else {
			between = append(between, &l.analyses[i])
		}
	}
	done := func(bool) error { return nil }
	err := concurrentInOrder(len(first), func(i int) (bool, error) { return true, l.look(first[i], false) }, done)
	l.step(stepsOfLook * len(first))
	if err != nil || len(between) == 0 {
		return err
	}
	var answers []*cause.Analysis
	for _, w := range first {
		answers = append(answers, w.answer.analysis)
	}
	defer l.step(stepsOfLook * len(between))
	agreed := len(l.analyses) == windows && cause.Agree(answers)
	return concurrentInOrder(len(between), func(i int) (bool, error) {
		w := between[i]
		err := l.look(w, agreed)
		if err == nil && agreed && w.answer.analysis.Verdict.Cause != answers[0].Verdict.Cause {
			err = l.look(w, false)
		}
		return true, err
	}, done)
}

// stepsOfLook is the number of steps of progress that the analysis of a window counts as. It takes about twice as
// long as reading a range, which is one step. Windows are analysed concurrently and end together, so their progress
// is reported when all are done. Reporting the first would make the remaining time seem much too long.
const stepsOfLook = 2

// step counts finished steps of work and reports them to the caller's progress function.
func (l *long) step(finished int) {
	if l.done += finished; l.opts.Progress != nil {
		l.opts.Progress(l.done, l.steps)
	}
}

// learn finds the condition variables and semaphores through which threads send requests to a submitting thread. It
// looks at a small range at the start of the run, where the submitting thread still waits for requests. Later the
// next request may always be pending: then the thread never waits, and the trace does not show these objects.
func (l *long) learn(small analyze.Options) error {
	t, err := l.file.Load(small)
	if err == nil && len(t.CPUWaits.Signals) > 0 {
		l.know(evidence.Divide(t).Delegation.RequestObjects())
	}
	return err
}

// know adds addresses of condition variables and semaphores through which threads send requests. It reports whether
// any address is new.
func (l *long) know(objects []uint64) (news bool) {
	for _, object := range objects {
		if l.known[object] {
			continue
		}
		known := maps.Clone(l.known) // the map is shared with loaded traces, so it is copied
		if known == nil {
			known = map[uint64]bool{}
		}
		known[object] = true
		l.known, news = known, true
	}
	return news
}

// lookAgain repeats the analysis of some windows (sample ranges of the run) if the others have shown through which
// objects threads send requests. It repeats those that showed no requests.
func (l *long) lookAgain() error {
	news := false
	for i := range l.analyses {
		news = l.know(l.analyses[i].answer.analysis.Evidence.Delegation.RequestObjects()) || news
	}
	if !news {
		return nil
	}
	return concurrentInOrder(len(l.analyses), func(i int) (bool, error) {
		if w := &l.analyses[i]; !w.answer.analysis.Evidence.Delegation.Confirmed() &&
			len(w.answer.trace.CPUWaits.Signals) > 0 {
			return true, l.look(w, false)
		}
		return false, nil
	}, func(bool) error { return nil })
}

// look loads a window (a sampled range of the run) and analyses it for causes. A window with too few command buffers
// is widened first. unpredicted omits predictions, which take the most time.
func (l *long) look(w *rangeAnalysis, unpredicted bool) error {
	t, err := l.load(w.at)
	if err == nil && len(t.CommandBuffers) < l.opts.Limits.Buffers {
		w.at = w.wide
		t, err = l.load(w.at)
	}
	if err != nil {
		return err
	}
	w.answer = ask(t, l.opts, cause.Options{Unpredicted: unpredicted})
	w.answer.findInsights(w.answer.analysis)
	if replayed := w.answer.analysis.Replay(); replayed != nil {
		replayed.Free() // gains are predicted for only one of the windows
	}
	length := t.TimeRange.Length()
	end := func(to analyze.Nanos) analyze.Nanos {
		if to == 0 {
			return t.Run.Length
		}
		return to
	}
	w.found = cause.Range{Analysis: w.answer.analysis, Begin: w.at.From, End: end(w.at.To),
		Scale: max(1, float64(end(w.represented.To)-w.represented.From)/float64(max(1, length)))}
	return nil
}

// load loads a range of the run and tells the loader which objects are known to carry requests between threads.
func (l *long) load(part analyze.Options) (*analyze.Trace, error) {
	part.RequestObjects = l.known
	return l.file.Load(part)
}

// measured has the results of one range that can be summed over the ranges of the run.
type measured struct {
	trace   *analyze.Trace
	shows   *evidence.Totals
	kernels *kernels.Sum
	scopes  []Scope
	first   analyze.Nanos
	divided *evidence.Division // nil unless Options.Part needs it
}

func (l *long) measure(part analyze.Options) (*measured, error) {
	part.Adds = true
	t, err := l.load(part)
	if err != nil {
		return nil, err
	}
	m := &measured{trace: t, kernels: kernels.NewSum(t), scopes: scopesOf(t), first: compile.FirstCommit(t)}
	if !l.opts.wants(times) && l.opts.Part == nil {
		return m, nil
	}
	if m.shows, m.divided = evidence.MeasureDivided(t); l.opts.Part == nil {
		m.divided = nil // so that its memory can be freed
	}
	return m, nil
}

func (l *long) add(m *measured) error {
	if l.opts.Part != nil {
		if err := l.opts.Part(m.divided); err != nil {
			return err
		}
	}
	l.total.Add(m.trace)
	if m.shows != nil {
		l.threads.Add(m.shows)
	}
	if l.kernels == nil {
		l.kernels = m.kernels
	} else {
		l.kernels.Add(m.kernels)
	}
	l.memory.Add(m.trace, l.total)
	l.scopes = addScopes(l.scopes, m.scopes)
	l.repeats.Add(m.trace)
	l.first = min(l.first, m.first)
	return nil
}

// conclude derives the verdict on the run from the results of its windows. Then it frees the windows: their traces
// use the most memory if a program waits a lot.
func (l *long) conclude() {
	if len(l.parts) == 0 { // no totals were read; any range has the properties of the whole run
		l.total.Add(l.analyses[0].answer.trace)
	}
	var found []cause.Range
	w := &windowed{}
	for i := range l.analyses {
		look := &l.analyses[i]
		found = append(found, look.found)
		v := look.found.Analysis.Verdict
		if look.found.Analysis.Predicted() {
			w.predicted++
		}
		w.windows = append(w.windows, SampledWindow{int64(look.found.Begin), int64(look.found.End),
			look.found.Analysis.Evidence.Trace.Events,
			v.Cause, v.Share, v.Confidence})
	}
	judgement, typical := cause.Judge(found)
	w.judgement = judgement
	w.fusions, w.insights, w.phases = l.fusions(), l.insights(typical), l.phases()
	w.helps = whatHelps(l.analyses[typical].answer.analysis, l.opts.WhatIf)
	w.replay = l.analyses[typical].answer.analysis.Replay()
	l.found, l.analyses = w, nil
}

// report builds the report from the results.
func (l *long) report(calls int64) (*Report, *analyze.Trace, error) {
	x := &answers{kernels: []*kernels.Kernel{}, compile: &compile.Use{}, memory: &memory.Use{}, scopes: []Scope{},
		repeats: l.repeats}
	l.total.Finish()
	x.analysis = &cause.Analysis{Totals: l.threads.Finish()}
	x.trace = x.analysis.Totals.Trace
	if len(l.parts) > 0 {
		x.kernels, x.named, x.timing = l.kernels.Kernels(), l.kernels.Operations(), l.kernels.Timing
		x.compile, x.memory, x.scopes = compile.Since(x.trace, l.first), l.memory.Finish(x.trace),
			finishScopes(append([]Scope{}, l.scopes...))
	} else {
		x.trace.TimeRange = analyze.Interval{Begin: x.trace.Run.Origin + l.asked.From, End: x.trace.Run.Origin +
			x.trace.Run.Length}
		if l.asked.To > 0 {
			x.trace.TimeRange.End = x.trace.Run.Origin + l.asked.To
		}
	}
	if l.found == nil {
		l.found = &windowed{windows: []SampledWindow{}, phases: []Phase{}}
	} else {
		x.analysis, x.window = l.found.judgement.Of(x.analysis.Totals), l.found.replay
	}
	x.fusions, x.insights = l.found.fusions, l.found.insights
	if len(l.parts) > 0 {
		x.insights = insight.WithGrowth(x.insights, x.memory)
	}
	r := x.report(l.opts)
	if l.kernels != nil {
		r.costs = l.kernels.Costs()
	}
	buildHang(r, l.hang)
	r.Events = calls
	buildWhatIf(r, l.found.helps)
	r.Sampled = l.sampled(calls)
	r.Serialization.Phases = l.found.phases
	return r, x.trace, nil
}

// sampled describes the windows for the report: where they are, how many calls they contain, and how they were
// chosen.
func (l *long) sampled(calls int64) *Sampled {
	s := &Sampled{Windows: l.found.windows, Predicted: l.found.predicted,
		Rule: fmt.Sprintf(
			"more than %d records: one window of about %d records in the middle of each of %d parts of the run",
			l.opts.Limits.Whole, l.opts.Limits.Window, windows)}
	for i := range s.Windows {
		s.Calls += s.Windows[i].Calls
	}
	s.Share = float64(s.Calls) / float64(max(1, calls))
	return s
}

// fusions sums the fusion candidates (kernels that one kernel could replace) of all windows, each scaled to the range
// of the run that its window stands for.
func (l *long) fusions() (all []kernels.Fusion) {
	for i := range l.analyses {
		all = kernels.AddFusions(all, l.analyses[i].answer.fusions, l.analyses[i].found.Scale)
	}
	return all
}

// insights joins the insights of all windows (sampled ranges of the run). An insight that several windows have is
// described in the words of the window in which it costs most.
func (l *long) insights(typical int) (all []insight.Insight) {
	var lists [][]insight.Insight
	var scales []float64
	var names []string
	for n := range l.analyses {
		w := &l.analyses[(typical+n)%len(l.analyses)]
		lists, scales, names = append(lists, w.answer.insights), append(scales, w.found.Scale),
			append(names, w.found.String())
	}
	return insight.Together(lists, scales, names)
}

// phases returns consecutive ranges of the run that have different verdicts. It returns them only if every verdict is
// well supported and each phase has at least two windows (sampled ranges).
func (l *long) phases() []Phase {
	none := []Phase{}
	var found []Phase
	count := 0
	for i := range l.analyses {
		w := &l.analyses[i]
		v := &w.found.Analysis.Verdict
		p := Phase{int64(w.represented.From), int64(w.represented.To), v.Cause, v.Share, v.Confidence, v.Summary}
		if !p.supported() {
			return none
		}
		if p.EndNS == 0 {
			p.EndNS = int64(w.found.Analysis.Evidence.Trace.Run.Length)
		}
		if n := len(found); n > 0 && found[n-1].Verdict == p.Verdict {
			found[n-1].EndNS = p.EndNS
			count++
			continue
		}
		if len(found) > 0 && count < 2 {
			return none
		}
		found, count = append(found, p), 1
	}
	if len(found) > 1 && count > 1 {
		return found
	}
	return none
}
