package darwin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// chunk is a part of __LINKEDIT that a load command points to.
type chunk struct {
	name                    string
	alignment, offset, size uint64
}

// linkeditChunks are all of them, by offset.
func (m *machO) linkeditChunks() []chunk {
	var chunks []chunk
	add := func(name string, alignment, offset, size uint64) {
		if size != 0 {
			chunks = append(chunks, chunk{name, alignment, offset, size})
		}
	}
	simple := map[uint32]string{
		commandSplitInfo: "shared cache info", commandFunctionStarts: "function starts", commandDataInCode: "data in code",
		commandSignature: "code signature", commandExportsTrie: "exports trie", commandChainedFixups: "chained fixups",
	}
	for _, c := range m.commands {
		word := func(at int) uint64 { return uint64(le.Uint32(c[at:])) }
		switch kind := le.Uint32(c); kind {
		case commandSymtab:
			add("symbol table", 8, word(8), 16*word(12))
			add("symbol names", 1, word(16), word(20))
		case commandDysymtab:
			add("indirect symbols", 4, word(56), 4*word(60))
			add("external relocations", 8, word(64), 8*word(68))
			add("local relocations", 8, word(72), 8*word(76))
		case commandDyldInfo, commandDyldInfoOnly:
			for i, name := range []string{"rebases", "binds", "weak binds", "lazy binds", "exports"} {
				add(name, 8, word(8+8*i), word(12+8*i))
			}
		default:
			if name := simple[kind]; name != "" {
				add(name, 8, word(8), word(12))
			}
		}
	}
	slices.SortFunc(chunks, func(a, b chunk) int { return cmp.Compare(a.offset, b.offset) })
	return chunks
}

func (m *machO) linkeditOverlaps() error {
	linkedit := m.segment("__LINKEDIT")
	if linkedit == nil || linkedit.fileSize == 0 {
		return errors.New("there is no __LINKEDIT")
	}
	chunks := m.linkeditChunks()
	if len(chunks) == 0 {
		return errors.New("__LINKEDIT holds nothing")
	}
	last, end := "the start of __LINKEDIT", linkedit.offset
	for _, c := range chunks {
		if c.offset < end {
			return fmt.Errorf("the %s overlap %s", c.name, last)
		}
		last, end = "the "+c.name, c.offset+c.size
		if end > linkedit.offset+linkedit.fileSize {
			return fmt.Errorf("the %s extend beyond __LINKEDIT", c.name)
		}
	}
	return nil
}

func (m *machO) linkeditMisaligned() error {
	for _, c := range m.linkeditChunks() {
		if c.offset%c.alignment != 0 {
			return fmt.Errorf("the %s at %#x are not aligned to %d", c.name, c.offset, c.alignment)
		}
	}
	return nil
}

func (m *machO) symbolCounts() error {
	tables, dynamics := m.all(commandSymtab), m.all(commandDysymtab)
	if len(dynamics) == 0 {
		return nil
	}
	var symbols uint32
	if len(tables) > 0 {
		symbols = le.Uint32(tables[0][12:])
	}
	word := func(at int) uint32 { return le.Uint32(dynamics[0][at:]) }
	locals, defined, undefined := word(12), word(20), word(28)
	switch {
	case word(8) != 0 || word(16) != locals || word(24) != locals+defined:
		return errors.New("local, defined and undefined symbols do not follow each other")
	case symbols != word(24)+undefined:
		return fmt.Errorf("%d symbols in one table, %d in the other", symbols, word(24)+undefined)
	}
	return nil
}

func (m *machO) twoFixupEncodings() error {
	relocations := slices.ContainsFunc(m.linkeditChunks(), func(c chunk) bool {
		return c.name == "local relocations" ||
			c.name == "external relocations"
	})
	encodings := 0
	for _, some := range []bool{relocations, len(m.all(commandDyldInfo))+len(m.all(commandDyldInfoOnly)) > 0,
		len(m.all(commandChainedFixups)) > 0} {
		if some {
			encodings++
		}
	}
	if encodings > 1 {
		return fmt.Errorf("%d ways to fix pointers up", encodings)
	}
	return nil
}

// part returns what a command points to.
func (m *machO) part(offset, size uint32) ([]byte, error) {
	if uint64(offset)+uint64(size) > uint64(len(m.data)) {
		return nil, errors.New("it lies beyond the end of the file")
	}
	return m.data[offset:][:size], nil
}
