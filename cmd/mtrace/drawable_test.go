package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
)

// drawing presents 12 drawables, each by a command buffer without other work: the display shows one a frame.
const drawing = `
import ctypes, sys
sys.path.insert(0, sys.argv[1])
import workload
ID = ctypes.c_void_p
workload.Objc.PROTOTYPES.update({"layer": (ID,), "setDevice:": (None, ID), "nextDrawable": (ID,),
                                 "presentDrawable:": (None, ID)})
objc = workload.Objc(*workload.open_metal(None))
device = objc.create_device()
queue = objc(device, "newCommandQueue")
layer = objc(objc.objc_getClass(b"CAMetalLayer"), "layer")
objc(layer, "setDevice:", device)
for i in range(12):
    pool = objc.objc_autoreleasePoolPush()
    drawable = objc(layer, "nextDrawable")
    buffer = objc(queue, "commandBuffer")
    objc(buffer, "presentDrawable:", drawable)
    objc(buffer, "commit")
    objc.objc_autoreleasePoolPop(pool)
`

// A program that waits for its display spends its time in nextDrawable: the report shows that for the thread, and
// predicts nothing for a shorter wait.
func TestDrawableWaits(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "drawing.py")
	if err := os.WriteFile(program, []byte(drawing), 0o600); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, []string{"SOFTMETAL_FRAME_US=30000"}, tool.mtrace, "run", "-o", "t.mtrace", "--", "python3",
		program, filepath.Dir(workload(t)))
	if got.exit != 0 || !strings.Contains(got.stderr, "drawable") {
		t.Fatalf("%+v", got)
	}
	r := reportOf(t, filepath.Join(dir, "t.mtrace"))
	if n := count(r, "nextDrawable"); n != 12 {
		t.Errorf("%d calls of nextDrawable, not 12", n)
	}
	for _, th := range r.Threads {
		if th.CommandBuffers > 0 && th.Time[analyze.PartDrawable.Key()]*2 < th.WindowNS {
			t.Errorf("%d ns of %d waiting for drawables: it is more than half", th.Time[analyze.PartDrawable.Key()], th.WindowNS)
		}
	}
	// the display shows a frame at a time, and the GPU idles meanwhile: this was "outside of Metal"
	var idle, byDrawables int64
	for _, by := range r.GPU.IdleBy {
		if idle += by.NS; by.Doing == "waiting for a drawable" {
			byDrawables += by.NS
		}
	}
	if byDrawables*2 < idle || idle == 0 {
		t.Errorf("of %d ns of idle GPU only %d while a thread waited for a drawable: %+v", idle, byDrawables, r.GPU.IdleBy)
	}
	// this was "nothing delays the threads: 0.0% of their time went to waiting"
	if s := r.Serialization; s.Verdict == "none" && !strings.Contains(s.Summary, "waited in nextDrawable") {
		t.Errorf("the verdict: %s", s.Summary)
	}
	for _, w := range r.WhatIf {
		if strings.Contains(w.What.Name, "nextDrawable") {
			t.Errorf("promises %+v", w)
		}
	}
}
