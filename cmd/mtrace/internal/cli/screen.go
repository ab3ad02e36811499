package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Columns is how wide text for f may be, as COLUMNS says or the terminal is; 0 when nothing says.
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

// Bar is a picture of how much of something is done, and the percentage.
func Bar[N int | int64](done, of N) string {
	const cells = 24
	share := 1.0
	if of > 0 {
		share = min(1, float64(done)/float64(of))
	}
	full := int(share * cells)
	return fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", cells-full), 100*share)
}
