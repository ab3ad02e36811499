package docs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// billOf makes the bill of materials of a program as a release does. It skips where the modules of the program that
// makes it cannot be had.
func billOf(t *testing.T, program string) []byte {
	t.Helper()
	command := func(args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a network may swallow all and answer nothing
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.WaitDelay = "../cmd/sbom", 10*time.Second
		return cmd
	}
	if out, err := command("mod", "download").CombinedOutput(); err != nil {
		t.Skipf("cyclonedx-gomod cannot be had here: %s", out)
	}
	path := filepath.Join(t.TempDir(), "bill.json")
	if out, err := command("run", ".", "v1.2.3", program, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// goSays returns the output of a Go command, without surrounding blanks.
func goSays(t *testing.T, folder string, environment []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), environment...)
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, wrong.String())
	}
	return strings.TrimSpace(string(out))
}

// The bill of materials of the tool for a Mac is valid by CycloneDX's own schema, names the program by its checksum,
// has every module that Go links into the tool and into the library, the standard library, and the chart library of the
// version that its lock names, and nothing else.
func TestBillOfMaterials(t *testing.T) {
	mac := []string{"GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"}
	program := filepath.Join(t.TempDir(), "mtrace")
	goSays(t, "..", mac, "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/mtrace")
	text := billOf(t, program)
	if again := billOf(t, program); !bytes.Equal(again, text) {
		t.Error("made again, the bill is another")
	}
	validate(t, text)

	var bill struct {
		Metadata struct {
			Component  struct{ Name, Version string }
			Properties []struct{ Name, Value string }
		}
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	named := slices.ContainsFunc(bill.Metadata.Properties, func(p struct{ Name, Value string }) bool {
		return p.Name == "cdx:gomod:binary:hash:SHA-256" && p.Value == hex.EncodeToString(sum[:])
	})
	if bill.Metadata.Component.Name != "mtrace" || bill.Metadata.Component.Version != "v1.2.3" || !named {
		t.Errorf("the bill is of %+v", bill.Metadata)
	}
	var has []string
	for _, c := range bill.Components {
		has = append(has, c.Name+"@"+c.Version)
		if !strings.Contains(c.Purl, c.Name+"@"+c.Version) {
			t.Errorf("%s %s has the address %s", c.Name, c.Version, c.Purl)
		}
	}
	list := []string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}",
		"./cmd/mtrace", "./interpose"}
	want := strings.Fields(goSays(t, "..", append(slices.Clone(mac), "CGO_ENABLED=1"), list...))
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	lockText, err := os.ReadFile("../analyze/page/charts/package-lock.json")
	if err == nil {
		err = json.Unmarshal(lockText, &lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, "std@"+goSays(t, "..", nil, "env", "GOVERSION"),
		"uplot@"+lock.Packages["node_modules/uplot"].Version)
	slices.Sort(has)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(has, want) {
		t.Errorf("the bill has\n%s\nand the programs\n%s", strings.Join(has, "\n"), strings.Join(want, "\n"))
	}
}

// validate holds a bill against the schema that CycloneDX publishes, which its library for Go brings along.
func validate(t *testing.T, bill []byte) {
	t.Helper()
	folder := filepath.Join(goSays(t, "../cmd/sbom", nil, "list", "-m", "-f", "{{.Dir}}",
		"github.com/CycloneDX/cyclonedx-go"), "schema")
	const at = "http://cyclonedx.org/schema/"
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json",
		"spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = compiler.AddResource(at+name, schema)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile(at + "bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(bill))
	if err == nil {
		err = schema.Validate(document)
	}
	if err != nil {
		t.Error(err)
	}
}
