package collector

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mtrace/collector/symbols"
	"mtrace/collector/wire"
)

// mostAddresses limits how many addresses of a process are looked up in the symbol tables. A hostile process could
// send any number and exhaust the collector's memory.
const mostAddresses = 1 << 18

// longestNaming limits the time for looking up the source lines of a process's addresses, because the user waits for
// it at the end of the recording.
const longestNaming = 3 * time.Second

// code collects what is needed to name the addresses in a process's call stacks: the addresses, and the loaded images
// (executables and libraries) that contain them.
type code struct {
	images    []wire.Image
	addresses map[uint64]struct{}
	named     map[uint64]struct{} // addresses whose function names the process sent itself
}

// note stores addresses, images and names from the process's facts (variable-size messages beside the records).
func (c *code) note(facts []wire.Fact) {
	for _, f := range facts {
		switch f.Kind {
		case wire.FactStack:
			s, _ := f.Stack() // checked before
			for _, a := range s.Native {
				if len(c.addresses) < mostAddresses {
					if c.addresses == nil {
						c.addresses = map[uint64]struct{}{}
					}
					c.addresses[a] = struct{}{}
				}
			}
		case wire.FactImage:
			if i, err := f.Image(); err == nil {
				c.images = append(c.images, i)
			}
		case wire.FactSymbol:
			if c.named == nil {
				c.named = map[uint64]struct{}{}
			}
			c.named[f.Key] = struct{}{}
		}
	}
}

// names looks up the addresses in the image files on this machine. It returns facts (names and other data of variable
// size) with source lines, and with the names of functions that the process did not send itself. An address that is
// not found gets no name; reports show its number and count such addresses.
func (c *code) names() (facts []wire.Fact) {
	by := map[wire.Image][]uint64{}
	for a := range c.addresses {
		// Start with the image that was loaded last: a later library may have been loaded at the address of an
		// earlier one. Because a is a return address, it may lie just behind the image; the call instruction, at a -
		// 1, is inside.
		for _, image := range slices.Backward(c.images) {
			if image.Contains(a - 1) {
				by[image] = append(by[image], a)
				break
			}
		}
	}
	until := time.Now().Add(longestNaming)
	for image, addresses := range by {
		places, err := symbols.Find(image, addresses, until)
		if err != nil && len(places) > 0 {
			facts = append(facts, wire.Fact{Kind: wire.FactWarning,
				Text: fmt.Sprintf("source lines of %s are missing: %v",
					image.Path, err)})
		}
		for _, a := range slices.Sorted(maps.Keys(places)) {
			facts = c.say(facts, a, places[a])
		}
	}
	return facts
}

// say appends facts (names and other data of variable size) to `facts` and returns the result. They state the name
// and the source line of address `a`.
func (c *code) say(facts []wire.Fact, a uint64, p symbols.Location) []wire.Fact {
	_, named := c.named[a]
	switch {
	case p.Unknown || p.NoCall:
		if !named {
			facts = append(facts, wire.Fact{Kind: wire.FactSymbol, Key: a, Aux: 1, Text: p.Name})
		}
		return facts
	case p.Name != "" && !named:
		facts = append(facts, wire.Fact{Kind: wire.FactSymbol, Key: a, Text: p.Name})
	}
	if p.Line > 0 && p.File != "" && len(p.File) < wire.MaxFactText/2 {
		facts = append(facts, wire.CodeLine{Address: a, File: p.File, Line: uint32(p.Line)}.Fact())
	}
	return facts
}
