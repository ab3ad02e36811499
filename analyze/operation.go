package analyze

import (
	"regexp"
	"strings"
)

// An Operation is the name that the program or its framework gives to some GPU work, for example "aten::add_Tensor",
// "attention" or "train.py:42 step()". Name is empty if the work has no name.
type Operation struct {
	Name string
	From OperationSource
}

// An OperationSource states where the name of an operation comes from, for instance a debug group.
type OperationSource uint8

// The sources of an operation's name, from most to least preferred. A name given to the work itself is preferred to
// a name of the code around it.
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

// String returns the source as reports print it; empty for FromNothing.
func (s OperationSource) String() string {
	return operationSources[min(int(s), len(operationSources)-1)]
}

// Operation returns the name of the work of dispatch d in encoder e, from the preferred source that has one. It skips
// a name that only repeats the kernel's name. `e` is nil if the command buffer has no encoder; `d` is nil for work
// that is not a dispatch.
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

// operators match the functions by which frameworks encode a single operator. The operator's name is the prefix and
// the pattern's group.
var operators = []struct {
	function *regexp.Regexp
	prefix   string
}{
	{regexp.MustCompile(`^at::_ops::(\w+)::(?:call|redispatch)$`), "aten::"},
	{regexp.MustCompile(`^mlx::core::((?:\w+::)*\w+)::eval_gpu$`), ""},
	{regexp.MustCompile(`^ggml_metal_op_(\w+)$`), "ggml "},
}

// noOperators are names that match a pattern in operators but belong to helpers that encode several operators.
var noOperators = map[string]bool{"UnaryPrimitive": true, "ggml encode": true, "ggml encode_impl": true}

// operatorOf returns the name of the framework operator that a function encodes; empty if the function encodes none.
func operatorOf(function string) string {
	for i := range operators {
		if m := operators[i].function.FindStringSubmatch(function); m != nil && !noOperators[operators[i].prefix+m[1]] {
			return operators[i].prefix + m[1]
		}
	}
	return ""
}

// operation returns the operator that the innermost framework function on the stack encodes, and the stack's line in
// the Python program; empty if there is none.
func (s *Stack) operation() (function, line string) {
	if s == nil {
		return "", ""
	}
	return s.operator, s.line
}

// nameOperations sets the operation of each stack and the primitive (framework operation) of each kernel. It
// computes each only once, because many dispatches share a stack or kernel.
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

var noNames Names

// bufferLabel returns the name that the command buffer's label gives to the work; `whole` is the label's final text.
// Some frameworks append each operation's name to the label before they encode the operation. In that case only the
// text that was appended last is the name.
func (n *Names) bufferLabel(whole string) string {
	if n.Label != "" && (n.Grows || len(whole) > len(n.Label) && strings.HasPrefix(whole, n.Label)) {
		return n.Added
	}
	return whole
}
