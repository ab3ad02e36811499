package analyze

import "cmp"

// A cursor is the position in the records of one ring: the thread whose records are being read, and the state of the
// current call. All loaders that read from the ring share it.
type cursor struct {
	loader      *loader
	trace       *Trace // of loader
	process     *processLoader
	thread      *threadLoader // the thread whose records are being read; nil before the first
	ring        uint16
	stacks      openStacks
	interpreter InterpreterLock // of the call at hand
}

// startThread switches to the records of another thread. If the thread's name when it ended is known, it keeps that
// name.
func (c *cursor) startThread(id ThreadID, name string) {
	c.thread = c.loader.threadOf(c.process, id)
	c.thread.Name = cmp.Or(c.thread.Name, name)
}

// unknownThread returns the thread of a ring whose first records are missing. This is the thread that used the ring
// last, if the end of the process's trace has its number; otherwise 0.
func (c *cursor) unknownThread() ThreadID { return lastThread(c.process.file, c.ring) }

// earlier says whether a call began before the range and is therefore counted in an earlier one. That is only so for
// ranges that add up (Options.Adds).
func (c *cursor) earlier(call Call) bool { return c.loader.adds && call.Begin < c.loader.window.Begin }
