package doctor

import (
	"fmt"
	"os"
	"strings"

	"mtrace/interpose/darwin"
)

// library checks the library to inject: it exists, is built for this system and processor, and on macOS is validly
// signed.
func (p *Probe) library(path string, problem error) Check {
	c := Check{ID: "library", Status: OK}
	if problem != nil {
		c.Status, c.Text, c.Advice = Fail, problem.Error(), "./build.sh builds it"
		return c
	}
	image, finding := p.Host.CheckLibrary(path)
	if finding != nil {
		c.Status, c.Text, c.Advice = Fail, finding.Path+": "+finding.Text, finding.Advice
		return c
	}
	c.Text = path + " for " + strings.Join(image.Machines, ", ")
	c.Data = image
	if p.OS != "darwin" {
		return c
	}
	if err := verify(path); err != nil {
		c.Status, c.Text = Fail, fmt.Sprintf("%s: its signature is not valid: %v", path, err)
		c.Advice = "codesign --force --sign - " + path
	}
	return c
}

// verify checks the code signature of each architecture in a Mach-O file. macOS kills a program that loads a library
// with an invalid signature, such as one changed after it was signed.
func verify(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	images, err := darwin.Split(content)
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := darwin.Verify(image); err != nil {
			return err
		}
	}
	return nil
}
