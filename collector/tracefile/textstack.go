package tracefile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"mtrace/collector/wire"
)

// A textStack is a call stack in a line of the text form. A Python frame is written as three numbers: the StringIDs
// of its function and its file, and the line.
type textStack struct {
	ID        wire.StackID `json:"id"`
	Native    []uint64     `json:"native,omitempty"`
	Python    [][3]uint64  `json:"python,omitempty"`
	CutNative bool         `json:"cut_native,omitempty"`
	CutPython bool         `json:"cut_python,omitempty"`
}

// stack converts a line of the text form to a fact (a name or other data of variable size). It returns an error if
// the stack is too long or has a wrong id.
func (t *textStack) stack() (wire.Fact, error) {
	s := wire.Stack{Native: t.Native, CutNative: t.CutNative, CutPython: t.CutPython}
	for _, f := range t.Python {
		if f[2] > 1<<32-1 {
			return wire.Fact{}, fmt.Errorf("stack: line %d is more than 32 bits", f[2])
		}
		s.Python = append(s.Python, wire.PythonFrame{Function: wire.StringID(f[0]), File: wire.StringID(f[1]),
			Line: uint32(f[2])})
	}
	if len(s.Native) > wire.MaxNativeFrames || len(s.Python) > wire.MaxPythonFrames {
		return wire.Fact{}, fmt.Errorf("stack: %d native frames and %d of Python are more than %d and %d",
			len(s.Native), len(s.Python), wire.MaxNativeFrames, wire.MaxPythonFrames)
	}
	f := s.Fact()
	if uint64(t.ID) != f.Key {
		return f, fmt.Errorf("stack: the id of these frames is %d, not %d", f.Key, t.ID)
	}
	return f, nil
}

// writeStacks writes a line for each call stack of the process, ordered by id.
func (p *Process) writeStacks(lines *json.Encoder, index ProcessIndex) error {
	for _, id := range slices.Sorted(maps.Keys(p.Code.Stacks)) {
		if err := lines.Encode(textLine{Process: &index, Stack: textOfStack(id, p.Code.Stacks[id])}); err != nil {
			return err
		}
	}
	return nil
}

// textOfStack converts a call stack to what a line of the text form contains.
func textOfStack(id wire.StackID, s wire.Stack) *textStack {
	line := &textStack{ID: id, Native: s.Native, CutNative: s.CutNative, CutPython: s.CutPython}
	for _, f := range s.Python {
		line.Python = append(line.Python, [3]uint64{uint64(f.Function), uint64(f.File), uint64(f.Line)})
	}
	return line
}
