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
func (s *streamLoader) enter(r *wire.Record) {
	if s.thread == nil {
		s.startThread(s.unknownThread(), "")
	}
	now := s.thread.within()
	if name := s.process.text(r.Arg); r.Object == 0 {
		now.Kernel = name
	} else {
		now.Graph, now.Kernel = name, ""
	}
	s.thread.layer = s.process.layer(now)
}

// leave takes in that its call returned.
func (s *streamLoader) leave(f wire.Family) {
	now := s.thread.within()
	if f == wire.FamilyMpsKernel {
		now.Kernel = ""
	} else {
		now = Layer{}
	}
	s.thread.layer = s.process.layer(now)
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
