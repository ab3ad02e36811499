package scaling

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"mtrace/analyze"
)

//go:embed plot.svg.tmpl
var plotText string

var plotTemplate = template.Must(template.New("plot").Funcs(template.FuncMap{"xml": escape}).Parse(plotText))

// escape escapes a text for XML.
func escape(text string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(text))
	return b.String(), err
}

// CheckPlot returns an error if the file name of a plot does not end in .svg, the only format that can be drawn.
func CheckPlot(path string) error {
	if ext := filepath.Ext(path); !strings.EqualFold(ext, ".svg") {
		return fmt.Errorf("cannot draw the plot %s as %q: only SVG is possible, so the name must end in .svg", path, ext)
	}
	return nil
}

// colors is the palette of Okabe and Ito, whose colours colour-blind readers can tell apart.
var colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"}

const ideal = "#808080"

// WritePlot draws throughput by number of threads as SVG: the medians with the range of the runs, the USL curve if it
// was fitted, and perfect scaling.
func (d *Document) WritePlot(w io.Writer) error {
	p := newPlot(d)
	for i, r := range d.Series {
		p.add(r, colors[i%len(colors)])
	}
	if len(d.Series) > 0 {
		p.addIdeal(d.Series[0].One / float64(d.Series[0].Baseline))
	}
	if err := plotTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("drawing the plot: %w", err)
	}
	return nil
}

// A plot is the input of the template plot.svg.tmpl. Coordinates are in pixels from the top left.
type plot struct {
	Width, Height            int
	Left, Right, Top, Bottom pixels
	Title                    []titleLine
	XTicks, YTicks           []tick
	Series                   []plotSeries
	Ideal                    string // an SVG path; empty if there is none
	Legend                   []legendRow

	most, highest float64 // the threads and operations/s at the ends of the axes
}

// A pixels is a coordinate in the plot; it is written with one decimal.
type pixels float64

func (p pixels) String() string {
	return strconv.FormatFloat(math.Round(float64(p)*10)/10, 'f', -1, 64)
}

type titleLine struct {
	Y    pixels
	Text string
}

type tick struct {
	At    pixels
	Label string
}

type plotSeries struct {
	Color  string
	Points []plotPoint
	Law    string // the path of the USL curve; empty if there is none
}

// A plotPoint is the median throughput of the runs that had the same number of threads, and the range of these runs.
type plotPoint struct {
	Color           string
	X, Y, Low, High pixels
	CapFrom, CapTo  pixels
	Says            string
}

type legendRow struct {
	From, Middle, To, Text, At pixels
	Color, Name                string
	Dot, Dashed                bool
}

// newPlot returns a plot without series: its title, its axes and their ticks.
func newPlot(d *Document) *plot {
	const lineHeight, widest = 16, 90
	p := &plot{Width: 640, Height: 440, Left: 72, Right: 624, Bottom: 392, most: 1}
	title := d.Source
	if d.Reference {
		title += " (reference figures)"
	}
	if d.Software {
		title += " (software Metal)"
	}
	for i, line := range analyze.Wrap(strings.Fields(title), widest, "", "") {
		p.Title = append(p.Title, titleLine{pixels(20 + lineHeight*i), line})
	}
	p.Top = pixels(16 + lineHeight*len(p.Title))
	threads := map[int]bool{}
	for _, r := range d.Series {
		for _, row := range r.Rows {
			threads[row.Threads] = true
			p.highest, p.most = max(p.highest, 1.15*row.Max), max(p.most, 1.05*float64(row.Threads))
		}
	}
	if p.highest == 0 { // all throughputs are 0
		p.highest = 1
	}
	p.ticks(threads)
	return p
}

