package analyze

import "mtrace/collector/wire"

// A Layer tells which framework encoded GPU work instead of the program: a kernel of Metal Performance Shaders, a
// graph, or a kernel within a graph. The fields are class names, empty where there is none.
type Layer struct{ Graph, Kernel string }

// App is the name of the layer of work that the program encoded itself.
const App = "app"

// Name returns the layer in one line, the graph before the kernel; App for nil.
func (l *Layer) Name() string {
	switch {
	case l == nil:
		return App
	case l.Graph != "" && l.Kernel != "":
		return l.Graph + " / " + l.Kernel
	}
	return l.Graph + l.Kernel
}

// Frames returns the layer as frames of a stack, the innermost first; none for nil.
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

// enter stores that a kernel or a graph begins to encode on the thread.
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

// layer returns a pointer that is the same for equal layers; nil for the empty one.
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
