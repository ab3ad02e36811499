package table

import "mtrace/analyze"

// living holds the rows of allocations that are not released yet. A row is written when its release time is known.
type living struct {
	rows  map[livingKey]allocationRow
	order []livingKey // in order of creation; some are no longer in rows
	cut   int         // rows that were written before it was known whether the memory is released
}

type livingKey struct {
	process *analyze.Process
	object  uint32
}

// mostLiving limits the number of rows that wait for a release, to bound the memory. If there are more, the oldest
// rows are written without a release time.
var mostLiving = 1 << 19

// addAllocations writes the allocations of a slice (time range) of the run whose release time is known. The others
// are kept for a later slice; after the last slice, all that are left are written.
func addAllocations(a *filling, add func(allocationRow)) {
	m := &a.writer.memory
	for i := range a.trace.Memory.Allocations {
		x := &a.trace.Memory.Allocations[i]
		if !a.slice.Includes(x.At) {
			continue
		}
		row := allocationRow{PID: processOf(x.Thread), TID: tid(x.Thread), At: int64(x.At), Selector: x.Selector,
			Bytes: x.Bytes, Storage: x.Storage,
			Address: x.Address, Object: int64(x.Object), OnHeap: x.OnHeap, Released: int64(x.Released)}
		if x.Released != 0 || x.Object == 0 || x.Thread == nil || a.slice.Last() {
			add(row)
		} else {
			key := livingKey{x.Thread.Process, x.Object}
			if before, lives := m.rows[key]; lives { // the same number twice occurs only in a damaged trace
				add(before)
			}
			m.keep(key, row)
		}
	}
	for _, f := range a.trace.Memory.Freed {
		key := livingKey{f.Process, f.Object}
		if row, lives := m.rows[key]; lives && int64(f.At) >= row.At {
			row.Released = int64(f.At)
			add(row)
			delete(m.rows, key)
		}
	}
	most := mostLiving
	if a.slice.Last() {
		most = 0
	} else if len(m.order) > 2*mostLiving {
		m.tidy()
	}
	for len(m.rows) > most {
		key := m.order[0]
		m.order = m.order[1:]
		if row, lives := m.rows[key]; lives {
			add(row)
			delete(m.rows, key)
			if most > 0 {
				m.cut++
			}
		}
	}
}

func (m *living) keep(key livingKey, row allocationRow) {
	if m.rows == nil {
		m.rows = map[livingKey]allocationRow{}
	}
	m.rows[key] = row
	m.order = append(m.order, key)
}

// tidy drops released allocations from order.
func (m *living) tidy() {
	left := m.order[:0]
	for _, key := range m.order {
		if _, lives := m.rows[key]; lives {
			left = append(left, key)
		}
	}
	m.order = left
}

// Cut returns how many allocations were written before their release was known, because too many were waiting. Their
// memory may have been released later.
func (w *Writer) Cut() int { return w.memory.cut }
