package page

import (
	"testing"

	"github.com/google/pprof/profile"

	mtraceprofile "mtrace/analyze/profile"
	"mtrace/analyze/report"
)

// TestFlameIsTheProfile: a flame graph has the samples of the pprof profile: the same total, and the same time for each
// function that it shows.
func TestFlameIsTheProfile(t *testing.T) {
	d, trace := whole(t, "../../fixtures/traces/device-sync.mtrace")
	list, err := mtraceprofile.BuildAll(FlameKinds, trace)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		d.AddFlame(FlameKinds[i], p)
	}
	if len(d.Flames) != len(FlameKinds) {
		t.Fatalf("%d flame graphs", len(d.Flames))
	}
	for i, f := range d.Flames {
		sum, leaves := int64(0), map[string]int64{}
		for _, s := range list[i].Sample {
			sum += s.Value[1]
			leaves[s.Location[len(s.Location)-1].Line[0].Function.Name] += s.Value[1]
		}
		if f.Kind != FlameKinds[i] || f.Nodes[2] != sum || len(f.Nodes) < 9 || len(f.Nodes) > 3*mostNodes {
			t.Errorf("%s: %d ns in all, the profile has %d; %d nodes", f.Kind, f.Nodes[2], sum, len(f.Nodes)/3)
		}
		for n := 0; n < len(f.Nodes); n += 3 {
			if name := f.Names[f.Nodes[n+1]]; f.Nodes[n] == 1 && f.Nodes[n+2] != leaves[name] {
				t.Errorf("%s: %s has %d ns, the profile %d", f.Kind, name, f.Nodes[n+2], leaves[name])
			}
		}
	}
}

// TestFlameGraph: kinds are chosen, a click shows one function, a search adds up, in a browser.
func TestFlameGraph(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	d, trace := whole(t, "../../fixtures/traces/device-sync.mtrace")
	function := func(id uint64, name string) *profile.Location {
		return &profile.Location{ID: id, Line: []profile.Line{{Function: &profile.Function{ID: id, Name: name}}}}
	}
	run, load, commit, hostile := function(1, "run"), function(2, "load"), function(3, "commit"),
		function(4, "</script><img src=x onerror=window.bad=1>")
	d.AddFlame("wait", &profile.Profile{Sample: []*profile.Sample{
		{Location: []*profile.Location{commit, run}, Value: []int64{1, 3e6}},
		{Location: []*profile.Location{load, run}, Value: []int64{1, 1e6}},
		{Location: []*profile.Location{commit, load, run}, Value: []int64{1, 2e6}}}})
	d.AddFlame("api", &profile.Profile{Sample: []*profile.Sample{{
		Location: []*profile.Location{hostile}, Value: []int64{1, 5e6}}}})
	d.AddFlame("gpu", &profile.Profile{})
	l := lookAt(t, written(t, report.Build(trace, report.Options{}), d), "1280,900", `
		const root = document.getElementById("flame"),
			status = () => root.querySelector("[role=status]").textContent,
				wide = (b) => Math.round(b.getBoundingClientRect().width / root.querySelector(".graph").clientWidth * 100);
		const box = (name) => [...root.querySelectorAll(".graph button")].find((b) => b.textContent === name),
			said = {};
		said.kinds = root.querySelectorAll(".kinds button").length; said.first = status();
		said.widths = [wide(box("all waits")), wide(box("run")), wide(box("commit")), wide(box("load"))].join();
		box("load").click(); said.zoomed = wide(box("load")) + " " + status();
		box("all waits").click(); said.back = wide(box("load"));
		const find = root.querySelector("input"); find.value = "commit"; find.dispatchEvent(new Event("input"));
		said.found = status();
		root.querySelectorAll(".kinds button")[1].click(); find.value = ""; find.dispatchEvent(new Event("input"));
		said.other = status(); said.bad = window.bad || 0; return said;`)
	want := map[string]any{"kinds": 2.0, "first": "all waits: 6.00 ms, 100% of all waits", "widths": "100,100,50,50",
		"zoomed": "100 load: 3.00 ms, 50% of all waits", "back": 50.0, "found": "“commit”: 5.00 ms, 83% of all waits",
		"other": "all calls: 5.00 ms, 100% of all calls", "bad": 0.0}
	for key, text := range want {
		if l.said[key] != text {
			t.Errorf("%s: %v, want %v", key, l.said[key], text)
		}
	}
	if len(l.console) > 0 {
		t.Errorf("the browser says %q", l.console)
	}
}
