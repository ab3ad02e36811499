package accelerator

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Sample is the state of all GPUs at one moment.
type Sample struct {
	At      time.Time
	Devices []Device
}

// Usage is how the machine's GPUs were used, computed from several samples.
type Usage struct {
	// Wall is the time from the first sample to the last.
	Wall time.Duration `json:"wall_ns"`
	// Samples is the number of samples.
	Samples int `json:"samples"`
	// Utilization is the mean, over the samples, of the busiest device's share of busy time, 0 to 1. It is negative
	// if the driver does not report it.
	Utilization float64 `json:"utilization_share"`
	// Processes has the GPU time of each process during Wall, largest first. GPU time after a process's last sample
	// is missing, because the registry forgets a process that ends.
	Processes []ProcessUsage `json:"processes"`
}

// ProcessUsage is the GPU time of one process.
type ProcessUsage struct {
	PID  int           `json:"pid"`
	Name string        `json:"name"`
	GPU  time.Duration `json:"gpu_ns"`
}

// Of returns two sums of GPU time: that of the processes for which `own` returns true, and that of all other
// processes.
func (u Usage) Of(own func(pid int) bool) (ours, others time.Duration) {
	for _, p := range u.Processes {
		if own(p.PID) {
			ours += p.GPU
		} else {
			others += p.GPU
		}
	}
	return ours, others
}

// Meter computes the GPU time of each process from samples. The I/O registry has totals since each client connected,
// so Meter sums up the differences between successive samples.
type Meter struct {
	first, last time.Time
	samples     int
	busy        float64 // sum of utilizations
	known       int     // number of samples with a utilization
	before      map[int]time.Duration
	usage       map[int]*ProcessUsage
}

// Add takes the next sample. The first sample is only the baseline. If a process appears in a later sample, its total
// counts completely, because it connected since the previous sample. If a total decreased, a connection was closed;
// the growth is then unknown and counts as zero.
func (m *Meter) Add(s Sample) {
	now := map[int]time.Duration{}
	names := map[int]string{}
	busiest := -1.0
	for _, device := range s.Devices {
		busiest = max(busiest, device.Utilization)
		for _, client := range device.Clients {
			now[client.PID] += client.GPU
			names[client.PID] = client.Name
		}
	}
	if busiest >= 0 {
		m.busy += busiest
		m.known++
	}
	if m.samples == 0 {
		m.first, m.usage = s.At, map[int]*ProcessUsage{}
	} else {
		for pid, total := range now {
			if grown := total - m.before[pid]; grown > 0 {
				if m.usage[pid] == nil {
					m.usage[pid] = &ProcessUsage{PID: pid, Name: names[pid]}
				}
				m.usage[pid].GPU += grown
			}
		}
	}
	m.before, m.last = now, s.At
	m.samples++
}

// Usage returns the use of the GPUs over all samples so far.
func (m *Meter) Usage() Usage {
	u := Usage{Wall: m.last.Sub(m.first), Samples: m.samples, Utilization: -1}
	if m.known > 0 {
		u.Utilization = m.busy / float64(m.known)
	}
	for _, p := range m.usage {
		u.Processes = append(u.Processes, *p)
	}
	slices.SortFunc(u.Processes, func(a, b ProcessUsage) int {
		return cmp.Or(cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.PID, b.PID))
	})
	return u
}

// worthSaying is the share of the GPU's time from which Remark warns about other programs. Drawing a desktop uses
// less.
const worthSaying = 0.1

// Remark returns a warning if the processes for which `own` returns false used at least worthSaying of the GPU's
// time. Measurements of the traced processes are then unreliable. ok is false if there is no warning.
func (u Usage) Remark(own func(pid int) bool) (line string, ok bool) {
	_, others := u.Of(own)
	if u.Wall <= 0 || float64(others) < worthSaying*float64(u.Wall) {
		return "", false
	}
	line = fmt.Sprintf("other programs used the GPU for %.0f%% of the time", 100*float64(others)/float64(u.Wall))
	for _, p := range u.Processes {
		if !own(p.PID) {
			return line + fmt.Sprintf(", mostly %s (process %d, %.0f%%): measure again while they are idle", p.Name,
				p.PID, 100*float64(p.GPU)/float64(u.Wall)), true
		}
	}
	return line, true
}
