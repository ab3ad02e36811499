package collector

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Selection says which calls of a recording are kept: of which threads, on which queues, of command buffers with
// which labels, of which names. The traced programs record all of them, as ever: what is not wanted is left out here
// (selectionFilter).
//
// What holds for all that comes later is kept whatever was asked for, and so is what the GPU did for a command buffer
// whose queue and label are wanted, whichever thread made it. A call whose queue is not known is kept.
type Selection struct {
	rules []rule
	asked []string
	held  atomic.Int64 // bytes of what is not decided yet, of all rings
}

// A rule wants, or does not want, what has a name.
type rule struct {
	subject subject
	pattern string
	without bool
}

// A subject is what a rule looks at.
type subject string

const (
	ofThread subject = "thread"
	ofQueue  subject = "queue"
	ofLabel  subject = "label" // of a command buffer
	ofCall   subject = "call"
)

// NewSelection reads rules, as "thread:worker-*". Of each subject, what one of only names is wanted, or, without any,
// all; less what one of leaveOut names. Names are as in a shell, with * and ?; threads and queues have numbers as well.
// Nil is all. The error states what is wrong with a rule.
func NewSelection(only, leaveOut []string) (*Selection, error) {
	if len(only)+len(leaveOut) == 0 {
		return nil, nil
	}
	s := &Selection{}
	for _, of := range []struct {
		flag    string
		texts   []string
		without bool
	}{{"--only", only, false}, {"--leave-out", leaveOut, true}} {
		for _, text := range of.texts {
			r, err := parseRule(text)
			if err != nil {
				return nil, fmt.Errorf("%s %w", of.flag, err)
			}
			r.without = of.without
			s.rules = append(s.rules, r)
			s.asked = append(s.asked, of.flag+" "+text)
		}
	}
	return s, nil
}

func parseRule(text string) (r rule, err error) {
	kind, pattern, found := strings.Cut(text, ":")
	r = rule{subject: subject(kind), pattern: pattern}
	if !found || pattern == "" || !slices.Contains([]subject{ofThread, ofQueue, ofLabel, ofCall}, r.subject) {
		return r, fmt.Errorf("is thread:NAME, queue:LABEL, label:LABEL or call:SELECTOR, not %q", text)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return r, fmt.Errorf("%q: %w", text, err)
	}
	return r, nil
}

// Asked is what was requested, flag by flag; empty is all.
func (s *Selection) Asked() []string {
	if s == nil {
		return nil
	}
	return s.asked
}

// wants says whether what has a name is wanted. The number is another name; 0 is none.
func (s *Selection) wants(of subject, name string, number uint64) bool {
	named, meant := false, false
	for i := range s.rules {
		r := &s.rules[i]
		if r.subject != of {
			continue
		}
		matches := r.matches(name, number)
		if r.without && matches {
			return false
		}
		if !r.without {
			named, meant = true, meant || matches
		}
	}
	return meant || !named
}

func (r *rule) matches(name string, number uint64) bool {
	if n, err := strconv.ParseUint(r.pattern, 10, 64); err == nil && n == number && number != 0 {
		return true
	}
	// * stands for all of a label, which is no path
	whole := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	found, err := path.Match(whole(r.pattern), whole(name))
	return err == nil && found
}
