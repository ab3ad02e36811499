package xctrace

import "mtrace/analyze"

// OtherTable is a table that mtrace knows only by its columns, such as thermal states, hangs or display refreshes.
// Its times and texts can be shown nevertheless.
type OtherTable struct {
	*Table
	Texts  []string // mnemonics of the columns whose texts are kept
	Others []OtherRow
	Left   int64 // rows that were not kept, beyond maxOther
	Timed  bool  // it has a column of instants
}

// OtherRow is a row of an OtherTable.
type OtherRow struct {
	Start, Duration analyze.Nanos
	// the row has a start (Timed) and a duration (Lasts); an XML sentinel means that it has none
	Timed, Lasts bool
	Process      ProcessIndex // 0: not known
	Texts        [maxOtherTexts]TextIndex
}

const (
	maxOther      = 1_000_000 // rows of one table
	maxOtherTexts = 4
)

// otherRows returns a handler for the rows of a table of which mtrace knows only the columns' types. The handler
// stores the first start time, duration, process and thread, and some texts.
func otherRows(t *Table, types []*tag, sink *Sink, dict *Dictionary) (h rowHandler) {
	to := sink.Other(t)
	start, duration, process, thread := -1, -1, -1, -1
	var texts []int
	first := func(at *int, column int) {
		if *at < 0 {
			*at = column
			h.columns = append(h.columns, column)
		}
	}
	for i, c := range t.Columns {
		switch k := types[i].kind; {
		case c.Type == "duration":
			first(&duration, i)
		case types[i].time && c.Type != "weight":
			first(&start, i)
		case k == kindProcess:
			first(&process, i)
		case k == kindThread:
			first(&thread, i)
		case (k == kindText || k == kindOpaque) && c.Type != anyType && len(texts) < maxOtherTexts:
			texts = append(texts, i)
			to.Texts = append(to.Texts, c.Mnemonic)
		}
	}
	to.Timed = start >= 0
	h.deliver = func(cells []cell) {
		if len(to.Others) == maxOther {
			to.Left++
			return
		}
		var row OtherRow
		if start >= 0 {
			row.Start, row.Timed = cells[start].nanos(), cells[start].state == cellValue
		}
		if duration >= 0 {
			row.Duration, row.Lasts = cells[duration].nanos(), cells[duration].state == cellValue
		}
		switch {
		case process >= 0 && cells[process].state == cellValue:
			row.Process = cells[process].process()
		case thread >= 0 && cells[thread].state == cellValue:
			row.Process = dict.Threads[cells[thread].thread()].Process
		}
		for i, column := range texts {
			if cells[column].state == cellValue {
				row.Texts[i] = cells[column].text()
			}
		}
		to.Others = append(to.Others, row)
	}
	return h
}
