package analyze

import "mtrace/collector/wire"

// A Layer is who encodes in place of the program: a kernel of Metal Performance Shaders, a graph, or a kernel within a
// graph. Its parts are names of classes, empty where there is none.
type Layer struct{ Graph, Kernel string }

// App is what the program itself encodes is called.
const App = "app"

// Name is the layer in one line, the outer part first; App for nil.
func (l *Layer) Name() string {
	switch {
	case l == nil:
		return App
	case l.Graph != "" && l.Kernel != "":
		return l.Graph + " / " + l.Kernel
	}
	return l.Graph + l.Kernel
}

// Frames are its parts as a stack has them, the inner one first; none for nil.
func (l *Layer) Frames() (frames []string) {
	if l == nil {
		return nil
	}
	for _, part := range []string{l.Kernel, l.Graph} {
		if part != "" {
			frames = append(frames, part)
		}
	}
	return frames
}

// enter takes in that a kernel or a graph begins to encode on the thread.
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

// leave takes in that its call returned.
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

// layer is the one value for equal layers; nil for none.
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
