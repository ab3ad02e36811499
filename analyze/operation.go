package analyze

import (
	"regexp"
	"strings"
)

// An Operation is what the program, or the framework that it uses, calls a piece of GPU work: "aten::add_Tensor",
// "attention", "train.py:42 step()". One without a name was called nothing.
type Operation struct {
	Name string
	From OperationSource
}

// An OperationSource is where the name of an operation was said.
type OperationSource uint8

// The sources, the one that counts first first: what is reported of the work itself counts before what is reported of
// all that is around it.
const (
	FromNothing       OperationSource = iota
	FromDebugGroup                    // the innermost one that was open in the encoder
	FromEncoderLabel                  // the encoder's
	FromFunction                      // the function of a framework that stands for the operator, on the stack
	FromScope                         // the innermost one that the thread was in
	FromPipelineLabel                 // the pipeline state's
	FromBufferGroup                   // the innermost debug group of the command buffer
	FromBufferLabel                   // the command buffer's
	FromKernelName                    // the primitive for which a framework has a kernel of that name
	FromPythonLine                    // the line of the Python program
)

var operationSources = [...]string{FromNothing: "", FromDebugGroup: "debug group", FromEncoderLabel: "encoder label",
	FromFunction: "function", FromScope: "scope",
	FromPipelineLabel: "pipeline label", FromBufferGroup: "command buffer's debug group",
	FromBufferLabel: "command buffer label", FromKernelName: "kernel name",
	FromPythonLine: "Python line"}

// String is the source in reports; empty for FromNothing.
func (s OperationSource) String() string {
	return operationSources[min(int(s), len(operationSources)-1)]
}

// Operation is what a dispatch of an encoder of the command buffer is called: the first name that there is in the order
// of the sources. One that only repeats the kernel's says nothing. The encoder is nil when the command buffer has none,
// and the dispatch when what the encoder did is none.
func (b *CommandBuffer) Operation(e *Encoder, d *Dispatch) Operation {
	named, stack, encoder, pipeline, kernel, primitive := (*Names)(nil), (*Stack)(nil), "", "", "", ""
	if e != nil {
		named, stack, encoder = e.Names, e.Created.Stack, e.Label
	}
	if d != nil {
		named, stack = d.Names, d.Stack
		if d.Pipeline != nil {
			pipeline, kernel, primitive = d.Pipeline.Label, d.Pipeline.Kernel, d.Pipeline.primitive
		}
	}
	if named == nil {
		named = &noNames
	}
	function, line := stack.operation()
	label := named.bufferLabel(b.Label)
	says := func(name string) bool { return name != "" && name != kernel }
	switch {
	case says(named.Group):
		return Operation{named.Group, FromDebugGroup}
	case says(encoder):
		return Operation{encoder, FromEncoderLabel}
	case says(function):
		return Operation{function, FromFunction}
	case says(named.Scope):
		return Operation{named.Scope, FromScope}
	case says(pipeline):
		return Operation{pipeline, FromPipelineLabel}
	case says(named.BufferGroup):
		return Operation{named.BufferGroup, FromBufferGroup}
	case says(label):
		return Operation{label, FromBufferLabel}
	case says(primitive):
		return Operation{primitive, FromKernelName}
	case says(line):
		return Operation{line, FromPythonLine}
	}
	return Operation{}
}

// operators are the functions by which a framework encodes one operator, with what goes before the operator's name.
var operators = []struct {
	function *regexp.Regexp
	prefix   string
}{
	{regexp.MustCompile(`^at::_ops::(\w+)::(?:call|redispatch)$`), "aten::"},
	{regexp.MustCompile(`^mlx::core::((?:\w+::)*\w+)::eval_gpu$`), ""},
	{regexp.MustCompile(`^ggml_metal_op_(\w+)$`), "ggml "},
}

// noOperators are functions of that shape that encode what others are for.
var noOperators = map[string]bool{"UnaryPrimitive": true, "ggml encode": true, "ggml encode_impl": true}

// operatorOf is the operator that a function encodes; empty when it encodes none.
func operatorOf(function string) string {
	for i := range operators {
		if m := operators[i].function.FindStringSubmatch(function); m != nil && !noOperators[operators[i].prefix+m[1]] {
			return operators[i].prefix + m[1]
		}
	}
	return ""
}

// operation is the operator that the innermost function of a framework on the stack is for, and the line of the Python
// program.
func (s *Stack) operation() (function, line string) {
	if s == nil {
		return "", ""
	}
	return s.operator, s.line
}

// nameOperations finds the operations of the stacks and of the kernels' names, once for each.
func nameOperations(t *Trace) {
	for _, p := range t.Pipelines {
		p.primitive = mlxPrimitive(p.Kernel)
	}
	by := map[*Frame]string{}
	for _, s := range t.Stacks {
		for _, f := range s.Frames {
			operator, known := by[f]
			if !known && !f.Python {
				operator = operatorOf(f.Name)
				by[f] = operator
			}
			if operator != "" {
				s.operator = operator
				break
			}
		}
		if at := s.Site(); at != nil && at.Python {
			s.line = at.String()
		}
	}
}

// Names are what a piece of GPU work was called while it was encoded. Equal ones are shared.
type Names struct {
	Group       string // of the encoder: its innermost debug group
	BufferGroup string // of the command buffer: its innermost debug group
	Scope       string // of the thread: the innermost scope that the program was in
	Label       string // of the command buffer, as it was then; empty when it had none, or another thread gave it
	Added       string // what was added to Label last
	Grows       bool   // work was encoded between additions to Label

	thread *Thread
}

var noNames Names

// bufferLabel is what the label of the command buffer, which is whole now, says of the work. A framework may add the
// name of each operation before it encodes it; then it is what was added last.
func (n *Names) bufferLabel(whole string) string {
	if n.Label != "" && (n.Grows || len(whole) > len(n.Label) && strings.HasPrefix(whole, n.Label)) {
		return n.Added
	}
	return whole
}
