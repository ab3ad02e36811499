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

// Parts is what only parts of a run were looked at for. It has nothing of their traces.
type Parts struct {
	exclusion    []Exclusion
	interference []Interference
	path         Path
	chains       []Chain
	devices      []deviceParts
}

// deviceParts is the time of a device in all parts, and how much of it something was ready for it.
type deviceParts struct {
	device          analyze.Device
	known           bool
	active, backlog analyze.Nanos
}

// TakeTogether takes parts together: paths, chains and backlogs are summed over them, and tests are those of one.
func TakeTogether(parts []Part, typical int) *Parts {
	return &Parts{parts[typical].Exclusion, parts[typical].Interference, paths(parts), chainsOf(parts), backlogs(parts)}
}

// WithParts is the evidence of a whole run with what only parts of it were looked at for.
func (ev *Evidence) WithParts(parts *Parts) *Evidence {
	all := *ev
	all.Exclusion, all.Interference, all.Path, all.Chains = parts.exclusion, parts.interference, parts.path, parts.chains
	all.GPU.Devices = slices.Clone(ev.GPU.Devices)
	for i := range all.GPU.Devices {
		d := &all.GPU.Devices[i]
		d.Backlog = 0
		for k := range parts.devices {
			if s := &parts.devices[k]; s.is(d.Device) {
				d.Backlog = analyze.Nanos(Share(s.backlog, s.active) * float64(d.Active.Length()))
			}
		}
	}
	return &all
}

// is says whether it is of that device; nil is the one that is not known.
func (s *deviceParts) is(d *analyze.Device) bool {
	return s.known == (d != nil) && (d == nil || s.device == *d)
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
			all[n].active += p.scaled(o.Active.Length())
			all[n].backlog += p.scaled(o.Backlog)
		}
	}
	return all
}
