package wire

import (
	"encoding/binary"
	"fmt"
)

const (
	// MaxNativeFrames and MaxPythonFrames limit the frames of a call stack; the outer frames beyond them are cut.
	MaxNativeFrames = 64
	MaxPythonFrames = 64
)

// CallHasStack reports whether the call stack of a call is recorded if the user asks for stacks. It returns true for
// calls that submit GPU work, wait, compile, or create objects whose memory or time is reported. Frequent small
// calls, such as setting an argument, have no stack, because finding one takes time.
func CallHasStack(c Call) bool {
	switch row := c.Row(); row.Group {
	case GroupCommit, GroupWait, GroupAcquire, GroupCompile, GroupLock, GroupDrawable, GroupSignal:
		return true
	case GroupAllocate:
		changesMembers := row.Effect == EffectResides && row.Object.Kind == KindResidencySet && row.Arg.Role != RoleNone
		return row.Effect != EffectReleases && !changesMembers
	case GroupEncode:
		return row.Arg.Role == RoleMade || row.Effect == EffectDispatches || row.Effect == EffectExecutes
	case GroupOther:
		return row.TracksLife()
	}
	return false
}

// The bits of Record.Object in a record of a call stack.
const (
	InterpreterHeld  ObjectID = 1 << 0 // the thread held the lock of its language interpreter (the GIL)
	InterpreterKnown ObjectID = 1 << 1 // it is known whether the thread held the interpreter's lock
)

// StackID identifies a call stack by the hash of its frames, so that threads can assign ids without a shared table. 0
// means "no stack".
type StackID uint64

// A Stack is the call stack of a thread, innermost frame first. Frames of Python functions are listed separately,
// because the native stack only shows the interpreter's functions.
type Stack struct {
	Native    []uint64 // return addresses
	Python    []PythonFrame
	CutNative bool // outer native frames were cut
	CutPython bool
}

// A PythonFrame is one function call in the call stack of a Python interpreter.
type PythonFrame struct {
	Function, File StringID
	Line           uint32 // line of the running statement; 0 when not known
}

// The bits of the number Aux of a FactStack: the number of native frames, and which frames were cut.
const (
	stackNative    = 1<<8 - 1
	stackCutNative = 1 << 8
	stackCutPython = 1 << 9

	nativeFrameSize = 8  // address u64
	pythonFrameSize = 24 // function u64, file u64, line u32, zero u32
)

// Fact encodes the call stack as a fact, whose key is the hash of the frames.
func (s Stack) Fact() Fact {
	aux := uint16(len(s.Native))
	if s.CutNative {
		aux |= stackCutNative
	}
	if s.CutPython {
		aux |= stackCutPython
	}
	var b []byte
	for _, address := range s.Native {
		b = binary.LittleEndian.AppendUint64(b, address)
	}
	for _, f := range s.Python {
		b = binary.LittleEndian.AppendUint64(b, uint64(f.Function))
		b = binary.LittleEndian.AppendUint64(b, uint64(f.File))
		b = binary.LittleEndian.AppendUint64(b, uint64(f.Line))
	}
	return Fact{Kind: FactStack, Aux: aux, Key: uint64(hashStack(aux, b)), Text: string(b)}
}

// hashStack returns the id of a call stack. It starts with aux; for each 64-bit word of the frames, hash = (hash ^
// word) * K; hash ^= hash >> 32. A result of 0 becomes 1. K is the odd number nearest to 2⁶⁴ divided by the golden
// ratio. The C library computes the same hash.
func hashStack(aux uint16, frames []byte) StackID {
	h := uint64(aux)
	for ; len(frames) >= 8; frames = frames[8:] {
		h = (h ^ binary.LittleEndian.Uint64(frames)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	if h == 0 {
		h = 1
	}
	return StackID(h)
}

// Stack decodes a FactStack. It returns an error if the length, the number of frames or the hash is wrong.
func (f Fact) Stack() (s Stack, err error) {
	native := int(f.Aux & stackNative)
	rest := len(f.Text) - native*nativeFrameSize
	python := rest / pythonFrameSize
	switch {
	case f.Kind != FactStack || f.Aux&^(stackNative|stackCutNative|stackCutPython) != 0 || rest < 0 ||
		rest%pythonFrameSize != 0:
		return s, fmt.Errorf("stack: %d bytes cannot be %d native frames followed by whole Python frames", len(f.Text),
			native)
	case native > MaxNativeFrames || python > MaxPythonFrames:
		return s, fmt.Errorf("stack: %d native frames and %d of Python are more than %d and %d", native, python,
			MaxNativeFrames, MaxPythonFrames)
	case f.Key != uint64(hashStack(f.Aux, []byte(f.Text))):
		return s, fmt.Errorf("stack: its number %#x is not the hash of its frames", f.Key)
	}
	b := []byte(f.Text)
	word := func() uint64 {
		w := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return w
	}
	s.CutNative, s.CutPython = f.Aux&stackCutNative != 0, f.Aux&stackCutPython != 0
	for range native {
		s.Native = append(s.Native, word())
	}
	for range python {
		p := PythonFrame{Function: StringID(word()), File: StringID(word())}
		line := word()
		if line > 1<<32-1 {
			return s, fmt.Errorf("stack: line %d is more than 32 bits", line)
		}
		p.Line = uint32(line)
		s.Python = append(s.Python, p)
	}
	return s, nil
}
