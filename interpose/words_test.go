package main

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal/truth"
)

// wordsDiffer returns how the More record of a call differs from the call's arguments and results, or "". The truth has
// the values one after another, in the order of the table's parts; it knows nothing of their packing.
func (m model) wordsDiffer(c madeCall, e event, texts map[uint64]string, objects *numbering) string {
	// which is 0 where encoders are not timed
	parts := slices.DeleteFunc(slices.Clone(c.Row().More), func(f wire.Field) bool { return f.Role == wire.RoleSampling })
	switch {
	case len(parts) == 0 && (e.more == nil || *e.more == wire.More{}):
		return ""
	case len(parts) == 0:
		return fmt.Sprintf("recorded with words, %+v, where the table has none", *e.more)
	case e.more == nil:
		return fmt.Sprintf("recorded without words; the table has %d", len(parts))
	case len(c.words) == 0:
		return "truth does not say what else the call received"
	}
	left := [4]uint64{e.more.X0, e.more.X1, e.more.X2, uint64(e.more.X3)}
	for i, p := range parts {
		var want uint64
		if i < len(c.words) {
			want = c.words[i]
		}
		word, shift, bits := p.At.Word()
		mask := ^uint64(0) >> (64 - bits)
		got := left[word] >> shift & mask
		left[word] &^= mask << shift
		right := got == want
		switch {
		case p.Role == wire.RoleSource:
			right = texts[got] == hashOf(m.text(want))
		case p.Role.IsText():
			right = texts[got] == m.text(want) || cutShort(texts[got], m.text(want))
		case p.Role.IsObject():
			right = objects.pairs(want, got)
		}
		if !right {
			return fmt.Sprintf("recorded %s %d %q; truth has %d %q, object %d", p.Words(), got, texts[got], want, m.text(want),
				objects.traced[want])
		}
	}
	if left != [4]uint64{} {
		return fmt.Sprintf("recorded %x in words that the table does not have", left)
	}
	return ""
}

// hashOf returns the hash of a library's source, which identifies the library, in hexadecimal.
func hashOf(source string) string {
	if source == "" {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(source))
	return fmt.Sprintf("%016x", h.Sum64())
}

// wordsWithValues notes the words with a value other than 0 in the truth, by family, selector and meaning.
func wordsWithValues(file *truth.File, seen map[string]bool) {
	for _, calls := range modelOf(file).calls {
		for _, c := range calls {
			for i, f := range c.Row().More {
				if i < len(c.words) && c.words[i] != 0 {
					seen[nameOfWord(c.Row(), f)] = true
				}
			}
		}
	}
}

func nameOfWord(row wire.Row, f wire.Field) string {
	return fmt.Sprint(row.Family, " ", row.Selector, " ", f.Words())
}

// alwaysZero gives the reasons why words of the table are 0 in every check, by the start of their names.
var alwaysZero = map[string]string{
	"device newCommandQueue maximum":                             "0 stands for the default",
	"device newComputePipelineStateWithFunction:.* the label":    "there is no descriptor that could have a label",
	"device newTextureWithDescriptor:iosurface:plane: ":          "the software Metal has no surfaces, and answers nil",
	"encoder dispatchThreadgroupsWithIndirectBuffer:[^ ]* grid ": "the grid is in memory, for the GPU to read",
	"encoder fillBuffer:range:value: source buffer":              "nothing is copied",
	"mtl4Queue commit:count: ": "the tracer hands the commit on with options, and " +
		"that is what truth sees",
	"(compiler|archive) .* function$": "Metal 4 describes functions, and nobody sees the " +
		"function",
}

// everyWordSent checks that each word of each row was compared with a value other than 0 at least once: a word that is
// never written is 0.
func everyWordSent(t *testing.T, seen map[string]bool) {
	t.Helper()
	words, used := 0, map[string]bool{}
	reasonOf := func(name string) string {
		for start, reason := range alwaysZero {
			if regexp.MustCompile("^" + start).MatchString(name) {
				used[start] = true
				return reason
			}
		}
		return ""
	}
	for c := range wire.Table {
		row := wire.Call(c).Row()
		if _, message := tableCalls[row.Family][row.Selector]; !message ||
			slices.Contains([]wire.Family{wire.FamilyFunction, wire.FamilyLock, wire.FamilySignal}, row.Family) {
			continue
		}
		for _, f := range row.More {
			name := nameOfWord(row, f)
			switch reason := reasonOf(name); {
			case seen[name] && reason != "":
				t.Errorf("%s is seen; delete the reason why not: %s", name, reason)
			case !seen[name] && reason == "" && f.Role != wire.RoleSampling:
				t.Errorf("no check has a value for the word %s", name)
			default:
				words++
			}
		}
	}
	for start := range alwaysZero {
		if !used[start] {
			t.Errorf("no word is always 0 for %q: delete the reason", start)
		}
	}
	t.Logf("%d words of the table's rows are compared with truth, or 0 for a reason", words)
}
