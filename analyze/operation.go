package analyze

import (
	"regexp"
	"strings"
)

// An Operation is the name that the program or its framework gives to GPU work, for example "aten::add_Tensor",
// "attention" or "train.py:42 step()". Name is empty if nothing named the work.
type Operation struct {
	Name string
	From OperationSource
}

// An OperationSource tells where the name of an operation comes from.
type OperationSource uint8

// The sources, in order of precedence. A name given to the work itself takes precedence over a name given to the code
// around it.
const (
	FromNothing       OperationSource = iota
	FromDebugGroup                    // the innermost debug group that was open in the encoder
	FromEncoderLabel                  // the encoder's
	FromFunction                      // the framework's function for the operator, found on the stack
	FromScope                         // the innermost scope that the thread was in
	FromPipelineLabel                 // the pipeline state's
	FromBufferGroup                   // the innermost debug group of the command buffer
	FromBufferLabel                   // the command buffer's
	FromKernelName                    // the primitive that the framework's kernel of that name implements
	FromPythonLine                    // the line of the Python program
)

var operationSources = [...]string{FromNothing: "", FromDebugGroup: "debug group", FromEncoderLabel: "encoder label",
	FromFunction: "function", FromScope: "scope",
	FromPipelineLabel: "pipeline label", FromBufferGroup: "command buffer's debug group",
	FromBufferLabel: "command buffer label", FromKernelName: "kernel name",
	FromPythonLine: "Python line"}

// String is the name of the source in reports; empty for FromNothing.
func (s OperationSource) String() string {
	return operationSources[min(int(s), len(operationSources)-1)]
}

// Operation returns the name of the work of a dispatch: the first name that is known, in the order of the sources. A
// name that only repeats the kernel's name is skipped. The encoder is nil if the command buffer has none; the dispatch
// is nil for work of the encoder that is not a dispatch.
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

// operators are the functions with which frameworks encode one operator, and the prefix of the operator's name.
var operators = []struct {
	function *regexp.Regexp
	prefix   string
}{
	{regexp.MustCompile(`^at::_ops::(\w+)::(?:call|redispatch)$`), "aten::"},
	{regexp.MustCompile(`^mlx::core::((?:\w+::)*\w+)::eval_gpu$`), ""},
	{regexp.MustCompile(`^ggml_metal_op_(\w+)$`), "ggml "},
}

// noOperators are names that match the pattern of an operator but are helpers that encode several operators.
var noOperators = map[string]bool{"UnaryPrimitive": true, "ggml encode": true, "ggml encode_impl": true}

// operatorOf returns the operator that a function encodes; empty if it encodes none.
func operatorOf(function string) string {
	for i := range operators {
		if m := operators[i].function.FindStringSubmatch(function); m != nil && !noOperators[operators[i].prefix+m[1]] {
			return operators[i].prefix + m[1]
		}
	}
	return ""
}

// operation returns the operator of the innermost framework function on the stack, and the line of the Python program.
func (s *Stack) operation() (function, line string) {
	if s == nil {
		return "", ""
	}
	return s.operator, s.line
}

// nameOperations determines the operations of the stacks and of the kernels' names, once for each.
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

// Names are the names that GPU work had while it was encoded. Equal values are shared.
type Names struct {
	Group       string // of the encoder: its innermost debug group
	BufferGroup string // the command buffer's innermost debug group
	Scope       string // the innermost scope that the thread was in
	Label       string // the command buffer's label at that time; empty if it had none, or if another thread set it
	Added       string // the part that was last appended to Label
	Grows       bool   // work was encoded between two additions to Label

	thread *Thread
}

var noNames Names

// bufferLabel derives the name of the work from the command buffer's final label. Some frameworks append the name of
// each operation to the label before they encode it; then the name is the part that was appended last.
func (n *Names) bufferLabel(whole string) string {
	if n.Label != "" && (n.Grows || len(whole) > len(n.Label) && strings.HasPrefix(whole, n.Label)) {
		return n.Added
	}
	return whole
}
