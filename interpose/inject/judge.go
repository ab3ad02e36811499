package inject

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// judgement describes how the dynamic linker of one program will react to the preload variable.
type judgement struct {
	// loads: the dynamic linker will load the tracing library into the process.
	loads bool
	// passes: the programs that this one starts will still have the preload variable in their environment.
	passes bool
	// harmless: setting the variable does no harm even if the library is not loaded. If false, dyld would kill the
	// program, or ld.so would print a complaint to its standard error.
	harmless bool
	reasons  []Finding
	warnings []Finding
}

func (j *judgement) refuse(code Code, path, text, advice string) {
	j.loads = false
	j.reasons = append(j.reasons, Finding{Code: code, Path: path, Text: text, Advice: advice})
}

func (j *judgement) warn(code Code, path, text, advice string) {
	j.warnings = append(j.warnings, Finding{Code: code, Path: path, Text: text, Advice: advice})
}

// judge decides how the dynamic linker of one program in the chain reacts. image describes the program, library the
// tracing library.
func judge(h Host, path string, image, library Image) judgement {
	j := judgement{loads: true, passes: true, harmless: true}
	switch {
	case image.Format == foreignFormat(h):
		j.harmless = false
		j.refuse(WrongFormat, path, "is a program of another system ("+string(image.Format)+")",
			"use a build of it for this system")
	case image.problem.Code != "":
		j.loads, j.harmless = false, false
		j.reasons = append(j.reasons, image.problem)
	case image.Format == FormatMachO:
		judgeMachO(h, &j, path, image, library)
	case image.Format == FormatELF:
		judgeELF(h, &j, path, image, library)
	default:
		j.harmless = false
		j.refuse(WrongFormat, path, "is not a program in a format that mtrace knows (ELF, Mach-O or script)", "")
	}
	if image.Go && j.loads {
		j.warn(GoHost, path, "is a Go program: the library brings a second Go runtime into it",
			"if it misbehaves only under mtrace, report that as a bug of mtrace")
	}
	return j
}

// foreignFormat returns the executable format of the other system, which this system's kernel cannot run.
func foreignFormat(h Host) Format {
	if h.OS == "darwin" {
		return FormatELF
	}
	return FormatMachO
}

// judgeELF applies the rules of ld.so(8). For set-id programs and programs with capabilities, ld.so ignores a preload
// path with slashes and removes the variable from the environment.
func judgeELF(h Host, j *judgement, path string, image, library Image) {
	facts, err := h.Facts(h.absolute(path))
	if err == nil && gainsID(h, facts) {
		j.passes = false
		j.refuse(SetID, path, "changes user or group when executed, so the dynamic linker ignores LD_PRELOAD",
			"run mtrace as that user; instead of sudo PROGRAM, use sudo mtrace run -- PROGRAM")
	}
	if err == nil && facts.Capabilities && h.UID != 0 {
		j.passes = false
		j.refuse(FileCapabilities, path, "has file capabilities, so the dynamic linker ignores LD_PRELOAD",
			"trace a copy of it: cp does not copy capabilities")
	}
	if !image.Dynamic {
		j.refuse(StaticProgram, path, "is linked statically: no dynamic linker reads LD_PRELOAD",
			"link the program dynamically; Metal itself needs a dynamic linker")
		return
	}
	switch wanted := elfMachineOf(h.Arch); {
	case image.Machine != wanted && image.Machine != library.Machine:
		j.harmless = false
		j.refuse(WrongMachine, path, "is built for "+image.Machine+", but this machine and the library are for "+wanted,
			"use a build of it for "+wanted)
	case image.Machine != library.Machine:
		j.harmless = false
		j.refuse(LibraryLacksMachine, path, "is for "+image.Machine+", the library is for "+library.Machine,
			"build mtrace on this machine")
	}
	if ours, its := cLibrary(library), cLibrary(image); ours != "" && its != "" && ours != its {
		j.harmless = false
		j.refuse(OtherCLibrary, path, "uses "+its+", the library uses "+ours,
			"build mtrace against "+its+", in the container in which the program runs")
	}
}

// gainsID reports whether executing the file changes the effective user or group.
func gainsID(h Host, facts FileFacts) bool {
	return facts.Mode&modeSetUID != 0 && facts.UID != h.UID || facts.Mode&modeSetGID != 0 && facts.GID != h.GID
}

// cLibrary returns the name of the C library with which an ELF image was linked (glibc, musl). An executable names its
// dynamic linker, which shows the C library. A shared library names none, so its dependencies show the C library.
func cLibrary(image Image) string {
	if strings.HasPrefix(filepath.Base(image.Interpreter), "ld-musl-") {
		return "musl"
	}
	for _, needed := range image.Needed {
		switch {
		case strings.HasPrefix(needed, "libc.musl-"), needed == "libc.so":
			return "musl"
		case needed == "libc.so.6":
			return "glibc"
		}
	}
	return ""
}

const (
	useAnother   = "use a copy that does not come with macOS, for instance Homebrew's"
	putBehind    = "put mtrace directly before the program that it starts"
	lacksSliceIs = "the tracing library contains no code for that processor"
)

