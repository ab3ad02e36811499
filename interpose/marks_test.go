package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mtrace/collector/wire"
)

// said lists a run's marks and scopes in the order in which they were recorded, a beginning as "( name", a scope as ")
// name depth", and checks their nesting.
func said(t *testing.T, p *tracee) (all []string) {
	t.Helper()
	open := map[uint64][]wire.Record{}
	for _, e := range p.events(t) {
		name := p.text(t, e.Arg)
		switch e.Call.String() {
		case "mark":
			all = append(all, "mark "+name)
		case "scope begins":
			all = append(all, "( "+name)
			if int(e.Object) != len(open[e.thread]) {
				t.Errorf("%q begins at depth %d with %d open", name, e.Object, len(open[e.thread]))
			}
			open[e.thread] = append(open[e.thread], e.Record)
		case "scope":
			all = append(all, fmt.Sprintf(") %s %d", name, e.more.X0))
			stack := open[e.thread]
			if n := len(stack); n == 0 || stack[n-1].Begin != e.Begin || stack[n-1].Arg != e.Arg {
				t.Fatalf("the scope %q ends, and open are %v", name, stack)
			}
			open[e.thread] = stack[:len(stack)-1]
		}
	}
	return all
}

func marked(t *testing.T, scenario string) run {
	t.Helper()
	install, _ := softMetal(t)
	return trace(t, exec.Command(install.Launcher(), "/usr/bin/python3", "testdata/marks.py", scenario))
}

// Marks and scopes from before the first Metal call were not recorded, not even the scope around the whole program. Now
// only the marks and scopes of a thread that never uses Metal are missing, and those that do not fit, and they are
// counted.
func TestMarksBeforeMetal(t *testing.T) {
	r := marked(t, "early")
	if !r.state.Success() || r.stderr != "" {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	p := r.traced(t)
	all := said(t, p)
	many := 0
	all = slices.DeleteFunc(all, func(s string) bool {
		if s == ") many 1" {
			many++
		}
		return strings.HasSuffix(s, "many") || s == ") many 1"
	})
	want := []string{"( whole", "mark before Metal", "( early", ") early 1"}
	if many < 200 || many > 256 {
		t.Errorf("%d of 300 scopes fitted", many)
	}
	// The log is full: the scope around the first call did not fit any more, and its end pairs with it.
	want = append(want, "mark after Metal", ") whole 0", "( last", ") last 0")
	if !slices.Equal(all, want) {
		t.Errorf("\n got %q\nwant %q", all, want)
	}
	// Two events of the other thread, the scopes that did not fit, and the scope around the first call.
	if lost, want := p.region.Losses().Rejected, uint64(2+300-many+1); lost != want {
		t.Errorf("%d events are counted as lost, want %d", lost, want)
	}
	first, whole := wire.Ticks(0), wire.Ticks(0)
	for _, e := range p.events(t) {
		switch {
		case e.Call.String() == "MTLCreateSystemDefaultDevice":
			first = e.Begin
		case e.Call.String() == "scope" && p.text(t, e.Arg) == "whole":
			whole = e.Begin
		}
	}
	if whole == 0 || whole >= first {
		t.Errorf("the scope around everything begins at %d, the first Metal call at %d", whole, first)
	}
}

// Unusual uses and ends: ends without beginnings, more scopes than fit, names of all kinds, other threads, threads that
// end inside a scope, and a process that is killed in one.
func TestMarksOddly(t *testing.T) {
	r := marked(t, "late")
	if s := r.state.Sys().(syscall.WaitStatus); s.Signal() != syscall.SIGKILL || r.stderr != "" {
		t.Fatalf("ended with %v\n%s", r.state, r.stderr)
	}
	p := r.traced(t)
	all := said(t, p)
	var want []string
	for i := range 64 {
		want = append(want, fmt.Sprintf("( deep %d", i))
	}
	for i := 63; i >= 0; i-- {
		want = append(want, fmt.Sprintf(") deep %d %d", i, i))
	}
	want = append(want, "( after deep", ") after deep 0", "( ", "mark ", ")  0", "( ", ")  0",
		"mark "+strings.Repeat("a", wire.MaxFactText),
		"mark x"+strings.Repeat("é", wire.MaxFactText/2-1), "mark \xff\xfe", "( killed in", "( killed deep in")
	for n := range 3 {
		want = append(want, fmt.Sprintf("( thread %d", n), fmt.Sprintf("( inner %d", n), fmt.Sprintf(") inner %d 1", n),
			fmt.Sprintf(") thread %d 0", n))
	}
	want = append(want, "( left open", "( left open inside", ") left open inside 1", ") left open 0")
	slices.Sort(all) // rings may be reused, by a thread that starts when another has ended
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("\n got %q\nwant %q", all, want)
	}
	dropped := uint64(0)
	for i := range p.region.RingsUsed() {
		dropped += p.region.Ring(i).Dropped()
	}
	if dropped != 6 {
		t.Errorf("%d scopes are counted as dropped, want those 6 that lie too deep", dropped)
	}
}

// A C program that includes marks.h is built without the library, and runs with and without it.
func TestMarksFromC(t *testing.T) {
	program := build(t, "marks-c", "sh", "-c",
		`printf '%s\n' '#include "marks.h"' 'int main(void) { MTRACE_SCOPE_BEGIN("a"); MTRACE_MARK("b"); `+
			`MTRACE_SCOPE_END(); return 0; }' |
gcc -x c -std=c99 -Wall -Wextra -Werror -I. -o "$0" -`, "OUT")
	if out, err := exec.Command(program).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("untraced: %v\n%s", err, out)
	}
	if r := trace(t, exec.Command(program)); !r.state.Success() || r.stderr != "" {
		t.Errorf("traced: %v\n%s", r.state, r.stderr)
	}
}
