package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Columns returns how many characters fit into a line of f: the variable COLUMNS, otherwise the terminal's width; 0
// if f is no terminal.
func Columns(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// Bar returns a progress bar for done out of "of", such as "[####....] 50%".
func Bar[N int | int64](done, of N) string {
	const cells = 24
	share := 1.0
	if of > 0 {
		share = min(1, float64(done)/float64(of))
	}
	full := int(share * cells)
	return fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", cells-full), 100*share)
}
