package analyze

import (
	"fmt"
	"path/filepath"
	"strings"

	"mtrace/collector/wire"
)

// A BlockedWait is one call in which a thread blocked outside of Metal: it waited for a file descriptor, slept for
// some time, or waited for another thread to end. Waits for locks, for signals of other threads and for child
// processes are not BlockedWaits; they have lists of their own in CPUWaits.
type BlockedWait struct {
	Call
	Selector string
	Kind     Blocking
	What     wire.Descriptor // at the descriptor
	Name     string          // path, or address and port; for a sleep or a join, the function that waited
	Peer     int             // the process at the other end; 0 when not known
	// the traced process that can write into the pipe, or that has the other end of the socket; nil when not known
	Writer  *Process
	Earlier bool // the wait began in an earlier part of the trace and is counted there (Options.Adds)

	inode uint64 // of a pipe
}

// A Blocking is what a thread waited for while it was blocked outside of Metal, for instance a pipe or a sleep.
type Blocking uint8

// The kinds of blocking, in the order in which reports list them.
const (
	BlockedSignal   Blocking = iota // another thread's signal: condition variables, semaphores, barriers, futexes
	BlockedProcess                  // the end of a child process
	BlockedFile                     // a file
	BlockedPipe                     // a pipe or socket pair
	BlockedSocket                   // a socket
	BlockedTerminal                 // a terminal or standard input
	BlockedSleep                    // a sleep, a timer or a timeout
	BlockedJoin                     // the end of another thread
	BlockedOther                    // another descriptor, or several
	BlockedKinds
)

var blockingNames = [BlockedKinds]string{"signal", "process", "file", "pipe", "socket", "terminal", "sleep", "join",
	"other"}

// String returns the name of the kind as all outputs print it, for instance "pipe".
func (b Blocking) String() string { return blockingNames[min(b, BlockedOther)] }

// blockingOf returns the kind of blocking for a thread that waits for a descriptor of kind d.
func blockingOf(d wire.Descriptor) Blocking {
	switch d {
	case wire.DescriptorFile:
		return BlockedFile
	case wire.DescriptorPipe, wire.DescriptorOwnPipe, wire.DescriptorPair:
		return BlockedPipe
	case wire.DescriptorSocket, wire.DescriptorNetwork:
		return BlockedSocket
	case wire.DescriptorTerminal, wire.DescriptorStandard:
		return BlockedTerminal
	case wire.DescriptorTimer, wire.DescriptorTimeout:
		return BlockedSleep
	case wire.DescriptorEvent:
		return BlockedSignal
	}
	return BlockedOther
}

// FromOutside reports whether the thread waited for an event that comes from outside of the program: a client's
// request, a user's input, or the time of day. Reports do not blame such waits, because a server without requests is
// idle, not slow.
func (w *BlockedWait) FromOutside() bool {
	switch w.Kind {
	case BlockedSocket:
		return w.Writer == nil
	case BlockedTerminal, BlockedSleep:
		return true
	}
	return false
}

// String describes what the thread waited for, for instance "the file data.bin" or "a pipe from process 12 (loader)".
func (w *BlockedWait) String() string {
	name := w.Name
	switch {
	case w.Kind == BlockedJoin:
		return "the end of another thread"
	case w.Kind == BlockedSleep && w.What == wire.DescriptorUnknown:
		return "a time, in " + w.Selector
	case w.Kind == BlockedFile && name != "":
		return "the file " + filepath.Base(name)
	}
	text := w.What.String()
	if w.Kind == BlockedPipe {
		text = strings.TrimSuffix(text, " from another process")
	}
	if name != "" {
		text += " (" + name + ")"
	}
	switch {
	case w.Writer != nil:
		text += fmt.Sprintf(" from process %d (%s)", w.Writer.ID, w.Writer.Program)
	case w.Peer != 0:
		text += fmt.Sprintf(" from process %d", w.Peer)
	case w.What == wire.DescriptorPipe:
		text += " from another process"
	}
	return text
}

// blockedWait converts the record of a wait for a descriptor, a sleep or a join into a BlockedWait.
func (l *waitLoader) blockedWait(rule *rule, call Call, r *wire.Record, m *wire.More) BlockedWait {
	w := BlockedWait{Call: call, Selector: rule.row.Selector, Name: l.at.process.text(m.X0)}
	switch rule.effect {
	case wire.EffectSleeps:
		w.Kind = BlockedSleep
	case wire.EffectJoins:
		w.Kind = BlockedJoin
	default:
		w.What = wire.Descriptor(min(r.Object, 0xff))
		w.Kind, w.Peer, w.inode = blockingOf(w.What), int(min(r.Arg, 1<<31)), m.X1
	}
	return w
}

// keepBlocked stores a BlockedWait in its thread's list and returns its index there. Its final duration is set when
// the calls around it are known.
func (l *waitLoader) keepBlocked(rule *rule, call Call, r *wire.Record, m *wire.More) (item int32) {
	list := &l.at.thread.blocked
	item = int32(list.count)
	w := list.add(call.Begin)
	*w = l.blockedWait(rule, call, r, m)
	w.Earlier = l.at.earlier(call)
	return item
}

// findWriters sets BlockedWait.Writer: the traced process at the other end of the pipe or socket that the thread
// waited for. Writer stays nil if that process is not in the trace or is the waiting process itself.
func findWriters(t *Trace) {
	byID := map[int]*Process{}
	writers := map[uint64][]*Process{} // by a pipe's inode
	for _, p := range t.Processes {
		byID[p.ID] = p
		for _, inode := range p.writes {
			writers[inode] = append(writers[inode], p)
		}
	}
	for w := range Each(t.CPUWaits.Blocked) {
		own := w.Thread.Process
		if w.Writer = byID[w.Peer]; w.Writer == own {
			w.Writer = nil
		}
		for _, p := range writers[w.inode] {
			if w.inode != 0 && p != own && w.Writer == nil {
				w.Writer = p
			}
		}
	}
}
