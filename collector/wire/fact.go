package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// FactKind is the kind of a Fact (variable-size data, such as a name). The table facts has a row for each kind, with
// the meaning of its key, number and text.
type FactKind uint16

// The kinds of facts, each with a row in the table facts. The text of a fact is UTF-8, except for call stacks, and
// has at most MaxFactText bytes.
const (
	FactString     FactKind = 1
	FactClass      FactKind = 2 // Aux is the Family
	FactDevice     FactKind = 3
	FactThreadName FactKind = 4
	FactWarning    FactKind = 5 // Key may be UnseenDevice, NotTraced or WaitsUnseen
	FactStack      FactKind = 6 // see Stack
	FactImage      FactKind = 7 // see Image
	FactSymbol     FactKind = 8
	FactUnhooked   FactKind = 9
	FactCanary     FactKind = 10
	FactCost       FactKind = 11
	FactLine       FactKind = 12 // see CodeLine
	FactRegistry   FactKind = 13
	FactWorkingSet FactKind = 14

	// The facts of an experiment. The collector writes them, not the process: see Experiment.
	FactExperiment       FactKind = 15
	FactExperimentTarget FactKind = 16
	FactExperimentBlock  FactKind = 17
)

// A factRow declares a kind of fact: what its key, its number aux and its text mean.
type factRow struct {
	kind           FactKind
	name           string
	key, aux, text string
	check          func(Fact) error // checks a fact whose text has a structure; nil for plain text
}

// facts is the table of the kinds of facts. The C header and docs/wire.md are made from it.
var facts = [...]factRow{
	{kind: FactString, name: "string", key: "its StringID, the 64-bit FNV-1a hash of the text, or 1 if that is 0",
		text: "the text"},
	{kind: FactClass, name: "class", key: "the index in a record's flags", aux: "the family's number",
		text: "the class's name"},
	{kind: FactDevice, name: "device", key: "the device's object number", aux: "1 for a software device",
		text: "its name"},
	{kind: FactThreadName, name: "thread name", key: "the system's thread id", text: "its name"},
	{kind: FactWarning, name: "warning", key: "1 when a device was created in a way that the tracer does not hook, " +
		"2 when the process uses Metal and is not traced, 3 when its waits for locks and signals are not recorded",
		text: "one line for the user"},
	{kind: FactStack, name: "stack", key: "its StackID: for each 64-bit word of the text, " +
		"hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 32; " +
		"the hash begins with aux, and a result of 0 becomes 1",
		aux: "bits 0–7: number of native frames, bit 8: native frames were cut, bit 9: Python frames were cut",
		text: fmt.Sprintf("innermost first: at most %d native frames (return address u64), "+
			"then at most %d Python frames (StringIDs of function and file u64 each, line u32, zero u32)",
			MaxNativeFrames, MaxPythonFrames),
		check: func(f Fact) error { _, err := f.Stack(); return err }},
	{kind: FactImage, name: "image", key: "address at which a loaded file of machine code begins",
		text: "bytes in memory in hexadecimal, build ID (ELF) or UUID (Mach-O) in hexadecimal or `-`, path; " +
			"a blank between them",
		check: func(f Fact) error { _, err := f.Image(); return err }},
	{kind: FactSymbol, name: "symbol", key: "a return address",
		aux: "1 if no call instruction precedes the address: " +
			"unwinding went wrong, so this frame and its callers are not shown",
		text: "name of the function that contains the address"},
	{kind: FactUnhooked, name: "unhooked", key: "number of the class's methods that could not be hooked, 0 for all",
		aux:  "the family's number",
		text: "the name of a class with methods that could not be hooked"},
	{kind: FactCanary, name: "canary", key: "a call that the self-check made", aux: "how often"},
	{kind: FactCost, name: "cost", key: "picoseconds that recording one call takes, " +
		"measured when the process began to use Metal; 0 when that failed"},
	{kind: FactLine, name: "line", key: "a return address",
		text: "the source line in decimal, a blank, the file; " +
			"the line is that of the running statement in the frame's function, " +
			"or of the outermost inlined call if inlined code was running",
		check: func(f Fact) error { _, err := f.CodeLine(); return err }},
	{kind: FactRegistry, name: "registry", key: "the device's object number",
		text: "its registryID in decimal, which is the same for the GPU in all processes of the machine"},
	{kind: FactWorkingSet, name: "working set", key: "the device's object number",
		text: "its recommendedMaxWorkingSetSize in bytes, in decimal: above it the system pages or moves memory"},
	{kind: FactExperiment, name: "experiment", key: "the seed of its random order",
		text: "JSON: budget_share, progress, threads; " +
			"the collector writes it, as it writes the two other facts of an experiment",
		check: checkExperiment},
	{kind: FactExperimentTarget, name: "experiment target", key: "its number, from 1",
		text:  "JSON: name, kind, mode, calls, address and object of a lock, threads, sleeps, took_ns",
		check: checkExperiment},
	{kind: FactExperimentBlock, name: "experiment block", key: "begin, in nanoseconds",
		text: "JSON: start_ns, end_ns, target (0: nothing is delayed), control, delay_ns, occurrences, " +
			"injected_ns, units, last_before_ns, last_in_ns",
		check: checkExperiment},
}

