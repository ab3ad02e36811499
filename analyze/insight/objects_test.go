package insight

import (
	"strings"
	"testing"

	"mtrace/analyze/memory"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// A program that created an event in each step and released none had no insight.
func TestObjectGrowth(t *testing.T) {
	const steps = 400
	for name, c := range map[string]struct {
		creates, frees func(i int) bool
		says           string // "": nothing
	}{
		"each step keeps one": {func(int) bool { return true }, func(i int) bool { return i == 0 },
			"399 of 400 events were not released; 39, 159, 279 and 399 were alive"},
		"each third step keeps one": {func(int) bool { return true }, func(i int) bool { return i%3 > 0 || i == 0 },
			"133 of 400 events were not released"},
		"all are released":   {func(int) bool { return true }, func(int) bool { return true }, ""},
		"created at first":   {func(i int) bool { return i < 200 }, func(i int) bool { return i == 0 }, ""},
		"created at last":    {func(i int) bool { return i == 0 || i > 250 }, func(i int) bool { return i == 0 }, ""},
		"few":                {func(i int) bool { return i%8 == 0 }, func(i int) bool { return i == 0 }, ""},
		"no release is seen": {func(int) bool { return true }, func(int) bool { return false }, ""},
	} {
		found := look(t, 1, steady(steps, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			if c.creates(i) {
				if event := th.CreateEvent(); c.frees(i) {
					th.FreeEvent(event)
				}
			}
			th.Wait(iterate(th, q, 100*us, "step"))
		}))["object-growth"]
		if (found.Severity == Info) != (c.says != "") || !strings.Contains(found.Evidence, c.says) {
			t.Errorf("%s: %+v", name, found)
		}
		if c.says != "" && (len(found.Where) != 1 || found.Where[0].Call != "newSharedEvent") {
			t.Errorf("%s: created at %+v", name, found.Where)
		}
	}
}

// Texture views that a program never released had no insight: they are in the list of allocations, but the insight
// about memory leaves them out, because they have no memory of their own. The same is true of textures of buffers and
// of resources in heaps.
func TestGrowthWithoutMemory(t *testing.T) {
	const steps = 400
	for _, c := range []struct {
		family         wire.Family
		selector, says string
	}{
		{wire.FamilyResource, "newTextureViewWithPixelFormat:", "399 of 400 texture views were not released"},
		{wire.FamilyResource, "newTextureViewWithPixelFormat:textureType:levels:slices:", "399 of 400 texture views"},
		{wire.FamilyResource, "newTextureWithDescriptor:offset:bytesPerRow:", "399 of 400 texture views"},
		{wire.FamilyResource, "newTensorWithDescriptor:offset:error:", "399 of 400 tensor views"},
		{wire.FamilyHeap, "newBufferWithLength:options:", "399 of 400 heap buffers"},
		{wire.FamilyHeap, "newTextureWithDescriptor:offset:", "399 of 400 heap textures"},
	} {
		for name, p := range map[string]struct {
			creates, frees func(i int) bool
			says           string // "": nothing
		}{
			"each step keeps one": {func(int) bool { return true }, func(i int) bool { return i == 0 }, c.says},
			"all are released":    {func(int) bool { return true }, func(int) bool { return true }, ""},
			"created at first":    {func(i int) bool { return i < 150 }, func(i int) bool { return i == 0 }, ""},
			"few":                 {func(i int) bool { return i%8 == 0 }, func(i int) bool { return i == 0 }, ""},
		} {
			all := look(t, 1, steady(steps, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
				if p.creates(i) {
					if made := th.MakeOf(c.family, c.selector, 4096); p.frees(i) {
						th.Release(made)
					}
				}
				th.Wait(iterate(th, q, 100*us, "step"))
			}))
			found := all["object-growth"]
			if (found.Severity == Info) != (p.says != "") || !strings.Contains(found.Evidence, p.says) {
				t.Errorf("%s: %s: %+v", c.selector, name, found)
			}
			if p.says != "" && (len(found.Where) != 1 || found.Where[0].Call != c.selector) {
				t.Errorf("%s: %s: created at %+v", c.selector, name, found.Where)
			}
			if grown := all["memory-growth"]; grown.Severity == Info {
				t.Errorf("%s: %s: counted as memory: %s", c.selector, name, grown.Evidence)
			}
		}
	}
}

// Command buffers and encoders that are kept are reported once, also when the whole run has another answer than its
// parts.
func TestGrowthOfWholeRun(t *testing.T) {
	grows := memory.Objects{Class: memory.Encoders, Created: 1100, ReleasesKnown: true,
		Alive: [memory.Tenths + 1]int{0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}}
	part := Insight{ID: "object-growth", Severity: Info, Where: []Site{{Call: "newFence"}}}
	kept := Insight{ID: "kept-command-buffers", Severity: Warning}
	skipped := Insight{ID: "fusion", Severity: Skipped}
	for name, c := range map[string]struct {
		found []Insight
		use   []memory.Objects
		want  string
	}{
		"only in a part":       {[]Insight{part, skipped}, nil, "fusion"},
		"only in the whole":    {[]Insight{skipped}, []memory.Objects{grows}, "object-growth fusion"},
		"in both":              {[]Insight{part}, []memory.Objects{grows}, "object-growth"},
		"of kept ones":         {[]Insight{kept}, []memory.Objects{grows}, "kept-command-buffers"},
		"of neither":           {nil, []memory.Objects{{Class: "event", Created: 5}}, ""},
		"of a class of memory": {nil, []memory.Objects{{Class: "buffer", ReleasesKnown: true, Alive: grows.Alive}}, ""},
	} {
		var ids []string
		for _, i := range WithGrowth(c.found, &memory.Use{Objects: c.use}) {
			ids = append(ids, i.ID)
			if i.ID == "object-growth" && !strings.Contains(i.Evidence, "100, 400, 700 and 1,000 were alive") {
				t.Errorf("%s: %s", name, i.Evidence)
			}
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
