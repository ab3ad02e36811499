package doctor

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// machine reports the computer's model, processor, memory and system version, and fails below macOS 13.
func (p *Probe) machine() Check {
	c := Check{ID: "machine", Status: Info}
	data := map[string]any{"processors": runtime.NumCPU()}
	c.Data = data
	if p.OS == "darwin" {
		model, brand := p.ask("sysctl", "-n", "hw.model"), p.ask("sysctl", "-n", "machdep.cpu.brand_string")
		version, build := p.ask("sw_vers", "-productVersion"), p.ask("sw_vers", "-buildVersion")
		memory, _ := strconv.ParseInt(p.ask("sysctl", "-n", "hw.memsize"), 10, 64)
		data["model"], data["cpu"], data["macos"], data["build"], data["memory_bytes"] = model, brand, version, build, memory
		c.Text = fmt.Sprintf("%s, %s, %d processors, %s, macOS %s (%s)", model, brand, runtime.NumCPU(), bytesText(memory),
			version, build)
		if p.Host.Translated {
			c.Status, c.Advice = Warn, "run mtrace natively: arch -arm64 mtrace …"
			c.Text += "; mtrace itself runs under Rosetta, and so do the programs that it starts"
		}
		if major, err := strconv.Atoi(strings.SplitN(version, ".", 2)[0]); err == nil && major < 13 {
			c.Status, c.Advice = Fail, "the library needs macOS 13 or newer"
		}
		return c
	}
	name := "unknown system"
	if release, err := p.Read("/etc/os-release"); len(release) > 0 || err == nil {
		for _, line := range strings.Split(string(release), "\n") {
			if value, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
				name = strings.Trim(value, `"`)
			}
		}
	}
	kernel := p.ask("uname", "-sr")
	data["system"], data["kernel"] = name, kernel
	c.Text = fmt.Sprintf("%s, %s, %s, %d processors", name, kernel, p.Arch, runtime.NumCPU())
	return c
}

// protection reports whether System Integrity Protection is on. It also stores the answer in p.Host for the checks of
// the injection: programs that come with macOS can be injected only if the protection is off.
func (p *Probe) protection() Check {
	c := Check{ID: "protection", Status: Info}
	answer := p.ask("csrutil", "status")
	switch {
	case strings.Contains(answer, "enabled"):
		c.Text = "System Integrity Protection is on: programs that come with macOS cannot be traced"
	case strings.Contains(answer, "disabled"):
		c.Text = "System Integrity Protection is off"
		p.Host.ProtectionOff = true
	default:
		c.Status, c.Text = Warn, "csrutil does not report whether System Integrity Protection is on; "+
			"mtrace assumes that it is"
	}
	c.Data = map[string]any{"off": p.Host.ProtectionOff}
	return c
}

func bytesText(n int64) string {
	const units = "KMGTP"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.4g %ciB", value, units[unit])
}
