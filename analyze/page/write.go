package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/report"
)

var (
	//go:embed figures.js
	figuresScript string
	//go:embed timeline/*.js
	timelineFiles embed.FS
	//go:embed tables.js
	tablesScript string
	//go:embed flame.js
	flameScript string
	//go:embed charts.js
	chartsScript string
	//go:embed page.css
	style string
	//go:embed pictures.html.tmpl
	pictures string

	// What charts/bundle.sh made of uPlot.
	//go:embed charts/uplot.js
	uplotScript string
	//go:embed charts/uplot.css
	uplotStyle string
)

var templates = template.Must(template.New("pictures").Parse(pictures))

// picturesData is the input of the templates for the parts of the page that surround the report: timeline, flame
// graph and charts.
type picturesData struct {
	*Document
	Policy  string
	Style   template.CSS
	Script  template.JS
	Data    template.JS
	Note    string
	Remarks []string
	Kinds   []Kind // the kinds that occur
}

// Write writes the report as an HTML page with the document's timeline and charts. The page loads no other file. Its
// content security policy forbids all requests, except to the mtrace server that served the page.
func Write(w io.Writer, r *report.Report, d *Document) error {
	data, err := json.Marshal(d) // json escapes <, so the text cannot end the script element
	if err != nil {
		return err
	}
	script := uplotScript + figuresScript + timelineScript() + tablesScript + flameScript + chartsScript
	p := picturesData{Document: d, Style: template.CSS(uplotStyle + style), Script: template.JS(script),
		Data:   template.JS(data),
		Policy: policy(script),
		Note:   "Point at the timeline, or choose a block, to see its details.", Remarks: d.remarks(r),
		Kinds: d.usedKinds()}
	if d.Detail {
		p.Policy += "; connect-src 'self'"
	}
	part := func(name string) template.HTML {
		var b strings.Builder
		if e := templates.ExecuteTemplate(&b, name, p); e != nil && err == nil {
			err = e
		}
		return template.HTML(b.String())
	}
	with := report.Pictures{Head: part("head"), Tail: part("tail")}
	if len(d.Lanes) > 0 {
		with.Timeline, with.Charts = part("timeline"), part("charts")
	}
	if len(d.Flames) > 0 {
		with.Flame = part("flame")
	}
	if err != nil {
		return err
	}
	return r.WriteHTML(w, with)
}

// timelineScript returns all scripts of the timeline as one text. The files only define functions, so their order
// does not matter.
func timelineScript() string {
	files, err := fs.Glob(timelineFiles, "timeline/*.js")
	if err != nil {
		panic(err) // the pattern is a constant and valid
	}
	var all strings.Builder
	for _, name := range files {
		text, err := timelineFiles.ReadFile(name)
		if err != nil {
			panic(err) // the file is embedded
		}
		all.Write(text)
	}
	return all.String()
}

// policy returns a content security policy with which a browser runs only the given script, and lets the page make no
// requests.
func policy(script string) string {
	hash := sha256.Sum256([]byte(script))
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src 'unsafe-inline'; "+
		"script-src 'sha256-%s'; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(hash[:]))
}

// usedKinds returns the kinds of blocks that occur in the lane of any thread, for the legend.
func (d *Document) usedKinds() (used []Kind) {
	known := map[string]bool{}
	for n, k := range d.Kinds {
		for i := range d.Lanes {
			if l := &d.Lanes[i]; l.Shows == LaneThread && l.TimeNS[n] > 0 && !known[k.Name] {
				used, known[k.Name] = append(used, k), true
			}
		}
	}
	return used
}

// remarks returns sentences about what the timeline does not show.
func (d *Document) remarks(r *report.Report) (list []string) {
	if r.Source.LeftOut > 0 {
		list = append(list, "Calls that were not selected for recording are missing: "+
			"during these, threads seem to be outside of Metal.")
	}
	coarsest, hidden := int64(0), int64(0)
	for i := range d.Lanes {
		coarsest = max(coarsest, d.Lanes[i].Levels[0].CellNS)
		hidden += d.Lanes[i].Hidden
	}
	more := ": mtrace view shows each"
	if d.Detail {
		more = ", until you zoom in"
	}
	if coarsest > 1 {
		list = append(list, fmt.Sprintf(
			"Blocks shorter than %v are not drawn one by one: ranges of that length show the share of each kind%s.",
			analyze.Nanos(coarsest), more))
	}
	if d.FlowsOf > 1 {
		list = append(list, fmt.Sprintf("Arrows show only one of every %d command buffers%s.", d.FlowsOf, more))
	}
	if hidden > 0 {
		list = append(list, fmt.Sprintf(
			"%s ran at the same time as %d others and had no free lane, so the timeline does not show it; "+
				"the label of the GPU's last lane counts such work.",
			analyze.Plural(int(hidden), "piece")+" of work", mostBeside))
	}
	if d.LanesLeft > 0 {
		list = append(list, fmt.Sprintf("Not shown: %s with the fewest calls.", analyze.Plural(d.LanesLeft, "lane")))
	}
	if d.QueuesLeft > 0 {
		list = append(list, fmt.Sprintf("Not shown: the depth of %d more %s.", d.QueuesLeft,
			analyze.Noun(d.QueuesLeft, "queue")))
	}
	if d.MarksLeft > 0 {
		list = append(list, fmt.Sprintf("Not shown: %d more marks and scopes.", d.MarksLeft))
	}
	return list
}
