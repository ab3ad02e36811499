package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mtrace/collector/wire"
)

// delayKinds has, for each kind of target, the bit of wire.Delays.Kinds with which traced threads delay the target.
var delayKinds = map[wire.ExperimentKind]wire.DelayKind{
	wire.ExperimentCall:    wire.DelayCalls,
	wire.ExperimentLock:    wire.DelayLock,
	wire.ExperimentWait:    wire.DelayWaits,
	wire.ExperimentOwn:     wire.DelayOwn,
	wire.ExperimentHandler: wire.DelayHandlers,
}

// resolve finds the calls, threads and locks of the running process that a target names, and the delays to set for
// it. If the target does not exist, problem is a line for the user. For a target that the user did not name, problem
// stays empty and the delays are zero.
func (x *Controller) resolve(t Target) (target wire.ExperimentTarget, d wire.Delays, problem string) {
	target = wire.ExperimentTarget{Name: t.Name, Kind: t.Kind, Mode: wire.ExperimentDelay, Calls: callNames(t.Calls)}
	d = wire.Delays{Kinds: delayKinds[t.Kind], Calls: t.Calls}
	if target.Sleeps = x.options.Delay.sleeps(t.Kind); target.Sleeps {
		d.Kinds |= wire.DelaySleeps
	}
	if t.Thread != "" {
		names := x.sights.threads(x.subject.Index())
		target.Threads = t.threads(names)
		if len(target.Threads) == 0 {
			return target, d, fmt.Sprintf("%s: no thread of the program is called %s; its threads are %s", t.Name, t.Thread,
				describe(names))
		}
		d.Threads = target.Threads
	}
	if t.Kind == wire.ExperimentLock {
		if problem := x.resolveLock(t, &target); problem != "" {
			return target, d, problem
		}
		d.Lock = target.Address
	}
	if ticks, known := x.sights.took(x.subject.Index(), t.Calls); known {
		target.TookNS = x.length(ticks)
	}
	return target, d, ""
}

// resolveLock finds the lock that a target names by an address or by a part of the lock's name. If the target has
// neither, it takes the lock for which threads waited longest. If there is no such lock, problem is a line that tells
// the user.
func (x *Controller) resolveLock(t Target, target *wire.ExperimentTarget) (problem string) {
	locks := x.sights.locks(x.subject.Index())
	address, given := t.address()
	for _, l := range locks {
		if given && l.address == address || !given && strings.Contains(l.name, t.Lock) {
			target.Address, target.Object = l.address, l.object
			if t.Lock == "" && l.name != "" {
				target.Name = "lock:" + l.name
			}
			return ""
		}
	}
	if given { // threads may wait for this lock only later
		target.Address = address
		return ""
	}
	if t.Lock == "" {
		if !x.options.Asked {
			return ""
		}
		return "lock: no thread waited for a lock while the program was observed"
	}
	if len(locks) == 0 {
		return t.Name + ": no thread waited for a lock while the program was observed"
	}
	names := make([]string, 0, len(locks))
	for _, l := range locks {
		names = append(names, fmt.Sprintf("%#x %s", l.address, l.name))
	}
	return fmt.Sprintf("%s: no thread waited for a lock of that name; threads waited for these locks: %s", t.Name,
		strings.Join(names, ", "))
}

// length converts a duration in ticks of the process's clock to nanoseconds; 0 if the clock's rate is not known.
func (x *Controller) length(ticks float64) int64 {
	const ago = 1 << 20
	t, err := count(x.subject)
	if err != nil {
		return 0
	}
	var last wire.Ticks
	for _, r := range t.rings {
		last = max(last, r.UnitAt)
	}
	if last <= ago {
		return 0
	}
	return int64(ticks * float64(x.subject.At(last)-x.subject.At(last-ago)) / ago)
}

// mostDescribed is the maximum number of thread names that an error message lists.
const mostDescribed = 12

// describe lists threads by name, or by the system's id if they have no name, for an error message.
func describe(names map[uint64]string) string {
	var all []string
	for id, name := range names {
		all = append(all, cmp.Or(name, strconv.FormatUint(id, 10)))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if left := len(all) - mostDescribed; left > 0 {
		all = append(all[:mostDescribed], fmt.Sprintf("%d more", left))
	}
	return strings.Join(all, ", ")
}
