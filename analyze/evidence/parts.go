package evidence

import (
	"slices"

	"mtrace/analyze"
)

// A Part is the evidence of a part of a run, in place of a longer one around it.
type Part struct {
	*Evidence
	Scale float64 // how much longer what it stands for is
}

// Parts is what only parts of a run were looked at for. It has nothing of their traces.
type Parts struct {
	exclusion    []Exclusion
	interference []Interference
	devices      []deviceParts
}

// deviceParts is the time of a device in all parts, and how much of it something was ready for it.
type deviceParts struct {
	device          analyze.Device
	known           bool
	active, backlog analyze.Nanos
	crowding        Crowding // in the typical part
}

// TakeTogether takes parts together: backlogs are summed over them, and tests are those of one.
func TakeTogether(parts []Part, typical int) *Parts {
	devices := backlogs(parts)
	for i := range devices {
		for _, o := range parts[typical].GPU.Devices {
			if devices[i].is(o.Device) {
				devices[i].crowding = Crowding{Slope: o.Crowding.Slope, Beside: o.Crowding.Beside}
			}
		}
	}
	return &Parts{parts[typical].Exclusion, parts[typical].Interference, devices}
}

// WithParts is the evidence of a whole run with what only parts of it were looked at for.
func (ev *Evidence) WithParts(parts *Parts) *Evidence {
	all := *ev
	all.Exclusion, all.Interference = parts.exclusion, parts.interference
	all.GPU.Devices = slices.Clone(ev.GPU.Devices)
	for i := range all.GPU.Devices {
		d := &all.GPU.Devices[i]
		d.Backlog = 0
		for k := range parts.devices {
			if s := &parts.devices[k]; s.is(d.Device) {
				d.Backlog, d.Crowding = analyze.Nanos(Share(s.backlog, s.active)*float64(d.Active.Length())), s.crowding
			}
		}
	}
	return &all
}

// is says whether it is of that device; nil is the one that is not known.
func (s *deviceParts) is(d *analyze.Device) bool {
	return s.known == (d != nil) && (d == nil || s.device == *d)
}

// backlogs adds up for how much of its time something was ready for each device.
func backlogs(parts []Part) (all []deviceParts) {
	for i := range parts {
		p := &parts[i]
		for _, o := range p.GPU.Devices {
			n := slices.IndexFunc(all, func(s deviceParts) bool { return s.is(o.Device) })
			if n < 0 {
				n = len(all)
				all = append(all, deviceParts{known: o.Device != nil})
				if o.Device != nil {
					all[n].device = *o.Device
				}
			}
			all[n].active += Scaled(o.Active.Length(), p.Scale)
			all[n].backlog += Scaled(o.Backlog, p.Scale)
		}
	}
	return all
}
