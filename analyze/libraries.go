package analyze

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// libraries are files of the language's library and of packages, and machine code of the system: code that is called,
// not code of the program.
var libraries = regexp.MustCompile(`(^|/)(site-packages|dist-packages|lib/python[0-9.]+|usr/lib[0-9]*|` +
	`lib/[a-z0-9_]+-linux-[a-z]+|System/Library)/|^<frozen|` +
	`(^|/)lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|gnustep-base|python[0-9.]+)[-.]`)

// libraryPackages are packages of Python that programs import to use a GPU. They are libraries in a checkout or an
// editable install too, which site-packages does not contain.
var libraryPackages = []string{"accelerate", "coremltools", "diffusers", "jax", "jaxlib", "keras", "lightning", "mlx",
	"mlx_lm", "mlx_vlm", "pytorch_lightning", "taichi", "tensorflow", "tinygrad", "torch", "torchaudio", "torchvision",
	"transformers", "wgpu"}

// findLibraries decides which frames are the program's own if their file names do not show it. With roots, files in
// these folders are the program's own, and all others are not. Without roots, files of libraryPackages count as
// libraries wherever they are, except for the script that the program runs.
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

// packageFolders returns the folders of libraryPackages that contain files of the frames. If a folder contains one with
// the same name, such as tinygrad/tinygrad, the outer one is a checkout and the inner one the package.
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

// inFolder says whether a file is in a folder or below it.
func inFolder(file, folder string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// script returns the file of the Python script that the thread runs; empty if the stack does not have it.
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

// An origin states whether a frame is the program's own. The file name decides, unless findLibraries overrides it.
type origin uint8

const (
	byFile origin = iota
	fromProgram
	fromLibrary
)

// file is the source file of Python, or the image of machine code.
func (f *Frame) file() string {
	if !f.Python && f.Image != nil {
		return f.Image.Path
	}
	return f.File
}

// own says whether the frame is of the program, not of a library.
func (f *Frame) own() bool {
	if f.origin != byFile {
		return f.origin == fromProgram
	}
	return !libraries.MatchString(f.file())
}
