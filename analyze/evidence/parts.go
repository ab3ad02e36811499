package evidence

import "mtrace/analyze"

// A Part is the evidence of a part of a run, in place of a longer one around it.
type Part struct {
	Evidence *Evidence
	Scale    float64 // how much longer what it stands for is
}

// Parts is what only parts of a run were looked at for. It has nothing of their traces.
type Parts struct {
	Tests   Tests // of the typical part
	devices map[identity]*deviceParts
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
	all := &Parts{parts[typical].Evidence.Tests, map[identity]*deviceParts{}}
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

// Of returns the totals of a whole run, with the backlogs of its devices as the ranges show them.
func (p *Parts) Of(whole *Totals) *Totals {
	gpu := whole.GPU
	gpu.Devices = nil
	for _, d := range whole.GPU.Devices {
		d.Backlog = 0
		if s := p.devices[identityOf(d.Device)]; s != nil {
			d.Backlog, d.Crowding = Scaled(d.Active.Length(), Share(s.backlog, s.active)), s.crowding
		}
		gpu.Devices = append(gpu.Devices, d)
	}
	return &Totals{Trace: whole.Trace, Times: whole.Times, Queues: whole.Queues, Matrices: whole.Matrices, GPU: gpu}
}
