package report

import (
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/memory"
)

// Memory sums up the allocations. ReuseShare is the share of allocations at an address used before; it is null when
// addresses are not known.
type Memory struct {
	Allocations int    `json:"allocations"`
	Bytes       uint64 `json:"bytes"`
	PeakBytes   uint64 `json:"peak_bytes"`
	// "measured", or "upper bound" if the trace does not have the releases of memory
	PeakSource string `json:"peak_source"`
	Releases   int    `json:"releases"`
	// the largest value of the device's currentAllocatedSize that the program or the tracer read; null if none did
	DeviceBytes   *uint64 `json:"device_peak_bytes"`
	DeviceSamples int     `json:"device_samples"`
	// the devices' recommendedMaxWorkingSetSize; null if a device reports none
	Recommended   *uint64            `json:"device_recommended_bytes"`
	ReuseShare    *float64           `json:"reuse_share"`
	ByStorageMode map[string]Storage `json:"by_storage_mode"`
	Objects       []Objects          `json:"objects"` // by class
}

// Objects tells how many objects of one class were created and how many were alive.
type Objects struct {
	Class    string `json:"class"`
	Created  int    `json:"created"`
	Released *int   `json:"released"` // null if releases of this class were not recorded
	// number alive when the first command buffer was committed, largest number alive, and number alive when the last
	// command buffer was committed. If releases were not recorded, no object counts as released
	First int `json:"alive_first"`
	Peak  int `json:"alive_peak"`
	Last  int `json:"alive_last"`
	// alive when 0 %, 10 %, … and 100 % of the command buffers had been committed
	Alive []int `json:"alive"`
	// how many more were alive at the end than after a tenth of the command buffers, if the number grew steadily;
	// otherwise 0
	Growth int `json:"growth"`
}

// Storage sums up the allocations with one storage mode, such as "shared".
type Storage struct {
	Count int    `json:"count"`
	Bytes uint64 `json:"bytes"`
}

func buildMemory(r *Report, m *memory.Use) {
	r.Memory = Memory{Allocations: m.Allocations, Bytes: m.Bytes, PeakBytes: m.Peak, PeakSource: "upper bound",
		ByStorageMode: map[string]Storage{}, Objects: []Objects{}}
	for i := range m.Objects {
		o := &m.Objects[i]
		of := Objects{Class: o.Class, Created: o.Created, First: o.Alive[0], Peak: o.Peak,
			Last: o.Alive[memory.Tenths], Alive: o.Alive[:], Growth: o.Growth()}
		if o.ReleasesKnown {
			of.Released = &o.Released
		}
		r.Memory.Objects = append(r.Memory.Objects, of)
	}
	if m.PeakExact {
		r.Memory.PeakSource = "measured"
	}
	r.Memory.Releases, r.Memory.DeviceSamples = m.Releases, m.Samples
	if m.Samples > 0 {
		r.Memory.DeviceBytes = &m.Device
	}
	if m.Recommended > 0 {
		r.Memory.Recommended = &m.Recommended
	}
	if s, known := m.ReuseShare(); known {
		r.Memory.ReuseShare = &s
	}
	for mode, t := range m.ByStorage {
		r.Memory.ByStorageMode[mode] = Storage(t)
	}
}

func writeMemory(w *sheet, r *Report) {
	m := &r.Memory
	if m.Allocations == 0 && len(m.Objects) == 0 {
		return
	}
	writeHeading(w, "memory", "")
	if m.Allocations > 0 {
		wrap(w, m.Text(), "  ", "  ")
	}
	modes := []string{}
	for mode := range m.ByStorageMode {
		modes = append(modes, mode)
	}
	slices.Sort(modes)
	for _, mode := range modes {
		s := m.ByStorageMode[mode]
		fmt.Fprintf(w, "  %-12s %s of %s\n", mode, formatCount(s.Count), analyze.FormatBytes(s.Bytes))
	}
	writeObjects(w, m)
}

// writeObjects writes how many objects of each class were alive.
func writeObjects(w *sheet, m *Memory) {
	if len(m.Objects) == 0 {
		return
	}
	t := &table{left: 1, heads: []string{"objects", "created", "released", "alive at first", "at most", "at last", ""}}
	for _, o := range m.Objects {
		released, grows := "-", ""
		if o.Released != nil {
			released = formatCount(*o.Released)
		}
		if o.Growth > 0 {
			grows = "grows"
		}
		t.add(o.Class, formatCount(o.Created), released, formatCount(o.First), formatCount(o.Peak), formatCount(o.Last),
			grows)
	}
	t.write(w)
}

// Text sums up what was allocated.
func (m Memory) Text() string {
	peak := fmt.Sprintf("peak %s", analyze.FormatBytes(m.PeakBytes))
	if m.PeakSource != "measured" {
		peak = fmt.Sprintf("at most %s at a time", analyze.FormatBytes(m.PeakBytes))
	}
	text := fmt.Sprintf("%s of %s in all, %s", analyze.Plural(m.Allocations, "allocation"),
		analyze.FormatBytes(m.Bytes),
		peak)
	if m.DeviceBytes != nil {
		text += fmt.Sprintf(", %s by the device's own report", analyze.FormatBytes(*m.DeviceBytes))
	}
	if m.Recommended != nil {
		text += fmt.Sprintf(", of at most %s that the device recommends", analyze.FormatBytes(*m.Recommended))
	}
	if m.ReuseShare != nil {
		text += fmt.Sprintf(", %s at an address used before", analyze.FormatShare(*m.ReuseShare))
	}
	return text
}
