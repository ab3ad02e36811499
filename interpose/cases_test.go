package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// cases.md names the test for each mistake that tracers of Metal made. A test that is renamed or deleted must not leave
// a case without one.
func TestEveryCaseHasItsTest(t *testing.T) {
	text, err := os.ReadFile("cases.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, folder := range []string{".", "../analyze", "../cmd", "../collector", "../fixtures"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, "_test.go") {
				sources = append(sources, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	stories := map[string]bool{} // of tests, and whether a comment is before them
	for _, source := range sources {
		code, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(// .*\n)?func (Test\w+)\(`).FindAllStringSubmatch(string(code), -1) {
			stories[m[2]] = m[1] != ""
		}
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		names := regexp.MustCompile(`Test\w+`).FindAllString(line, -1)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Case") ||
			strings.HasPrefix(line, "| Kind") || strings.HasPrefix(line, "|--") {
			continue
		}
		rows++
		if len(names) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, name := range names {
			if story, there := stories[name]; !there {
				t.Errorf("%s does not exist: %s", name, line)
			} else if !story {
				t.Errorf("%s does not tell its story", name)
			}
		}
	}
	if rows < 14 {
		t.Errorf("only %d cases", rows)
	}
}

// same runs a check of the software Metal's client without and with the tracer, with and without the validation layer:
// it must print the same, and end well. The traces are returned.
func same(t *testing.T, check string) (runs []run) {
	t.Helper()
	_, client := softMetal(t)
	for _, layer := range []string{"MTL_DEBUG_LAYER=0", "MTL_DEBUG_LAYER=1"} {
		plain := exec.Command(client, check)
		plain.Env = append(os.Environ(), layer)
		want, err := plain.CombinedOutput()
		if err != nil {
			t.Fatalf("%s, %s: %v\n%s", check, layer, err, want)
		}
		cmd := exec.Command(client, check)
		cmd.Env = []string{layer}
		r, file := traceSoft(t, cmd)
		if got := r.stdout + r.stderr; got != string(want) || !r.state.Success() {
			t.Errorf("%s, %s: ended with %v and said\n%swithout the tracer\n%s", check, layer, r.state, got, want)
		}
		compareWithTruth(t, r.traced(t), file)
		runs = append(runs, r)
	}
	return runs
}

// The driver is loaded with the first device, so its classes do not exist when the tracer starts: smeltr's first
// version hooked by name in its constructor and saw no command buffer at all. Here Metal itself is loaded late too, as
// it is in Python.
func TestClassesThatLoadLate(t *testing.T) {
	install, _ := softMetal(t)
	r, file := traceSoft(t, exec.Command(install.Launcher(), "/usr/bin/python3", "testdata/late.py"))
	if r.stdout != "False True\n" || !r.state.Success() {
		t.Fatalf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
	}
	p := r.traced(t)
	compareWithTruth(t, p, file)
	if n := recorded(p.events(t), "commit"); n != 5 {
		t.Errorf("%d commits recorded, not 5", n)
	}
}

// MPSCommandBuffer is a proxy: it is committed again and again, and is another command buffer after each
// commitAndContinue. A tracer that takes the pointer for the identity sees one command buffer that is committed three
// times, or, hooking the proxy too, six.
func TestProxyOfManyCommandBuffers(t *testing.T) {
	for _, r := range same(t, "mps-proxy") {
		committed := map[wire.ObjectID]int{}
		for _, e := range r.events(t) {
			if e.Call == commitOfCommandBuffer {
				committed[e.Object]++
			}
		}
		if len(committed) != 3 {
			t.Errorf("committed, by number: %v; it was three, once each", committed)
		}
	}
}

// A completion handler that is added after the commit ends the program: Metal aborts. The tracer's handler is added
// inside the commit, before the original is called. The program's own handlers run as without it, and before any
// waiting thread continues.
func TestHandlersAreAddedBeforeTheCommit(t *testing.T) {
	for _, r := range same(t, "handlers") {
		completed := 0
		for _, e := range r.events(t) {
			if e.Call == wire.CallCompleted {
				completed++
			}
		}
		if completed != 1 {
			t.Errorf("%d completions recorded, not 1", completed)
		}
	}
}

// A handle that Metal resolves to an existing object is not another object: its event once had two numbers, and a wait
// on one number was not connected with the signal on the other. An object created at the address of a dead one is
// another object, with its own number.
func TestHandlesOfOneObject(t *testing.T) {
	for _, r := range same(t, "handles") {
		numbers := map[wire.ObjectID]bool{}
		for _, e := range r.events(t) {
			if e.Call.String() == "setSignaledValue:" {
				numbers[e.Object] = true
			}
		}
		if len(numbers) != 3 {
			t.Errorf("signalled, by number: %v; it was three events, two of them twice", numbers)
		}
	}
}

// A view that holds the last reference to its texture releases it, a texture in a buffer releases the buffer, and a
// deallocator releases whatever it holds. These were mistaken for inner parts of the deallocation around them: the
// textures stayed in the report for ever, and its peak, reported as measured, grew with each. Every resource is freed
// once, and is not an inner call.
func TestLastHoldersGiveBackAll(t *testing.T) {
	for i, r := range same(t, "last-holders") {
		made, gone := map[uint64]bool{}, map[uint64]int{}
		for _, e := range r.events(t) {
			switch row := e.Call.Row(); row.Effect {
			case wire.EffectAllocates, wire.EffectAllocatesCopy:
				made[e.Arg] = true
			case wire.EffectReleases:
				gone[uint64(e.Object)]++
			}
		}
		for number := range made {
			if gone[number] != 1 {
				t.Errorf("resource %d was freed %d times", number, gone[number])
			}
		}
		if len(made) != 48 {
			t.Errorf("%d resources were made, not 48", len(made))
		}
		p, inner := r.traced(t), uint64(0)
		for ring := range p.region.RingsUsed() {
			inner += p.region.Ring(ring).Nested(wire.FamilyResource)
		}
		if plain := i == 0; plain && inner != 0 {
			t.Errorf("%d deallocations were treated as inner calls", inner)
		}
	}
}

// Labels that are empty, just fit, or are much too long, in characters of one byte and of three: the trace has as much
// of each as fits, no character is cut in two, and the program's label is unchanged.
func TestLongLabels(t *testing.T) {
	for _, r := range same(t, "long-labels") {
		longest := 0
		for _, f := range r.traced(t).facts(t) {
			if f.Kind == wire.FactString {
				longest = max(longest, len(f.Text))
			}
		}
		if longest != wire.MaxFactText {
			t.Errorf("the longest text has %d bytes, and %d fit", longest, wire.MaxFactText)
		}
	}
}

// Objects returned by new… belong to the caller, other results are freed with the pool. A replaced method with a wrong
// type under ARC releases once too often, as smeltr's did; a method that retains its arguments never frees them. The
// client prints the reference counts of all its objects, and the objects left when all are released.
func TestOwnershipIsLeftAlone(t *testing.T) {
	for _, r := range same(t, "ownership") {
		if !strings.HasSuffix(r.stdout, "left over 0\n") {
			t.Errorf("something is left over: %s", r.stdout)
		}
	}
	same(t, "retained")
}

// On a thread without an autorelease pool Foundation reports each leaked autoreleased object on stderr: a hook that
// autoreleases an object would be noticed. The client's thread makes command buffers, labels and encoders without a
// pool.
func TestThreadsWithoutAutoreleasePool(t *testing.T) {
	same(t, "no-pool")
}
