// Package experiment adds delays to a running program at random times and measures how much its progress suffers. Its
// controller runs in the collector's process. Block by block it writes the delays into the shared memory of the traced
// process, reads the injected delays and the progress there, and writes both into the trace. Another package estimates
// the effects from the blocks.
package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mtrace/collector/wire"
)

// A Target is what an experiment delays, as the user wrote it: calls, a lock, waits, a thread's own code or
// completion handlers.
type Target struct {
	Name   string // as the user spelled it
	Kind   wire.ExperimentKind
	Calls  []wire.Call
	Lock   string // address in hexadecimal with 0x, or a part of the lock's name; empty: the most contended one
	Thread string // the system's id or a part of the thread's name; empty means all threads
}

// groups are the targets with a fixed name, each with the calls that belong to it.
var groups = []struct {
	name  string
	kind  wire.ExperimentKind
	holds func(*wire.Row) bool
}{
	{"commit", wire.ExperimentCall, func(r *wire.Row) bool { return r.Effect.Commits() }},
	{"encode", wire.ExperimentCall, func(r *wire.Row) bool { return r.Effect == wire.EffectEnds }},
	{"wait", wire.ExperimentWait, func(r *wire.Row) bool { return r.Group == wire.GroupWait }},
	{"lock", wire.ExperimentLock, nil},
	{"handler", wire.ExperimentHandler, nil},
	{"allocate", wire.ExperimentCall, func(r *wire.Row) bool { return r.Effect.Allocates() }},
	{"compile", wire.ExperimentCall, func(r *wire.Row) bool { return r.Effect.Compiles() }},
	{"own", wire.ExperimentOwn, func(r *wire.Row) bool {
		return r.Effect == wire.EffectMakes && r.Makes(wire.KindCommandBuffer)
	}},
}

// Names returns the fixed target names. An experiment without --target tries them in this order.
func Names() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// Of returns the target name for a call: a group such as "commit" if the call belongs to one, or else the call
// itself.
func Of(call string) string {
	for _, g := range groups {
		if g.kind != wire.ExperimentOwn && slices.Contains(callNames(callsThat(g.holds)), call) {
			return g.name
		}
	}
	return call
}

func callsThat(holds func(*wire.Row) bool) (calls []wire.Call) {
	for i := range wire.Table {
		row := wire.Call(i).Row()
		if holds != nil && holds(&row) {
			calls = append(calls, wire.Call(i))
		}
	}
	return calls
}

// Parse parses a target: NAME, NAME@THREAD, lock:ADDRESS, lock:NAME, own:THREAD, CALL or CALL@THREAD. NAME is one of
// Names; CALL is a selector or symbol of wire's table of calls.
func Parse(text string) (Target, error) {
	name, thread, _ := strings.Cut(text, "@")
	t := Target{Name: text, Thread: thread}
	if strings.HasSuffix(text, "@") || name == "" {
		return t, fmt.Errorf("target %q: a name is missing before or after @", text)
	}
	for _, g := range groups {
		if name == g.name {
			t.Kind, t.Calls = g.kind, callsThat(g.holds)
			return t, nil
		}
		rest, found := strings.CutPrefix(name, g.name+":")
		switch {
		case !found:
		case rest == "":
			return t, fmt.Errorf("target %q: a name is missing after the colon", text)
		case g.kind == wire.ExperimentLock:
			t.Kind, t.Lock = g.kind, rest
			return t, nil
		case g.kind == wire.ExperimentOwn && thread == "":
			t.Kind, t.Calls, t.Thread = g.kind, callsThat(g.holds), rest
			return t, nil
		}
	}
	for _, c := range wire.Named(name) {
		if row := c.Row(); delayable(&row) {
			t.Calls = append(t.Calls, c)
		}
	}
	if len(t.Calls) == 0 {
		return t, fmt.Errorf("unknown target %q: give %s, lock:NAME, own:THREAD or a call's name", text,
			strings.Join(Names(), ", "))
	}
	t.Kind = wire.ExperimentCall
	if t.Calls[0].Row().Group == wire.GroupWait {
		t.Kind = wire.ExperimentWait
	}
	return t, nil
}

// delayable reports whether a call can be delayed: only recorded methods of Metal can. It is false for waits for
// locks and signals, which are targets of other kinds, and for records that the tracer writes by itself, which are no
// calls.
func delayable(r *wire.Row) bool {
	return r.Effect != wire.EffectCounted && r.Family != wire.FamilyTracer && r.Family != wire.FamilyLock &&
		r.Family != wire.FamilySignal && r.Family != wire.FamilyFunction
}

// address returns the address of the target's lock; ok is false if the user did not give one in hexadecimal.
func (t *Target) address() (uint64, bool) {
	digits, hexadecimal := strings.CutPrefix(t.Lock, "0x")
	if !hexadecimal {
		return 0, false
	}
	a, err := strconv.ParseUint(digits, 16, 64)
	return a, err == nil && a != 0
}

// threads returns the system's ids of the threads that the target names, by id or by a part of the name.
func (t *Target) threads(names map[uint64]string) (ids []uint64) {
	id, err := strconv.ParseUint(t.Thread, 10, 64)
	for thread, name := range names {
		if err == nil && thread == id || err != nil && strings.Contains(name, t.Thread) {
			ids = append(ids, thread)
		}
	}
	slices.Sort(ids)
	return ids
}

func callNames(calls []wire.Call) (names []string) {
	for _, c := range calls {
		names = append(names, c.String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
