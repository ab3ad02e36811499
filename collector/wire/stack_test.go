package wire

import (
	"reflect"
	"strings"
	"testing"
)

var stacks = []Stack{
	{},
	{Native: []uint64{0x401136, 0x7f0000001000}},
	{Python: []PythonFrame{{Function: 7, File: 8, Line: 9}}},
	{Native: []uint64{1}, Python: []PythonFrame{{1, 2, 3}, {4, 5, 1<<32 - 1}}, CutNative: true, CutPython: true},
	{Native: make([]uint64, MaxNativeFrames), Python: make([]PythonFrame, MaxPythonFrames)},
}

func TestStackRoundTrip(t *testing.T) {
	seen := map[uint64]bool{}
	for _, want := range stacks {
		f := want.Fact()
		if len(f.Text) > MaxFactText {
			t.Errorf("%d bytes do not fit into a fact", len(f.Text))
		}
		if f.Key == 0 || seen[f.Key] {
			t.Errorf("%+v has the number %#x, which another has", want, f.Key)
		}
		seen[f.Key] = true
		facts, err := DecodeFacts(AppendFact(nil, f))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := facts[0].Stack(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
}

func TestStackRefuses(t *testing.T) {
	good := stacks[3].Fact()
	for name, change := range map[string]func(*Fact){
		"another kind":      func(f *Fact) { f.Kind = FactString },
		"more frames":       func(f *Fact) { f.Aux += 4 },
		"half a frame":      func(f *Fact) { f.Text = f.Text[:len(f.Text)-8] },
		"unknown bits":      func(f *Fact) { f.Aux |= 1 << 15 },
		"another's number":  func(f *Fact) { f.Key++ },
		"too many":          func(f *Fact) { *f = Stack{Native: make([]uint64, MaxNativeFrames+1)}.Fact() },
		"too many Python's": func(f *Fact) { *f = Stack{Python: make([]PythonFrame, MaxPythonFrames+1)}.Fact() },
		"a line of 33 bits": func(f *Fact) {
			f.Text = f.Text[:len(f.Text)-4] + "\x01\x00\x00\x00"
			f.Key = uint64(hashStack(f.Aux, []byte(f.Text)))
		},
	} {
		f := good
		change(&f)
		if s, err := f.Stack(); err == nil {
			t.Errorf("%s: read as %+v", name, s)
		}
	}
}

// A record has the stack of the call that begins where it ends, so only calls whose duration is a call's can have one.
func TestCallHasStack(t *testing.T) {
	for _, c := range []struct {
		family   Family
		selector string
		want     bool
	}{
		{FamilyCommandBuffer, "commit", true},
		{FamilyCommandBuffer, "waitUntilCompleted", true},
		{FamilyQueue, "commandBuffer", true},
		{FamilyCommandBuffer, "computeCommandEncoder", true},
		{FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", true},
		{FamilyDevice, "newBufferWithLength:options:", true},
		{FamilyLibrary, "newFunctionWithName:", true},
		{FamilyLock, "pthread_mutex_lock", true},
		{FamilyEncoder, "setComputePipelineState:", false},
		{FamilyEncoder, "endEncoding", false},
		{FamilyDevice, "newSharedEvent", true},
		{FamilyDevice, "newSamplerStateWithDescriptor:", false},
		{FamilyResource, "dealloc", false},
		{FamilyTracer, "stack", false},
	} {
		if got := CallHasStack(MustLookup(c.family, c.selector)); got != c.want {
			t.Errorf("%v %s: %v", c.family, c.selector, got)
		}
	}
}

func TestImage(t *testing.T) {
	for _, want := range []Image{
		{Start: 0x400000, Size: 0x3000, BuildID: "0123abcd", Path: "/usr/lib/with a blank.so"},
		{Start: 1 << 46, Size: 1, Path: "x"},
	} {
		if got, err := want.Fact().Image(); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	for _, text := range []string{"", "12", "12 -", "12 - ", "xyz - /a", "ffffffffffffffff - /a", "- - -"} {
		if i, err := (Fact{Kind: FactImage, Key: 1, Text: text}).Image(); err == nil {
			t.Errorf("%q is read as %+v", text, i)
		}
	}
	i := Image{Start: 0x1000, Size: 0x10}
	for address, want := range map[uint64]bool{0xfff: false, 0x1000: true, 0x100f: true, 0x1010: false} {
		if i.Contains(address) != want {
			t.Errorf("%#x: %v", address, !want)
		}
	}
}

func TestCodeLine(t *testing.T) {
	for _, want := range []CodeLine{{Address: 0x401136, File: "/src/with a blank.c", Line: 1},
		{Address: 1 << 46, File: "x", Line: 1<<32 - 1}} {
		if got, err := want.Fact().CodeLine(); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	for _, text := range []string{"", "12", "12 ", "0 a.c", "-1 a.c", "a.c 12", "4294967296 a.c"} {
		if l, err := (Fact{Kind: FactLine, Key: 1, Text: text}).CodeLine(); err == nil {
			t.Errorf("%q is read as %+v", text, l)
		}
	}
}

func FuzzStack(f *testing.F) {
	for _, s := range stacks {
		fact := s.Fact()
		f.Add(fact.Aux, fact.Text)
	}
	f.Fuzz(func(t *testing.T, aux uint16, text string) {
		fact := Fact{Kind: FactStack, Aux: aux, Key: uint64(hashStack(aux, []byte(text))), Text: text}
		s, err := fact.Stack()
		if err != nil {
			if !strings.HasPrefix(err.Error(), "stack: ") {
				t.Fatal(err)
			}
			return
		}
		if s.Fact() != fact {
			t.Fatalf("%+v becomes %+v", fact, s.Fact())
		}
	})
}

func FuzzImage(f *testing.F) {
	f.Add(uint64(4096), "1000 - /lib/x.so")
	f.Fuzz(func(t *testing.T, start uint64, text string) {
		i, err := Fact{Kind: FactImage, Key: start, Text: text}.Image()
		if err != nil {
			return
		}
		if again, err := i.Fact().Image(); err != nil || again != i {
			t.Fatalf("%+v becomes %+v, %v", i, again, err)
		}
	})
}
