package scaling

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PlotFormat is the format that a file name asks for by its extension; an error says which there are.
func PlotFormat(path string) (string, error) {
	switch ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ext {
	case "svg", "png", "pdf":
		return ext, nil
	}
	return "", fmt.Errorf("cannot tell the format of the plot %s: name it .svg, .png or .pdf", path)
}

// colors are those of Okabe and Ito, which people who see colours differently can tell apart.
var colors = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}}

// WritePlot draws throughput by threads: measured points with their spread, the USL curve where there is one, and perfect scaling.
func (d *Document) WritePlot(w io.Writer, format string) error {
	p := plot.New()
	title := d.Source
	if d.Reference {
		title += " (reference figures)"
	}
	if d.Software {
		title += " (software Metal)"
	}
	p.Title.Text, p.Title.TextStyle.Font.Size = wrap(title, 90), vg.Points(9)
	p.X.Label.Text, p.Y.Label.Text = "threads", "operations/s"
	p.X.Min, p.Y.Min = 0, 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	top, most := 0.0, 0
	var ticks plot.ConstantTicks
	for i, r := range d.Series {
		for _, row := range r.Rows {
			ticks = append(ticks, plot.Tick{Value: float64(row.Threads), Label: strconv.Itoa(row.Threads)})
			top, most = max(top, row.Max), max(most, row.Threads)
		}
		if err := r.draw(p, colors[i%len(colors)]); err != nil {
			return fmt.Errorf("drawing the plot: %w", err)
		}
	}
	if len(d.Series) > 0 {
		one := d.Series[0].One / float64(d.Series[0].Baseline)
		ideal := plotter.NewFunction(func(n float64) float64 { return one * n })
		ideal.XMin, ideal.XMax = 0, min(float64(most), 1.15*top/one)
		ideal.Color, ideal.Dashes = color.Gray{128}, []vg.Length{vg.Points(4), vg.Points(3)}
		p.Add(ideal)
		p.Legend.Add("perfect scaling", ideal)
	}
	p.X.Tick.Marker = ticks
	p.X.Max, p.Y.Max = 1.05*float64(most), 1.15*top
	out, err := p.WriterTo(16*vg.Centimeter, 11*vg.Centimeter, format)
	if err != nil {
		return fmt.Errorf("drawing the plot: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}

// wrap breaks a text into lines at blanks.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}

// spread is the points with the range of their runs.
type spread struct {
	plotter.XYs
	plotter.YErrors
}

func (r Result) draw(p *plot.Plot, c color.Color) error {
	var s spread
	for _, row := range r.Rows {
		s.XYs = append(s.XYs, plotter.XY{X: float64(row.Threads), Y: row.Throughput})
		s.YErrors = append(s.YErrors, struct{ Low, High float64 }{row.Throughput - row.Min, row.Max - row.Throughput})
	}
	points, err := plotter.NewScatter(s.XYs)
	if err != nil {
		return err
	}
	points.Color, points.Shape, points.Radius = c, draw.CircleGlyph{}, vg.Points(3)
	bars, err := plotter.NewYErrorBars(s)
	if err != nil {
		return err
	}
	bars.Color = c
	p.Add(bars, points)
	name := r.Name
	if name == "" {
		name = "measured"
	}
	p.Legend.Add(name, points)
	if r.USL == nil {
		return nil
	}
	curve := plotter.NewFunction(r.USL.At)
	curve.XMin, curve.XMax, curve.Color, curve.Samples = 0, 1.05*s.XYs[len(s.XYs)-1].X, c, 200
	p.Add(curve)
	p.Legend.Add(strings.TrimPrefix(r.Name+" USL", " "), curve)
	return nil
}
