package report

import (
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/insight"
)

// An Insight is something that the program does in a slow way, or (severity "skipped") a rule that could not be
// evaluated for this trace.
type Insight struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Evidence string `json:"evidence"`
	Advice   string `json:"advice"`
	// the cost in thread time, or in GPU time for insights about the GPU; 0 if not known
	CostNS int64  `json:"cost_ns"`
	Where  []Site `json:"where"` // the places that cause most of the cost
}

// A Site is a place in the program to which an insight refers.
type Site struct {
	// the innermost function of the program; "" when stacks were not recorded
	At       string `json:"at"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	// the function that called the one named by "at"; "" when it is not known
	From string `json:"from"`
	Call string `json:"call"`
	// the common subject of all calls from this place: a kernel, a label or a size; "" if the calls differ
	Of    string   `json:"of"`
	TIDs  []uint64 `json:"tids"`
	Count int      `json:"count"`
	NS    int64    `json:"ns"`
	Bytes uint64   `json:"bytes"`
	// this place's share of the sum over all places: of the time if there is any, else of the bytes, else of the
	// count
	Share float64 `json:"share"`
	Text  string  `json:"text"`
}

func site(s insight.Site) Site {
	out := Site{Call: s.Call, Of: s.Of, TIDs: list(s.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }),
		Count: s.Count, NS: int64(s.Time), Bytes: s.Bytes,
		Share: s.Share, Text: s.String()}
	if s.At != nil {
		out.At, out.Function, out.File, out.Line = s.At.String(), s.At.Name, s.At.File, s.At.Line
	}
	if s.From != nil {
		out.From = s.From.String()
	}
	return out
}

func writeInsights(w *sheet, r *Report) {
	if len(r.Insights) == 0 {
		return
	}
	writeHeading(w, "insights", "")
	found, skipped := foundInsights(r)
	unplaced := false
	for _, i := range found {
		mark := "  - "
		if i.Severity == insight.Warning {
			mark = "  ! "
		}
		wrap(w, i.Title+" ["+i.ID+"]: "+i.Evidence+". → "+i.Advice+".", mark, "    ")
		for _, s := range i.Where {
			wrap(w, s.Text, "      at ", "         ")
			unplaced = unplaced || s.At == ""
		}
	}
	for _, text := range skipped {
		wrap(w, text, "  · ", "    ")
	}
	if unplaced && r.Source.Kind == "mtrace" && r.Overhead.Stacks == 0 {
		wrap(w, "mtrace run --stacks native,python records the functions and lines of these calls.", "  ", "  ")
	}
}

// foundInsights returns the insights that found something. For rules that could not be evaluated, it returns one line
// per reason.
func foundInsights(r *Report) (found []Insight, skipped []string) {
	titles := map[string][]string{}
	var reasons []string
	for _, i := range r.Insights {
		if i.Severity != insight.Skipped {
			found = append(found, i)
			continue
		}
		why := i.Evidence
		if strings.HasPrefix(why, insight.NotOfInstruments) { // the document has the reason for each insight
			why = insight.NotOfInstruments + " what would show these"
		}
		if titles[why] == nil {
			reasons = append(reasons, why)
		}
		titles[why] = append(titles[why], i.Title)
	}
	for _, why := range reasons {
		skipped = append(skipped, why+": "+strings.Join(titles[why], ", ")+".")
	}
	return found, skipped
}
