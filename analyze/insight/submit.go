package insight

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/serial"
)

// waitAfterCommit: the thread waits for each command buffer before it makes the next, so the GPU idles in between.
func waitAfterCommit(in *Input) *Insight {
	returned := map[*analyze.CommandBuffer]analyze.Nanos{} // when its own thread had waited for it
	for i := range in.Trace.Waits {
		w := &in.Trace.Waits[i]
		if w.Buffer != nil && w.Buffer.Committed.Thread == w.Thread {
			returned[w.Buffer] = w.End
		}
	}
	last := map[*analyze.Thread]*analyze.CommandBuffer{}
	total, waited := 0, 0
	for _, b := range in.Trace.CommandBuffers {
		if !b.Committed.Known() {
			continue
		}
		if before := last[b.Committed.Thread]; before != nil {
			total++
			if at, did := returned[before]; did && at <= b.Committed.Begin {
				waited++
			}
		}
		last[b.Committed.Thread] = b
	}
	if total < enough || of(waited, total) < 0.9 {
		return nil
	}
	notify := in.Serial.Sum(analyze.PartWaitNotify) + in.Serial.Sum(analyze.PartWaitScheduling)
	notify = max(0, notify-in.Serial.HeldUp()) // what holds up work would hold it up as well with more in flight
	return info("wait-after-commit", "a wait after every commit", "keep two or three command buffers in flight: wait for the one before the last, or use completion handlers",
		"%d of %d times a thread waited for its command buffer before it committed the next; starting and waking took %s of thread time", waited, total, notify)
}

// tinyBuffers: little work in each command buffer.
func tinyBuffers(in *Input) *Insight {
	buffers, small := 0, 0
	var gpu analyze.Nanos
	for _, b := range in.Trace.CommandBuffers {
		if b.GPU.Known() {
			buffers++
			gpu += b.GPU.Length()
			if b.GPU.Length() < 50_000 {
				small++
			}
		}
	}
	if buffers < enough || of(small, buffers) < 0.5 {
		return nil
	}
	return warning("tiny-command-buffers", "tiny command buffers", "encode more before committing: a command buffer costs about 20 µs by itself",
		"%d of %d command buffers kept the GPU busy for less than 50 µs; the mean is %s", small, buffers, gpu/analyze.Nanos(buffers))
}

// fusion: kernels that are always dispatched back to back.
func fusion(in *Input) *Insight {
	if len(in.Fusions) == 0 {
		return nil
	}
	f := in.Fusions[0]
	more := ""
	if n := len(in.Fusions) - 1; n > 0 {
		more = fmt.Sprintf("; %s more", plural(n, "pair"))
	}
	return info("fusion", "kernels that could be one", "write one kernel that does both: it saves a launch and a round trip through memory",
		"%s is followed by %s in %s of %d cases%s", f.First, f.Second, analyze.FormatShare(f.Share), f.Count, more)
}

// copies: data that goes to and fro.
func copies(in *Input) *Insight {
	copies, buffers := 0, 0
	var bytes uint64
	for _, b := range in.Trace.CommandBuffers {
		n := 0
		for i := range b.Encoders {
			n += b.Encoders[i].Copies
			bytes += b.Encoders[i].CopyBytes
		}
		if copies += n; n > 0 {
			buffers++
		}
	}
	if list := len(in.Trace.CommandBuffers); copies == 0 || of(buffers, list) < 0.5 || list < enough {
		return nil
	}
	return info("copies", "copies around the work", "on a device with unified memory use shared buffers in place; copy only what must be private",
		"%d of %d command buffers copy, %s in all", buffers, len(in.Trace.CommandBuffers), analyze.FormatBytes(bytes))
}

// idleGaps: the GPU had nothing to do, and who should have fed it.
func idleGaps(in *Input) *Insight {
	g := &in.Serial.GPU
	if len(g.Devices) == 0 {
		return skipped("gpu-idle", "the GPU idles", "there are no GPU times")
	}
	active := analyze.Nanos(0)
	for _, d := range g.Devices {
		active += d.Active.Length()
	}
	if active == 0 || float64(g.Idle) < 0.2*float64(active) || len(g.IdleBy) == 0 {
		return nil
	}
	by := g.IdleBy[0]
	who := "a thread that is not known"
	if by.Thread != nil {
		who = fmt.Sprintf("thread %d", by.Thread.ID)
	}
	why := fmt.Sprintf("%s was %s", who, by.Doing)
	if by.Doing == serial.Scheduling {
		why = fmt.Sprintf("what %s had committed had not begun", who)
	}
	return info("gpu-idle", "the GPU idles", "see who feeds the GPU late, and why", "the GPU idled for %s (%s) between command buffers; longest because %s, %s in %s",
		g.Idle, analyze.FormatShare(float64(g.Idle)/float64(active)), why, by.Time, plural(by.Gaps, "gap"))
}

// unlabelled: reports and Instruments show numbers instead of names.
func unlabelled(in *Input) *Insight {
	queues, buffers := 0, 0
	for _, q := range in.Trace.Queues {
		if strings.TrimSpace(q.Label) == "" {
			queues++
		}
	}
	for _, b := range in.Trace.CommandBuffers {
		if b.Label == "" {
			buffers++
		}
	}
	if queues == 0 && of(buffers, len(in.Trace.CommandBuffers)) < 0.5 || len(in.Trace.CommandBuffers) < enough {
		return nil
	}
	return info("unlabelled", "objects without a name", "set label on queues, command buffers and encoders: every tool shows it",
		"%d of %s and %d of %s have no label", queues, plural(len(in.Trace.Queues), "queue"), buffers, plural(len(in.Trace.CommandBuffers), "command buffer"))
}
