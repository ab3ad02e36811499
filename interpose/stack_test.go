package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// Each call that needs a stack has one, on its thread, whose record ends when the call begins; other calls have none.
// The facts that a stack refers to are sent once for each thread, before any record that names it.
func TestStackRecords(t *testing.T) {
	cmd := client(t, "threads", "20")
	cmd.Env = []string{"MTRACE_STACKS=native"}
	r := trace(t, cmd)
	r.compare(t)
	for _, p := range r.tracees {
		stacks, images := map[uint64]wire.Stack{}, 0
		for _, f := range p.facts(t) {
			switch f.Kind {
			case wire.FactStack:
				s, err := f.Stack()
				if err != nil {
					t.Fatal(err)
				}
				stacks[f.Key] = s
			case wire.FactImage:
				i, err := f.Image()
				if err != nil {
					t.Fatal(err)
				}
				images++
				if info, err := os.Stat(i.Path); strings.HasPrefix(i.Path, "/") && (err != nil || !info.Mode().IsRegular()) {
					t.Errorf("image %+v: %v", i, err)
				}
			}
		}
		type begun struct {
			thread uint64
			begin  wire.Ticks
		}
		at := map[begun]bool{}
		for _, e := range p.events(t) {
			switch {
			case e.Call == wire.CallStack:
				s, known := stacks[e.Arg]
				if !known || len(s.Native) == 0 || len(s.Python) > 0 || e.Object != 0 {
					t.Fatalf("stack %+v of %+v, known %v", e.Record, s, known)
				}
				at[begun{e.thread, e.End}] = true
			case wire.CallHasStack(e.Call) != at[begun{e.thread, e.Begin}]:
				t.Fatalf("%v has a stack: %v", e.Call, !wire.CallHasStack(e.Call))
			}
		}
		if len(at) < 16*20*5 || images < 5 {
			t.Errorf("%d stacks, %d images", len(at), images)
		}
	}
}

// Without a request there is no stack and no fact about stacks.
func TestNoStackRecords(t *testing.T) {
	r := trace(t, client(t, "threads", "5"))
	for _, p := range r.tracees {
		if slices.ContainsFunc(p.facts(t), func(f wire.Fact) bool {
			return f.Kind >= wire.FactStack &&
				f.Kind <= wire.FactSymbol
		}) {
			t.Error("stacks were not asked for")
		}
		for _, e := range p.events(t) {
			if e.Call == wire.CallStack {
				t.Fatal("a stack was not asked for")
			}
		}
	}
}
