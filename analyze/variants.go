package analyze

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mtrace/collector/wire"
)

// functionsMade are the functions, libraries and pipeline states that a process created, by number.
type functionsMade struct {
	functions map[uint32]functionMade
	libraries map[uint32]string // hashes of their sources, or paths
	pipelines []pipelineMade
}

// A functionMade is a function of a library.
type functionMade struct {
	name        string
	library     uint32
	specialised bool
}

// A pipelineMade has the numbers of a pipeline state and of its function.
type pipelineMade struct{ number, function uint32 }

// add keeps a function.
func (f *functionsMade) add(c *Compilation) {
	if f.functions == nil {
		f.functions = map[uint32]functionMade{}
	}
	if c.Made != 0 {
		f.functions[c.Made] = functionMade{c.Name, c.From, c.Specialised}
	}
}

// addLibrary keeps a library.
func (f *functionsMade) addLibrary(c *Compilation) {
	if f.libraries == nil {
		f.libraries = map[uint32]string{}
	}
	if c.Made != 0 {
		f.libraries[c.Made] = c.Name
	}
}

// mostSpecialised is the maximum number of specialised functions of one name that are told apart. The last one stands
// for all further ones, because a program may create the same function again and again.
const mostSpecialised = 32

// nameVariants sets the variant of each pipeline state's function. Functions specialised by constants are numbered in
// the order of creation, because the trace does not have the constants.
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
	for _, made := range p.functions.pipelines {
		if s := p.pipeline(wire.ObjectID(made.number)); s != nil {
			s.Variant = variants[made.function]
		}
	}
}

// shortSource abbreviates a library's source: to the first digits of its hash, or to its file name.
func shortSource(source string) string {
	const digits = 8
	if strings.ContainsAny(source, "/.") {
		return filepath.Base(source)
	}
	return source[:min(len(source), digits)]
}
