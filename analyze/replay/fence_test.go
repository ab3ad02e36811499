package replay

import "testing"

// The story: threads that waited for empty command buffers behind everybody's work were predicted to gain nothing without that, because the
// empty ones went on taking their places in the queue; and they counted as work.
func TestReplayLeavesFencesOut(t *testing.T) {
	p := loops(3, 100, 100*Us, 50*Us)
	p.queues = p.queues[:1] // one for all, one at a time
	for i := range p.threads {
		var ops []op
		for _, o := range p.threads[i].ops {
			if ops = append(ops, o); o.kind != opWait {
				continue
			}
			fence := int32(len(p.jobs))
			p.jobs = append(p.jobs, job{by: int32(i), duration: 100 * Us})
			p.threads[i].jobs = append(p.threads[i].jobs, fence)
			ops = append(ops, op{kind: opAcquire, job: fence, gap: 20 * Us, unlocked: 20 * Us}, op{kind: opCommit, job: fence}, op{kind: opWait, job: fence, barrier: true})
		}
		p.threads[i].jobs = nil
		for _, o := range ops {
			if o.kind == opCommit {
				p.threads[i].jobs = append(p.threads[i].jobs, o.job)
			}
		}
		p.threads[i].ops = ops
	}
	for i := range p.jobs {
		p.jobs[i].queue = 0
	}
	p.findFences()
	wantRate(t, "with fences, of which none is work", rateOf(t, p, Change{}), 1/0.15)
	wantRate(t, "without", rateOf(t, p, Change{Foreign: true}), 3/0.17)
}
