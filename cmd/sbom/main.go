// Sbom writes the bill of materials of a release's tool, in CycloneDX's JSON: the modules of Go that are linked into it
// and the standard library, as cyclonedx-gomod reads them from the program itself, with the licences that it finds, and
// the chart library that is in the report's page.
//
//	sbom VERSION PROGRAM OUT
//
// It is a module of its own, so that what it needs is not among the modules of mtrace. Equal programs give equal bills.
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

// charts is the folder of the chart library, from this one.
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

// ofProgram is what cyclonedx-gomod says of a program. Its serial number comes from the program, so that it is the same
// each time.
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
		return nil, fmt.Errorf("%s has no modules in it", program)
	}
	return bill, nil
}

// chartLibrary is the library that charts/bundle.sh has put into the page's script: of the version that its lock names.
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
		return c, fmt.Errorf("%s names no uPlot with a licence", charts)
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

// licence is one by its SPDX identifier.
func licence(id string) *cyclonedx.Licenses {
	return &cyclonedx.Licenses{{License: &cyclonedx.License{ID: id}}}
}
