package analyze

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mtrace/collector/wire"
)

// functionsMade holds the functions, libraries and pipeline states that a process created, by their number in the
// process.
type functionsMade struct {
	functions map[uint32]functionMade
	libraries map[uint32]string // hashes of their sources, or paths
	pipelines []pipelineMade
}

// A functionMade is a function that the program obtained from a library.
type functionMade struct {
	name        string
	library     uint32
	specialised bool
}

// A pipelineMade states which function a pipeline state was created from, by their numbers.
type pipelineMade struct{ number, function uint32 }

// add stores a function that the program obtained.
func (f *functionsMade) add(c *Compilation) {
	if f.functions == nil {
		f.functions = map[uint32]functionMade{}
	}
	if c.CreatedObject != 0 {
		f.functions[c.CreatedObject] = functionMade{c.Name, c.From, c.Specialised}
	}
}

// addLibrary stores a library's name.
func (f *functionsMade) addLibrary(c *Compilation) {
	if f.libraries == nil {
		f.libraries = map[uint32]string{}
	}
	if c.CreatedObject != 0 {
		f.libraries[c.CreatedObject] = c.Name
	}
}

// mostSpecialised is the maximum number of specialised variants of one function that get numbers of their own. All
// further variants share the last number, because a program may create the same function again and again.
const mostSpecialised = 32

// variantUses is how many command buffers must dispatch a variant of a kernel so that its work counts as different
// from that of the kernel's other variants. A program that specialises a function anew in each iteration has as many
// variants as iterations, and all do the same work. Series of fewer command buffers are not judged anyway
// (policy.SteadyCommandBuffers).
const variantUses = 20

// nameVariants sets Pipeline.Variant, which tells functions of the same name apart. Functions specialised by
// constants are numbered in the order of creation, because the trace does not have the constants' values.
func (p *processLoader) nameVariants() {
	type family struct{ name, source string }
	numbers := map[family]int{}
	variants := map[uint32]string{}
	var order []uint32
	for number := range p.functions.functions {
		order = append(order, number)
	}
	slices.Sort(order)
	for _, number := range order {
		f := p.functions.functions[number]
		source := shortSource(p.functions.libraries[f.library])
		variants[number] = source
		if f.specialised {
			of := family{f.name, source}
			numbers[of] = min(numbers[of]+1, mostSpecialised)
			variants[number] = fmt.Sprintf("%s, constants %d", cmp.Or(source, "library"), numbers[of])
		}
	}
	uses := map[family]int{}
	for _, made := range p.functions.pipelines {
		if s := p.pipeline(wire.ObjectID(made.number)); s != nil {
			s.Variant = variants[made.function]
			uses[family{s.Kernel, s.Variant}] += s.uses
		}
	}
	for _, made := range p.functions.pipelines {
		if s := p.pipeline(wire.ObjectID(made.number)); s != nil && uses[family{s.Kernel, s.Variant}] >= variantUses {
			s.work = s.Kernel + "\x00" + s.Variant
		}
	}
}

// shortSource abbreviates a library's source for display: a path to its file name, a hash to its first digits.
func shortSource(source string) string {
	const digits = 8
	if strings.ContainsAny(source, "/.") {
		return filepath.Base(source)
	}
	return source[:min(len(source), digits)]
}
