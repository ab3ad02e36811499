package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// Where a software GPU runs its kernels on processors, its work shares these with the program's threads and with other programs. What a command buffer
// took of a processor is what those with the same work take that met nobody.

// findAlone finds what each job takes then of a processor: no longer than the quickest tenth with the same work.
func (p *program) findAlone(buffers []*analyze.CommandBuffer) {
	took, quick := map[uint64][]analyze.Nanos{}, map[uint64]analyze.Nanos{}
	for i, b := range buffers {
		work, _ := b.Work()
		took[work] = append(took[work], p.jobs[i].duration)
	}
	for work, all := range took {
		quick[work] = evidence.Quickest(all, policy.Quick)
	}
	for i, b := range buffers {
		work, _ := b.Work()
		p.jobs[i].alone = min(p.jobs[i].duration, quick[work])
	}
}

// findOnProcessors finds whether that is so: the process had at least as much of processors, beyond its threads, as the jobs take, and that is more than it
// takes to hand them over and to hear of their ends. It returns what they take.
func (p *program) findOnProcessors(used float64) (work float64) {
	for i := range p.jobs {
		work += float64(p.jobs[i].alone)
	}
	if p.onProcessors = used >= work && policy.AtLeast(policy.Launch, work, float64(len(p.jobs))); !p.onProcessors {
		return 0
	}
	for i := range p.jobs {
		p.jobs[i].beside = 0 // the replay adds what others beside it take
	}
	return work
}