// The keys of those warnings (FactWarning) to which the collector reacts. It only shows the text of other
// warnings.
const (
	UnseenDevice = 1 // a device was created in a way that the tracer does not hook
	NotTraced    = 2 // the process uses Metal and none of it is recorded; the text gives the reason
	// the library cannot replace functions on this system, so waits for locks and signals are not recorded
	WaitsUnseen = 3
)

// MaxFactText is the maximum length of the text of a fact, in bytes. The library cuts longer texts.
const MaxFactText = 4096

// factHeader is the number of bytes before the text of a fact: size u32 (of the whole fact with padding), kind u16,
// aux u16, key u64, text length u32, reserved u32.
const factHeader = 24

// A Fact is information of variable size that a process sends once: a name, a label, a class, a warning. Each thread
// has a second ring buffer for facts. Layout in bytes: size 0–3, kind 4–5, aux 6–7, key 8–15, text length 16–19, zero
// 20–23, text, zeros up to a multiple of 8.
type Fact struct {
	Kind FactKind
	Aux  uint16
	Key  uint64
	Text string
}

// AppendFact appends the encoded fact to b. A text longer than MaxFactText is cut.
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

// ErrShortFact is returned if the given bytes end before the fact does. The caller can try again with more bytes.
var ErrShortFact = errors.New("fact: it is not whole")

// DecodeFact decodes the fact at the start of b and returns its size in bytes. It returns ErrShortFact if b ends
// before the fact does, and another error if b cannot be a fact.
func DecodeFact(b []byte) (f Fact, size int, err error) {
	if len(b) < factHeader {
		return f, 0, ErrShortFact
	}
	size = int(binary.LittleEndian.Uint32(b))
	text := int(binary.LittleEndian.Uint32(b[16:]))
	switch {
	case text > MaxFactText || size != (factHeader+text+7)&^7:
		return f, 0, fmt.Errorf("fact: a text of %d bytes does not fit its size of %d bytes", text, size)
	case size > len(b):
		return f, 0, ErrShortFact
	}
	f.Kind = FactKind(binary.LittleEndian.Uint16(b[4:]))
	f.Aux = binary.LittleEndian.Uint16(b[6:])
	f.Key = binary.LittleEndian.Uint64(b[8:])
	f.Text = string(b[factHeader : factHeader+text])
	return f, size, nil
}

// DecodeFacts decodes all facts (names and other data of variable size) in b. It returns an error if the last one is
// incomplete.
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

// Check returns an error if the text of a fact does not have the structure that its kind requires.
func (f Fact) Check() error {
	for i := range facts {
		if row := &facts[i]; row.kind == f.Kind && row.check != nil {
			return row.check(f)
		}
	}
	return nil
}

// HashString returns the StringID of a text: its 64-bit FNV-1a hash, or 1 instead of 0, because 0 means "no text".
// The constants are from the FNV reference, http://www.isthe.com/chongo/tech/comp/fnv/. The C library computes the
// same hash.
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
