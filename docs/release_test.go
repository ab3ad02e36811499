package docs

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// releaseTree is a repository that has what .github/release.sh packs, with a line of text in place of each program.
func releaseTree(t *testing.T) (root string) {
	t.Helper()
	for _, program := range []string{"bash", "git", "tar", "xz", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" {
			t.Skipf("a release is packed on Linux by GNU's tar, xz and sha256sum; %s: %v", program, err)
		}
	}
	root = t.TempDir()
	other := map[string]string{"amd64": "arm64"}[runtime.GOARCH]
	if other == "" {
		other = "amd64"
	}
	programs := []string{"bin/mtrace", "bin/libmtrace.so", "bin/mtrace-selftest", "bin/rawmetal", "bin/softmetal/softmetal", "bin/softmetal/obj/kernel.o", "bin/linux-" + other + "/mtrace",
		"bin/darwin/mtrace", "bin/darwin/arm64/mtrace", "bin/darwin/amd64/mtrace", "bin/darwin/libmtrace.dylib", "bin/darwin/mtrace-selftest", "bin/darwin/rawmetal"}
	for _, path := range programs {
		writeUnder(t, root, path, []byte(path))
	}
	for _, path := range []string{".github/release.sh", ".github/mtrace.rb.in", "README.md", "LICENSE", "docs/man/mtrace.1", "shaders/axpy.metal", "interpose/marks.h"} {
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		writeUnder(t, root, path, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "README.md"}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
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
	text, err := exec.Command("bash", filepath.Join(root, ".github/release.sh"), tag, filepath.Join(root, folder), "https://example.com/mtrace").CombinedOutput()
	return string(text), err
}

// unpacked is a file of an archive; member is its path behind the archive's own folder.
func unpacked(t *testing.T, archive, member string) string {
	t.Helper()
	folder := strings.TrimSuffix(filepath.Base(archive), ".tar.xz")
	text, err := exec.Command("tar", "-xJOf", archive, folder+"/"+member).Output()
	if err != nil {
		t.Errorf("%s has no %s: %v", folder, member, err)
	}
	return string(text)
}

// There is an archive for each platform, with the tool for it, and Homebrew's formula has the checksum of the one that it loads. The story: one
// archive held the tool for both processors of Macs, and had 16.6 MB.
func TestRelease(t *testing.T) {
	root := releaseTree(t)
	if out, err := release(root, "v1.2.3", "out"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	here := "bin/mtrace"
	tools := map[string]string{"linux-amd64": "bin/linux-amd64/mtrace", "linux-arm64": "bin/linux-arm64/mtrace", "darwin-arm64": "bin/darwin/arm64/mtrace", "darwin-amd64": "bin/darwin/amd64/mtrace"}
	tools["linux-"+runtime.GOARCH] = here
	var sums []string
	for platform, want := range tools {
		archive := filepath.Join(root, "out", "mtrace-1.2.3-"+platform+".tar.xz")
		if got := unpacked(t, archive, "mtrace"); got != want {
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
	}
	unpacked(t, filepath.Join(root, "out", "mtrace-1.2.3-linux-"+runtime.GOARCH+".tar.xz"), "softmetal/softmetal")
	said, err := os.ReadFile(filepath.Join(root, "out", "SHA256SUMS"))
	if lines := slices.Sorted(strings.Lines(string(said))); err != nil || !slices.Equal(lines, slices.Sorted(slices.Values(sums))) {
		t.Errorf("%v: checksums are said to be %q, and are %q", err, lines, sums)
	}
	formula, err := os.ReadFile(filepath.Join(root, "out", "mtrace.rb"))
	if err != nil || strings.Contains(string(formula), "@") {
		t.Errorf("%v: a place was not filled in:\n%s", err, formula)
	}
	loads := regexp.MustCompile(`on_(arm|intel) do\s+url "https://example.com/mtrace/releases/download/v1.2.3/(\S+)"\s+sha256 "(\w+)"`)
	for _, load := range loads.FindAllStringSubmatch(string(formula), -1) {
		platform := map[string]string{"arm": "darwin-arm64", "intel": "darwin-amd64"}[load[1]]
		if line := load[3] + "  " + load[2] + "\n"; load[2] != "mtrace-1.2.3-"+platform+".tar.xz" || !slices.Contains(sums, line) {
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

// What cannot be a release is refused in a line that says why.
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
