package inject

import (
	"debug/elf"
	"io"
	"slices"
	"strings"
)

// elfMachines maps ELF machine numbers to the names that uname(1) prints.
var elfMachines = map[elf.Machine]string{
	elf.EM_X86_64:  "x86_64",
	elf.EM_AARCH64: "aarch64",
	elf.EM_386:     "i386",
	elf.EM_ARM:     "arm",
	elf.EM_RISCV:   "riscv64",
	elf.EM_PPC64:   "ppc64",
	elf.EM_S390:    "s390x",
}

// maxInterpreter is the longest accepted path of a dynamic linker (PT_INTERP); the kernel allows PATH_MAX, which is
// the same.
const maxInterpreter = 4096

// parseELF describes an ELF file. An executable without a dynamic linker (PT_INTERP) is static: nothing reads
// LD_PRELOAD in it. Static position-independent executables count as static, too, although they have PT_DYNAMIC.
func parseELF(r io.ReaderAt) (image Image, err error) {
	image.Format = FormatELF
	file, err := elf.NewFile(r)
	if err != nil {
		return image, damaged("%v", err)
	}
	defer file.Close()
	image.Machine = elfMachine(file)
	image.Machines = []string{image.Machine}
	for _, program := range file.Progs {
		if program.Type != elf.PT_INTERP {
			continue
		}
		if program.Filesz > maxInterpreter {
			return image, damaged("its dynamic linker's name is %d bytes long", program.Filesz)
		}
		name := make([]byte, program.Filesz)
		if _, err := program.ReadAt(name, 0); err != nil {
			return image, damaged("its dynamic linker's name cannot be read: %v", err)
		}
		image.Dynamic = true
		image.Interpreter = strings.TrimRight(string(name), "\x00")
	}
	image.Library = file.Type == elf.ET_DYN && !image.Dynamic
	image.Needed, err = file.ImportedLibraries()
	if err != nil {
		// The names come from the section table, which may have been stripped; they are then unknown. The program
		// still runs without the table, because the dynamic linker reads only segments.
		image.Needed = nil
	}
	image.ownSanitizerOptions = ownSanitizerOptions(file, image.Needed)
	image.Go = file.Section(".go.buildinfo") != nil || file.Section(".note.go.buildid") != nil
	return image, nil
}

// ownSanitizerOptions reports whether a program with AddressSanitizer defines the function that returns the
// sanitizer's default options. The library's own function of that name then has no effect.
func ownSanitizerOptions(file *elf.File, needed []string) bool {
	if !slices.ContainsFunc(needed, func(name string) bool { return strings.HasPrefix(name, "libasan.") }) {
		return false
	}
	symbols, _ := file.DynamicSymbols()
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == "__asan_default_options" &&
			s.Section != elf.SHN_UNDEF
	})
}

// elfMachine returns the name of the processor that a file is for. Word size and byte order are needed, because x32
// and x86_64 share a machine number, as do ppc64 and ppc64le.
func elfMachine(file *elf.File) string {
	name, known := elfMachines[file.Machine]
	if !known {
		name = strings.ToLower(strings.TrimPrefix(file.Machine.String(), "EM_"))
	}
	if file.Machine == elf.EM_X86_64 && file.Class == elf.ELFCLASS32 {
		return "x32"
	}
	if file.Machine == elf.EM_PPC64 && file.Data == elf.ELFDATA2LSB {
		return "ppc64le"
	}
	if file.Machine == elf.EM_RISCV && file.Class == elf.ELFCLASS32 {
		return "riscv32"
	}
	return name
}

// elfMachineOf returns the ELF machine name for a processor in Go's spelling, such as x86_64 for amd64.
func elfMachineOf(arch string) string {
	switch arch {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	case "386":
		return "i386"
	}
	return arch
}
