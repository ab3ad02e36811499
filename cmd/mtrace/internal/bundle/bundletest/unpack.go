// Package bundletest reads what the bundle package writes, for tests.
package bundletest

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// Unpack returns the files of an archive by their names in its folder.
func Unpack(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	uncompressed, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(uncompressed); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(header.Name, "mtrace-bundle/")
		if !inside {
			t.Fatalf("%s is outside of the archive's folder", header.Name)
		}
		files[name] = string(content)
	}
}
