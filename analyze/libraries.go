package analyze

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// libraries matches files that are not the program's own code: the language's library, installed packages, and the
// system's machine code. Reports attribute a call to the program's own frame, not to a library's.
var libraries = regexp.MustCompile(`(^|/)(site-packages|dist-packages|lib/python[0-9.]+|usr/lib[0-9]*|` +
	`lib/[a-z0-9_]+-linux-[a-z]+|System/Library)/|^<frozen|` +
	`(^|/)lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|gnustep-base|python[0-9.]+)[-.]`)

// libraryPackages are Python packages that programs import to use a GPU. Their code is library code even in a
// checkout or an editable install, whose path does not contain site-packages.
var libraryPackages = []string{"accelerate", "coremltools", "diffusers", "jax", "jaxlib", "keras", "lightning", "mlx",
	"mlx_lm", "mlx_vlm", "pytorch_lightning", "taichi", "tensorflow", "tinygrad", "torch", "torchaudio", "torchvision",
	"transformers", "wgpu"}

// findLibraries sets the origin of frames whose file name does not show whether they are the program's own. With
// roots (--source-root), only files in these folders are the program's own. Without roots, files of libraryPackages
// are libraries wherever they are, except for the script that the program runs.
func findLibraries(t *Trace, roots []string) {
	frames, scripts := map[*Frame]bool{}, map[string]bool{}
	for _, s := range t.Stacks {
		for _, f := range s.Frames {
			frames[f] = true
		}
		if script := s.script(); script != "" {
			scripts[script] = true
		}
	}
	if len(roots) > 0 {
		for f := range frames {
			f.origin = fromLibrary
			if slices.ContainsFunc(roots, func(root string) bool { return inFolder(f.file(), root) }) {
				f.origin = fromProgram
			}
		}
		return
	}
	packages := packageFolders(frames)
	for f := range frames {
		within := func(folder string) bool { return inFolder(f.File, folder) }
		if f.Python && !scripts[f.File] && slices.ContainsFunc(packages, within) {
			f.origin = fromLibrary
		}
	}
}

// packageFolders returns the folders of libraryPackages that contain files of the frames. A package's checkout often
// has the package's name too, as in tinygrad/tinygrad. Then only the inner folder is returned: the outer one also
// contains examples, which are the program's own code.
func packageFolders(frames map[*Frame]bool) (folders []string) {
	for f := range frames {
		if !f.Python {
			continue
		}
		parts := strings.Split(path.Dir(f.File), "/")
		for i := len(parts) - 1; i >= 0; i-- {
			folder := strings.Join(parts[:i+1], "/")
			if slices.Contains(libraryPackages, parts[i]) && !slices.Contains(parts[i+1:], parts[i]) &&
				!slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(folders), func(outer string) bool {
		return slices.ContainsFunc(folders, func(inner string) bool {
			return inner != outer && path.Base(inner) == path.Base(outer) && inFolder(inner, outer)
		})
	})
}

// inFolder reports whether a file is in a folder or in any folder below it.
func inFolder(file, folder string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// script returns the file of the Python script that the thread runs; empty if the stack does not show it, for
// instance on a thread that was started later.
func (s *Stack) script() string {
	if s.Cut {
		return ""
	}
	for i := len(s.Frames) - 1; i >= 0; i-- {
		f := s.Frames[i]
		if f.Python && !libraries.MatchString(f.File) {
			if f.Name == "<module>" {
				return f.File
			}
			return ""
		}
	}
	return ""
}

const (
	byFile origin = iota
	fromProgram
	fromLibrary
)

// file returns the source file of a Python frame, or the file of machine code that a native frame belongs to.
func (f *Frame) file() string {
	if !f.Python && f.Image != nil {
		return f.Image.Path
	}
	return f.File
}

// own reports whether the frame is the program's own code and not a library's.
func (f *Frame) own() bool {
	if f.origin != byFile {
		return f.origin == fromProgram
	}
	return !libraries.MatchString(f.file())
}
