package collector

import (
	"maps"
	"slices"

	"mtrace/collector/symbols"
	"mtrace/collector/wire"
)

// mostAddresses bounds the addresses of a process that names are looked up for; a hostile one could send any number.
const mostAddresses = 1 << 18

// code is the machine code that the stacks of a process are in.
type code struct {
	images    []wire.Image
	addresses map[uint64]struct{} // without a name so far
	named     map[uint64]struct{}
}

// note takes in what facts say of it.
func (c *code) note(facts []wire.Fact) {
	for _, f := range facts {
		switch f.Kind {
		case wire.FactStack:
			s, _ := f.Stack() // checked before
			for _, a := range s.Native {
				if _, named := c.named[a]; !named && len(c.addresses) < mostAddresses {
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
			delete(c.addresses, f.Key)
		}
	}
}

// names looks up the addresses that have no name yet in the files of their images, which are on this machine. What cannot be looked
// up keeps its address for a name: the reader of the trace counts it.
func (c *code) names() (facts []wire.Fact) {
	by := map[wire.Image][]uint64{}
	for a := range c.addresses {
		// The last image that was at the place of the call, which is before the address.
		for _, image := range slices.Backward(c.images) {
			if image.Contains(a - 1) {
				by[image] = append(by[image], a)
				break
			}
		}
	}
	for image, addresses := range by {
		places, err := symbols.Find(image, addresses)
		if err != nil {
			continue
		}
		for _, a := range slices.Sorted(maps.Keys(places)) {
			switch p := places[a]; {
			case p.Unknown || p.NoCall:
				facts = append(facts, wire.Fact{Kind: wire.FactSymbol, Key: a, Aux: 1, Text: p.Name})
			case p.Name != "":
				facts = append(facts, wire.Fact{Kind: wire.FactSymbol, Key: a, Text: p.Name})
			}
		}
	}
	return facts
}
