package docs

import (
	"archive/zip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// releaseTree is a repository with the files that .github/release.sh packs, with a line of text in place of each
// program.
func releaseTree(t *testing.T) (root string) {
	t.Helper()
	for _, program := range []string{"bash", "git", "tar", "xz", "sha256sum", "python3"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" {
			t.Skipf("a release is packed on Linux by GNU's tar, xz and sha256sum, and Python; %s: %v", program, err)
		}
	}
	root = t.TempDir()
	other := map[string]string{"amd64": "arm64"}[runtime.GOARCH]
	if other == "" {
		other = "amd64"
	}
	programs := []string{"bin/mtrace", "bin/libmtrace.so", "bin/mtrace-selftest", "bin/rawmetal",
		"bin/softmetal/softmetal", "bin/softmetal/obj/kernel.o", "bin/linux-" + other + "/mtrace",
		"bin/darwin/mtrace", "bin/darwin/arm64/mtrace", "bin/darwin/amd64/mtrace", "bin/darwin/libmtrace.dylib",
		"bin/darwin/mtrace-selftest", "bin/darwin/rawmetal"}
	for _, path := range programs {
		writeUnder(t, root, path, []byte(head(path, other)+path))
	}
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		writeUnder(t, root, "bin/sbom/"+platform+".cdx.json", []byte(platform))
	}
	for _, path := range []string{".github/release.sh", ".github/mtrace.rb.in", "README.md", "LICENSE",
		"docs/man/mtrace.1", "shaders/axpy.metal", "interpose/marks.h",
		"cmd/python/pack.py", "cmd/python/pyproject.toml", "cmd/python/README.md", "cmd/python/mtrace/__init__.py",
		"cmd/python/mtrace/__main__.py"} {
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		writeUnder(t, root, path, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "README.md"},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

// head returns the first bytes of a program for the platform in its path, or for this platform: they contain the
// processor, and the macOS version.
func head(path, other string) string {
	processor := runtime.GOARCH
	switch {
	case strings.Contains(path, "/"+other+"/") || strings.Contains(path, "-"+other+"/"):
		processor = other
	case strings.Contains(path, "/arm64/"):
		processor = "arm64"
	}
	number := binary.LittleEndian.AppendUint32
	if !strings.Contains(path, "darwin") {
		machine := map[string]byte{"amd64": 62, "arm64": 183}[processor]
		return "\x7fELF" + string(make([]byte, 14)) + string([]byte{machine, 0})
	}
	header := number([]byte("\xcf\xfa\xed\xfe"), map[string]uint32{"amd64": 0x01000007, "arm64": 0x0100000c}[processor])
	for _, word := range []uint32{0, 2, 2, 40, 0, 0, 0x1b, 16, 0, 0, 0x32, 24, 1, 13 << 16, 13 << 16, 0} {
		// LC_UUID, cut short, and LC_BUILD_VERSION
		header = number(header, word)
	}
	return string(header)
}

func writeUnder(t *testing.T, root, path string, content []byte) {
	t.Helper()
	path = filepath.Join(root, path)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// release packs a tree into one of its folders.
func release(root, tag, folder string) (out string, err error) {
	text, err := exec.Command("bash", filepath.Join(root, ".github/release.sh"), tag, filepath.Join(root, folder),
		"https://example.com/mtrace").CombinedOutput()
	return string(text), err
}

// unpacked returns a file of an archive; member is its path inside the archive's folder.
func unpacked(t *testing.T, archive, member string) string {
	t.Helper()
	folder := strings.TrimSuffix(filepath.Base(archive), ".tar.xz")
	text, err := exec.Command("tar", "-xJOf", archive, folder+"/"+member).Output()
	if err != nil {
		t.Errorf("%s has no %s: %v", folder, member, err)
	}
	return string(text)
}

// uname maps Go's names of processors to Linux's.
var uname = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// wheelHas reads a wheel and checks the same as installers: its files are the files in its RECORD, with their hashes,
// and its WHEEL and METADATA files have the given tag and version. It returns the files.
func wheelHas(t *testing.T, path, name, version, tag string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, entry := range archive.File {
		file, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(file) // which compares its checksum
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
		files[entry.Name] = string(content)
		if entry.Name == "mtrace/bin/mtrace" && entry.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run", entry.Name)
		}
	}
	info := name + "-" + version + ".dist-info/"
	rows, err := csv.NewReader(strings.NewReader(files[info+"RECORD"])).ReadAll()
	if err != nil || len(rows) != len(files) {
		t.Errorf("%v: RECORD has %d rows, the wheel %d files", err, len(rows), len(files))
	}
	for _, row := range rows {
		content := files[row[0]]
		sum := sha256.Sum256([]byte(content))
		want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), fmt.Sprint(len(content))}
		if row[0] == info+"RECORD" {
			want = []string{row[0], "", ""}
		}
		if !slices.Equal(row, want) {
			t.Errorf("RECORD says %q of %q", row, want)
		}
	}
	if !strings.Contains(files[info+"WHEEL"], "\nTag: py3-none-"+tag+"\n") || !strings.Contains(files[info+"METADATA"],
		"\nVersion: "+version+"\n") {
		t.Errorf("%s says of itself\n%s%s", path, files[info+"WHEEL"], files[info+"METADATA"])
	}
	return files
}

