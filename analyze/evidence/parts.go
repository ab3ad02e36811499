package evidence

import (
	"slices"

	"mtrace/analyze"
)

// A Part is the evidence of a part of a run, in place of a longer one around it.
type Part struct {
	Evidence *Evidence
	Scale    float64 // how much longer what it stands for is
}

// Parts is what only parts of a run were looked at for. It has nothing of their traces.
type Parts struct {
	exclusion    []Exclusion
	interference []Interference
	devices      map[identity]*deviceParts
}

// An identity tells devices apart in the traces of several parts.
type identity struct {
	known bool
	analyze.Device
}

func identityOf(d *analyze.Device) identity {
	if d == nil {
		return identity{}
	}
	return identity{true, *d}
}

// deviceParts is the time of a device in all parts, and how much of it something was ready for it.
type deviceParts struct {
	active, backlog analyze.Nanos
	crowding        Crowding // in the typical part
}

// TakeTogether takes parts together: backlogs are summed over them, and tests are those of one.
func TakeTogether(parts []Part, typical int) *Parts {
	all := &Parts{parts[typical].Evidence.Exclusion, parts[typical].Evidence.Interference, map[identity]*deviceParts{}}
	for i, p := range parts {
		for _, d := range p.Evidence.GPU.Devices {
			s := entry(all.devices, identityOf(d.Device))
			s.active += Scaled(d.Active.Length(), p.Scale)
			s.backlog += Scaled(d.Backlog, p.Scale)
			if i == typical {
				s.crowding = Crowding{Slope: d.Crowding.Slope, Beside: d.Crowding.Beside}
			}
		}
	}
	return all
}

// WithParts is the evidence of a whole run with what only parts of it were looked at for.
func (ev *Evidence) WithParts(parts *Parts) *Evidence {
	all := *ev
	all.Exclusion, all.Interference = parts.exclusion, parts.interference
	all.GPU.Devices = slices.Clone(ev.GPU.Devices)
	for d := range analyze.Each(all.GPU.Devices) {
		d.Backlog = 0
		if s := parts.devices[identityOf(d.Device)]; s != nil {
			d.Backlog, d.Crowding = Scaled(d.Active.Length(), Share(s.backlog, s.active)), s.crowding
		}
	}
	return &all
}
