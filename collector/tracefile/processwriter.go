package tracefile

import (
	"encoding/binary"
	"sync"

	"mtrace/collector/wire"
)

// factsPerBlock is the size, in bytes, at which the collected facts (names and other data of variable size) of a
// process are written as a block.
const factsPerBlock = 64 << 10

// processHeader is the payload of a process block, as JSON.
type processHeader struct {
	Hello         wire.Hello     `json:"hello"`
	Clock         wire.ClockKind `json:"clock"`
	TimebaseNumer uint32         `json:"timebase_numer"`
	TimebaseDenom uint32         `json:"timebase_denom"`
	Ahead         int64          `json:"clock_ahead_ns,omitempty"`
}

// A processWriter collects the data of one process, except its records, until there is enough to write a block.
type processWriter struct {
	writer *Writer
	index  ProcessIndex
	header processHeader // guarded by the writer's mutex

	mutex       sync.Mutex
	written     map[writtenKey]struct{} // texts and stacks that need not be written again
	facts       []byte
	samples     []byte
	threadTimes []byte
	owners      []byte
}

// A writtenKey identifies a text or a call stack that was written. Each thread of a process sends the texts and stacks
// that it uses, with a hash of the content as key. So if a key was written before, its content need not be written
// again.
type writtenKey struct {
	kind wire.FactKind
	key  uint64
}

func (p *processWriter) addFacts(facts []wire.Fact) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, f := range facts {
		if f.Kind == wire.FactString || f.Kind == wire.FactStack {
			key := writtenKey{f.Kind, f.Key}
			if _, known := p.written[key]; known {
				continue
			}
			p.written[key] = struct{}{}
		}
		p.facts = wire.AppendFact(p.facts, f)
		if len(p.facts) >= factsPerBlock {
			p.flushLocked()
		}
	}
	return p.writer.Err()
}

func (p *processWriter) addSamples(samples []wire.ClockSample) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, s := range samples {
		p.samples = binary.LittleEndian.AppendUint64(p.samples, uint64(s.Ticks))
		p.samples = binary.LittleEndian.AppendUint64(p.samples, uint64(s.Nanos))
	}
	if len(p.samples) >= factsPerBlock {
		p.flushLocked()
	}
	return p.writer.Err()
}

func (p *processWriter) flush() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.flushLocked()
}

// flushLocked writes the collected data as blocks. If writing fails, Writer.Err returns the error. The caller holds the
// mutex.
func (p *processWriter) flushLocked() {
	if len(p.facts) > 0 {
		p.writer.appendBlock(block{kind: blockFacts, process: p.index}, p.facts)
		p.facts = p.facts[:0]
	}
	if len(p.samples) > 0 {
		p.writer.appendBlock(block{kind: blockSamples, process: p.index}, p.samples)
		p.samples = p.samples[:0]
	}
	if len(p.threadTimes) > 0 {
		p.writer.appendBlock(block{kind: blockThreads, process: p.index}, p.threadTimes)
		p.threadTimes = p.threadTimes[:0]
	}
	if len(p.owners) > 0 {
		p.writer.appendBlock(block{kind: blockOwners, process: p.index}, p.owners)
		p.owners = p.owners[:0]
	}
}
