package compile

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

func TestSummarize(t *testing.T) {
	th := &analyze.Thread{Process: &analyze.Process{ID: 1}}
	made := func(kind, name string, begin, length analyze.Nanos) analyze.Compilation {
		return analyze.Compilation{Call: analyze.Call{Interval: analyze.Interval{Begin: begin, End: begin + length},
			Thread: th}, Kind: kind, Name: name}
	}
	u := Summarize(&analyze.Trace{
		CommandBuffers: []analyze.CommandBuffer{{Committed: analyze.Call{Interval: analyze.Interval{Begin: 1000,
			End: 1001}}}},
		Compilations: []analyze.Compilation{
			made("library", "hash", 10, 500), made("function", "f", 520, 1), made("function", "f", 530, 1),
			made("pipeline", "f", 540, 100),
			made("library", "hash", 700, 20), // again, from a cache
			made("pipeline", "g", 2000, 60),  // late
			made("pipeline", "f", 3000, 90),  // again and late: counts once
		},
	})
	if u.Libraries != 2 || u.Functions != 2 || u.Pipelines != 3 || u.Unique != 3 || u.Repeated != 2 || u.Hits != 1 ||
		u.Late != 2 {
		t.Errorf("%+v", u)
	}
	if u.Total != 772 || u.Lost != 20+60+90 {
		t.Errorf("total %d, lost %d", u.Total, u.Lost)
	}
	if s, known := u.HitShare(); !known || s != 0.5 {
		t.Errorf("hits %v", s)
	}
	if u.Items[0].Name != "hash" || u.Items[0].Count != 2 || u.Items[0].First != 500 {
		t.Errorf("items %+v", u.Items[0])
	}
}

// TestIdentity: functions of one name from two sources are two functions, and functions specialised by constants are
// separate ones. A function that is looked up again in a library of the same source is the same.
func TestIdentity(t *testing.T) {
	th := &analyze.Thread{Process: &analyze.Process{ID: 1}}
	var list []analyze.Compilation
	made := func(kind, name string, specialised bool, object, from uint32) {
		at := analyze.Nanos(100 * (len(list) + 1))
		list = append(list, analyze.Compilation{Call: analyze.Call{Interval: analyze.Interval{Begin: at, End: at + 50},
			Thread: th},
			Kind: kind, Name: name, Specialised: specialised, CreatedObject: object, From: from})
	}
	made("library", "one", false, 1, 0)
	made("library", "two", false, 2, 0)
	made("function", "main0", false, 3, 1)
	made("function", "main0", false, 4, 2)
	made("function", "main0", true, 5, 1)
	made("function", "main0", false, 6, 1)
	for _, function := range []uint32{3, 4, 5} { // all different
		made("pipeline", "main0", false, 10+function, function)
	}
	if u := Summarize(&analyze.Trace{Compilations: list}); u.Repeated != 0 || u.Unique != 5 {
		t.Errorf("%d are said to repeat, %d to be unique: %+v", u.Repeated, u.Unique, u.Again)
	}
	for _, function := range []uint32{6, 5} { // of the same source as 3; the same again
		made("pipeline", "main0", false, 20+function, function)
	}
	if u := Summarize(&analyze.Trace{Compilations: list}); u.Repeated != 2 || u.Again[0].CreatedObject != 26 ||
		u.Again[1].CreatedObject != 25 {
		t.Errorf("%d are said to repeat: %+v", u.Repeated, u.Again)
	}
}

// A library compiled from source is named after the functions that were looked up in it: the report had only the hash
// of its source.
func TestLibrariesKnowTheirFunctions(t *testing.T) {
	th := &analyze.Thread{Process: &analyze.Process{ID: 1}}
	made := func(kind, name string, object, from uint32) analyze.Compilation {
		return analyze.Compilation{Call: analyze.Call{Interval: analyze.Interval{Begin: 10, End: 20}, Thread: th},
			Kind: kind, Name: name, CreatedObject: object, From: from}
	}
	u := Summarize(&analyze.Trace{Compilations: []analyze.Compilation{made("library", "731d", 1, 0),
		made("function", "axpy", 2, 1), made("function", "dot", 3, 1),
		made("function", "axpy", 4, 1), made("library", "99aa", 5, 0)}})
	for _, item := range u.Items {
		if got, want := strings.Join(item.Functions, " "), map[string]string{"731d": "axpy dot"}[item.Name]; got != want {
			t.Errorf("%s %s: functions %q, want %q", item.Kind, item.Name, got, want)
		}
	}
}
