package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// roles are what a thread does anywhere in a trace. Who is looked at in a part of a trace must not hang on what a
// thread happens to do in it: one that waits for an answer there may have asked for it before.
type roles uint8

const (
	roleUses    roles = 1 << iota // it makes calls other than waits for a signal
	roleSubmits                   // it commits command buffers, or waits for them
)

// rolesOf are those that a call shows.
func rolesOf(r *rule) (shown roles) {
	if r.note {
		return 0
	}
	if !r.effect.OnlyWaits() {
		shown |= roleUses
	}
	if r.effect.Commits() || r.row.Group == wire.GroupWait {
		shown |= roleSubmits
	}
	return shown
}

// threadOfFile is a thread of a process of the file.
type threadOfFile struct {
	process *tracefile.Process
	id      ThreadID
}

// lastThread is the thread that had a ring last, if the end of the process's trace says so, else 0.
func lastThread(p *tracefile.Process, ring uint16) ThreadID {
	if last := p.Last(); last != nil {
		for _, r := range last.Rings {
			if r.Ring == ring {
				return ThreadID(r.Thread)
			}
		}
	}
	return 0
}

// surveyRoles notes what the threads of a block do; counted are the roles that its calls show, of whichever thread. It
// returns the thread that has the ring after it.
func surveyRoles(all map[threadOfFile]roles, now threadOfFile, counted roles, block *surveyed,
	read func(func([]wire.Record) error) error) threadOfFile {
	starts := false
	for i := range block.lasting {
		starts = starts || ruleOf(block.lasting[i].Call).effect == wire.EffectStartsThread
	}
	if !starts {
		all[now] |= counted
		return now
	}
	_ = read(func(records []wire.Record) error { // of fn, which has none
		for i := range records {
			r := &records[i]
			if rule := ruleOf(r.Call); rule.effect == wire.EffectStartsThread {
				now.id = ThreadID(r.Arg)
			} else {
				all[now] |= rule.roles
			}
		}
		return nil
	})
	return now
}
