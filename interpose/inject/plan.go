package inject

import (
	"errors"
	"fmt"
	"strings"
)

// Plan says how to start a command so that the tracing library is loaded. If the library cannot be loaded, Program,
// Args and Env are still complete and run the command untraced.
type Plan struct {
	// Program is the file to execute. It must not be looked up in PATH again.
	Program string `json:"program"`
	// Args are the program's arguments, its name first.
	Args []string `json:"args"`
	// Env is the whole environment. It contains the preload variable if the library can be loaded, or may be loaded
	// by a program that this one starts.
	Env []string `json:"-"`
	// Injectable is true if the dynamic linker of the final program will load the tracing library.
	Injectable bool `json:"injectable"`
	// Inherited is true if the program itself cannot load the library, but Env has the preload variable: programs
	// that it starts may then load the library.
	Inherited bool `json:"inherited,omitempty"`
	// Variable is the preload setting in Env, NAME=VALUE; empty if there is none.
	Variable string `json:"variable,omitempty"`
	// Chain lists the programs from the command to the final one, for example a script, env and python.
	Chain []Hop `json:"chain"`
	// Reasons explains why Injectable is false; empty if it is true.
	Reasons []Finding `json:"reasons,omitempty"`
	// Warnings are doubts that do not prevent injection.
	Warnings []Finding `json:"warnings,omitempty"`
}

// Hop is one of the programs from the command to the final one.
type Hop struct {
	// Path is the program's file as it is executed, before symbolic links are followed.
	Path string `json:"path"`
	// Args is its argument vector.
	Args []string `json:"args,omitempty"`
	// Via says why this program runs after the previous one in the chain, for example "#! line".
	Via string `json:"via,omitempty"`
	// Image describes the file.
	Image Image `json:"image"`
	// Skipped is true if the plan does not run this program, because it starts a later one directly.
	Skipped bool `json:"skipped,omitempty"`
}

// Code names one kind of finding. Codes are used in JSON and by scripts, so they must not change.
type Code string

// The reasons why the library cannot be loaded or must not be.
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

// Finding is one fact that decides about injection, with advice for the user.
type Finding struct {
	Code Code `json:"code"`
	// Path is the file that the finding is about.
	Path string `json:"path"`
	// Text is the finding, in lower case and in one line.
	Text string `json:"text"`
	// Advice says what the user can do; empty if nothing helps.
	Advice string `json:"advice,omitempty"`
}

// String returns path, text and advice in one line.
func (f Finding) String() string {
	text := f.Path + ": " + f.Text
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}

// ErrNoCommand is returned by Prepare for an empty command.
var ErrNoCommand = errors.New("no command given; name the program to run after --")

// NotFoundError says that the command, or the interpreter that a script names, does not exist.
type NotFoundError struct {
	Name string // as the user, or the script, wrote it
	From string // the script that names it; empty for the command itself
}

// Error names the missing program and the things to check.
func (e *NotFoundError) Error() string {
	switch {
	case strings.HasSuffix(e.Name, "\r"):
		return fmt.Sprintf("%s: its interpreter %q was not found; "+
			"the #! line ends in a carriage return, which dos2unix removes", e.From, e.Name)
	case e.From != "":
		return fmt.Sprintf("%s: its interpreter %s was not found; install it or correct the #! line", e.From, e.Name)
	case hasSlash(e.Name):
		return fmt.Sprintf("%s: not found; check the path", e.Name)
	default:
		return fmt.Sprintf("%s: not found in PATH; give its path or check PATH", e.Name)
	}
}

// ExitStatus returns 127, the status that shells and mtrace run report for a command that was not found.
func (e *NotFoundError) ExitStatus() int { return 127 }

// NotExecutableError says that the command exists but cannot be executed.
type NotExecutableError struct {
	Path   string
	Reason string // for instance "is a directory"
}

// Error names the file and the reason.
func (e *NotExecutableError) Error() string {
	return fmt.Sprintf("%s: cannot be executed: %s", e.Path, e.Reason)
}

// ExitStatus returns 125, with which mtrace run says that it could not start the program.
func (e *NotExecutableError) ExitStatus() int { return 125 }
