package collector

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Selection decides which calls the trace gets, by their thread, their queue, the label of their command buffer,
// and their name. The traced programs still record all calls; selectionFilter drops the unwanted records in the
// collector.
//
// Three kinds of records are always kept: those that later records depend on (for example the creation of a queue),
// calls whose queue is not known, and the GPU's work for a command buffer whose queue and label are wanted, whichever
// thread created it.
type Selection struct {
	rules []rule
	asked []string
	held  atomic.Int64 // bytes of undecided records of all rings
}

// A rule includes the objects of one kind whose name matches a pattern, or excludes them if `without` is set.
type rule struct {
	subject subject
	pattern string
	without bool
}

// A subject is the kind of object that a rule refers to.
type subject string

const (
	ofThread subject = "thread"
	ofQueue  subject = "queue"
	ofLabel  subject = "label" // of a command buffer
	ofCall   subject = "call"
)

// NewSelection parses rules such as "thread:worker-*". If `only` has rules for a kind of object, it includes only
// objects that match one of them. Objects that match a rule in leaveOut are never included. Names are shell patterns
// with * and ?; threads and queues may also be given by number. Without rules NewSelection returns nil, which
// includes everything.
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
		return r, fmt.Errorf("must be thread:NAME, queue:LABEL, label:LABEL or call:SELECTOR, not %q", text)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return r, fmt.Errorf("%q: %w", text, err)
	}
	return r, nil
}

// Asked returns the rules as the user wrote them, with their flags; nil if everything is wanted.
func (s *Selection) Asked() []string {
	if s == nil {
		return nil
	}
	return s.asked
}

// wants reports whether the rules include an object of this kind and name. A rule may also name the object by its
// number, unless that is 0.
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
	// path.Match stops * at a slash, so slashes are replaced: a label is not a path, and * must match all of it
	whole := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	found, err := path.Match(whole(r.pattern), whole(name))
	return err == nil && found
}
