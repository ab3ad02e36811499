package scaling

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mtrace/analyze"
)

// WriteText writes the scaling table (threads, throughput, speed-up, efficiency) of each series, the knee, and the
// fitted laws.
func (d *Document) WriteText(w io.Writer) error {
	var b strings.Builder
	if d.Source != "" {
		fmt.Fprintf(&b, "%s\n", d.Source)
	}
	if d.Reference {
		b.WriteString("reference figures that others published: not measured by this sweep\n")
	}
	if d.Software {
		b.WriteString("measured on a software Metal: these are not a GPU's figures\n")
	}
	if d.Counted != "" {
		fmt.Fprintf(&b, "operations: %s\n", d.Counted)
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for i, r := range d.Series {
		if i > 0 || b.Len() > 0 {
			b.WriteByte('\n')
		}
		if r.Name != "" {
			fmt.Fprintf(&b, "%s\n", r.Name)
		}
		r.writeTable(&b)
		r.writeFits(&b)
	}
	d.writeVerdicts(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Result) writeTable(b *strings.Builder) {
	width, spread := len("ops/s"), false
	for _, row := range r.Rows {
		width = max(width, len(Thousands(row.Throughput)))
		spread = spread || row.Runs > 1
	}
	if r.Rows[0].Threads != r.Baseline {
		fmt.Fprintf(b, "baseline: %s, %s ops/s\n", threadsOf(r.Baseline), Thousands(r.One))
	}
	fmt.Fprintf(b, "threads  %*s  speedup  efficiency", width, "ops/s")
	if spread {
		b.WriteString("  runs  spread")
	}
	b.WriteByte('\n')
	for _, row := range r.Rows {
		fmt.Fprintf(b, "%7d  %*s  %6.2fx  %9.1f%%", row.Threads, width, Thousands(row.Throughput), row.Speedup,
			100*row.Efficiency)
		if spread {
			fmt.Fprintf(b, "  %4d  %5.1f%%", row.Runs, 100*(row.Max-row.Min)/row.Throughput)
		}
		b.WriteByte('\n')
	}
	switch {
	case r.Knee != nil && r.Knee.Gain < 0:
		fmt.Fprintf(b, "knee: %s; from there to %d threads, throughput falls\n", threadsOf(r.Knee.Threads), r.Knee.Next)
	case r.Knee != nil:
		fmt.Fprintf(b,
			"knee: %s; from there to %d threads, each further thread adds %.0f%% of the first thread's throughput\n",
			threadsOf(r.Knee.Threads), r.Knee.Next, 100*r.Knee.Gain)
	case len(r.Rows) > 1:
		fmt.Fprintf(b, "knee: none up to %s\n", threadsOf(r.Rows[len(r.Rows)-1].Threads))
	}
}

func (r Result) writeFits(b *strings.Builder) {
	if r.Refused != "" {
		fmt.Fprintf(b, "%s\n", r.Refused)
	}
	if a := r.Amdahl; a != nil {
		fmt.Fprintf(b, "Amdahl: serial share σ %s, at most %s, R² %s\n", a.Sigma.text(4), limit(a.Sigma.Value),
			number(a.R2, 4))
	}
	u := r.USL
	if u == nil {
		return
	}
	fmt.Fprintf(b, "USL: contention σ %s, coherency κ %s, λ %s ops/s, R² %s\n", u.Sigma.text(4), u.Kappa.text(6),
		Thousands(u.Lambda.Value), number(u.R2, 4))
	switch {
	case math.IsInf(u.Peak.Value, 1):
		b.WriteString("peak: none, throughput never falls")
	case u.Beyond:
		fmt.Fprintf(b, "peak: %s threads (extrapolated: more threads than were measured)", u.Peak.text(1))
	default:
		fmt.Fprintf(b, "peak: %s threads", u.Peak.text(1))
	}
	fmt.Fprintf(b, " (brackets: 95%% confidence, %s)\n", u.Method)
}

// text returns the estimate with its interval in brackets: "0.0312 [0.0200, 0.0410]".
func (e Estimate) text(digits int) string {
	return fmt.Sprintf("%s [%s, %s]", number(e.Value, digits), number(e.Low, digits), number(e.High, digits))
}

func number(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "not defined"
	case math.IsInf(v, 1):
		return "∞"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// limit returns the largest speed-up that Amdahl's law allows for a serial share `sigma`: "32.1x" or "no limit".
func limit(sigma float64) string {
	if sigma <= 0 {
		return "no limit"
	}
	return fmt.Sprintf("%.1fx", 1/sigma)
}

func threadsOf(n int) string { return analyze.Plural(n, "thread") }

// Thousands formats a throughput with thousands separators: "12,345". Below 100 it has two decimals.
func Thousands(v float64) string {
	digits := 0
	if v < 100 {
		digits = 2
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	whole, rest, _ := strings.Cut(s, ".")
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if rest != "" {
		b.WriteString("." + rest)
	}
	return b.String()
}
