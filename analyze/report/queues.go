package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
)

// A Queue describes one command queue: which threads committed to it, and how many command buffers were in flight.
type Queue struct {
	ID             uint32   `json:"id"`
	PID            int      `json:"pid"`
	Device         string   `json:"device"`
	Label          string   `json:"label"`
	Threads        int      `json:"threads"` // number of threads that committed to the queue
	ThreadIDs      []uint64 `json:"thread_ids"`
	CommandBuffers int      `json:"command_buffers"`
	InFlightMean   float64  `json:"in_flight_mean"`
	InFlightMax    int      `json:"in_flight_max"`
	Capacity       int      `json:"capacity"`
	AtCapacityNS   int64    `json:"at_capacity_ns"` // thread time lost because the queue was full
}

func buildQueues(r *Report, a *cause.Analysis, opts Options) {
	r.Queues = []Queue{}
	for _, u := range a.Totals.Queues {
		if len(opts.Queues) > 0 && !slices.Contains(opts.Queues, u.Queue.ID) {
			continue
		}
		q := Queue{ID: u.Queue.ID, Label: u.Queue.Label, Threads: len(u.Threads), CommandBuffers: u.CommandBuffers,
			InFlightMean: u.InFlightMean,
			InFlightMax:  u.InFlightMax, Capacity: u.Queue.Capacity, AtCapacityNS: int64(u.AtCapacity),
			ThreadIDs: list(u.Threads, func(t analyze.ThreadID) uint64 { return uint64(t) })}
		if u.Queue.Process != nil {
			q.PID = u.Queue.Process.ID
		}
		if u.Queue.Device != nil {
			q.Device = u.Queue.Device.Name
		}
		r.Queues = append(r.Queues, q)
	}
}

func writeQueues(w *sheet, r *Report) {
	if len(r.Queues) == 0 {
		return
	}
	writeHeading(w, "queues", "")
	t := &table{heads: []string{"queue", "threads", "command buffers", "in flight, mean", "most", "capacity",
		"full for"},
		left: 1, most: w.rows(mostRows)}
	several := len(r.GPU.Devices) > 1
	if several {
		t.heads = append(t.heads, "device")
	}
	for i, q := range queueRows(r) {
		cells := []string{q.Name, q.Threads, q.CommandBuffers, q.Mean, q.Most, q.Capacity, q.Full}
		if several {
			cells = append(cells, cmp.Or(r.Queues[i].Device, "not known"))
		}
		t.add(cells...)
	}
	t.write(w)
}

// A queueRow is one queue in a printed table. Cells for which the trace has no data are empty.
type queueRow struct{ Name, Threads, CommandBuffers, Mean, Most, Capacity, Full string }

func queueRows(r *Report) (rows []queueRow) {
	for _, q := range r.Queues {
		row := queueRow{Name: strings.TrimSpace(fmt.Sprintf("%d %s", q.ID, q.Label)), Threads: formatCount(q.Threads),
			CommandBuffers: formatCount(q.CommandBuffers),
			Mean:           fmt.Sprintf("%.2f", q.InFlightMean), Most: formatCount(q.InFlightMax),
			Capacity: "64 (default)", Full: "·"}
		if q.Capacity > 0 {
			row.Capacity = formatCount(q.Capacity)
		}
		if q.AtCapacityNS > 0 {
			row.Full = ns(q.AtCapacityNS)
		}
		if !r.Source.hasCalls() { // Instruments records neither queues nor waits
			row.Capacity, row.Full = "", ""
			if q.CommandBuffers > 0 && q.Threads == 0 {
				row.Threads = ""
			}
			if q.CommandBuffers > 0 && q.InFlightMax == 0 {
				row.Mean, row.Most = "", ""
			}
		}
		rows = append(rows, row)
	}
	return rows
}
