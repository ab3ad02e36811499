package record

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"mtrace/collector/accelerator"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/interpose/inject/handshake"
)

// An outside watches the program's process tree from mtrace's own process. Until one of the processes makes a
// Metal call, it looks for processes that have not loaded the library. On macOS it also samples which programs
// use the GPU.
type outside struct {
	witness *witness
	tree    *handshake.Tree
	usage   accelerator.Usage
	cancel  context.CancelFunc
	running sync.WaitGroup
}

const (
	// firstLook is the time until processes are examined for the first time. The next intervals are four times as
	// long, up to longestLook.
	firstLook   = 100 * time.Millisecond
	longestLook = 10 * time.Second
	// gpuPause is how often the GPU's use is sampled: a sample runs ioreg, which takes about ten milliseconds of
	// processor time.
	gpuPause = 2 * time.Second
)

// watchFromOutside starts to watch the program's process tree and, on macOS, the use of the GPU. The caller must call
// end, which stops both.
func watchFromOutside(pid int, w *witness) *outside {
	ctx, cancel := context.WithCancel(context.Background())
	o := &outside{witness: w, tree: handshake.NewTree(pid), cancel: cancel}
	o.running.Go(func() { o.lookAtProcesses(ctx) })
	// on systems without an I/O registry (all but macOS) Watch returns at once
	o.running.Go(func() { o.usage, _ = accelerator.Watch(ctx, gpuPause, accelerator.Ioreg) })
	return o
}

func (o *outside) lookAtProcesses(ctx context.Context) {
	for pause := firstLook; ; pause = min(4*pause, longestLook) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if o.witness.metal() || o.tree.Look() != nil {
			return
		}
	}
}

// end stops watching.
func (o *outside) end() {
	o.cancel()
	o.running.Wait()
}

// processes returns the processes from which the library connected, and those seen in the process tree that did not
// connect.
func (o *outside) processes() []handshake.Process {
	all := o.witness.processes()
	reported := len(all)
	for _, p := range o.tree.Processes() {
		same := func(w handshake.Process) bool {
			return w.PID == p.PID && (p.Program == "" || sameFile(w.Program, p.Program))
		}
		if !slices.ContainsFunc(all[:reported], same) {
			all = append(all, p)
		}
	}
	return all
}

// note adds a warning to the trace if other programs used the GPU during the run.
func (o *outside) note(writer *tracefile.Writer) error {
	ours := map[int]bool{}
	for _, p := range o.processes() {
		ours[p.PID] = true
	}
	remark, ok := o.usage.Remark(func(pid int) bool { return ours[pid] })
	index, metal := o.witness.first()
	if !ok || !metal {
		return nil
	}
	return writer.Facts(index, []wire.Fact{{Kind: wire.FactWarning, Text: remark}})
}

// sameFile reports whether two paths lead to the same file, also through links.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}
