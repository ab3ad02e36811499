package analyze

import "mtrace/collector/wire"

// processorTimes stores the recorded processor samples in the process and its threads.
func (p *processLoader) processorTimes() {
	for _, t := range p.file.ThreadTimes {
		switch t.Thread {
		case wire.WholeProcess:
			p.Process.CPUSamples = append(p.Process.CPUSamples, cpuSample(t))
		case wire.WholeMachine:
			p.Process.OfMachine = append(p.Process.OfMachine, cpuSample(t))
		default:
			if th := p.threads[ThreadID(t.Thread)]; th != nil {
				th.CPU = append(th.CPU, cpuSample(t))
			}
		}
	}
}
