package xctrace

// forward holds rows that refer to values defined later in the document. They are read again at the end of the
// document. xctrace itself refers only to earlier values, but programs that sort or merge exports change the order.
type forward struct {
	rows  []*forwardRow
	bytes int
	again *forwardRow // the row that is being read again; nil while the document is read
	final bool        // the last attempt: a reference that is still unresolved has no value in the document
}

// forwardRow is a row that refers to values defined later, so it will be read again at the end of the document.
type forwardRow struct {
	table      *Table
	handler    rowHandler
	types      []*tag
	keepOpaque bool
	text       []byte // the whole element
	offset     int64
	number     int64 // number of the row in its table, from 1
	delivered  bool  // the row was delivered at once: its unresolved references are in columns that mtrace does not read
	unresolved bool
}

var (
	// maxForward limits the memory in bytes for rows that are read again. References in rows beyond it count as
	// dangling.
	maxForward = 16 << 20
	rowStart   = []byte("<row>")
)

const (
	forwardRowBytes = 160 // memory of a forwardRow beside its text
	// maxForwardRounds is how often the rows are read again at most. Each round resolves references to values that
	// themselves contained references.
	maxForwardRounds = 8
)

// postpone stores the row that was just read, which begins at the offset `from`, because it has unresolved
// references. It returns false if there is no memory for the row, or if this was the last attempt. If sound is set,
// the references are only in columns that mtrace does not read, so the row is delivered at once.
func (r *reader) postpone(from int64, t *Table, rows rowHandler, sound bool) bool {
	v := &r.value
	if again := r.forward.again; again != nil {
		again.unresolved = !r.forward.final
		return again.unresolved
	}
	text := v.scan.held()
	if text == nil || r.forward.bytes+len(text)+forwardRowBytes > maxForward {
		return false
	}
	text = append(append(make([]byte, 0, len(rowStart)+len(text)), rowStart...), text...)
	r.forward.bytes += len(text) + forwardRowBytes
	r.forward.rows = append(r.forward.rows, &forwardRow{table: t, handler: rows, types: r.types,
		keepOpaque: v.keepOpaque, text: text, offset: from, number: t.Rows, delivered: sound})
	v.dangled -= v.dangling
	if sound && rows.deliver != nil {
		rows.deliver(r.cells)
	}
	return true
}

// resolve reads the postponed rows again at the end of a document and delivers those whose references can be resolved
// now.
func (r *reader) resolve() error {
	f := &r.forward
	if len(f.rows) == 0 {
		return nil
	}
	scan, before := r.value.scan, 0
	for round := 0; len(f.rows) > 0; round++ {
		f.final = len(f.rows) == before || round == maxForwardRounds
		before = len(f.rows)
		kept := f.rows[:0]
		for _, row := range f.rows {
			if err := r.readAgain(row); err != nil {
				return err
			}
			if row.unresolved {
				kept = append(kept, row)
			}
		}
		f.rows = kept
	}
	r.value.scan = scan
	r.forward = forward{}
	return nil
}

func (r *reader) readAgain(row *forwardRow) error {
	v := &r.value
	v.scan = &scanner{buf: row.text, base: row.offset - int64(len(rowStart)), eof: true}
	v.keepOpaque, v.dangled = row.keepOpaque, 0
	r.types, r.cells = row.types, make([]cell, len(row.types))
	r.forward.again, row.unresolved = row, false
	tok, err := v.scan.next()
	if err != nil {
		return err
	}
	rows := row.table.Rows
	row.table.Rows = row.number // so that messages name the row
	err = r.row(tok, row.table, row.handler)
	row.table.Rows = rows
	if !row.unresolved {
		v.countDangling(row.table)
	}
	return err
}
