package tracefile

import "errors"

// The reasons of a FormatError.
var (
	ErrNotTrace = errors.New("not an .mtrace file")
	ErrVersion  = errors.New("written by a newer version of mtrace")
	ErrDamaged  = errors.New("damaged")
)

// A FormatError says why a file cannot be read as a trace. Its text is one line for the user that begins with the
// path.
type FormatError struct {
	Path    string
	Problem error  // ErrNotTrace, ErrVersion or ErrDamaged
	Detail  string // the problem, and what to do
}

func (e *FormatError) Error() string { return e.Path + ": " + e.Problem.Error() + ": " + e.Detail }

func (e *FormatError) Unwrap() error { return e.Problem }
