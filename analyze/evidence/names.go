package evidence

import (
	"fmt"

	"mtrace/analyze"
)

// ThreadName is a thread in words.
func ThreadName(t *analyze.Thread) string {
	if t.Name == "" {
		return fmt.Sprintf("thread %d", t.ID)
	}
	return fmt.Sprintf("%s %d", t.Name, t.ID)
}
