package cause

import (
	"math"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/path"
	"mtrace/analyze/replay"
	"mtrace/fixtures/handmade"
)

// A show is a program that shows frames: in each, a thread gets a drawable, works, and commits GPU work that presents
// the drawable.
type show struct {
	work, gpu analyze.Nanos // of the thread, and on the GPU
	waits     bool          // the thread waits for the GPU before the next frame
	drawables int           // of the layer
	unsynced  bool          // the display shows each frame at once
	late      analyze.Nanos // what the thread works longer in the last frame but one
	from      int           // the trace begins with this frame
	holds     bool          // the thread pauses for ten frames before it commits frame 30
	rests     bool          // the thread pauses for ten frames after frame 30
	slowFirst bool          // the first call of nextDrawable takes 5 ms, because it creates textures
}

const displayFrame analyze.Nanos = 16_000_000

// run returns the trace of sixty frames on a display that shows one frame each displayFrame. A drawable becomes free
// when the display shows the next one; with two drawables the GPU cannot work on the next but one until then.
func (s show) run() *handmade.World {
	const overhead = 10_000
	w := handmade.New(200 * displayFrame)
	w.Trace.Threads = w.Trace.Threads[:1]
	free := make([]analyze.Nanos, s.drawables)
	var now, shown, done analyze.Nanos
	onScreen := 0 // the drawable of the latest frame
	for frame := range 60 {
		now += overhead
		drawable := 0
		for d := range free {
			if free[d] < free[drawable] {
				drawable = d
			}
		}
		end := max(now, free[drawable]) + overhead
		if frame == 0 && s.slowFirst {
			end += 5_000_000
		}
		traced := frame >= s.from
		if traced {
			w.Trace.CPUWaits.Drawables = append(w.Trace.CPUWaits.Drawables,
				analyze.Call{Interval: handmade.At(now, end), Thread: w.A})
		}
		if frame == s.from {
			w.Trace.TimeRange.Begin = now
		}
		commit := end + s.work + overhead
		if frame == 58 {
			commit += s.late
		}
		if s.holds && frame == 30 {
			commit += 10 * displayFrame
		}
		begin := max(commit, done) + overhead
		done = begin + s.gpu
		var b *analyze.CommandBuffer
		if traced {
			b = w.Buffer(w.A, commit, handmade.At(begin, done))
			b.Completed = handmade.At(done+overhead, done+overhead+10)
		}
		shown = max((done+displayFrame-1)/displayFrame*displayFrame, shown+displayFrame)
		if free[drawable] = done; !s.unsynced {
			free[onScreen], free[drawable] = shown, math.MaxInt64
			onScreen = drawable
		}
		if now = commit + overhead; s.waits {
			if traced {
				w.Wait(w.A, handmade.At(now, done+2*overhead), b)
			}
			now = done + 2*overhead
		}
		if s.rests && frame == 30 {
			now += 10 * displayFrame
		}
	}
	w.Trace.TimeRange.End = max(now, done) + 2*overhead
	w.A.Active = w.Trace.TimeRange
	w.Trace.Finish()
	return w
}

// A program that waited for the display was said to be 1.8 times as fast with faster kernels, or with more command
// buffers in flight, and to be limited by its GPU work if that took most of a frame. Its critical path was the program.
func TestDisplay(t *testing.T) {
	const ms = 1_000_000
	for name, c := range map[string]struct {
		show
		paced bool // the display limits it, so that no change may be predicted to help
		cause string
	}{
		"little work":                      {show{gpu: 2 * ms, drawables: 3}, true, None},
		"little work, with waits":          {show{gpu: 2 * ms, waits: true, drawables: 3}, true, None},
		"half a frame, with waits":         {show{gpu: 8 * ms, waits: true, drawables: 3}, true, None},
		"most of a frame, with waits":      {show{gpu: 13 * ms, waits: true, drawables: 3}, true, None},
		"most of a frame":                  {show{gpu: 13 * ms, drawables: 3}, true, None},
		"the thread works":                 {show{work: 9 * ms, gpu: 2 * ms, drawables: 3}, true, None},
		"half a frame, two drawables":      {show{gpu: 6 * ms, waits: true, drawables: 2}, true, None},
		"more than a frame":                {show{gpu: 25 * ms, drawables: 3}, false, GPUSaturated},
		"more than a frame, with waits":    {show{gpu: 25 * ms, waits: true, drawables: 3}, false, GPUBound},
		"more than a frame, two drawables": {show{gpu: 25 * ms, waits: true, drawables: 2}, false, GPUBound},
		// the number of drawables was known only if the trace began with the layer's first frames
		"more than a frame, two drawables, from the middle, a pause": {show{gpu: 25 * ms, waits: true, drawables: 2,
			from: 12, holds: true}, false, GPUBound},
		"more than a frame, two drawables, from the middle, a rest": {show{gpu: 25 * ms, waits: true, drawables: 2,
			from: 12, rests: true}, false, GPUBound},
		"more than a frame, two drawables, a slow first frame": {show{gpu: 25 * ms, waits: true, drawables: 2,
			slowFirst: true, holds: true}, false, GPUBound},
		"most of a frame, three drawables, from the middle, a pause": {show{gpu: 13 * ms, waits: true, drawables: 3,
			from: 12, holds: true}, true, None},
		"most of a frame, three drawables, from the middle, a rest": {show{gpu: 13 * ms, waits: true, drawables: 3,
			from: 12, rests: true}, true, None},
		"a display that does not wait": {show{gpu: 8 * ms, drawables: 3, unsynced: true}, false, GPUSaturated},
		// the last frames come late, and the path went through nextDrawable as if the program worked there
		"a display that does not wait, and a late frame": {show{gpu: 8 * ms, drawables: 3, unsynced: true,
			late: 30 * ms}, false, GPUSaturated},
		"the thread works more than a frame": {show{work: 25 * ms, gpu: 2 * ms, drawables: 3}, false, None},
	} {
		a := Analyze(c.run().Trace, Options{})
		if a.Verdict.Cause != c.cause || c.paced && !strings.Contains(a.Verdict.Summary, "keeps pace with the display") {
			t.Errorf("%s: %s: %s", name, a.Verdict.Cause, a.Verdict.Summary)
		}
		for _, g := range a.Gains() {
			if c.rests && g.Kind == replay.KindThread { // its pause can be shorter
				continue
			}
			if c.paced && g.Estimate > 1.1 {
				t.Errorf("%s: %s %s: %.2fx faster than the display permits", name, g.Kind, g.Name, g.Estimate)
			}
		}
		var display, gpu, all analyze.Nanos
		for _, p := range path.Find(a.Evidence).Path.Parts {
			switch all += p.Time; p.What {
			case path.Display:
				display += p.Time
			case path.GPU:
				gpu += p.Time
			}
		}
		if share := float64(display) / float64(all); (share > 0.7) != c.paced || !c.paced && share > 0 {
			t.Errorf("%s: %.0f%% of the critical path is the display's", name, 100*share)
		}
		least := 0.9
		if c.drawables == 2 { // the drawable that the GPU has drawn is shown only when the next frame of the display begins
			least = 0.7
		}
		if share := float64(gpu) / float64(all); c.cause != None && share < least {
			t.Errorf("%s: %.0f%% of the critical path is the GPU's", name, 100*share)
		}
	}
}
