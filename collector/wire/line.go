package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// A CodeLine is the source line of a frame of a native call stack: the statement that was running in the frame's
// function.
type CodeLine struct {
	Address uint64 // return address of the frame
	File    string
	Line    uint32 // line number, from 1
}

// Fact encodes the line as a FactLine, whose text is the line number, a blank and the file.
func (l CodeLine) Fact() Fact {
	return Fact{Kind: FactLine, Key: l.Address, Text: fmt.Sprintf("%d %s", l.Line, l.File)}
}

// CodeLine decodes a FactLine. It returns an error if the text does not have the form that CodeLine.Fact gives it.
func (f Fact) CodeLine() (l CodeLine, err error) {
	number, file, whole := strings.Cut(f.Text, " ")
	line, err := strconv.ParseUint(number, 10, 32)
	if f.Kind != FactLine || err != nil || line == 0 || !whole || file == "" {
		return l, fmt.Errorf("line: %q must be a line number and a file, separated by a blank", f.Text)
	}
	return CodeLine{Address: f.Key, File: file, Line: uint32(line)}, nil
}
