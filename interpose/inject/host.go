package inject

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Host describes the machine on which the command will run. ThisHost fills it in; tests describe other machines with
// it.
type Host struct {
	// OS and Arch are the system and the processor in Go's spelling: darwin or linux, arm64 or amd64. Arch is the
	// real processor, even if mtrace itself is translated by Rosetta.
	OS, Arch string
	// Translated is true if this process runs under Rosetta. Its children then also prefer their x86_64 slice.
	Translated bool
	// ProtectionOff is true if the user has turned off System Integrity Protection.
	ProtectionOff bool
	// Directory is the command's working directory, absolute.
	Directory string
	// UID and GID are the effective user and group that will execute the command.
	UID, GID int
	// Facts returns a file's attributes, as opposed to its content.
	Facts func(path string) (FileFacts, error)
}

// FileFacts are the attributes of a file that decide whether a library can be injected. Symbolic links are followed.
type FileFacts struct {
	Mode     fs.FileMode
	UID, GID int
	// Restricted is the flag SF_RESTRICTED of chflags(2): System Integrity Protection guards the file. macOS only.
	Restricted bool
	// Capabilities is true if the file has the attribute security.capability, which gives the program privileges.
	// Linux only.
	Capabilities bool
	// Quarantined is true if the file has the attribute com.apple.quarantine: it was downloaded, and Gatekeeper may
	// refuse to load it. macOS only.
	Quarantined bool
}

// ThisHost describes the machine on which this process runs.
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

// translate corrects Arch if Rosetta translates mtrace: to a translated process, the machine looks like one with an
// Intel processor.
func (h *Host) translate(arm64, translated bool) {
	if arm64 {
		h.Arch = "arm64"
	}
	h.Translated = translated
}

// absolute returns path as an absolute path. A relative path is resolved from the command's working directory.
func (h Host) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(h.Directory, path)
}