// Pip's own reader of names and tags takes the wheels, on the machines that they are for and on no others.
func TestWheelTags(t *testing.T) {
	root := releaseTree(t)
	if out, err := release(root, "v1.2.3-rc.4", "out"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("python3", "testdata/tags.py", filepath.Join(root, "out")).CombinedOutput()
	if err != nil && strings.Contains(string(out), "No module named") {
		t.Skipf("pip, whose reader of tags is asked, is not here: %s", out)
	}
	want := fmt.Sprintf("mtrace 1.2.3rc4 mac-arm64-13\nmtrace 1.2.3rc4 mac-arm64-15\nmtrace 1.2.3rc4 "+
		"mac-x86_64-13\nmtrace 1.2.3rc4 mac-x86_64-15\nmtrace 1.2.3rc4 %s\n", uname[runtime.GOARCH])
	if err != nil || string(out) != want {
		t.Errorf("%v: pip says\n%s, not\n%s", err, out, want)
	}
}

// There is an archive for each platform, with the tool for it, and Homebrew's formula has the checksum of the archive
// that it loads. The story: one archive held the tool for both processors of Macs, and had 16.6 MB.
func TestRelease(t *testing.T) {
	root := releaseTree(t)
	if out, err := release(root, "v1.2.3", "out"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	here := "bin/mtrace"
	tools := map[string]string{"linux-amd64": "bin/linux-amd64/mtrace", "linux-arm64": "bin/linux-arm64/mtrace",
		"darwin-arm64": "bin/darwin/arm64/mtrace", "darwin-amd64": "bin/darwin/amd64/mtrace"}
	tools["linux-"+runtime.GOARCH] = here
	var sums []string
	for platform, want := range tools {
		archive := filepath.Join(root, "out", "mtrace-1.2.3-"+platform+".tar.xz")
		if got := unpacked(t, archive, "mtrace"); !strings.HasSuffix(got, want) {
			t.Errorf("%s has %s, want %s", platform, got, want)
		}
		unpacked(t, archive, "man/mtrace.1")
		unpacked(t, archive, "marks.h")
		if strings.HasPrefix(platform, "darwin") {
			unpacked(t, archive, "libmtrace.dylib")
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), filepath.Base(archive)))
		bill := "mtrace-1.2.3-" + platform + ".cdx.json"
		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(platform)), bill))
		if got, err := os.ReadFile(filepath.Join(root, "out", bill)); err != nil || string(got) != platform {
			t.Errorf("%v: the bill of %s names %s", err, platform, got)
		}
	}
	for platform, tag := range map[string]string{"darwin-arm64": "macosx_13_0_arm64",
		"darwin-amd64": "macosx_13_0_x86_64", "linux-" + runtime.GOARCH: "manylinux_2_17_" + uname[runtime.GOARCH]} {
		path := filepath.Join(root, "out", "mtrace-1.2.3-py3-none-"+tag+".whl")
		wheel := wheelHas(t, path, "mtrace", "1.2.3", tag)
		if got := wheel["mtrace/bin/mtrace"]; !strings.HasSuffix(got, tools[platform]) {
			t.Errorf("the wheel for %s has %s", tag, got)
		}
		library := "mtrace/bin/libmtrace.so"
		if strings.HasPrefix(platform, "darwin") {
			library = "mtrace/bin/libmtrace.dylib"
		}
		if wheel[library] == "" {
			t.Errorf("the wheel for %s has no %s", tag, library)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), filepath.Base(path)))
	}
	unpacked(t, filepath.Join(root, "out", "mtrace-1.2.3-linux-"+runtime.GOARCH+".tar.xz"), "softmetal/softmetal")
	said, err := os.ReadFile(filepath.Join(root, "out", "SHA256SUMS"))
	if lines := slices.Sorted(strings.Lines(string(said))); err != nil ||
		!slices.Equal(lines, slices.Sorted(slices.Values(sums))) {
		t.Errorf("%v: checksums are said to be %q, and are %q", err, lines, sums)
	}
	formula, err := os.ReadFile(filepath.Join(root, "out", "mtrace.rb"))
	if err != nil || strings.Contains(string(formula), "@") {
		t.Errorf("%v: a place was not filled in:\n%s", err, formula)
	}
	loads := regexp.MustCompile(`on_(arm|intel) do\s+url ` +
		`"https://example.com/mtrace/releases/download/v1.2.3/(\S+)"\s+sha256 "(\w+)"`)
	for _, load := range loads.FindAllStringSubmatch(string(formula), -1) {
		platform := map[string]string{"arm": "darwin-arm64", "intel": "darwin-amd64"}[load[1]]
		if line := load[3] + "  " + load[2] + "\n"; load[2] != "mtrace-1.2.3-"+platform+".tar.xz" ||
			!slices.Contains(sums, line) {
			t.Errorf("on %s the formula loads %s", load[1], line)
		}
	}
	if n := len(loads.FindAllString(string(formula), -1)); n != 2 {
		t.Errorf("the formula loads %d archives:\n%s", n, formula)
	}
	if out, err := release(root, "v1.2.3", "again"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if again, err := os.ReadFile(filepath.Join(root, "again", "SHA256SUMS")); err != nil || string(again) != string(said) {
		t.Errorf("%v: packed again, the archives are others", err)
	}
}

// A release that cannot be made is refused in a line that gives the reason.
func TestReleaseRefused(t *testing.T) {
	root := releaseTree(t)
	refused := func(tag, why string) {
		t.Helper()
		if out, err := release(root, tag, "out"); err == nil || !strings.Contains(out, why) {
			t.Errorf("%v, want %q:\n%s", err, why, out)
		}
	}
	refused("1.2.3", "not of the form vX.Y.Z")
	large := make([]byte, 15_100_000) // which nothing compresses
	if _, err := rand.Read(large); err != nil {
		t.Fatal(err)
	}
	writeUnder(t, root, "bin/mtrace", large)
	refused("v1.2.3", "more than the 15 MB that are wanted")
	if err := os.Remove(filepath.Join(root, "bin/mtrace")); err != nil {
		t.Fatal(err)
	}
	refused("v1.2.3", "bin/mtrace is not built")
}
