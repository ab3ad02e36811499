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

// Usage is the use of the machine's GPUs over several samples.
type Usage struct {
	// Wall is the time from the first sample to the last.
	Wall time.Duration `json:"wall_ns"`
	// Samples counts them.
	Samples int `json:"samples"`
	// Utilization is the mean utilization of the busiest device, 0 to 1; negative when the driver does not report it.
	Utilization float64 `json:"utilization_share"`
	// Processes has the GPU time of each process during Wall, largest first. The time between a process's last sample
	// and its end is not included.
	Processes []ProcessUsage `json:"processes"`
}

// ProcessUsage is the GPU time of one process.
type ProcessUsage struct {
	PID  int           `json:"pid"`
	Name string        `json:"name"`
	GPU  time.Duration `json:"gpu_ns"`
}

// Of returns the GPU time of the processes that own accepts, and of all other processes.
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

// Meter sums up samples. The registry has running totals of connections that come and go, so successive samples are
// compared.
type Meter struct {
	first, last time.Time
	samples     int
	busy        float64 // sum of utilizations
	known       int     // samples that said theirs
	before      map[int]time.Duration
	usage       map[int]*ProcessUsage
}

// Add takes the next sample. The total of a process seen for the first time counts from the last sample, except in the
// first sample, where it is the baseline. A total that decreases means that a connection was closed; the time since the
// last sample is then unknown and counts as zero.
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

// worthSaying is the smallest share of GPU time of other processes that is reported: a desktop that draws itself is
// below it.
const worthSaying = 0.1

// Remark returns one line for the user if processes other than those that own accepts used a considerable share of the
// GPU's time; ok is false if not.
func (u Usage) Remark(own func(pid int) bool) (line string, ok bool) {
	_, others := u.Of(own)
	if u.Wall <= 0 || float64(others) < worthSaying*float64(u.Wall) {
		return "", false
	}
	line = fmt.Sprintf("other programs had the GPU for %.0f%% of the time", 100*float64(others)/float64(u.Wall))
	for _, p := range u.Processes {
		if !own(p.PID) {
			return line + fmt.Sprintf(", most of all %s (process %d, %.0f%%): measure when they do not", p.Name, p.PID,
				100*float64(p.GPU)/float64(u.Wall)), true
		}
	}
	return line, true
}
