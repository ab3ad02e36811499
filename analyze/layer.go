package analyze

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
