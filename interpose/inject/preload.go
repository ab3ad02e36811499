package inject

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// preloadVariables returns the names of the variables that make a dynamic linker load libraries first. macOS has a
// second one: launchd passes it to XPC services under the name of the first.
func preloadVariables(system string) []string {
	if system == "darwin" {
		return []string{"DYLD_INSERT_LIBRARIES", "__XPC_DYLD_INSERT_LIBRARIES"}
	}
	return []string{"LD_PRELOAD"}
}

// sanitizer matches the file name of a sanitizer's runtime, which must be loaded before every other library.
var sanitizer = regexp.MustCompile(`^lib(?:[atl]san|hwasan|ubsan|clang_rt\.[a-z]*san)`)

// preloaded returns env with library in the preload variables: before the libraries that the user preloads, but after
// the runtimes of sanitizers. It also returns the first variable's new setting, NAME=VALUE.
func preloaded(h Host, env environment, library string) (changed environment, setting string) {
	for _, name := range preloadVariables(h.OS) {
		old, _ := env.get(name)
		var runtimes, others []string
		for _, entry := range strings.FieldsFunc(old, func(r rune) bool { return separatesPreloads(h.OS, r) }) {
			switch {
			case sanitizer.MatchString(filepath.Base(entry)):
				runtimes = append(runtimes, entry)
			case entry != library:
				others = append(others, entry)
			}
		}
		value := strings.Join(slices.Concat(runtimes, []string{library}, others), ":")
		env = env.with(name, value)
		if setting == "" {
			setting = name + "=" + value
		}
	}
	return env, setting
}

// separatesPreloads reports whether r separates libraries in a preload variable: a colon, and for ld.so a blank, too.
func separatesPreloads(system string, r rune) bool {
	return r == ':' || r == ' ' && system != "darwin"
}

// CheckLibrary returns why the library cannot be preloaded into any program, or nil if it can. The image lists the
// processors that the library is for.
func (h Host) CheckLibrary(library string) (Image, *Finding) {
	_, image, problem := h.checkLibrary(library)
	return image, problem
}

// checkLibrary checks that the library can be named in the preload variable. If the file cannot be loaded, dyld would
// end the program, and ld.so would print an error on the program's standard error.
func (h Host) checkLibrary(library string) (path string, image Image, problem *Finding) {
	fail := func(code Code, text, advice string) (string, Image, *Finding) {
		return library, Image{}, &Finding{Code: code, Path: library, Text: text, Advice: advice}
	}
	const rebuild = "build it with ./build.sh"
	if library == "" {
		return fail(LibraryMissing, "no tracing library was named", rebuild)
	}
	path = filepath.Clean(h.absolute(library))
	library = path
	switch {
	case strings.Contains(path, ":"):
		return fail(LibraryPath, "a preload path must not contain a colon", "move mtrace to another folder")
	case h.OS != "darwin" && strings.ContainsAny(path, " $"):
		return fail(LibraryPath, "a preload path must not contain a blank or a dollar sign", "move mtrace to another folder")
	}
	info, err := os.Stat(path)
	if err != nil {
		return fail(LibraryMissing, "the tracing library cannot be found: "+reason(err), rebuild)
	}
	if !info.Mode().IsRegular() {
		return fail(LibraryFormat, "the tracing library is not a regular file", rebuild)
	}
	image, err = readImage(path, h, "")
	if err != nil {
		return fail(LibraryFormat, "the tracing library cannot be used: "+reason(err), rebuild)
	}
	wanted := FormatELF
	if h.OS == "darwin" {
		wanted = FormatMachO
	}
	if image.Format != wanted || len(image.Machines) > 0 && image.Machine != "" && !image.Library {
		return fail(LibraryFormat, "the tracing library is not a shared library of this system ("+string(image.Format)+")",
			rebuild)
	}
	if facts, err := h.Facts(path); err == nil && facts.Quarantined {
		return fail(LibraryQuarantined, "the tracing library was downloaded and is quarantined: "+
			"macOS may refuse to load it, which ends the program",
			"xattr -d com.apple.quarantine "+path)
	}
	return path, image, nil
}

// reason returns a file error's text without operation and path.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}