// ticks adds ticks to the axes: at the measured numbers of threads that have space, and at round throughputs.
func (p *plot) ticks(threads map[int]bool) {
	const apart = 24
	last := pixels(math.Inf(-1))
	for n := 1; float64(n) <= p.most; n++ {
		if at := p.x(float64(n)); threads[n] && at-last >= apart {
			p.XTicks = append(p.XTicks, tick{at, strconv.Itoa(n)})
			last = at
		}
	}
	step := roundStep(p.highest / 5)
	for i := 0; step > 0 && float64(i)*step <= p.highest; i++ {
		y := float64(i) * step
		p.YTicks = append(p.YTicks, tick{p.y(y), strconv.FormatFloat(y, 'g', 6, 64)})
	}
}

// roundStep returns the smallest number of the form 1, 2 or 5 times a power of ten that is not less than the
// parameter `least`. It returns 0 if `least` is not positive.
func roundStep(least float64) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= least {
			return digit * power
		}
	}
	return 10 * power
}

func (p *plot) x(threads float64) pixels {
	return p.Left + (p.Right-p.Left)*pixels(threads/p.most)
}

func (p *plot) y(throughput float64) pixels {
	return p.Bottom - (p.Bottom-p.Top)*pixels(throughput/p.highest)
}

// Coordinates of the axes' labels; the template calls these methods.
func (p *plot) Middle() pixels     { return (p.Left + p.Right) / 2 }
func (p *plot) Centre() pixels     { return (p.Top + p.Bottom) / 2 }
func (p *plot) UnderAxis() pixels  { return p.Bottom + 16 }
func (p *plot) XLabel() pixels     { return p.Bottom + 36 }
func (p *plot) LeftOfAxis() pixels { return p.Left - 6 }

// add draws a series in a colour.
func (p *plot) add(r Result, color string) {
	const half = 4 // half of the width of the ends of an error bar
	s := plotSeries{Color: color}
	for _, row := range r.Rows {
		x := p.x(float64(row.Threads))
		s.Points = append(s.Points, plotPoint{Color: color, X: x, Y: p.y(row.Throughput), Low: p.y(row.Min),
			High: p.y(row.Max), CapFrom: x - half, CapTo: x + half,
			Says: fmt.Sprintf("%d threads: %.6g operations/s", row.Threads, row.Throughput)})
	}
	name := r.Name
	if name == "" {
		name = "measured"
	}
	p.legend(legendRow{Color: color, Name: name, Dot: true})
	if r.USL != nil && len(r.Rows) > 0 {
		s.Law = p.curve(r.USL.At, 1.05*float64(r.Rows[len(r.Rows)-1].Threads))
		p.legend(legendRow{Color: color, Name: strings.TrimPrefix(r.Name+" USL", " ")})
	}
	p.Series = append(p.Series, s)
}

// addIdeal draws the line of perfect scaling, on which each thread achieves the throughput of one thread alone:
// `one`, in operations per second.
func (p *plot) addIdeal(one float64) {
	if !(one > 0) {
		return
	}
	p.Ideal = p.curve(func(n float64) float64 { return one * n }, min(p.most, p.highest/one))
	p.legend(legendRow{Color: ideal, Name: "perfect scaling", Dashed: true})
}

// curve returns the SVG path of a function from 0 threads to the given number. Values outside of the plot are left
// out.
func (p *plot) curve(f func(threads float64) float64, to float64) string {
	const samples = 100
	var path strings.Builder
	letter := "M"
	for i := range samples + 1 {
		n := to * float64(i) / samples
		y := f(n)
		if !(y >= 0 && y <= p.highest*1.0001) { // also excludes NaN
			letter = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%v,%v ", letter, p.x(n), p.y(y))
		letter = "L"
	}
	return strings.TrimSpace(path.String())
}

// legend adds a row to the legend, below the existing rows.
func (p *plot) legend(row legendRow) {
	from := p.Left + 12
	row.From, row.Middle, row.To, row.Text = from, from+12, from+24, from+32
	row.At = p.Top + 14 + pixels(16*len(p.Legend))
	p.Legend = append(p.Legend, row)
}
