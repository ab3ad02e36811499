package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mtrace/collector/tracefile"
)

// For each incomplete trace the receiver keeps a note, a JSON file next to it, which contains the session (the random
// number of that trace). When the sender connects again, even to another receiver on the same folder, the trace
// continues where it ended. The note is removed when the sender knows that the receiver has the whole trace.

// notesKept is how long the note of an incomplete trace is kept if its sender does not connect again.
const notesKept = 7 * 24 * time.Hour

// A note is the JSON file beside an incomplete trace. With it the sender can continue to send the trace, even after the
// receiver was restarted.
type note struct {
	Schema  string `json:"schema"` // noteSchema
	Session string `json:"session"`
	File    string `json:"file"` // the trace's file name, in the folder of the note
}

const noteSchema = "mtrace.relay-note/1"

// An incoming is a trace that is being received. Only one connection at a time writes to it.
type incoming struct {
	note
	dir     string
	mark    *os.File          // open as long as more data may arrive; it marks the file as being written
	feeding sync.Mutex        // held by the connection that delivers the trace
	there   *tracefile.Copier // copies the received trace; nil until the file was opened. Guarded by feeding

	mutex sync.Mutex // guards what follows
	conn  net.Conn   // the connection that sends the trace now; nil if there is none
	told  bool       // the path of the trace was reported
}

// sessions has the incomplete traces of a receiver's folder, which their senders may continue.
type sessions struct {
	dir   string
	mutex sync.Mutex
	all   map[string]*incoming // by note.Session
}

func notePath(dir, session string) string {
	return filepath.Join(dir, ".relay-"+session+".json")
}

// openSessions reads the notes in a folder, each of which describes an incomplete trace. It removes invalid notes and
// those whose trace is missing or was not written to for notesKept.
func openSessions(dir string) (*sessions, error) {
	s := &sessions{dir: dir, all: map[string]*incoming{}}
	paths, err := filepath.Glob(notePath(dir, "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // this user may not read the note
		}
		n, err := decodeNote(text)
		stat, gone := os.Lstat(filepath.Join(dir, n.File))
		if err != nil || gone != nil || !stat.Mode().IsRegular() || time.Since(stat.ModTime()) > notesKept {
			os.Remove(path)
			continue
		}
		s.all[n.Session] = &incoming{note: n, dir: dir}
	}
	return s, nil
}

func decodeNote(text []byte) (n note, err error) {
	if err := json.Unmarshal(text, &n); err != nil || n.Schema != noteSchema {
		return note{}, fmt.Errorf("not a note of %s", noteSchema)
	}
	if !isSession(n.Session) || n.File != filepath.Base(n.File) || !strings.HasSuffix(n.File, ".mtrace") {
		return note{}, errors.New("a note without a valid session or file name")
	}
	return n, nil
}

// take returns the trace that a request names; it creates the trace if it is new. Only conn may then write to the
// trace: take closes an earlier connection of the same sender and waits until it has stopped writing. The caller must
// call giveBack.
func (s *sessions) take(q request, conn net.Conn) (*incoming, error) {
	s.mutex.Lock()
	in := s.all[q.Session]
	if in == nil && q.First > 0 {
		s.mutex.Unlock()
		return nil, fmt.Errorf(
			"the first %d bytes of the trace went to a collector with another folder, or were removed", q.First)
	}
	if in == nil {
		var err error
		if in, err = s.begin(q); err != nil {
			s.mutex.Unlock()
			return nil, err
		}
	}
	s.mutex.Unlock()
	in.mutex.Lock()
	if in.conn != nil {
		in.conn.Close()
	}
	in.mutex.Unlock()
	in.feeding.Lock()
	in.mutex.Lock()
	in.conn = conn
	in.mutex.Unlock()
	return in, nil
}

// begin creates the file and the note of a new trace; the note lets the sender continue it later. The caller holds
// the mutex.
func (s *sessions) begin(q request) (*incoming, error) {
	file, err := createNew(s.dir, cleanName(q.Name))
	if err != nil {
		return nil, err
	}
	tracefile.MarkWritten(file)
	in := &incoming{note: note{noteSchema, q.Session, filepath.Base(file.Name())}, dir: s.dir, mark: file}
	if err := os.WriteFile(notePath(s.dir, q.Session), encode(in.note), 0o600); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, fmt.Errorf("make a note of the trace: %w", err)
	}
	s.all[q.Session] = in
	return in, nil
}

func (in *incoming) giveBack() {
	in.mutex.Lock()
	in.conn = nil
	in.mutex.Unlock()
	in.feeding.Unlock()
}

// forget ends a session and removes its note: the trace is complete or its file is gone, so nothing more can arrive.
func (s *sessions) forget(in *incoming) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.all, in.Session)
	os.Remove(notePath(s.dir, in.Session))
	if in.mark != nil {
		in.mark.Close()
	}
}

// unfinished returns the paths of the incomplete traces that were not reported yet. Their senders may still continue
// them.
func (s *sessions) unfinished() (paths []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, in := range s.all {
		if in.there != nil && in.tell() {
			paths = append(paths, in.path())
		}
	}
	slices.Sort(paths)
	return paths
}

func (in *incoming) path() string { return filepath.Join(in.dir, in.File) }

// open opens the file of a trace for writing after its last complete block, and cuts off an incomplete block. If an
// earlier receiver wrote the file, open first reads it to find that position.
func (in *incoming) open() (*os.File, error) {
	file, err := os.OpenFile(in.path(), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the trace: %w", err)
	}
	if in.there == nil {
		there := &tracefile.Copier{Dst: io.Discard, Name: "the trace"}
		var format *tracefile.FormatError
		if err = there.From(file); err == nil || errors.As(err, &format) { // damaged blocks are sent again
			in.there, err = there, nil
		}
	}
	if err == nil {
		err = file.Truncate(in.there.Size())
	}
	if err == nil {
		_, err = file.Seek(in.there.Size(), io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("continue the trace: %w", err)
	}
	return file, nil
}

// tell returns true at its first call only: the caller then reports the path of the trace, so that each trace is
// reported once.
func (in *incoming) tell() (first bool) {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	first, in.told = !in.told, true
	return first
}
