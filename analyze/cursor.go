package analyze

import (
	"cmp"

	"mtrace/collector/wire"
)

// startThread switches to the records of thread `id`. If the thread has no name yet, it gets `name`. If the process's
// end record has the thread's name, the thread keeps that name, which is newer if the thread renamed itself.
func (c *cursor) startThread(id ThreadID, name string) {
	c.thread = c.loader.threadOf(c.process, id)
	c.thread.Name = cmp.Or(c.thread.Name, name)
}

// unknownThread returns the thread of a ring (a thread's record buffer) whose first records, which name the thread,
// are missing. It is the thread that used the ring last, if the process's final record names it; otherwise 0.
func (c *cursor) unknownThread() ThreadID { return lastThread(c.process.file, c.ring) }

// earlier reports whether a call began before the loaded range. With Options.Adds such a call is already counted in
// an earlier range and must not be counted again; without Options.Adds, earlier returns false.
func (c *cursor) earlier(call Call) bool { return c.loader.adds && call.Begin < c.loader.window.Begin }

var noMore wire.More
