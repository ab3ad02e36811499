// Package mac tests the macOS C code on Linux: every file of the library that is for macOS, with everything that it
// shares with Linux, is compiled as for a Mac against fakes of Apple's headers and libraries, and driven by small
// programs.
//
// The folder testdata has:
// - include: one fake for each of Apple's headers, with the declarations that the library uses. Its head comment states
// the rule by which the fake behaves, and the Apple source of that rule.
// - fakes: the implementation of the headers, one file for each of Apple's projects.
// - the programs, one for a group of files of the library. As in a program on a Mac, a program's calls are redirected
// by dyld's interposing (fakes/bind.c), and the library's own calls are not (include/renames.h).
//
// A fake is as strict as Apple's library: where Apple's would end the process, the fake aborts.
package mac
