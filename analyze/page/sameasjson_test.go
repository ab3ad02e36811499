package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
)

// TestPageIsTheJSON: the page's text and tables in a browser equal the content of --json, in the report's words.
func TestPageIsTheJSON(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	d, trace := whole(t, "../../fixtures/traces/device-sync.mtrace")
	r := report.Build(trace, report.Options{Document: true})
	l := lookAt(t, written(t, r, d), "1280,900", `const under = {};
		for (const h of document.querySelectorAll("h2"))
			for (let e = h.nextElementSibling; e && e.tagName !== "H2"; e = e.nextElementSibling) {
				const rows = [...e.querySelectorAll("tr")].map((r) => [...r.cells].map((c) => c.textContent.trim()).join("|"));
				(under[h.firstChild.textContent.trim()] ||= []).push(e.textContent.trim(), ...rows);
			}
		return under;`)
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Serialization struct {
			Verdict, Summary string
			Share            float64
			Causes           []struct {
				Evidence []string
				Lost     analyze.Nanos `json:"lost_ns"`
			}
			WaitMatrix struct {
				TIDs []uint64          `json:"tids"`
				NS   [][]analyze.Nanos `json:"ns"`
			} `json:"wait_matrix"`
		}
		GPU struct {
			Busy    analyze.Nanos `json:"busy_ns"`
			Devices []struct {
				Share float64 `json:"busy_share"` // from the first commit to the last completion
			}
		}
		Threads []struct {
			TID     uint64        `json:"tid"`
			Name    string        `json:"name"`
			Window  analyze.Nanos `json:"window_ns"`
			Buffers int           `json:"command_buffers"`
			Lost    float64       `json:"lost_to_others_share"`
		}
		Kernels []struct {
			Name       string
			GPU        analyze.Nanos `json:"gpu_ns"`
			Dispatches int
		}
		Calls []struct {
			Selector, Class string
			Count           int
			Total           analyze.Nanos `json:"total_ns"`
			P99             analyze.Nanos `json:"p99_ns"`
		}
	}
	if err := json.Unmarshal(text.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	compared := 0
	shows := func(section string, words ...string) {
		t.Helper()
		compared++
		lines, _ := l.said[section].([]any)
		for _, line := range lines {
			has := true
			for _, w := range words {
				has = has && strings.Contains("|"+line.(string)+"|", w)
			}
			if has {
				return
			}
		}
		t.Errorf("no line of %q has all of %q: %q", section, words, lines)
	}
	verdict := "Verdict: " + doc.Serialization.Verdict
	shows(verdict, doc.Serialization.Summary)
	for _, e := range doc.Serialization.Causes[0].Evidence {
		shows("Why", e)
	}
	shows("Why", doc.Serialization.Causes[0].Lost.String(), analyze.FormatShare(doc.Serialization.Share))
	shows("GPU", doc.GPU.Busy.String(), analyze.FormatShare(doc.GPU.Devices[0].Share))
	names := map[uint64]string{}
	for _, th := range doc.Threads {
		names[th.TID] = fmt.Sprintf("%s %d", th.Name, th.TID)
		if th.Buffers > 0 {
			shows("Threads", "|"+names[th.TID]+"|", "|"+th.Window.String()+"|", fmt.Sprintf("|%d|", th.Buffers),
				"|"+analyze.FormatShare(th.Lost)+"|")
		}
	}
	for _, k := range doc.Kernels {
		shows("Kernels", "|"+k.Name+"|", "|"+k.GPU.String()+"|", "|"+analyze.FormatCount(k.Dispatches)+"|")
	}
	for _, c := range doc.Calls {
		shows("Calls", "|"+c.Selector+"|", "|"+analyze.FormatCount(c.Count)+"|", "|"+c.Total.String()+"|",
			"|"+c.P99.String()+"|")
	}
	for i, row := range doc.Serialization.WaitMatrix.NS {
		for _, n := range row {
			if n > 1_000_000 {
				shows("Who waits for whom", "|"+names[doc.Serialization.WaitMatrix.TIDs[i]]+"|", "|"+n.String()+"|")
			}
		}
	}
	if compared < 80 {
		t.Errorf("only %d lines were compared", compared)
	}
}
