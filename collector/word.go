package collector

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// wordEnding is behind the socket's name in that of a word, before the number of the process that left it.
const wordEnding = ".word."

// A word is what a process leaves beside the socket that uses Metal and cannot say over a connection that it is not traced: a
// symbolic link whose text is the program, a line feed, and why. It is never followed.
type word struct {
	pid          int
	program, why string
}

// words takes the words that were left at a place.
func (p *place) words() (all []word) {
	folder, err := os.Open(filepath.Dir(p.path))
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, filepath.Base(p.path)+wordEnding)
		if !ok {
			continue
		}
		path := filepath.Join(filepath.Dir(p.path), name)
		text, err := os.Readlink(path)
		if err != nil {
			continue
		}
		os.Remove(path)
		number, _, _ := strings.Cut(rest, ".")
		w := word{why: text}
		w.pid, _ = strconv.Atoi(number)
		if end := strings.LastIndexByte(text, '\n'); end >= 0 {
			w.program, w.why = text[:end], text[end+1:]
		}
		all = append(all, w)
	}
	return all
}

// notTraced puts a process into the trace of which there is nothing but that, and why. It is told of like every other.
func (c *Collector) notTraced(w word) {
	p := &process{collector: c, hello: wire.Hello{Version: wire.Version, PID: w.pid, Program: w.program}}
	p.mutex.Lock()
	p.add()
	p.handFacts([]wire.Fact{{Kind: wire.FactWarning, Key: wire.NotTraced, Text: strings.ToValidUTF8(w.why, "?")}})
	p.mutex.Unlock()
	c.processEnded(p, tracefile.End{Unix: time.Now().UnixNano()})
}
