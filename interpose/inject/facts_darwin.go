package inject

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sfRestricted is SF_RESTRICTED of <sys/stat.h>.
const sfRestricted = 0x00080000

func fileFacts(path string) (FileFacts, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FileFacts{}, err
	}
	facts := FileFacts{Mode: info.Mode()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		facts.UID, facts.GID = int(stat.Uid), int(stat.Gid)
		facts.Restricted = stat.Flags&sfRestricted != 0
	}
	size, err := unix.Getxattr(path, "com.apple.quarantine", nil)
	facts.Quarantined = err == nil && size > 0
	return facts, nil
}

// describeProcessor corrects the architecture when mtrace itself is translated
// by Rosetta. Both keys are documented for that purpose; they do not exist on
// Intel machines.
func describeProcessor(h *Host) {
	if arm, err := unix.SysctlUint32("hw.optional.arm64"); err == nil && arm == 1 {
		h.Arch = "arm64"
	}
	translated, err := unix.SysctlUint32("sysctl.proc_translated")
	h.Translated = err == nil && translated == 1
}
