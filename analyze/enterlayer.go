package analyze

import "mtrace/collector/wire"

// enter notes that a framework's kernel or graph begins to encode on the current thread. Work that the thread encodes
// from now on is attributed to it, until leave is called.
func (c *cursor) enter(r *wire.Record) {
	if c.thread == nil {
		c.startThread(c.unknownThread(), "")
	}
	now := c.thread.within()
	if name := c.process.text(r.Arg); r.Object == 0 {
		now.Kernel = name
	} else {
		now.Graph, now.Kernel = name, ""
	}
	c.thread.layer = c.process.layer(now)
}

// leave notes that a framework has finished encoding its current kernel, or its whole graph; f tells which. Later
// work is not attributed to it.
func (c *cursor) leave(f wire.Family) {
	now := c.thread.within()
	if f == wire.FamilyMpsKernel {
		now.Kernel = ""
	} else {
		now = Layer{}
	}
	c.thread.layer = c.process.layer(now)
}

func (t *threadLoader) within() Layer {
	if t.layer == nil {
		return Layer{}
	}
	return *t.layer
}

// layer returns the process's one pointer for equal layers (a framework's graph and kernel), so that they can be
// compared by pointer; nil for the empty layer.
func (p *processLoader) layer(l Layer) *Layer {
	if l == (Layer{}) {
		return nil
	}
	if p.layers[l] == nil {
		if p.layers == nil {
			p.layers = map[Layer]*Layer{}
		}
		p.layers[l] = &l
	}
	return p.layers[l]
}
