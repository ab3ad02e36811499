package inject

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Host describes the machine that the command will run on. ThisHost fills it in; tests describe other machines.
type Host struct {
	// OS and Arch are in Go's spelling: darwin or linux, arm64, amd64. Arch is
	// the processor's, not that of a translated mtrace.
	OS, Arch string
	// Translated is true when this process runs under Rosetta; its children also prefer their x86_64 slice.
	Translated bool
	// ProtectionOff is true when System Integrity Protection was turned off.
	ProtectionOff bool
	// Directory is the command's working directory, absolute.
	Directory string
	// UID and GID are the effective ids that will execute the command.
	UID, GID int
	// Facts returns the attributes of a file, as opposed to its content.
	Facts func(path string) (FileFacts, error)
}

// FileFacts are the attributes of a file that decide about injection; symbolic
// links are followed.
type FileFacts struct {
	Mode     fs.FileMode
	UID, GID int
	// Restricted is SF_RESTRICTED of chflags(2): System Integrity Protection
	// guards the file. macOS only.
	Restricted bool
	// Capabilities is true when the file has the security.capability
	// attribute, which makes the program privileged. Linux only.
	Capabilities bool
	// Quarantined is true when the file has com.apple.quarantine: it came from
	// a download and Gatekeeper may refuse to load it. macOS only.
	Quarantined bool
}

// ThisHost describes the machine this process runs on.
func ThisHost() Host {
	directory, err := os.Getwd()
	if err != nil {
		directory = string(filepath.Separator)
	}
	host := Host{
		OS:        runtime.GOOS,
		Arch:      runtime.GOARCH,
		Directory: directory,
		UID:       os.Geteuid(),
		GID:       os.Getegid(),
		Facts:     fileFacts,
	}
	describeProcessor(&host)
	return host
}

// translate corrects the architecture if mtrace itself is translated by Rosetta, in which case the machine looks like
// an Intel one.
func (h *Host) translate(arm64, translated bool) {
	if arm64 {
		h.Arch = "arm64"
	}
	h.Translated = translated
}

// absolute resolves path against the command's working directory.
func (h Host) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.Directory, path)
}
