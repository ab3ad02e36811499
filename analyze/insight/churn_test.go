package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// Small objects that were never released were not reported, because they are less than a mebibyte.
func TestObjectsNeverReleased(t *testing.T) {
	for name, c := range map[string]struct {
		keeps func(i int) bool
		says  string
	}{
		"each step keeps one": {func(int) bool { return true },
			"after each third of the work, 1 for each commit) are alive at the end than at the start"},
		"each tenth keeps one":  {func(i int) bool { return i%10 == 0 }, ""},
		"kept in a first phase": {func(i int) bool { return i < 120 }, ""},
	} {
		found := look(t, 1, steady(200, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			b := th.Make(256, 0, tracesim.Shared)
			th.Wait(iterate(th, q, 100*us, "step"))
			if !c.keeps(i) || i == 0 {
				th.Release(b)
			}
		}))["memory-growth"]
		if (found.Severity == Info) != (c.says != "") || !strings.Contains(found.Evidence, c.says) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// leastRecentlyUsed returns a step that needs memory of one of several sizes in turn, and takes it from a cache. A full
// cache releases what was not used for the longest time.
func leastRecentlyUsed(sizes, room int) func(th *tracesim.Thread, q *tracesim.Queue, i int) {
	cached, order := map[int]uint32{}, []int(nil)
	return func(th *tracesim.Thread, q *tracesim.Queue, i int) {
		of := i % sizes
		if cached[of] == 0 {
			if len(order) == room {
				th.Release(cached[order[0]])
				delete(cached, order[0])
				order = order[1:]
			}
			cached[of] = th.Make(uint64(1+of)<<16, 0, tracesim.Shared)
		} else {
			order = order[1:] // sizes come in turn, so this one is the oldest
		}
		order = append(order, of)
		th.Wait(iterate(th, q, 1000*us, "step"))
	}
}

// TestReleasesAreReadOnce: each of 100,000 allocations of one size once moved all releases that came later. Every
// release is moved once, and each allocation takes the latest release before it.
func TestReleasesAreReadOnce(t *testing.T) {
	const count = 100_000
	r := &releases{}
	for i := range count { // in bursts of 100 at one time
		r.future = append(r.future, released{at: analyze.Nanos(i / 100 * 1000), together: i})
	}
	taken := 0
	for i := range count { // five allocations for each burst take its last five
		at := analyze.Nanos(i*200 + 1)
		last, there := r.takeBefore(at)
		if !there {
			continue
		}
		taken++
		if want := min(i/5, count/100-1)*100 + 99 - i%5; i < count/20 && last.together != want {
			t.Fatalf("allocation %d takes release %d, want %d", i, last.together, want)
		}
	}
	if taken != count || r.moved != count {
		t.Errorf("%d allocations took a release, and %d releases were moved; want %d", taken, r.moved, count)
	}
	if last, there := (&releases{future: []released{{at: 5}}}).takeBefore(5); there {
		t.Errorf("a release at the time of the allocation is taken: %+v", last)
	}
}

// The title said "at once" although a cache that is too small allocates memory again much later.
func TestTitleOfLateReuse(t *testing.T) {
	found := look(t, 1, steady(80, leastRecentlyUsed(20, 8)))["released-and-remade"]
	if found.Evidence == "" || strings.Contains(found.Title, "at once") {
		t.Errorf("%q: %s", found.Title, found.Evidence)
	}
}

// A different size of memory in each step, and caches that are cleared in each step, were reported only as "memory made
// in the loop".
func TestMemoryChurn(t *testing.T) {
	work := func(th *tracesim.Thread, q *tracesim.Queue) { th.Wait(iterate(th, q, 400*us, "step")) }
	for name, c := range map[string]struct {
		step func(th *tracesim.Thread, q *tracesim.Queue, i int)
		id   string // the insight found, new-sizes or released-and-remade; "" for neither
		says string
	}{
		"a size of its own each time": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			b := th.Make(uint64(4096+256*i), 0, tracesim.Shared)
			work(th, q)
			th.Release(b)
		}, "new-sizes", "have a size that no earlier round had"},
		"a size of its own in each step, three times": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			var three []uint32
			for range 3 {
				three = append(three, th.Make(uint64(12288+28672*i), 0, tracesim.Shared))
			}
			work(th, q)
			for _, b := range three {
				th.Release(b)
			}
		}, "new-sizes", "have a size that no earlier round had"},
		"few sizes": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Make(uint64(4096*(1+i%7)), 0, tracesim.Shared)
			work(th, q)
		}, "", ""},
		"released and made again": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			b := th.Make(1<<20, 0, tracesim.Shared)
			work(th, q)
			th.Release(b)
		}, "released-and-remade", "the size of memory that was released just before"},
		"a cache that is cleared": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			var cache []uint32
			for k := range 4 {
				cache = append(cache, th.Make(uint64(1+k)<<16, 0, tracesim.Private))
			}
			work(th, q)
			for _, b := range cache {
				th.Release(b)
			}
		}, "released-and-remade", "as when a cache is cleared"},
		// a cache that has no hits, because it is smaller than the set of sizes, was "memory allocated in the loop" only
		"a cache of 8 for 20 sizes in turn": {leastRecentlyUsed(20, 8), "released-and-remade",
			"one of 20 sizes that were released earlier"},
		"a cache of 20 for 20 sizes in turn": {leastRecentlyUsed(20, 20), "", ""},
		"a cache of 2 for 3 sizes in turn":   {leastRecentlyUsed(3, 2), "released-and-remade", "was released just before"},
		"thirty of one size, in one step": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			if i == 30 {
				for range 30 {
					th.Make(1<<18, 0, tracesim.Shared)
				}
			}
			work(th, q)
		}, "", ""},
		"kept": {func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			if i < 2 {
				th.Make(1<<20, 0, tracesim.Shared)
			}
			work(th, q)
		}, "", ""},
	} {
		found := look(t, 1, steady(80, c.step))
		for _, id := range []string{"new-sizes", "released-and-remade"} {
			i, there := found[id]
			if there != (id == c.id) || there && (!strings.Contains(i.Evidence, c.says) || len(i.Where) == 0) {
				t.Errorf("%s: %s is found %v: %q at %v", name, id, there, i.Evidence, i.Where)
			}
		}
	}
}
