package compile

import "mtrace/analyze"

// An identity is equal for two compilations if one process compiled the same item twice: the second compilation is then
// a repetition. Pipeline states for functions of the same name are the same item if the functions come from the same
// source. Functions specialised by constants always differ, because the trace does not have the constants.
type identity struct {
	process *analyze.Process
	// each device needs its own libraries and pipeline states; a function has the device of its library
	device     *analyze.Device
	kind, name string
	source     string // of pipeline states and functions; empty if not known
	function   uint32 // the specialised function of a pipeline state
}

type object struct {
	process *analyze.Process
	number  uint32
}

// identities finds the functions and libraries of a trace by their process and number.
type identities map[object]*analyze.Compilation

func identitiesOf(t *analyze.Trace) identities {
	made := identities{}
	for i := range t.Compilations {
		if c := &t.Compilations[i]; c.CreatedObject != 0 && (c.Kind == "function" || c.Kind == "library") {
			made[object{process(c), c.CreatedObject}] = c
		}
	}
	return made
}

func (made identities) of(c *analyze.Compilation) identity {
	p := process(c)
	id := identity{process: p, device: c.Device, kind: c.Kind, name: c.Name}
	function := c
	if c.Kind == "pipeline" {
		if function = made[object{p, c.From}]; function == nil {
			return id
		}
		if function.Specialised {
			id.function = function.CreatedObject
		}
	}
	if function.Kind == "function" {
		if library := made[object{p, function.From}]; library != nil {
			id.source, id.device = library.Name, library.Device
		}
	}
	return id
}

func process(c *analyze.Compilation) *analyze.Process {
	if c.Thread == nil {
		return nil
	}
	return c.Thread.Process
}
