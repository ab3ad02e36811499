package analyze

import "testing"

// TestSite: the frame that is shown is one that the reader wrote, not the wrapper of a library around it.
func TestSite(t *testing.T) {
	python := func(name, file string, line int) *Frame {
		return &Frame{Name: name, File: file, Line: line, Python: true}
	}
	native := func(name, image string) *Frame {
		return &Frame{Name: name, Image: &Image{Path: image}, Unnamed: name[0] == 'l' || name[0] == '0'}
	}
	for _, c := range []struct {
		frames []*Frame
		want   string
	}{
		{[]*Frame{python("step", "/home/me/train.py", 42), python("<module>", "/home/me/train.py", 60)},
			"train.py:42 step()"},
		{[]*Frame{python("synchronize", packages+"torch/mps/__init__.py", 30), python("Trainer.fit", "/home/me/fit.py", 7)},
			"fit.py:7 Trainer.fit()"},
		{[]*Frame{python("synchronize", packages+"torch/mps/__init__.py", 30), native("main", "/usr/bin/thing")},
			"__init__.py:30 synchronize()"},
		{[]*Frame{python("<module>", "<frozen runpy>", 1), python("<lambda>", "a.py", 3)}, "a.py:3 <lambda>"},
		{[]*Frame{native("at::mps::MPSStream::synchronize(SyncType)", "/opt/torch/libtorch_cpu.so"),
			native("main", "/opt/app/app")},
			"at::mps::MPSStream::synchronize(SyncType) in libtorch_cpu.so"},
		{[]*Frame{native("start_thread", "/lib/x86_64-linux-gnu/libc.so.6"), native("work", "/opt/app/app")},
			"work() in app"},
		{[]*Frame{native("-[Renderer draw]", "/Applications/R.app/R")}, "-[Renderer draw] in R"},
		{[]*Frame{native("libx.so+0x12", "/opt/libx.so"), native("clone", "/lib/x86_64-linux-gnu/libc.so.6")},
			"clone() in libc.so.6"},
		{[]*Frame{native("libx.so+0x12", "/opt/libx.so")}, "libx.so+0x12"},
		{[]*Frame{{Name: "0x7f00", Unnamed: true}}, "0x7f00"},
	} {
		if got := (&Stack{Frames: c.frames}).Site(); got.String() != c.want {
			t.Errorf("the site is %q, want %q", got, c.want)
		}
	}
	if (*Stack)(nil).Site() != nil || (&Stack{}).Site() != nil {
		t.Error("no stack has a site")
	}
}

const packages = "/opt/venv/lib/python3.11/site-packages/"

// If a Python program sends all its messages through one function of a binding, its calls must not all be attributed to
// that function.
func TestSitesPassWrappers(t *testing.T) {
	send := &Frame{Name: "send", File: "metal.py", Line: 9, Python: true}
	method := &Frame{Name: "Object.call", File: "metal.py", Line: 20, Python: true}
	module := &Frame{Name: "<module>", File: "train.py", Line: 90, Python: true}
	trace := &Trace{}
	want := map[*Stack]string{}
	add := func(selector, site string, frames ...*Frame) {
		s := &Stack{Frames: frames}
		want[s] = site
		trace.Calls = append(trace.Calls, &CallStat{Selector: selector, From: []CallsFrom{{Stack: s, Count: 1}, {Count: 2}}})
	}
	for i, selector := range []string{"commandBuffer", "computeCommandEncoder", "commit"} {
		submit := &Frame{Name: "submit", File: "train.py", Line: 40 + i, Python: true}
		add(selector, submit.String(), send, method, submit, module)
	}
	add("waitUntilCompleted", "train.py:60 wait()", send, method, &Frame{Name: "wait", File: "train.py", Line: 60,
		Python: true}, module)
	add("newCommandQueue", "train.py:90 <module>", send, method, module)
	add("setLabel:", "metal.py:9 send()", send) // nothing else is known
	passWrappers(trace)
	for s, site := range want {
		if got := s.Site().String(); got != site {
			t.Errorf("the site is %q, want %q", got, site)
		}
	}
}
