// Sbom writes the bill of materials of a release's mtrace program, as CycloneDX JSON: the Go modules that are linked
// into it with their licences, the standard library, and the chart library in the report's page. cyclonedx-gomod
// reads the modules from the program.
//
//	sbom VERSION PROGRAM OUT
//
// It is a Go module of its own, so that what it needs is not among mtrace's dependencies. The same program always
// gives the same bill.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// charts is the folder of the chart library uPlot, relative to this one.
const charts = "../../analyze/page/charts"

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM OUT")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(version, program, out string) error {
	bill, err := ofProgram(version, program)
	if err != nil {
		return err
	}
	main := bill.Metadata.Component
	main.Licenses = licence("MIT")
	charts, err := chartLibrary()
	if err != nil {
		return err
	}
	*bill.Components = append(*bill.Components, charts)
	for i, d := range *bill.Dependencies {
		if d.Ref == main.BOMRef {
			list := append(*d.Dependencies, charts.BOMRef)
			(*bill.Dependencies)[i].Dependencies = &list
		}
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill,
		cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return file.Close()
}

// ofProgram returns the bill of materials that cyclonedx-gomod reads from a Go program. The serial number is a hash
// of the program, so that the same program always gives the same bill.
func ofProgram(version, program string) (*cyclonedx.BOM, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	serial := uuid.NewSHA1(uuid.NameSpaceURL, content).String()
	cmd := exec.Command("go", "tool", "cyclonedx-gomod", "bin", "-json", "-std", "-licenses", "-notimestamp", "-serial",
		serial, "-version", version, program)
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cyclonedx-gomod: %w\n%s", err, said.String())
	}
	bill := new(cyclonedx.BOM)
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(bill); err != nil {
		return nil, err
	}
	if bill.Components == nil || bill.Dependencies == nil || bill.Metadata.Component == nil {
		return nil, fmt.Errorf("%s is not a Go program: it names no modules", program)
	}
	return bill, nil
}

// chartLibrary returns the entry for uPlot, which charts/bundle.sh has copied into the report's page. Its version is
// the one in the npm lock file.
func chartLibrary() (c cyclonedx.Component, err error) {
	text, err := os.ReadFile(filepath.Join(charts, "package-lock.json"))
	if err != nil {
		return c, err
	}
	var lock struct {
		Packages map[string]struct{ Version, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return c, err
	}
	library, ok := lock.Packages["node_modules/uplot"]
	if !ok || library.License == "" {
		return c, fmt.Errorf("%s/package-lock.json has no entry for uPlot with its licence", charts)
	}
	script, err := os.ReadFile(filepath.Join(charts, "uplot.js"))
	if err != nil {
		return c, err
	}
	sum := sha256.Sum256(script)
	url := "pkg:npm/uplot@" + library.Version
	return cyclonedx.Component{
		BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: "uplot", Version: library.Version,
		Scope:    cyclonedx.ScopeRequired,
		Licenses: licence(library.License), Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256,
			Value: hex.EncodeToString(sum[:])}},
		ExternalReferences: &[]cyclonedx.ExternalReference{{Type: cyclonedx.ERTypeVCS,
			URL: "https://github.com/leeoniya/uPlot"}},
	}, nil
}

// licence returns the licence with this SPDX identifier, in CycloneDX's form.
func licence(id string) *cyclonedx.Licenses {
	return &cyclonedx.Licenses{{License: &cyclonedx.License{ID: id}}}
}
