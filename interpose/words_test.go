package main

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal/truth"
)

// A part is what the table says of a part of a More record: all of a word, or a half of one.
type part struct {
	word    int // 0 for x0, …
	shift   int
	bits    int
	meaning string
}

// partsOf reads what a row says of its More record: "x0 grid width | height<<32, x1 …" are two halves of x0, and so on.
func partsOf(row wire.Row) (parts []part) {
	text, _, _ := strings.Cut(row.More, " (")
	for i, word := range strings.Split(text, ", x") {
		if text == "" {
			break
		}
		var number int
		word = strings.TrimPrefix(word, "x")
		if _, err := fmt.Sscanf(word, "%d ", &number); err != nil || number < i || number > 3 {
			panic("no word: " + row.More)
		}
		_, meaning, _ := strings.Cut(word, " ")
		low, high, halves := strings.Cut(meaning, " | ")
		if !halves {
			parts = append(parts, part{number, 0, 64, meaning})
			continue
		}
		parts = append(parts, part{number, 0, 32, low}, part{number, 32, 32, strings.TrimSuffix(high, "<<32")})
	}
	return parts
}

// objectWords are the parts that are numbers of objects, valueWords those that are values as they are; texts say so themselves.
var (
	objectWords = []string{"event", "allocator", "source buffer", "destination buffer", "the function's ObjectID",
		"first command buffer", "second", "third", "fourth", "fifth", "sixth"}
	valueWords = []string{"nothing", "maximum of command buffers", "bytes", "source bytes", "MTLResourceOptions", "contents pointer", "MTLDispatchType", "timeout ms",
		"grid width", "height", "grid depth", "group width", "group height", "group depth"}
)

// wordsDiffer says how the More record of a call is not what it received and made, or "". Truth has the values one after another, as the
// table has the parts; it knows nothing of how they are packed.
func (m model) wordsDiffer(c madeCall, e event, texts map[uint64]string, objects *numbering) string {
	parts := partsOf(c.Row())
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.meaning == "Sampling" }) // which is 0 where encoders are not timed
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
		mask := ^uint64(0) >> (64 - p.bits)
		got := left[p.word] >> p.shift & mask
		left[p.word] &^= mask << p.shift
		meaning, _, _ := strings.Cut(p.meaning, ",")
		right := false
		switch {
		case strings.HasPrefix(meaning, "StringID") && strings.Contains(meaning, "hash"):
			right = texts[got] == hashOf(m.text(want))
		case strings.HasPrefix(meaning, "StringID"):
			right = texts[got] == m.text(want) || cutShort(texts[got], m.text(want))
		case slices.Contains(objectWords, meaning):
			right = objects.pairs(want, got)
		case slices.Contains(valueWords, meaning):
			right = got == want
		default:
			return fmt.Sprintf("the table has %q in its words, which this test does not know", p.meaning)
		}
		if !right {
			return fmt.Sprintf("recorded %s %d %q; truth has %d %q, object %d", p.meaning, got, texts[got], want, m.text(want), objects.traced[want])
		}
	}
	if left != [4]uint64{} {
		return fmt.Sprintf("recorded %x in words that the table does not have", left)
	}
	return ""
}

// hashOf is what a library is told by: the hash of its source, in hexadecimal.
func hashOf(source string) string {
	if source == "" {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(source))
	return fmt.Sprintf("%016x", h.Sum64())
}

// wordsWithValues notes the words that truth has another value for than 0, by family, selector and meaning.
func wordsWithValues(file *truth.File, seen map[string]bool) {
	for _, calls := range modelOf(file).calls {
		for _, c := range calls {
			for i, p := range partsOf(c.Row()) {
				if i < len(c.words) && c.words[i] != 0 {
					seen[nameOfWord(c.Row(), p)] = true
				}
			}
		}
	}
}

func nameOfWord(row wire.Row, p part) string {
	return fmt.Sprint(row.Family, " ", row.Selector, " ", p.meaning)
}

// alwaysZero says why words of the table are 0 in every check, by the start of their names.
var alwaysZero = map[string]string{
	"device newCommandQueue maximum":                                         "0 stands for the default",
	"device newComputePipelineStateWithFunction:.* the label":                "there is no descriptor that could have a label",
	"device newTextureWithDescriptor:iosurface:plane: ":                      "the software Metal has no surfaces, and answers nil",
	"encoder dispatchThreadgroupsWithIndirectBuffer:[^ ]* (grid .*|height)$": "the grid is in memory, for the GPU to read",
	"encoder fillBuffer:range:value: source buffer":                          "nothing is copied",
	"mtl4Queue commit:count: ":                                               "the tracer hands the commit on with options, and that is what truth sees",
	"(compiler|archive) .* the function's ObjectID":                          "Metal 4 describes functions, and nobody sees the function",
}

// everyWordSent checks that each word of each row was compared with another value than 0 at least once: a word that is never written is 0.
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
		if _, message := tableCalls[row.Family][row.Selector]; !message || slices.Contains([]wire.Family{wire.FamilyFunction, wire.FamilyLock, wire.FamilySignal}, row.Family) {
			continue
		}
		for _, p := range partsOf(row) {
			name := nameOfWord(row, p)
			switch reason := reasonOf(name); {
			case seen[name] && reason != "":
				t.Errorf("%s is seen; delete the reason why not: %s", name, reason)
			case !seen[name] && reason == "" && p.meaning != "nothing" && p.meaning != "Sampling":
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
