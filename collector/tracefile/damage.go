package tracefile

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"mtrace/collector/wire"
)

// A Damage describes a part of the file that could not be read and is left out. If the header of the part's block or
// the index is intact, it also says what the part contained.
type Damage struct {
	Offset, Size int64        // the damaged part of the file, in bytes
	Content      string       // a description of the content; empty when it is not known
	Of           bool         // the part contained data of one process, Process
	Process      ProcessIndex // the process whose data is lost; only if Of is set
	Ring         uint16       // ring of the damaged records
	Records      uint64       // number of lost records; 0 if none, or if their number is not known
	First, Last  wire.Ticks   // the smallest begin and the largest end of the lost calls
	Why          string       // the error that was found
}

// contentOf describes what each kind of block contains, for messages about damaged blocks, and whether such a block
// belongs to one process.
var contentOf = map[blockKind]struct {
	words string
	of    bool
}{
	blockInfo:    {"how the trace was made", false},
	blockProcess: {"the identity and the clock of a process", true},
	blockRecords: {"records", true},
	blockFacts:   {"names and other facts", true},
	blockSamples: {"clock samples", true},
	blockEnd:     {"the end of a process and its losses", true},
	blockResult:  {"how the recording ended", false},
	blockIndex:   {"the index, which was rebuilt", false},
	blockThreads: {"processor times of threads", true},
	blockSoFar:   {"counters that a process had during the recording", true},
	blockOwners:  {"which threads had which rings", true},
}

// A damageList collects the damaged parts of a file that were found so far.
type damageList struct {
	mutex sync.Mutex
	list  []Damage // by offset
}

// note adds a block that could not be read to the list. done is how many of the block's records were read before the
// error; only the remaining ones count as lost.
func (l *damageList) note(b *block, done uint64, why error) {
	d := Damage{Offset: b.offset, Size: b.end() - b.offset, Content: contentOf[b.kind].words, Of: contentOf[b.kind].of,
		Process: b.process, Why: why.Error()}
	if b.kind == blockRecords {
		d.Ring, d.Records, d.First, d.Last = b.ring, uint64(b.count)-min(done, uint64(b.count)), b.first, b.last
	}
	l.add(d)
}

func (l *damageList) add(d Damage) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at, known := slices.BinarySearchFunc(l.list, d, func(a, b Damage) int { return cmp.Compare(a.Offset, b.Offset) })
	if !known {
		l.list = slices.Insert(l.list, at, d)
	}
}

// isHole reports whether none of a block's records can be read: the block is damaged, or the thread of all its
// records is unknown.
func (l *damageList) isHole(b *block) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at, known := slices.BinarySearchFunc(l.list, b.offset,
		func(d Damage, offset int64) int { return cmp.Compare(d.Offset, offset) })
	return known && (l.list[at].Why != errOwner.Error() || l.list[at].Records == uint64(b.count))
}

// Damage returns the damaged parts of the file that were found so far, ordered by offset. Blocks of records are
// checked when they are read, so the list is complete only after every stream was read.
func (r *Reader) Damage() []Damage {
	r.damage.mutex.Lock()
	defer r.damage.mutex.Unlock()
	return slices.Clone(r.damage.list)
}

// Remade reports whether nothing was lost, because the damaged part could be rebuilt from other blocks.
func (d *Damage) Remade() bool {
	return d.Content == contentOf[blockIndex].words || d.Content == heldTrailer || d.Content == heldHeader
}

// Descriptions of damaged parts that are no blocks, such as the file's header, for Damage.Content.
const (
	heldTrailer = "the position of the index (the index was rebuilt)"
	heldHeader  = "what kind of file it is"
)

// Unknown reports whether nothing is known about the content of the damaged part.
func (d *Damage) Unknown() bool { return d.Content == "" }

// Text describes a damaged part for the user, in one line: where it is, and which data of which process is lost.
func (r *Reader) Text(d Damage) string {
	where := fmt.Sprintf("%d bytes at byte %d of the file are damaged and left out", d.Size, d.Offset)
	if d.Unknown() {
		return where + ": what they held is not known"
	}
	text := where + ": " + d.Content
	if !d.Of || int(d.Process) >= len(r.processes) {
		return text
	}
	p := r.processes[d.Process]
	who := fmt.Sprintf(" of process %d", p.PID)
	if !p.known {
		who = fmt.Sprintf(" of the process numbered %d", d.Process)
	}
	if d.Records == 0 {
		return text + who
	}
	text = fmt.Sprintf("%s: %d records%s, ring %d", where, d.Records, who, d.Ring)
	if e := p.Last(); e != nil {
		for _, ring := range e.Rings {
			if ring.Ring == d.Ring && ring.Thread != 0 {
				text += fmt.Sprintf(" (thread %d)", ring.Thread)
			}
		}
	}
	if first, ok := sinceStart(r, p, d.First); ok && p.Unusable == "" {
		last, _ := sinceStart(r, p, d.Last)
		text += fmt.Sprintf(", from %.3f s to %.3f s", first, last)
	}
	return text
}

// sinceStart converts a tick of a process to seconds since the first call in the trace. It returns false if that is
// not possible.
func sinceStart(r *Reader, p *Process, t wire.Ticks) (float64, bool) {
	first := int64(0)
	found := false
	for _, s := range r.streams {
		if of := r.processes[s.Process]; s.Records > 0 && of.Unusable == "" {
			if begin := of.Nanos(s.First); !found || begin < first {
				first, found = begin, true
			}
		}
	}
	return float64(p.Nanos(t)-first) / 1e9, found && t != 0
}
