package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// FactKind says what a Fact states.
type FactKind uint16

// The kinds of facts. Key and Aux mean what each line says; Text is UTF-8, but for stacks, and at most MaxFactText bytes.
const (
	FactString     FactKind = 1  // Key is the StringID, Text the text it stands for
	FactClass      FactKind = 2  // Key is the class index of Flags.Class, Aux its Family, Text its name
	FactDevice     FactKind = 3  // Key is the device's ObjectID, Text its name; Aux 1 when it is a software device
	FactThreadName FactKind = 4  // Key is the system's thread id, Text its name
	FactWarning    FactKind = 5  // Text is one line for the user: something was left out or could not be done
	FactStack      FactKind = 6  // Key is the StackID, Text the frames. See Stack
	FactImage      FactKind = 7  // Key is the address at which a file of code begins. See Image
	FactSymbol     FactKind = 8  // Key is a native frame's return address, Text the name of the function it is in; Aux 1 when no call returns there
	FactUnhooked   FactKind = 9  // Text is the name of a class that came by without hooks, Aux its Family, Key how many of its methods lack them: 0 is all
	FactCanary     FactKind = 10 // Key is a Call that the self-check made, Aux how often
	FactCost       FactKind = 11 // Key is what recording a call costs on this machine, in picoseconds; 0 when it could not be measured
	FactLine       FactKind = 12 // Key is a native frame's return address, Text where in the source it is. See CodeLine
	FactRegistry   FactKind = 13 // Key is the device's ObjectID, Text its registryID in decimal, which is that of the GPU in all processes of the machine
)

// UnseenDevice is the Key of a FactWarning that says that a device was made where the tracer does not look.
const UnseenDevice = 1

// MaxFactText bounds the text of one fact, in bytes; the shim cuts longer texts.
const MaxFactText = 4096

// factHeader is size u32 (of the whole fact, padding included), kind u16, aux u16, key u64, text length u32, reserved u32.
const factHeader = 24

// A Fact is something said once, of variable size: a name, a label, a class, a warning. Facts travel in the second ring of each
// thread. Layout, in bytes: size 0–3, kind 4–5, aux 6–7, key 8–15, text length 16–19, zero 20–23, text, zeros up to a multiple of 8.
type Fact struct {
	Kind FactKind
	Aux  uint16
	Key  uint64
	Text string
}

// AppendFact appends the fact's bytes to b. It cuts a text longer than MaxFactText.
func AppendFact(b []byte, f Fact) []byte {
	text := f.Text
	if len(text) > MaxFactText {
		text = text[:MaxFactText]
	}
	size := (factHeader + len(text) + 7) &^ 7
	end := len(b) + size
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Kind))
	b = binary.LittleEndian.AppendUint16(b, f.Aux)
	b = binary.LittleEndian.AppendUint64(b, f.Key)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = append(b, text...)
	for len(b) < end {
		b = append(b, 0)
	}
	return b
}

// ErrShortFact says that the bytes end before the fact does.
var ErrShortFact = errors.New("fact: it is not whole")

// DecodeFact reads the fact at the start of b and returns how many bytes it takes. The error is ErrShortFact when more bytes
// could make a fact of it.
func DecodeFact(b []byte) (f Fact, size int, err error) {
	if len(b) < factHeader {
		return f, 0, ErrShortFact
	}
	size = int(binary.LittleEndian.Uint32(b))
	text := int(binary.LittleEndian.Uint32(b[16:]))
	switch {
	case text > MaxFactText || size != (factHeader+text+7)&^7:
		return f, 0, fmt.Errorf("fact: a text of %d bytes does not go with a size of %d", text, size)
	case size > len(b):
		return f, 0, ErrShortFact
	}
	f.Kind = FactKind(binary.LittleEndian.Uint16(b[4:]))
	f.Aux = binary.LittleEndian.Uint16(b[6:])
	f.Key = binary.LittleEndian.Uint64(b[8:])
	f.Text = string(b[factHeader : factHeader+text])
	return f, size, nil
}

// DecodeFacts reads all the facts in b, which must be whole.
func DecodeFacts(b []byte) (facts []Fact, err error) {
	for len(b) > 0 {
		f, n, err := DecodeFact(b)
		if err != nil {
			return facts, err
		}
		facts = append(facts, f)
		b = b[n:]
	}
	return facts, nil
}

// Check says what is wrong with a fact that is more than a text.
func (f Fact) Check() (err error) {
	switch f.Kind {
	case FactStack:
		_, err = f.Stack()
	case FactImage:
		_, err = f.Image()
	case FactLine:
		_, err = f.CodeLine()
	}
	return err
}

// HashString is the StringID of a text: its 64-bit FNV-1a hash, with 0 replaced by 1 because 0 is "no text".
// Constants from the FNV reference, http://www.isthe.com/chongo/tech/comp/fnv/.
func HashString(s string) StringID {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	if h == 0 {
		h = 1
	}
	return StringID(h)
}
