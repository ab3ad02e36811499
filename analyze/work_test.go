package analyze

import "testing"

// TestKind: pipelines without a kernel's name once made all command buffers one kind, so that a step of several command
// buffers was divided at each of them. Labels of pipelines, command buffers and encoders distinguish kinds, without
// their digits, which number steps.
func TestKind(t *testing.T) {
	of := func(label, encoder string, pipelines ...*Pipeline) *CommandBuffer {
		e := Encoder{Label: encoder}
		for _, p := range pipelines {
			e.Dispatches = append(e.Dispatches, Dispatch{Pipeline: p, Count: 1})
		}
		return &CommandBuffer{Label: label, Encoders: []Encoder{e}}
	}
	kernel := func(name string) *Pipeline { return &Pipeline{Kernel: name} }
	labelled := func(label string) *Pipeline { return &Pipeline{Label: label} }
	for _, c := range []struct {
		name string
		a, b *CommandBuffer
		same bool
	}{
		{"kernels", of("", "", kernel("a")), of("", "", kernel("b")), false},
		{"kernels, whatever the labels", of("x", "x", kernel("a")), of("y", "y", kernel("a")), true},
		{"labels of pipelines", of("", "", labelled("a")), of("", "", labelled("b")), false},
		{"labels of command buffers", of("a", "", &Pipeline{}), of("b", "", &Pipeline{}), false},
		{"numbers in labels of command buffers", of("a 1", "", &Pipeline{}), of("a 22", "", &Pipeline{}), true},
		{"labels of encoders", of("", "a", &Pipeline{}), of("", "b", &Pipeline{}), false},
		{"numbers in labels of encoders", of("", "a 1"), of("", "a 2"), true},
		{"how many encoders are numbered", &CommandBuffer{Encoders: []Encoder{{Label: "a 1"}, {Label: "a 2"}}},
			of("", "a 1"), true},
		{"no name at all", of("", "", &Pipeline{}), of("", "", &Pipeline{}, &Pipeline{}), true},
	} {
		if same := c.a.Kind() == c.b.Kind(); same != c.same {
			t.Errorf("%s: the same kind: %v, want %v", c.name, same, c.same)
		}
	}
}
