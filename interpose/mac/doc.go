// Package mac has the tests that run the Mac's C on Linux: every file of the
// library that is for macOS, with all that it shares with Linux, compiled as
// for a Mac against fakes of Apple's headers and libraries, and driven by
// small programs.
//
// What lies in testdata:
//
//   - include: one fake for each of Apple's headers, with what the library
//     uses of it and, in its head, the rule by which it behaves and the
//     source of Apple's that says so.
//   - fakes: what is behind the headers, one file for each of Apple's
//     projects.
//   - the programs, one for a group of files of the library. A program is
//     what a Mac's program is: its calls go where dyld's interposing sends
//     them (fakes/bind.c), the library's own do not (include/renames.h).
//
// A fake is as strict as Apple's library: what that would end a process for,
// the fake aborts for.
package mac
