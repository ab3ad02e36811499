package inject

import (
	"errors"
	"fmt"
	"strings"
)

// Plan describes how to start a command so that the tracing library is loaded. Program, Args and Env are complete and
// valid even if the library cannot be loaded: then they run the command untraced.
type Plan struct {
	// Program is the file to execute; it is not looked up in PATH again.
	Program string `json:"program"`
	// Args is the argument vector, the program's name first.
	Args []string `json:"args"`
	// Env is the whole environment, with the preload variable if that is useful.
	Env []string `json:"-"`
	// Injectable is true when the dynamic linker of the program that does the
	// work will load the library.
	Injectable bool `json:"injectable"`
	// Inherited is true when the program itself cannot load the library but Env still has the variable for the programs
	// that it starts.
	Inherited bool `json:"inherited,omitempty"`
	// Variable is the preload setting put into Env, NAME=VALUE, or empty.
	Variable string `json:"variable,omitempty"`
	// Chain lists every program between the command and the final image.
	Chain []Hop `json:"chain"`
	// Reasons explains why Injectable is false; empty when it is true.
	Reasons []Finding `json:"reasons,omitempty"`
	// Warnings are doubts that do not prevent the injection.
	Warnings []Finding `json:"warnings,omitempty"`
}

// Hop is one program between the command and the final image.
type Hop struct {
	// Path is the file as it is executed, before symbolic links are followed.
	Path string `json:"path"`
	// Args is its argument vector.
	Args []string `json:"args,omitempty"`
	// Via is how the previous hop led to this one, for example "#! line".
	Via string `json:"via,omitempty"`
	// Image describes the file.
	Image Image `json:"image"`
	// Skipped is true when the plan starts a later hop directly.
	Skipped bool `json:"skipped,omitempty"`
}

// Code names one kind of finding; it is stable and used in JSON.
type Code string

// Reasons why the library cannot, or must not, be loaded.
const (
	StaticProgram       Code = "static-program"
	SetID               Code = "set-id"
	FileCapabilities    Code = "file-capabilities"
	WrongFormat         Code = "wrong-format"
	WrongMachine        Code = "wrong-machine"
	OtherCLibrary       Code = "other-c-library"
	SystemProtected     Code = "system-protected"
	PlatformBinary      Code = "platform-binary"
	RestrictSegment     Code = "restrict-segment"
	RestrictFlag        Code = "restrict-flag"
	HardenedRuntime     Code = "hardened-runtime"
	LibraryValidation   Code = "library-validation"
	PointerAuthentic    Code = "arm64e"
	WrongPlatform       Code = "wrong-platform"
	NoDynamicLinker     Code = "no-dynamic-linker"
	Unsigned            Code = "unsigned"
	DamagedImage        Code = "damaged-image"
	UnreadableImage     Code = "unreadable-image"
	LibraryMissing      Code = "library-missing"
	LibraryPath         Code = "library-path"
	LibraryFormat       Code = "library-format"
	LibraryLacksMachine Code = "library-lacks-machine"
	LibraryQuarantined  Code = "library-quarantined"
	GoHost              Code = "go-host"
	Sandboxed           Code = "sandboxed"
	ReExecution         Code = "re-execution"
	ChildUnknown        Code = "child-unknown"
	NotFollowed         Code = "not-followed"
	NeverLoaded         Code = "never-loaded"
	Dropped             Code = "dropped"
	NoMetal             Code = "no-metal"
	StillRunning        Code = "still-running"
	UnseenDevice        Code = "unseen-device"
	NotTraced           Code = "not-traced"
)

// Finding is a fact that decides about injection, with advice.
type Finding struct {
	Code Code `json:"code"`
	// Path is the file the finding is about.
	Path string `json:"path"`
	// Text states what was found: lower case, one line.
	Text string `json:"text"`
	// Advice states what the user can do; empty when nothing helps.
	Advice string `json:"advice,omitempty"`
}

// String joins path, text and advice into one line.
func (f Finding) String() string {
	text := f.Path + ": " + f.Text
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}

// ErrNoCommand is returned by Prepare for an empty command.
var ErrNoCommand = errors.New("no command given; name the program to run after --")

// NotFoundError is returned if the command, or the interpreter that one of its scripts names, does not exist.
type NotFoundError struct {
	Name string // as the user, or the script, wrote it
	From string // the script that names it; empty for the command itself
}

// Error names the program and states what to check.
func (e *NotFoundError) Error() string {
	switch {
	case strings.HasSuffix(e.Name, "\r"):
		return fmt.Sprintf("%s: its interpreter %q was not found; the #! line ends in a carriage return, which dos2unix "+
			"removes", e.From, e.Name)
	case e.From != "":
		return fmt.Sprintf("%s: its interpreter %s was not found; install it or correct the #! line", e.From, e.Name)
	case hasSlash(e.Name):
		return fmt.Sprintf("%s: not found; check the path", e.Name)
	default:
		return fmt.Sprintf("%s: not found in PATH; give its path or check PATH", e.Name)
	}
}

// ExitStatus is the status a shell, and mtrace run, report for this error.
func (e *NotFoundError) ExitStatus() int { return 127 }

// NotExecutableError is returned if the command exists and cannot be executed.
type NotExecutableError struct {
	Path   string
	Reason string // for instance "is a directory"
}

// Error names the file and the reason.
func (e *NotExecutableError) Error() string {
	return fmt.Sprintf("%s: cannot be executed: %s", e.Path, e.Reason)
}

// ExitStatus is mtrace run's status when it could not start the program.
func (e *NotExecutableError) ExitStatus() int { return 125 }
