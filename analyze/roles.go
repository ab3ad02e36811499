package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// lastThread returns the last thread that used a ring (a thread's record buffer), from the record of the process's
// end; 0 if the record is missing.
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

// surveyRoles adds to `all` the roles of the threads that made the calls in a block, for example that a thread commits
// command buffers. `now` is the thread that uses the ring (the record buffer) at the begin of the block; surveyRoles
// returns the thread that uses it at the end. Usually one thread made all calls of the block, and gets the roles
// `counted` from the block's index entry. A block in which another thread takes over the ring is read record by record.
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
