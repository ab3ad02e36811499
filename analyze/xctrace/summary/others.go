package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze/xctrace"
)

// Other is a table that mtrace knows only by its columns, such as thermal states, hangs, display refreshes or virtual
// memory.
type Other struct {
	Schema string `json:"schema"`
	// rows of the summary's processes, or of the whole machine, in the requested time range
	Rows   int        `json:"rows"`
	Left   int64      `json:"left_out,omitempty"`
	FromNS *Nanos     `json:"from_ns"`          // null when no row has an instant
	ToNS   *Nanos     `json:"to_ns"`            // null when no row has an instant
	Length *Timing    `json:"length"`           // durations of the rows that have one; null if none has
	Values []Values   `json:"values,omitempty"` // the texts of the columns with few different texts
	Shown  [][]string `json:"first,omitempty"`  // the first rows of a detail view, under Columns
	Names  []string   `json:"columns,omitempty"`
}

// Values are the texts of one column.
type Values struct {
	Column string  `json:"column"`
	Values []Value `json:"values"` // the texts, by their number of rows
}

// Value is one text of a column.
type Value struct {
	Text  string `json:"text"`
	Rows  int    `json:"rows"`
	SumNS Nanos  `json:"sum_ns"` // sum of the rows' durations
}

// fewValues is the largest number of distinct texts in a column for which these texts are listed. If a column has more
// distinct texts, they do not name the kind of a row, so they are not listed.
const fewValues = 12

// othersOf summarises the tables whose meaning mtrace does not know: it has only their columns' names and types. Of
// Instruments' detail views (tables of totals, without times) it lists the first rows.
func othersOf(s *scope) []Other {
	list := []Other{}
	for _, o := range s.Others {
		list = append(list, otherOf(s, o))
	}
	for _, d := range s.Documents {
		for _, t := range d.Tables {
			if t.Shape == xctrace.ShapeDetail && t.Rows > 0 {
				detail := Other{Schema: t.Name(), Rows: int(t.Rows), Shown: t.First}
				for _, c := range t.Columns {
					detail.Names = append(detail.Names, c.Mnemonic)
				}
				list = append(list, detail)
			}
		}
	}
	return list
}

// otherOf summarises a table whose schema mtrace does not know: its times, and the texts in its columns.
func otherOf(s *scope, o *xctrace.OtherTable) Other {
	out := Other{Schema: o.Schema, Left: o.Left}
	seen, timed := extent{first: 1 << 62}, false
	var lengths []Nanos
	by := make([]map[string]*Value, len(o.Texts))
	for i := range by {
		by[i] = map[string]*Value{}
	}
	for k := range o.Others {
		x := &o.Others[k]
		if o.Timed && (x.Start+x.Duration < s.askedFrom || x.Start >= s.askedTo) || x.Process != 0 &&
			!s.own(x.Process) {
			continue
		}
		out.Rows++
		if x.Timed {
			seen.see(x.Start, x.Start+x.Duration)
			timed = true
		}
		if x.Lasts {
			lengths = append(lengths, x.Duration)
		}
		for i, m := range by {
			text := s.Text(x.Texts[i])
			if m == nil || text == "" {
				continue
			}
			v := m[text]
			if v == nil {
				v = &Value{Text: text}
				m[text] = v
			}
			v.Rows++
			v.SumNS += x.Duration
			if len(m) > fewValues {
				by[i] = nil
			}
		}
	}
	if out.Rows == 0 {
		return out
	}
	if timed {
		out.FromNS, out.ToNS = &seen.first, &seen.last
	}
	out.Length = timingPointer(lengths)
	for i, m := range by {
		if len(m) == 0 {
			continue
		}
		values := Values{Column: o.Texts[i]}
		for _, v := range m {
			values.Values = append(values.Values, *v)
		}
		slices.SortFunc(values.Values, func(a, b Value) int {
			return cmp.Or(cmp.Compare(b.SumNS, a.SumNS), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Text, b.Text))
		})
		out.Values = append(out.Values, values)
	}
	return out
}

func (s *Summary) othersText(p *printer) {
	for _, o := range s.Others {
		if o.Rows == 0 {
			continue
		}
		p.section(o.Schema)
		line := fmt.Sprintf("  %d rows", o.Rows)
		if o.FromNS != nil {
			line += fmt.Sprintf(", from %s to %s", *o.FromNS, *o.ToNS)
		}
		if l := o.Length; l != nil && l.SumNS > 0 {
			which := "they"
			if l.Count < o.Rows {
				which = fmt.Sprintf("%d of them", l.Count)
			}
			line += fmt.Sprintf("; %s last %s in all: median %s, 95%% up to %s, longest %s", which, l.SumNS,
				l.P50NS, l.P95NS,
				l.MaxNS)
		}
		if o.Left > 0 {
			line += fmt.Sprintf("; only the first rows were read, and %d more were left out", o.Left)
		}
		p.line("%s", line)
		for _, v := range o.Values {
			var texts []string
			for _, x := range v.Values {
				text := fmt.Sprintf("%s in %d", short(x.Text), x.Rows)
				if o.Length != nil && o.Length.SumNS > 0 {
					text += fmt.Sprintf(" (%s)", x.SumNS)
				}
				texts = append(texts, text)
			}
			p.line("  %s: %s", v.Column, strings.Join(texts, ", "))
		}
		if len(o.Shown) > 0 {
			p.Flush()
			p.line("  %s", strings.Join(o.Names, "\t"))
			for _, row := range o.Shown {
				cells := make([]string, len(row))
				for i, c := range row {
					cells[i] = short(c)
				}
				p.line("  %s", strings.Join(cells, "\t"))
			}
			if more := o.Rows - len(o.Shown); more > 0 {
				p.line("  … and %d more: mtrace export --table has them all", more)
			}
		}
	}
}
