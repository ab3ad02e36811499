package collector

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mtrace/collector/symbols"
	"mtrace/collector/wire"
)

// mostAddresses is the maximum number of addresses per process whose names are looked up; a hostile process could send
// any number.
const mostAddresses = 1 << 18

// longestNaming is the maximum time for looking up the source lines of a process, because the user waits for it.
const longestNaming = 3 * time.Second

// code is the machine code of a process's stacks.
type code struct {
	images    []wire.Image
	addresses map[uint64]struct{}
	named     map[uint64]struct{} // by the process itself
}

// note stores the facts that concern code.
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

// names looks up the addresses in the files of their images on this machine: the names that the process did not send,
// and the lines. An address that is not found keeps its number as a name; the reader of the trace counts such
// addresses.
func (c *code) names() (facts []wire.Fact) {
	by := map[wire.Image][]uint64{}
	for a := range c.addresses {
		// search from the latest image: an address belongs to the last one that contained the call, which is before the
		// return address
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
			facts = append(facts, wire.Fact{Kind: wire.FactWarning, Text: fmt.Sprintf("source lines of %s are missing: %v",
				image.Path, err)})
		}
		for _, a := range slices.Sorted(maps.Keys(places)) {
			facts = c.say(facts, a, places[a])
		}
	}
	return facts
}

// say appends facts with the name and the line of an address.
func (c *code) say(facts []wire.Fact, a uint64, p symbols.Place) []wire.Fact {
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
