package analyze

import (
	"cmp"

	"mtrace/collector/wire"
)

// startThread makes the thread `id` the one whose records are being read. `name` is the name that the thread had
// when its recording began. The thread may have renamed itself later, so the name in the process's end record takes
// precedence.
func (c *cursor) startThread(id ThreadID, name string) {
	c.thread = c.loader.threadOf(c.process, id)
	c.thread.Name = cmp.Or(c.thread.Name, name)
}

// markExited sets Thread.Exited from the state of the rings (the threads' record buffers) when the process or its
// recording ended. The system may have reused the ID of a thread that exited for one that still runs.
func (p *processLoader) markExited() {
	last := p.file.Last()
	if last == nil {
		return
	}
	for _, exited := range []bool{true, false} {
		for _, r := range last.Rings {
			if t := p.threads[ThreadID(r.Thread)]; t != nil && r.Exited == exited {
				t.Exited = exited
			}
		}
	}
}

// unknownThread returns the ID of the thread that used a ring (a thread's record buffer) last, according to the
// process's final record; 0 if that record does not tell. It is used when the ring's first records, which name the
// thread, are lost.
func (c *cursor) unknownThread() ThreadID { return lastThread(c.process.file, c.ring) }

// earlier reports whether a call began before the loaded range. With Options.Adds such a call is already counted in
// an earlier range and must not be counted again; without Options.Adds, earlier returns false.
func (c *cursor) earlier(call Call) bool { return c.loader.adds && call.Begin < c.loader.window.Begin }

var noMore wire.More
