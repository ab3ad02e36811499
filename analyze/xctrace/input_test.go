package xctrace

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"mtrace/fixtures/xctrace/export"
)

func gpuExport(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := export.Record(export.Config{Seed: 1, CommandBuffers: 25}).Write(&b, "metal-gpu-intervals"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func xzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wide is UTF-16, with a byte order mark or without.
func wide(data []byte, mark bool, order binary.AppendByteOrder) (out []byte) {
	units := utf16.Encode([]rune(string(data)))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		out = order.AppendUint16(out, u)
	}
	return out
}

// The standard library reads bzip2 and does not write it.
func TestBzip2(t *testing.T) {
	if _, err := exec.LookPath("bzip2"); err != nil {
		t.Skip("no bzip2 here to pack an export with: ", err)
	}
	path := put(t, t.TempDir(), "a.xml", gpuExport(t))
	if out, err := exec.Command("bzip2", path).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	inputs, _, err := Inputs([]string{filepath.Dir(path)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Load(inputs, nil); err != nil || len(r.GPU.Intervals) != 25 {
		t.Errorf("%v, %+v", err, r)
	}
}

// The same export, in every form of input, has the same rows.
func TestInputs(t *testing.T) {
	data := gpuExport(t)
	dir := t.TempDir()
	for name, paths := range map[string][]string{
		"file":                {put(t, dir, "a.xml", data)},
		"any name":            {put(t, dir, "noname", data)},
		"gzip":                {put(t, dir, "b.xml.gz", gzipped(t, data))},
		"gzip, any name":      {put(t, dir, "c", gzipped(t, data))},
		"zstd":                {put(t, dir, "f.xml.zst", zstandard(t, data))},
		"xz":                  {put(t, dir, "g.xml.xz", xzipped(t, data))},
		"utf-16":              {put(t, dir, "h.xml", wide(data, true, binary.LittleEndian))},
		"utf-16, big":         {put(t, dir, "i.xml", wide(data, true, binary.BigEndian))},
		"utf-16 without mark": {put(t, dir, "j.xml", wide(data, false, binary.LittleEndian))},
		"zip": {put(t, dir, "d.zip",
			zipped(t, map[string][]byte{"in/side.xml": data, "readme.txt": []byte("no"), "__MACOSX/x.xml": []byte("no")}))},
		"zip with gzip":       {put(t, dir, "e.zip", zipped(t, map[string][]byte{"side.xml.gz": gzipped(t, data)}))},
		"directory":           {filepath.Dir(put(t, dir, "one/x.xml", data))},
		"directory, deep":     {filepath.Dir(filepath.Dir(put(t, dir, "two/deep/x.xml.gz", gzipped(t, data))))},
		"directory with zip":  {filepath.Dir(put(t, dir, "three/x.zip", zipped(t, map[string][]byte{"x.xml": data})))},
		"stdin":               {"-"},
		"a name with a space": {put(t, dir, "a b (1).xml", data)},
	} {
		t.Run(name, func(t *testing.T) {
			inputs, bundles, err := Inputs(paths, bytes.NewReader(data))
			if err != nil || len(bundles) != 0 {
				t.Fatal(err, bundles)
			}
			var told int64
			r, err := Load(inputs, func(_ string, read, _ int64) error { told = read; return nil })
			if err != nil {
				t.Fatal(err)
			}
			if len(r.GPU.Intervals) != 25 || len(r.Documents) != 1 || r.Documents[0].Bytes != int64(len(data)) || told == 0 {
				t.Errorf("%d rows, document %+v, progress %d", len(r.GPU.Intervals), r.Documents[0], told)
			}
		})
	}
	inputs, _, err := Inputs([]string{"-"}, bytes.NewReader(gzipped(t, data)))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Load(inputs, nil); err != nil || len(r.GPU.Intervals) != 25 {
		t.Errorf("gzip on stdin: %v", err)
	}
}

// The test of a named pipe's first bytes, as of a shell's <(gunzip -c x.gz), consumed them, and they were missing when
// the pipe was read.
func TestNamedPipe(t *testing.T) {
	data, dir := gpuExport(t), t.TempDir()
	for name, written := range map[string][]byte{"plain.xml": data, "packed": gzipped(t, data)} {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
				w.Write(written)
				w.Close()
			}
		}()
		inputs, _, err := Inputs([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Load(inputs, nil); err != nil || len(r.GPU.Intervals) != 25 {
			t.Errorf("%s: %v, %d rows", name, err, len(r.GPU.Intervals))
		}
	}
}

// Unusable input is one line that states what is wrong.
func TestInputErrors(t *testing.T) {
	data := gpuExport(t)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		path string
		want string
	}{
		"nothing there": {filepath.Join(dir, "none.xml"), "no such file"},
		"empty":         {put(t, dir, "empty.xml", nil), "empty: xctrace wrote nothing"},
		"text":          {put(t, dir, "text.xml", []byte("Export failed\n")), "not an export"},
		"binary":        {put(t, dir, "bin.xml", []byte{0, 1, 2, '<', 255, 254}), "not an export"},
		"utf-16":        {put(t, dir, "u16.xml", []byte("\xff\xfe<\x00?\x00x\x00")), "not an export"},
		"broken xz":     {put(t, dir, "x.xml.xz", []byte("\xfd7zXZ\x00 and no more")), "not a xz file"},
		"broken bzip2":  {put(t, dir, "b.xml.bz2", []byte("BZh9 and no more")), "bzip2"},
		"plist":         {put(t, dir, "p.trace.plist", []byte("bplist00\x00")), "property list"},
		"broken gzip":   {put(t, dir, "g.xml.gz", []byte("\x1f\x8b\x08\xff\xff")), "not a gzip file"},
		"broken zip": {put(t, dir, "z.zip", []byte("PK\x03\x04 and no more")),
			"the zip archive is incomplete or damaged"},
		"zip without any": {put(t, dir, "n.zip", zipped(t, map[string][]byte{"a.txt": data})),
			"this archive contains no exports"},
		"damaged": {put(t, dir, "d.xml", bytes.Replace(data, []byte("</row>"), []byte("</raw>"), 1)),
			"</raw> closes <row>"},
		"empty directory": {t.TempDir(), "this directory contains no exports"},
	} {
		inputs, _, err := Inputs([]string{c.path}, nil)
		if err == nil {
			_, err = Load(inputs, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	inputs, _, err := Inputs([]string{"-"}, bytes.NewReader(zipped(t, map[string][]byte{"a.xml": data})))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(inputs, nil); err == nil || !strings.Contains(err.Error(), "give the name of its file") {
		t.Errorf("zip on stdin: %v", err)
	}
}

// A gzip stream that is cut gives its complete rows, and is reported as cut.
func TestCutGzip(t *testing.T) {
	data := gpuExport(t)
	packed := gzipped(t, data)
	path := put(t, t.TempDir(), "cut.xml.gz", packed[:len(packed)*3/4])
	inputs, _, err := Inputs([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(inputs, nil)
	if err != nil || len(r.Truncated()) != 1 || len(r.GPU.Intervals) == 0 || len(r.GPU.Intervals) >= 25 {
		t.Errorf("%v, truncated %v, %d rows", err, r.Truncated(), len(r.GPU.Intervals))
	}
}

// Other XML in a directory is skipped and listed; named, it is an error. Bundles
// are found and left to xctrace.
func TestDirectoriesHoldOtherThings(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "gpu.xml", gpuExport(t))
	put(t, dir, "Info.xml", []byte("<project/>"))
	put(t, dir, "run.trace/form.template", []byte("x"))
	put(t, dir, "run.trace/inside.xml", []byte("<x/>"))
	inputs, bundles, err := Inputs([]string{dir}, nil)
	if err != nil || len(inputs) != 2 || len(bundles) != 1 {
		t.Fatal(inputs, bundles, err)
	}
	r, err := Load(inputs, nil)
	if err != nil || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "the document is a <project>") ||
		len(r.GPU.Intervals) != 25 {
		t.Errorf("%v, skipped %q, %d rows", err, r.Skipped, len(r.GPU.Intervals))
	}
	inputs, _, _ = Inputs([]string{filepath.Join(dir, "Info.xml")}, nil)
	if _, err := Load(inputs, nil); err == nil {
		t.Error("a file that is no export, named, is no error")
	}
	if _, bundles, err := Inputs([]string{filepath.Join(dir, "run.trace") + "/"}, nil); err != nil || len(bundles) != 1 {
		t.Error(bundles, err)
	}
}

// A folder that is a link was treated as a folder without exports, and exports next to an archive without any were
// treated as the bundle's own.
func TestDirectoriesAreWalked(t *testing.T) {
	dir, data := t.TempDir(), gpuExport(t)
	put(t, dir, "real/gpu.xml", data)
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "mixed/gpu.xml", data)
	put(t, dir, "mixed/run.trace.zip", zipped(t, map[string][]byte{"run.trace/form.template": []byte("x")}))
	for _, name := range []string{"link", "link/", "mixed"} {
		inputs, _, err := Inputs([]string{dir + "/" + name}, nil)
		if err != nil || len(inputs) != 1 || filepath.Base(inputs[0].Name) != "gpu.xml" {
			t.Errorf("%s: %v, %v", name, inputs, err)
		}
	}
}

// Reading can be stopped: a gigabyte takes seconds.
func TestProgressStops(t *testing.T) {
	inputs, _, err := Inputs([]string{put(t, t.TempDir(), "a.xml", gpuExport(t))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	if _, err := Load(inputs, func(string, int64, int64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}
