package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// watched lists prefixes of environment variables that influence Metal, the dynamic linker or mtrace, with the effect
// that a user should know.
var watched = []struct{ prefix, meaning string }{
	{"MTL_DEBUG_LAYER", "API validation wraps every object and slows every call"},
	{"METAL_DEVICE_WRAPPER_TYPE", "API validation wraps every object and slows every call"},
	{"MTL_SHADER_VALIDATION", "shader validation slows kernels several times"},
	{"MTL_CAPTURE_ENABLED", "Metal's capture wraps every object, and PyTorch stops using commitAndContinue"},
	{"METAL_CAPTURE_ENABLED", "Metal's capture wraps every object, and PyTorch stops using commitAndContinue"},
	{"MTL_HUD_ENABLED", "Metal's performance HUD adds its own command buffers"},
	{"PYTORCH_MPS_TRACE_SIGNPOSTS", "with signposts PyTorch stops using commitAndContinue"},
	{"PYTORCH_MPS_LOG_PROFILE_INFO", "with logging PyTorch stops using commitAndContinue"},
	{"DYLD_", "stays set; mtrace puts its own library before the others"},
	{"LD_PRELOAD", "stays set; mtrace puts its own library before the others"},
	{"SOFTMETAL_", "controls the software Metal"},
	{"MTL_", ""}, {"METAL_", ""}, {"MTRACE_", ""}, {"OBJC_", ""},
	{"GODEBUG", "also affects the Go runtime in mtrace's library"},
}

// shown are the variables whose values a report may contain. Other watched variables are listed without a value,
// because it may be a secret, such as that of MTRACE_TOKEN.
var shown = []string{
	"MTL_DEBUG_LAYER", "MTL_SHADER_VALIDATION", "MTL_CAPTURE_ENABLED", "MTL_HUD_ENABLED", "METAL_CAPTURE_ENABLED",
	"METAL_DEVICE_WRAPPER_TYPE",
	"PYTORCH_MPS_TRACE_SIGNPOSTS", "PYTORCH_MPS_LOG_PROFILE_INFO", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH",
	"DYLD_FRAMEWORK_PATH",
	"LD_PRELOAD", "GODEBUG", "MTRACE_LIBRARY", "MTRACE_SOFTMETAL", "MTRACE_STACKS", "MTRACE_GPU_TIMING", "MTRACE_ON_FULL",
	"MTRACE_SKIP_CLASSES",
	"SOFTMETAL_TIMED", "SOFTMETAL_ENGINES", "SOFTMETAL_CORES", "SOFTMETAL_GPU", "SOFTMETAL_DEVICES",
	"SOFTMETAL_DURATION_US", "SOFTMETAL_SUBMIT_US",
}

// notShown is printed in place of a value that may be secret.
const notShown = "(not shown)"

// variables lists the watched environment variables that are set, and warns about those that change measurements.
func (p *Probe) variables() Check {
	c := Check{ID: "variables", Status: OK, Text: "no environment variable is set that changes a trace"}
	names := map[string]string{}
	for _, entry := range p.Environ {
		name, value, _ := strings.Cut(entry, "=")
		i := slices.IndexFunc(watched, func(w struct{ prefix, meaning string }) bool {
			return strings.HasPrefix(name,
				w.prefix)
		})
		if i < 0 {
			continue
		}
		if !slices.Contains(shown, name) {
			value = notShown
		}
		names[name] = value
		line := name + "=" + value
		if meaning := watched[i].meaning; meaning != "" {
			line += ": " + meaning
		}
		c.Details = append(c.Details, line)
	}
	if len(names) == 0 {
		return c
	}
	slices.Sort(c.Details)
	c.Status, c.Data, c.Text = Info, names, fmt.Sprintf("environment variables that change a trace: %d", len(names))
	for _, name := range []string{"MTL_DEBUG_LAYER", "MTL_SHADER_VALIDATION", "MTL_CAPTURE_ENABLED",
		"METAL_DEVICE_WRAPPER_TYPE", "METAL_CAPTURE_ENABLED"} {
		if value, set := names[name]; set && value != "0" && value != "" {
			c.Status, c.Advice = Warn, "unset these variables for measurements"
		}
	}
	return c
}

// maxSocketFolder is the maximum length of TMPDIR: the path of a unix socket has at most 104 bytes on macOS. With a
// longer TMPDIR mtrace creates its socket in /tmp.
const maxSocketFolder = 60

// paths checks that files can be created where mtrace puts its sockets and traces.
func (p *Probe) paths() Check {
	c := Check{ID: "paths", Status: OK, Text: "sockets in " + p.Temp + ", traces in " + p.Directory}
	if len(p.Temp) > maxSocketFolder {
		c.Text = "sockets in /tmp, because " + p.Temp + " is too long for a socket's path; traces in " + p.Directory
	}
	folders := []string{p.Temp, p.Directory}
	if err := writable(p.Temp); err != nil && writable("/tmp") == nil {
		c.Text = "sockets in /tmp, because " + p.Temp + " cannot be written to; traces in " + p.Directory
		folders = folders[1:]
	}
	for _, folder := range folders {
		if err := writable(folder); err != nil {
			c.Status = Fail
			c.Text = folder + " cannot be written to: " + err.Error()
			c.Advice = "set TMPDIR, or run mtrace in another folder (-o FILE names the trace)"
		}
	}
	return c
}

// leftovers lists what killed runs left behind: socket folders in which no process listens, and unfinished traces in
// the working folder.
func (p *Probe) leftovers() Check {
	c := Check{ID: "leftovers", Status: OK, Text: "earlier runs left nothing behind"}
	temps := []string{p.Temp}
	if p.Temp != "/tmp" {
		temps = append(temps, "/tmp")
	}
	for _, temp := range temps {
		for _, folder := range p.Glob(filepath.Join(temp, "mtrace-*")) {
			sockets := p.Glob(filepath.Join(folder, "*"))
			if !slices.ContainsFunc(sockets, answers) && holdsOnlySockets(sockets) {
				c.Details = append(c.Details, folder)
			}
		}
	}
	c.Details = append(c.Details, p.Glob(filepath.Join(p.Directory, "*.mtrace.part"))...)
	if n := len(c.Details); n > 0 {
		c.Status, c.Text, c.Data = Info, fmt.Sprintf(
			"%d files or folders left by runs that were killed, or that are still running", n), c.Details
		c.Advice = "mtrace report shows what a .part file has; remove files and folders that no running mtrace uses"
	}
	return c
}
