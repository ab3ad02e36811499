package analyze

import "mtrace/collector/wire"

// A Layer names the framework object that encoded GPU work, if the program did not encode it itself: a kernel of
// Metal Performance Shaders, a graph, or a kernel inside a graph. The fields are class names, empty where there is no
// graph or kernel.
type Layer struct{ Graph, Kernel string }

// App is the layer's name for work that the program encoded itself and no framework.
const App = "app"

// Name returns the framework's graph and kernel that encoded the work, as one text: "GRAPH / KERNEL"; "app" for nil,
// the program itself.
func (l *Layer) Name() string {
	switch {
	case l == nil:
		return App
	case l.Graph != "" && l.Kernel != "":
		return l.Graph + " / " + l.Kernel
	}
	return l.Graph + l.Kernel
}

// Frames returns the framework's kernel and graph that encoded the work as frames of a call stack, innermost first.
// For nil, the program itself, there are none.
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
