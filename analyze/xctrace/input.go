package xctrace

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding/unicode"
)

// Input is one export to read: a file, an entry of an archive, or stdin.
type Input struct {
	Name   string
	Size   int64 // as stored, for progress; 0 if not known
	Listed bool  // named by the user, not found in a directory or archive
	open   func() (io.ReadCloser, error)
}

// Bundle is a .trace directory. Only xctrace itself can read it.
type Bundle struct{ Path string }

// Inputs finds the exports in `paths`, which may be files, directories, zip archives, or "-" for stdin. Exports may
// be compressed (gzip, zstd, xz, bzip2). It returns bundles separately.
func Inputs(paths []string, stdin io.Reader) ([]Input, []Bundle, error) {
	var inputs []Input
	var bundles []Bundle
	for _, path := range paths {
		if path == "-" {
			inputs = append(inputs, Input{Name: "stdin", Listed: true, open: func() (io.ReadCloser, error) {
				return io.NopCloser(stdin), nil
			}})
			continue
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("%s: no such file or directory", path)
		case err != nil:
			return nil, nil, err
		case info.IsDir() && isBundle(path):
			bundles = append(bundles, Bundle{path})
		case info.IsDir():
			found, inside, err := inDirectory(path)
			if err != nil {
				return nil, nil, err
			}
			if len(found)+len(inside) == 0 {
				return nil, nil, fmt.Errorf("%s: this directory contains no exports of xctrace: "+
					"mtrace reads .trace bundles, files ending in .xml (also with .gz, .zst, .xz or .bz2), "+
					"and XML files in a .zip", path)
			}
			inputs, bundles = append(inputs, found...), append(bundles, inside...)
		default:
			found, err := inFile(path, info, true)
			if err != nil {
				return nil, nil, err
			}
			inputs = append(inputs, found...)
		}
	}
	return inputs, bundles, nil
}

func isBundle(path string) bool { return strings.HasSuffix(filepath.Clean(path), ".trace") }

// IsExport reports whether a file is an export, by its name: it ends in .xml, or .xml.gz and the like.
func IsExport(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{"", ".gz", ".zst", ".xz", ".bz2"} {
		if strings.HasSuffix(name, ".xml"+packed) {
			return true
		}
	}
	return false
}

// inDirectory finds the exports and bundles in a directory. The separator that it appends makes WalkDir follow dir if
// dir is a symbolic link.
func inDirectory(dir string) ([]Input, []Bundle, error) {
	var inputs []Input
	var bundles []Bundle
	err := filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isBundle(path):
			bundles = append(bundles, Bundle{path})
			return fs.SkipDir
		case entry.IsDir() || !IsExport(path) && !strings.HasSuffix(path, ".zip"):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		found, err := inFile(path, info, false)
		inputs = append(inputs, found...)
		return err
	})
	return inputs, bundles, err
}

