// Package compile sums up what a program compiled: when, and how often the same item.
package compile

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A Use sums up the compilations of a trace.
type Use struct {
	Libraries, Functions, Pipelines int
	Archives                        int // calls that created, or added to, a binary archive
	Unique                          int // distinct libraries and pipeline states among those with a known name
	Repeated                        int // libraries and pipeline states that the same process had created before
	// The number of compilations in Repeated that took at most a tenth of the time of the first compilation of the same
	// item. A cache must have served them.
	Hits   int
	Late   int // libraries and pipeline states created after the first commit
	Failed int
	Total  analyze.Nanos // sum of all calls
	// Time that the program could save: repeated compilations, compilations after the first commit, and the time after
	// the first commit in which threads waited for compiling child processes.
	Lost      analyze.Nanos
	Items     []*Item                // by time, most first
	Again     []*analyze.Compilation // those that Repeated counts
	Waited    []*Waited              // waits for child processes that compiled, longest first
	Compilers []*Compiler            // the processes that compiled, longest first
}

// An Item is one library, function or pipeline state, with all calls that created it.
type Item struct {
	Kind, Name string
	Count      int
	Total      analyze.Nanos
	First      analyze.Nanos // duration of the first
	SourceSize int64
	Functions  []string // for a library: the functions that were looked up in it, each once
}

// addFunction adds the name of a looked-up function to the item of its library, if that is known.
func (u *Use) addFunction(c *analyze.Compilation, made identities, by map[identity]*Item) {
	library := made[object{process(c), c.From}]
	if library == nil {
		return
	}
	if item := by[made.of(library)]; item != nil && !slices.Contains(item.Functions, c.Name) {
		item.Functions = append(item.Functions, c.Name)
	}
}

// HitShare returns the share (0 to 1) of repeated compilations that a cache served; `known` is false if none was
// repeated.
func (u *Use) HitShare() (share float64, known bool) {
	if u.Repeated == 0 {
		return 0, false
	}
	return float64(u.Hits) / float64(u.Repeated), true
}

// Summarize sums up the compilations.
func Summarize(t *analyze.Trace) *Use { return Since(t, FirstCommit(t)) }

// FirstCommit returns when the first command buffer was committed. If none was, it returns a time later than any in a
// trace, so that no compilation counts as late.
func FirstCommit(t *analyze.Trace) analyze.Nanos {
	first := analyze.Nanos(1<<63 - 1)
	for b := range t.Buffers() {
		if b.Committed.Known() {
			first = min(first, b.Committed.Begin)
		}
	}
	return first
}

// Since is Summarize for a trace without command buffers, such as a Total: first is when the run's first command
// buffer was committed.
func Since(t *analyze.Trace, first analyze.Nanos) *Use {
	u := &Use{}
	by := map[identity]*Item{}
	idents := identitiesOf(t)
	for i := range t.Compilations {
		c := &t.Compilations[i]
		if c.Waits() { // the compilations that it waited for are in the trace, too
			if c.Begin > first {
				u.Lost += c.Length()
			}
			continue
		}
		u.Total += c.Length()
		if c.Failed {
			u.Failed++
		}
		switch c.Kind {
		case "library":
			u.Libraries++
		case "pipeline":
			u.Pipelines++
		case "function":
			u.Functions++
		case "archive":
			u.Archives++
		}
		repeated := false
		if c.Name != "" {
			k := idents.of(c)
			item := by[k]
			if item == nil {
				item = &Item{Kind: c.Kind, Name: c.Name, First: c.Took(), SourceSize: c.SourceSize}
				by[k] = item
				u.Items = append(u.Items, item)
			} else if c.Kind != "function" {
				repeated = true
				u.Again = append(u.Again, c)
				u.Repeated++
				if c.Took()*10 <= item.First {
					u.Hits++
				}
			}
			if c.Kind != "function" && item.Count == 0 {
				u.Unique++
			}
			item.Count++
			item.Total += c.Took()
		}
		late := c.Kind != "function" && c.Begin > first
		if late {
			u.Late++
		}
		if late || repeated {
			u.Lost += c.Length()
		}
	}
	for i := range t.Compilations {
		if c := &t.Compilations[i]; c.Kind == "function" && c.Name != "" {
			u.addFunction(c, idents, by)
		}
	}
	u.waited(t)
	u.compilers(t)
	slices.SortStableFunc(u.Items, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total),
			cmp.Compare(a.Name, b.Name))
	})
	return u
}
