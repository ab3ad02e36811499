package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// roles say what a thread does anywhere in a trace. A range of the trace alone is not enough to decide which threads to
// analyze: a thread that waits for an answer in the range may have sent its request before the range.
type roles uint8

const (
	roleUses    roles = 1 << iota // it makes calls other than waits for a signal
	roleSubmits                   // it commits command buffers, or waits for them
)

// rolesOf returns the roles that a call shows.
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

// threadOfFile identifies a thread of a process in the file.
type threadOfFile struct {
	process *tracefile.Process
	id      ThreadID
}

// lastThread returns the last thread that used a ring; 0 if the end of the process's trace does not tell.
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

// surveyRoles adds the roles of the threads in a block to all. counted are the roles that the block's calls show
// together. It returns the thread that uses the ring after the block.
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
	_ = read(func(records []wire.Record) error { // the callback returns no error
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
