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

// describeProcessor finds out whether the machine has an Apple processor and whether mtrace runs under Rosetta, by
// two documented sysctl keys. They do not exist on Intel machines.
func describeProcessor(h *Host) {
	arm, armErr := unix.SysctlUint32("hw.optional.arm64")
	translated, err := unix.SysctlUint32("sysctl.proc_translated")
	h.translate(armErr == nil && arm == 1, err == nil && translated == 1)
}
