// What the files for macOS use of Apple's header of that name, so that they can be compiled and run elsewhere.
#ifndef FAKE_MACHO_LOADER_H
#define FAKE_MACHO_LOADER_H
#include <stdint.h>

#define SEG_TEXT "__TEXT"
#define SEG_LINKEDIT "__LINKEDIT"
enum { LC_SEGMENT_64 = 0x19, LC_UUID = 0x1b, LC_FUNCTION_STARTS = 0x26 };

struct mach_header { uint32_t magic; int32_t cputype, cpusubtype; uint32_t filetype, ncmds, sizeofcmds, flags; };
struct mach_header_64 { uint32_t magic; int32_t cputype, cpusubtype; uint32_t filetype, ncmds, sizeofcmds, flags, reserved; };
struct load_command { uint32_t cmd, cmdsize; };
struct segment_command_64 {
  uint32_t cmd, cmdsize;
  char segname[16];
  uint64_t vmaddr, vmsize, fileoff, filesize;
  int32_t maxprot, initprot;
  uint32_t nsects, flags;
};
struct uuid_command { uint32_t cmd, cmdsize; uint8_t uuid[16]; };
struct linkedit_data_command { uint32_t cmd, cmdsize, dataoff, datasize; };
#endif
