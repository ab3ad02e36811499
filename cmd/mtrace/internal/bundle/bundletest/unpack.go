// Package bundletest reads what the bundle package writes, for tests.
package bundletest

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// Unpack returns the content of each file in the archive, by its name below mtrace-bundle/.
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
			t.Fatalf("the archive has the file %s, which is not in its folder mtrace-bundle/", header.Name)
		}
		files[name] = string(content)
	}
}