// judgeMachO applies the rules of dyld and of AMFI, the kernel's check of signatures. For a protected program dyld
// removes every DYLD_ variable, so that the program's children do not have them, either. For any other program dyld
// loads the library or, if it cannot, ends the program.
func judgeMachO(h Host, j *judgement, path string, image, library Image) {
	if image.Machine == "" {
		j.harmless = false
		j.refuse(WrongMachine, path, "has slices for "+strings.Join(image.Machines,
			", ")+", none for this machine ("+h.Arch+")", "install a build for this machine")
		return
	}
	facts, err := h.Facts(h.absolute(path))
	protected := func(code Code, text, advice string) {
		j.passes = false
		j.refuse(code, path, text, advice)
	}
	if err == nil && facts.Restricted && !h.ProtectionOff {
		protected(SystemProtected, "is protected by System Integrity Protection: "+
			"dyld drops DYLD_INSERT_LIBRARIES, for all it starts too", protectedAdvice(h, path))
	} else if image.Signature != nil && image.Signature.Platform != 0 && !h.ProtectionOff {
		protected(PlatformBinary, "is part of macOS (platform binary): "+
			"dyld drops DYLD_INSERT_LIBRARIES, for all it starts too", protectedAdvice(h, path))
	}
	if err == nil && facts.Mode&(modeSetUID|modeSetGID) != 0 {
		protected(SetID, "is set-user-id or set-group-id: dyld drops DYLD_INSERT_LIBRARIES",
			"run mtrace as that user; instead of sudo PROGRAM, use sudo mtrace run -- PROGRAM")
	}
	if image.RestrictSegment {
		protected(RestrictSegment, "has a __RESTRICT segment: dyld drops DYLD_INSERT_LIBRARIES",
			"link the program without -sectcreate __RESTRICT")
	}
	judgeSignature(h, j, path, image, protected)
	if image.Platform > platformMacOS {
		j.harmless = false
		j.refuse(WrongPlatform, path, "is built for another platform than macOS, so it cannot load the tracing library",
			"use a build of the program for macOS")
	}
	if !image.Dynamic {
		j.refuse(NoDynamicLinker, path, "is linked statically: no dynamic linker reads DYLD_INSERT_LIBRARIES",
			"link the program dynamically")
	}
	if j.loads && !hasSlice(library, image.Machine) {
		j.harmless = false
		advice := "use the universal libmtrace.dylib, which ./build.sh cross builds"
		code := LibraryLacksMachine
		if image.Machine == "arm64e" {
			code, advice = PointerAuthentic, "use an arm64 build of the program"
		}
		j.refuse(code, path, "is built for "+image.Machine+", and "+lacksSliceIs+
			" (it has "+strings.Join(library.Machines, ", ")+")", advice)
	}
}

// signAgain returns shell commands that copy the program and sign the copy ad hoc, without the flags that forbid
// other libraries. That is enough for a program, but not for an application that needs the rest of its bundle.
func signAgain(path string) string {
	name := filepath.Base(path)
	return fmt.Sprintf(
		"sign a copy and trace the copy: cp %q ./%s-traced && codesign --force --sign - ./%[2]s-traced", path, name)
}

// judgeSignature applies the rules for code signatures and entitlements to j. protected is called for each reason
// that makes dyld drop its variables.
func judgeSignature(h Host, j *judgement, path string, image Image, protected func(Code, string, string)) {
	signature := image.Signature
	if signature == nil {
		if strings.HasPrefix(image.Machine, "arm64") {
			j.harmless = false
			j.refuse(Unsigned, path, "has no code signature: the kernel ends unsigned arm64 programs",
				"sign it: codesign --sign - "+path)
		}
		return
	}
	if signature.has(SignatureRestrict) {
		protected(RestrictFlag, "is signed with the restrict flag: dyld drops DYLD_INSERT_LIBRARIES", signAgain(path))
	}
	hardened := signature.has(SignatureRuntime)
	if hardened && !signature.entitled(entitlementDyldVariables) {
		protected(HardenedRuntime, "has the hardened runtime without the entitlement "+entitlementDyldVariables+": dyld "+
			"drops DYLD_INSERT_LIBRARIES", signAgain(path))
	} else if (hardened || signature.has(SignatureRequireLV)) && !signature.entitled(entitlementNoValidation) {
		j.harmless = false
		j.refuse(LibraryValidation, path, "validates libraries and lacks the entitlement "+entitlementNoValidation+": "+
			"it loads only libraries of its own maker", signAgain(path))
	}
	if signature.entitled(entitlementSandbox) {
		j.warn(Sandboxed, path, "runs in the App Sandbox and may not reach the collector's socket", signAgain(path))
	}
}

// protectedAdvice returns the advice about a program of macOS that is protected and that users often put in front of
// the program to trace.
func protectedAdvice(h Host, path string) string {
	name := filepath.Base(path)
	switch {
	case isShell(name):
		return putBehind + ", or run the script by a shell that does not come with macOS, for instance Homebrew's bash"
	case isPython(name):
		return useAnother
	case name == "open":
		return "open makes launchd start the application without the library; use mtrace run -- NAME.app instead"
	case slices.Contains(launchers, name):
		return "put mtrace behind it: " + name + " … mtrace run -- PROGRAM …"
	}
	return useAnother
}

// launchers are programs of macOS whose purpose is to start another program; the advice is to put mtrace behind them.
var launchers = []string{
	"arch", "caffeinate", "env", "login", "make", "nice", "nohup", "perl", "ruby", "sandbox-exec",
	"script", "sudo", "taskpolicy", "time", "xargs", "xcrun",
}

func hasSlice(library Image, machine string) bool {
	if machine == "x86_64h" && slices.Contains(library.Machines, "x86_64") {
		return true
	}
	return slices.Contains(library.Machines, machine)
}
