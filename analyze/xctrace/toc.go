package xctrace

import (
	"strconv"
	"strings"
	"time"
)

// TOC is a table of contents, which Instruments exports separately from the tables: what was recorded, from which
// process and with which settings.
type TOC struct{ Runs []Run }

// Run is one recording in a document of Instruments, which may have several.
type Run struct {
	Number      int
	Device      Device
	Target      TargetProcess
	Environment []Setting // the environment variables of a launched target
	Started     time.Time // zero when the recording failed
	Duration    time.Duration
	EndReason   string
	Version     string // of Instruments, with its build: "26.0 (17C529)"; only the build is ordered
	Template    string
	Mode        string
	TimeLimit   string
	Settings    []Setting // the instruments' settings
	Processes   []TOCProcess
	Tables      []TOCTable // in the order of table[1], table[2] …
	Tracks      []string
}

// Device is the machine on which the recording was made.
type Device struct{ Name, Model, OS, Platform string }

// TargetProcess is the process that was recorded. All is true if all processes of the machine were recorded.
type TargetProcess struct {
	All         bool
	Type        string // "launched" or "attached"
	Name        string
	PID         uint64
	Arguments   string
	ExitStatus  string
	Termination string
}

// TOCProcess is a process that ran during the recording.
type TOCProcess struct {
	PID        uint64
	Name, Path string
}

// TOCTable is a table of the recording. The table of contents lists it even if it was not exported.
type TOCTable struct {
	Schema     string
	Attributes []Setting
}

// Setting is the name of a setting or of an environment variable, with its value.
type Setting struct{ Key, Value string }

func readTOC(s *scanner, tok token) (*TOC, error) {
	root, err := readTree(s, tok)
	if err != nil {
		return nil, err
	}
	toc := &TOC{}
	for _, c := range root.children {
		if c.name == "run" {
			toc.Runs = append(toc.Runs, readRun(c))
		}
	}
	return toc, nil
}

func readRun(t *tree) Run {
	info, summary := t.child("info"), t.child("info").child("summary")
	target := info.child("target")
	r := Run{
		Device:      readDevice(target.child("device")),
		Environment: nil,
		EndReason:   summary.child("end-reason").text,
		Version:     summary.child("instruments-version").text,
		Template:    summary.child("template-name").text,
		Mode:        summary.child("recording-mode").text,
		TimeLimit:   summary.child("time-limit").text,
	}
	r.Number, _ = strconv.Atoi(t.attr("number"))
	r.Started, _ = time.Parse("2006-01-02T15:04:05.999999999Z07:00", summary.child("start-date").text)
	if seconds, err := strconv.ParseFloat(summary.child("duration").text, 64); err == nil {
		r.Duration = time.Duration(seconds * float64(time.Second))
	}
	for _, c := range target.children {
		switch c.name {
		case "all-processes":
			r.Target.All = true
		case "process":
			pid, _ := strconv.ParseUint(c.attr("pid"), 10, 64)
			r.Target = TargetProcess{
				Type: c.attr("type"), Name: c.attr("name"), PID: pid, Arguments: c.attr("arguments"),
				ExitStatus: c.attr("return-exit-status"), Termination: c.attr("termination-reason"),
			}
		case "environment":
			for _, item := range c.children {
				r.Environment = append(r.Environment, Setting{item.attr("key"), item.attr("value")})
			}
		}
	}
	// "intruments" is Apple's spelling in every known version. A later version may correct it.
	for _, name := range []string{"intruments-recording-settings", "instruments-recording-settings"} {
		for _, instrument := range summary.child(name).children {
			r.Settings = append(r.Settings, readSettings(instrument, instrument.attr("name"))...)
		}
	}
	for _, c := range t.child("processes").children {
		pid, err := strconv.ParseUint(c.attr("pid"), 10, 64)
		if err == nil {
			r.Processes = append(r.Processes, TOCProcess{pid, c.attr("name"), c.attr("path")})
		}
	}
	for _, c := range t.child("data").children {
		table := TOCTable{Schema: c.attr("schema")}
		for _, a := range c.attrs {
			if a.name != "schema" && a.name != "documentation" {
				table.Attributes = append(table.Attributes, Setting{a.name, a.value})
			}
		}
		r.Tables = append(r.Tables, table)
	}
	for _, c := range t.child("tracks").children {
		r.Tracks = append(r.Tracks, c.attr("name"))
	}
	return r
}

func readDevice(t *tree) Device {
	return Device{Name: t.attr("name"), Model: t.attr("model"), OS: t.attr("os-version"), Platform: t.attr("platform")}
}

// readSettings returns the settings of one instrument as one list. An export has them in three forms: <key
// name="GPU"><value>Counter Set: (null)</value>…</key>, <key name="Threshold">text</key>, and since Xcode 27 <option
// key="…" value="…"/>.
func readSettings(t *tree, instrument string) []Setting {
	var settings []Setting
	add := func(key, value string) {
		settings = append(settings, Setting{instrument + ": " + key, value})
	}
	for _, c := range t.children {
		switch c.name {
		case "key":
			if c.text != "" {
				add(c.attr("name"), c.text)
			}
			for _, v := range c.children {
				if key, value, ok := strings.Cut(v.text, ": "); ok {
					add(key, value)
				} else if v.text != "" {
					add(c.attr("name"), v.text)
				}
			}
		case "option":
			add(c.attr("key"), c.attr("value"))
		default:
			settings = append(settings, readSettings(c, instrument)...)
		}
	}
	return settings
}

// Setting returns the value of the first setting named key of any instrument, or "" if the recording has no such
// setting.
func (r *Run) Setting(key string) string {
	for _, s := range r.Settings {
		if strings.HasSuffix(s.Key, ": "+key) {
			return s.Value
		}
	}
	return ""
}

// Table reports whether the recording has a table with the given schema.
func (r *Run) Table(schema string) bool {
	for _, t := range r.Tables {
		if t.Schema == schema {
			return true
		}
	}
	return false
}
