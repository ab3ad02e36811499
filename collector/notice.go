package collector

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// noticeEnding separates the socket's name and the process id in the file name of a notice.
const noticeEnding = ".word."

// A notice reports a process that uses Metal and is not traced. A process that cannot connect leaves the notice next
// to the socket, as a symbolic link whose target text is the program, a line feed, and the reason. The collector
// reads the text and never follows the link, so a hostile link does no harm.
type notice struct {
	pid          int
	program, why string
}

// notices reads and removes the notices that processes left next to an endpoint's socket.
func (p *endpoint) notices() (all []notice) {
	folder, err := os.Open(filepath.Dir(p.path))
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, filepath.Base(p.path)+noticeEnding)
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
		w := notice{why: text}
		w.pid, _ = strconv.Atoi(number)
		if end := strings.LastIndexByte(text, '\n'); end >= 0 {
			w.program, w.why = text[:end], text[end+1:]
		}
		all = append(all, w)
	}
	return all
}