// inFile returns the exports in a file: the file itself, or the entries of a zip archive, which it recognizes by the
// first bytes. An archive without exports is an error only if listed is true: the user named the archive. inFile does
// not look into a pipe, because reading would consume its data.
func inFile(path string, info fs.FileInfo, listed bool) ([]Input, error) {
	plain := []Input{{Name: path, Size: info.Size(), Listed: listed,
		open: func() (io.ReadCloser, error) { return os.Open(path) }}}
	if !info.Mode().IsRegular() {
		return plain, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	magic := make([]byte, 4)
	n, _ := io.ReadFull(file, magic)
	if !bytes.Equal(magic[:n], []byte("PK\x03\x04")) {
		return plain, nil
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the zip archive is incomplete or damaged: %w", path, err)
	}
	defer archive.Close()
	var inputs []Input
	for _, entry := range archive.File {
		if !IsExport(entry.Name) || strings.HasPrefix(entry.Name, "__MACOSX/") {
			continue
		}
		name := entry.Name
		inputs = append(inputs, Input{Name: path + ":" + name, Size: int64(entry.CompressedSize64),
			open: func() (io.ReadCloser, error) {
				return openEntry(path, name)
			}})
	}
	sort.Slice(inputs, func(i, j int) bool { return inputs[i].Name < inputs[j].Name })
	if len(inputs) == 0 && listed {
		return nil, fmt.Errorf("%s: this archive contains no exports of xctrace (files ending in .xml or .xml.gz)", path)
	}
	return inputs, nil
}

// entryReader reads an entry of a zip archive and closes the archive together with the entry.
type entryReader struct {
	io.ReadCloser
	archive *zip.ReadCloser
}

func (e entryReader) Close() error { return errors.Join(e.ReadCloser.Close(), e.archive.Close()) }

func openEntry(path, name string) (io.ReadCloser, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	for _, entry := range archive.File {
		if entry.Name == name {
			r, err := entry.Open()
			if err != nil {
				archive.Close()
				return nil, err
			}
			return entryReader{r, archive}, nil
		}
	}
	archive.Close()
	return nil, fmt.Errorf("%s: no longer in the archive", name)
}

// Open opens the input, decompressed and converted to UTF-8. progress (nil: none) receives the number of stored bytes
// that were read; if it returns an error, reading ends with that error.
func (in *Input) Open(progress Progress) (io.ReadCloser, error) {
	stored, err := in.open()
	if err != nil {
		return nil, err
	}
	opened, err := in.unpack(stored, bufio.NewReaderSize(&countingReader{Reader: stored, of: in, progress: progress},
		64<<10))
	if err != nil {
		stored.Close()
		return nil, err
	}
	return opened, nil
}

func (in *Input) unpack(stored io.Closer, buffered *bufio.Reader) (io.ReadCloser, error) {
	magic, _ := buffered.Peek(6)
	broken := func(what string, err error) error { return fmt.Errorf("%s: not a %s file: %w", in.Name, what, err) }
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, broken("gzip", err)
		}
		return in.text(unpacked, stored)
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, broken("zstd", err)
		}
		return in.text(unpacked, zstdInput{unpacked, stored})
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		unpacked, err := xz.NewReader(buffered)
		if err != nil {
			return nil, broken("xz", err)
		}
		return in.text(unpacked, stored)
	case bytes.HasPrefix(magic, []byte("BZh")):
		return in.text(bzip2.NewReader(buffered), stored)
	case bytes.HasPrefix(magic, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s: a zip archive cannot be read from a pipe: give the name of its file", in.Name)
	case bytes.HasPrefix(magic, []byte("bpl")):
		return nil, fmt.Errorf("%s: this is a property list and not an export: export the .trace bundle with xctrace export",
			in.Name)
	}
	return in.text(buffered, stored)
}

// text returns the document as UTF-8. xctrace writes UTF-8, but other programs may have converted it to UTF-16, with
// or without a byte order mark.
func (in *Input) text(unpacked io.Reader, stored io.Closer) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(unpacked, 64<<10)
	magic, err := buffered.Peek(4)
	if len(magic) == 0 && err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: cannot be unpacked: %w", in.Name, err)
	}
	order := unicode.BigEndian
	switch {
	case bytes.HasPrefix(magic, []byte("\xff\xfe")), bytes.Equal(magic, []byte("<\x00?\x00")),
		bytes.Equal(magic, []byte("<\x00t\x00")):
		order = unicode.LittleEndian
	case bytes.HasPrefix(magic, []byte("\xfe\xff")), bytes.Equal(magic, []byte("\x00<\x00?")),
		bytes.Equal(magic, []byte("\x00<\x00t")):
	default:
		return input{buffered, stored}, nil
	}
	return input{unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(buffered), stored}, nil
}

type input struct {
	io.Reader
	stored io.Closer
}

func (i input) Close() error { return i.stored.Close() }

// zstdInput closes the decoder together with its file.
type zstdInput struct {
	*zstd.Decoder
	stored io.Closer
}

func (z zstdInput) Close() error {
	z.Decoder.Close()
	return z.stored.Close()
}

type countingReader struct {
	io.Reader
	of       *Input
	read     int64
	progress Progress // nil if progress is not reported
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.progress != nil && n > 0 {
		c.read += int64(n)
		if stop := c.progress(c.of.Name, c.read, c.of.Size); stop != nil {
			return n, stop
		}
	}
	return n, err
}
