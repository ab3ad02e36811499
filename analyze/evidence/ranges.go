package evidence

import "mtrace/analyze"

// A RangeEvidence is the evidence of one range of the run, which is a sample of a longer range.
type RangeEvidence struct {
	Evidence *Evidence
	Scale    float64 // length of the longer range, divided by the length of this range
}

// Ranges is the evidence that is too expensive for the whole of a long run and is computed only for some of its time
// ranges. It keeps no reference to the ranges' traces, so that their memory can be freed.
type Ranges struct {
	Tests   Tests // statistical tests, from the range that Combine's caller considers typical
	devices map[identity]*deviceRanges
}

// An identity recognizes a device in the traces of several ranges, which have different pointers for it.
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

// deviceRanges has a device's active time, scaled to the whole run, and the part of it with a backlog of ready work.
type deviceRanges struct {
	active, backlog analyze.Nanos
	crowding        Crowding // from the range with index `typical`, see Combine
}

// Combine merges the evidence of the analysed ranges, each of which is a sample of a longer range. It adds up each
// device's backlog (time in which the device was busy while ready work had not begun), scaled to the longer ranges. The
// statistical tests, and the crowding (how much concurrent command buffers slow each other down), cannot be added: they
// come from the range with index `typical`.
func Combine(ranges []RangeEvidence, typical int) *Ranges {
	all := &Ranges{ranges[typical].Evidence.Tests, map[identity]*deviceRanges{}}
	for i, p := range ranges {
		for _, d := range p.Evidence.GPU.Devices {
			s := entry(all.devices, identityOf(d.Device))
			s.active += Scaled(d.Active.Length(), p.Scale)
			s.backlog += Scaled(d.Backlog, p.Scale)
			if i == typical {
				s.crowding = Crowding{Slope: d.Crowding.Slope, ConcurrencyLoss: d.Crowding.ConcurrencyLoss}
			}
		}
	}
	return all
}

// Of returns a copy of the whole run's totals, in which the devices' backlogs are extrapolated from the ranges.
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
