package evidence

import "mtrace/analyze"

// A RangeEvidence is the evidence of one range, which stands for a longer range of the run.
type RangeEvidence struct {
	Evidence *Evidence
	Scale    float64 // ratio of the length of the longer range to that of this range
}

// Ranges is the evidence that is available only for some ranges of a run. It does not refer to their traces.
type Ranges struct {
	Tests   Tests // of the typical range
	devices map[identity]*deviceRanges
}

// An identity is a device's identity across the traces of several ranges.
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

// deviceRanges is the time of a device in all ranges, and the part of it in which work was ready.
type deviceRanges struct {
	active, backlog analyze.Nanos
	crowding        Crowding // of the typical range
}

// Combine combines the ranges: it sums backlogs, and takes the tests from the typical range.
func Combine(ranges []RangeEvidence, typical int) *Ranges {
	all := &Ranges{ranges[typical].Evidence.Tests, map[identity]*deviceRanges{}}
	for i, p := range ranges {
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

// Of returns the totals of a whole run, with the devices' backlogs as measured in the ranges.
func (r *Ranges) Of(whole *Totals) *Totals {
	gpu := whole.GPU
	gpu.Devices = nil
	for _, d := range whole.GPU.Devices {
		d.Backlog = 0
		if s := r.devices[identityOf(d.Device)]; s != nil {
			d.Backlog, d.Crowding = Scaled(d.Active.Length(), Share(s.backlog, s.active)), s.crowding
		}
		gpu.Devices = append(gpu.Devices, d)
	}
	return &Totals{Trace: whole.Trace, Times: whole.Times, Queues: whole.Queues, Matrices: whole.Matrices, GPU: gpu}
}
