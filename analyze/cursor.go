package analyze

import "cmp"

// A cursor is how far the records of one ring have been read: whose they are, and what is known of the call at hand. The
// accumulators of the ring share it.
type cursor struct {
	loader      *loader
	trace       *Trace // of loader
	process     *processLoader
	thread      *threadLoader // whose records are read; nil before the first
	ring        uint16
	stacks      openStacks
	interpreter InterpreterLock // of the call at hand
}

// startThread continues with the records of another thread. Its name at its end is kept where that is known.
func (c *cursor) startThread(id ThreadID, name string) {
	c.thread = c.loader.threadOf(c.process, id)
	c.thread.Name = cmp.Or(c.thread.Name, name)
}

// unknownThread is the thread of a ring whose first records are missing: the one that had it last, if the end of the
// process's trace says so, else 0.
func (c *cursor) unknownThread() ThreadID { return lastThread(c.process.file, c.ring) }

// earlier says whether a call began before the range, where ranges add up (Options.Adds) and it counts in the one in
// which it began.
func (c *cursor) earlier(call Call) bool { return c.loader.adds && call.Begin < c.loader.window.Begin }
