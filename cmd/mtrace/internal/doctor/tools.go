package doctor

import "strings"

// xcode reports which of Apple's developer tools are installed. The command line tools suffice, except for `mtrace
// xctrace record`, which needs Xcode.
func (p *Probe) xcode() Check {
	c := Check{ID: "xcode", Status: OK}
	folder := p.ask("xcode-select", "-p")
	if folder == "" {
		c.Status, c.Text = Warn, "no Xcode and no command line tools"
		c.Advice = "xcode-select --install installs the compiler that building mtrace needs"
		return c
	}
	c.Text = folder
	data := map[string]any{"folder": folder, "clang": p.ask("xcrun", "clang", "--version")}
	if version := p.ask("xcrun", "xctrace", "version"); strings.Contains(version, "xctrace") {
		data["xctrace"] = version
		c.Text += "; " + version
	} else {
		c.Status = Info
		c.Text += "; no xctrace"
		c.Advice = "mtrace xctrace record needs Xcode itself, not only the command line tools; everything else works"
	}
	c.Data = data
	return c
}
