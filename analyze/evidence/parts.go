package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Part is the evidence of a part of a run, in place of a longer one around it.
type Part struct {
	*Evidence
	Scale float64 // how much longer what it stands for is
}

// scaled is a time of the part, for all that it stands for.
func (p *Part) scaled(n analyze.Nanos) analyze.Nanos { return Scaled(n, p.Scale) }

// WithParts is the evidence of a whole run with what only parts of it were looked at for: paths, chains and backlogs are summed over them,
// and tests are those of one.
func (ev *Evidence) WithParts(parts []Part, typical int) *Evidence {
	all := *ev
	all.Exclusion, all.Interference = parts[typical].Exclusion, parts[typical].Interference
	all.Path, all.Chains = paths(parts), chainsOf(parts)
	all.GPU.Devices = backlogs(ev.GPU.Devices, parts)
	return &all
}

// paths adds up the critical paths of the parts.
func paths(parts []Part) (sum Path) {
	type key struct {
		what   string
		thread uint64
	}
	at := map[key]int{}
	for i := range parts {
		w := &parts[i]
		sum.Length += w.scaled(w.Path.Length)
		sum.Steps += w.Path.Steps
		for _, p := range w.Path.Parts {
			k := key{p.What, id(p.Thread)}
			n, known := at[k]
			if !known {
				n = len(sum.Parts)
				at[k] = n
				sum.Parts = append(sum.Parts, PathPart{What: p.What, Thread: p.Thread})
			}
			sum.Parts[n].Time += w.scaled(p.Time)
		}
	}
	slices.SortStableFunc(sum.Parts, func(x, y PathPart) int { return cmp.Compare(y.Time, x.Time) })
	return sum
}

// chainsOf adds up the chains of waits of the parts.
func chainsOf(parts []Part) (all []Chain) {
	for i := range parts {
		w := &parts[i]
		for _, c := range w.Chains {
			same := func(o Chain) bool {
				return o.Root == c.Root && slices.EqualFunc(o.Threads, c.Threads, func(x, y *analyze.Thread) bool { return x.ID == y.ID })
			}
			n := slices.IndexFunc(all, same)
			if n < 0 {
				n = len(all)
				all = append(all, Chain{Threads: c.Threads, Root: c.Root})
			}
			all[n].Time += w.scaled(c.Time)
			all[n].Waits += int(float64(c.Waits) * w.Scale)
		}
	}
	slices.SortStableFunc(all, func(x, y Chain) int { return cmp.Compare(y.Time, x.Time) })
	return all[:min(len(all), policy.MostChains)]
}

// backlogs gives the devices the share of their time in which something was ready for them, as it is in the parts.
func backlogs(devices []DeviceUse, parts []Part) (all []DeviceUse) {
	all = slices.Clone(devices)
	for i := range all {
		d := &all[i]
		var active, backlog analyze.Nanos
		for k := range parts {
			for _, o := range parts[k].GPU.Devices {
				if (o.Device == nil) == (d.Device == nil) && (o.Device == nil || *o.Device == *d.Device) {
					active += parts[k].scaled(o.Active.Length())
					backlog += parts[k].scaled(o.Backlog)
				}
			}
		}
		d.Backlog = analyze.Nanos(Share(backlog, active) * float64(d.Active.Length()))
	}
	return all
}
