package analyze

import (
	"fmt"
	"strings"
)

// A Coverage describes how much of a process's use of Metal was recorded. The tracer counts this separately from its
// records, so it always covers the whole process, even if only a range was loaded.
type Coverage struct {
	Process     *Process
	Classes     []string         // classes whose methods were hooked, in the order in which the tracer met them
	Unhooked    []UnhookedClass  // classes that the program used although not all of their methods are hooked
	Nested      map[string]int64 // number of calls nested in recorded calls, which the tracer skips on purpose, by family
	Commits     Audit            // command buffers that their queue took
	Completions Audit            // command buffers that were reported to their queue as completed
	SelfCheck   []CheckedCall    // nil when none was made
}

// An UnhookedClass is a class whose objects the program used although the tracer records none, or only some, of its
// methods. Work done through the other methods is missing from the trace.
type UnhookedClass struct {
	Name, Family string
	Methods      int // how many methods are not recorded; 0 means all of them
}

// An Audit checks that no call was missed. Made counts objects in an internal function of Metal through which all of
// them pass. Seen counts how many of these the hooks on Metal's public methods recorded. Made is 0 if there were
// none, or if this version of Metal has no such function.
type Audit struct{ Made, Seen int64 }

// Share returns Seen divided by Made, 0 to 1. `known` is false if Made is 0.
func (a Audit) Share() (share float64, known bool) {
	if a.Made == 0 {
		return 0, false
	}
	return float64(a.Seen) / float64(a.Made), true
}

// A CheckedCall is a kind of call that the tracer's self-check made Made times, to test the recording. Seen is how many
// of these calls were recorded; if it differs from Made, the trace cannot be trusted.
type CheckedCall struct {
	Selector   string
	Made, Seen int
}

// warnings returns one line for each kind of calls or objects that were not recorded; none if everything was
// recorded. Each line begins with the text in `who`: the name of the process.
func (c *Coverage) warnings(who string) (lines []string) {
	if missed := c.Commits.Made - c.Commits.Seen; missed > 0 {
		lines = append(lines, fmt.Sprintf(
			"%s%d of %d commits seen: the tracer did not see %d command buffers, and their work is missing below. "+
				"Their class is unknown, or the program looked up the commit method before the tracer replaced it",
			who, c.Commits.Seen, c.Commits.Made, missed))
	}
	if missed := c.Completions.Made - c.Completions.Seen; missed > c.Commits.Made-c.Commits.Seen {
		lines = append(lines, fmt.Sprintf(
			"%s%d of %d completions seen: the report lacks the GPU times of the other command buffers",
			who, c.Completions.Seen, c.Completions.Made))
	}
	var whole []string
	for _, u := range c.Unhooked {
		if u.Methods == 0 {
			whole = append(whole, u.Name)
		}
	}
	if len(whole) > 0 {
		lines = append(lines, fmt.Sprintf(
			"%scalls on these classes are missing, because their methods are not hooked: %s",
			who, strings.Join(whole, ", ")))
	}
	if made, seen, wrong := c.checked(); len(wrong) > 0 {
		lines = append(lines, fmt.Sprintf("%sTHE SELF-CHECK FAILED: %d of %d calls seen (%s): "+
			"do not trust the report below; please report this with the output of mtrace doctor --json",
			who, seen, made, strings.Join(wrong, ", ")))
	}
	return lines
}

// checked adds up the calls that the self-check made and those that were recorded. `wrong` lists the calls whose two
// counts differ.
func (c *Coverage) checked() (made, seen int, wrong []string) {
	for _, k := range c.SelfCheck {
		made, seen = made+k.Made, seen+min(k.Seen, k.Made)
		if k.Made != k.Seen {
			wrong = append(wrong, fmt.Sprintf("%s %d of %d", k.Selector, k.Seen, k.Made))
		}
	}
	return made, seen, wrong
}

// SelfChecked returns how many calls the tracer's self-check made, and how many of them were recorded. `made` is 0
// when there was no self-check.
func (c *Coverage) SelfChecked() (made, seen int) {
	made, seen, _ = c.checked()
	return made, seen
}
