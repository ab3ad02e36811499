package page

import (
	"strings"

	"mtrace/analyze"
)

// A stackNumber identifies a stack in a Builder, from 1 on; 0 means that the stack is unknown.
type stackNumber int32

// Limits of the stacks in a page.
const (
	mostStacks = 4000 // of a run; blocks with further stacks have none
	mostFrames = 32   // frames of a stack, from the innermost on
)

// stacks stores each different stack of a run once. Stacks are compared by their text, because the model has new
// Stack values in each slice (time range) that is loaded.
type stacks struct {
	known  map[*analyze.Stack]stackNumber
	byText map[string]stackNumber
	list   []string // frames separated by line feeds, innermost first
}

func newStacks() stacks {
	return stacks{known: map[*analyze.Stack]stackNumber{}, byText: map[string]stackNumber{}}
}

// number returns the number of a stack and adds the stack if it is new; 0 if it is nil or there are too many.
func (s *stacks) number(of *analyze.Stack) stackNumber {
	if of == nil {
		return 0
	}
	if n, known := s.known[of]; known {
		return n
	}
	if len(s.known) > 16*mostStacks { // drop stacks of slices that are finished
		clear(s.known)
	}
	var lines []string
	for _, f := range of.Frames[:min(mostFrames, len(of.Frames))] {
		lines = append(lines, short(f.String()))
	}
	if of.Cut || len(of.Frames) > mostFrames {
		lines = append(lines, "…")
	}
	text := strings.Join(lines, "\n")
	n, known := s.byText[text]
	if !known && len(s.list) < mostStacks {
		s.list = append(s.list, text)
		n = stackNumber(len(s.list))
		s.byText[text] = n
	}
	s.known[of] = n
	return n
}

// frames returns the frames of stack number n, innermost first.
func (s *stacks) frames(n stackNumber) []string { return strings.Split(s.list[n-1], "\n") }
