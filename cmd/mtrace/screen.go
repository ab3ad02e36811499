package main

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// colour says whether output to f may be coloured: on a terminal, unless NO_COLOR is set (https://no-color.org).
func colour(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}

// columns is how wide text for f may be, as COLUMNS says or the terminal is; 0 when nothing says.
func columns(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}
