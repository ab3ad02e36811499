package inject

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// expected is the plan that a case of the decision table expects. Empty fields are not compared, except that a case
// without reasons expects an injectable program.
type expected struct {
	program  string
	args     string // joined by blanks
	reasons  []Code
	warnings []Code
	advice   string // part of the first reason's advice
	env      []string
	noEnv    string // a name that must not be set
}

// condaShell is the finding on /bin/bash, which conda run uses and which is
// the test machine's own: on a Mac it is protected, elsewhere of another system.
func condaShell() Code {
	if runtime.GOOS == "darwin" {
		return SystemProtected
	}
	return WrongFormat
}

// asdf adds a Python of asdf's, and the file that selects it.
func asdf(versions string) func(*world) {
	return func(w *world) {
		w.put("^/asdf/installs/python/3.11.7/bin/python", arm64.bytes(w.t))
		w.script("^/.tool-versions", "ruby 3.3\n"+versions)
		w.script("^/asdf/shims/python", "#!^/usr/bin/env bash\n# asdf-plugin: python 3.11.7\nexec asdf exec \"python\" "+
			"\"$@\"")
	}
}

// TestMacDecisions is the decision table for macOS. The Mach-O files are laid
// out by the tests from the documented structures, so the table runs anywhere.
func TestMacDecisions(t *testing.T) {
	hardened := SignatureRuntime
	cases := []struct {
		name    string
		prepare func(*world)
		command string
		want    expected
	}{
		{"plain program", nil, "^/opt/bin/python3.12 -c pass",
			expected{program: "^/opt/bin/python3.12", args: "^/opt/bin/python3.12 -c pass", env: []string{
				"DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib", "__XPC_DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib"}}},
		{"found in PATH, a link, keeps the name it was called by", nil, "python3 -c pass",
			expected{program: "^/opt/bin/python3", args: "python3 -c pass"}},
		{"virtual environment", func(w *world) { w.link("^/opt/bin/python3.12", "^/venv/bin/python") },
			"venv/bin/python x.py",
			expected{program: "venv/bin/python", args: "venv/bin/python x.py"}},
		{"python that comes with macOS", nil, "^/usr/bin/python3 x.py",
			expected{program: "^/usr/bin/python3", reasons: []Code{SystemProtected},
				advice: "use ^/opt/bin/python3, which can be traced", noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"python that comes with macOS, and no other", func(w *world) { os.Remove(w.at("^/opt/bin/python3")) },
			"^/usr/bin/python3 x.py",
			expected{reasons: []Code{SystemProtected}, advice: "Homebrew"}},
		{"the same with protection turned off is still arm64e", func(w *world) { w.host.ProtectionOff = true },
			"^/usr/bin/python3 x.py",
			expected{reasons: []Code{PointerAuthentic}, advice: "arm64 build"}},
		{"env in a #! line is left out", func(w *world) {
			w.script("^/opt/bin/train",
				"#!^/usr/bin/env python3\nprint()\n")
		}, "train --fast",
			expected{program: "^/opt/bin/python3", args: "python3 ^/opt/bin/train --fast"}},
		{"arguments in a #! line are split", func(w *world) {
			w.script("^/opt/bin/train", "#!^/usr/bin/env python3 -u -X "+
				"dev # quick\n")
		}, "train",
			expected{program: "^/opt/bin/python3", args: "python3 -u -X dev ^/opt/bin/train"}},
		{"env -S in a #! line", func(w *world) {
			w.script("^/opt/bin/train",
				"#!^/usr/bin/env -S FOO=${HOME} python3 -u\n")
		}, "train",
			expected{args: "python3 -u ^/opt/bin/train", env: []string{"FOO=/home/user"}}},
		{"env on the command line sets and unsets", nil, "env -u HOME FOO=1 python3 x.py",
			expected{program: "^/opt/bin/python3", args: "python3 x.py", env: []string{"FOO=1"}, noEnv: "HOME"}},
		{"env -i takes PATH away, so env itself says not found", nil, "env -i no-such-program",
			expected{program: "^/usr/bin/env", reasons: []Code{SystemProtected}, warnings: []Code{NotFollowed}}},
		{"env -i must not take away what the library needs", func(w *world) { w.env = append(w.env, "MTRACE_SOCKET=/s") },
			"env -i ^/opt/bin/python3",
			expected{program: "^/opt/bin/python3", env: []string{"MTRACE_SOCKET=/s",
				"DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib"}, noEnv: "HOME"}},
		{"conda run goes through a shell of macOS",
			func(w *world) { w.script("^/opt/bin/conda", "#!^/opt/bin/python3.12\n") }, "conda run -n x python y.py",
			expected{program: "^/opt/bin/conda", reasons: []Code{condaShell()}, warnings: []Code{ChildUnknown},
				advice: "activate the environment"}},
		{"env with an option mtrace does not know", nil, "env -Q python3",
			expected{program: "^/usr/bin/env", reasons: []Code{SystemProtected}, warnings: []Code{NotFollowed},
				advice: "mtrace behind"}},
		{"pip's wrapper for long paths", func(w *world) {
			w.script("^/opt/bin/jupyter", "#!^/bin/sh\n'''exec' ^/opt/bin/python3.12 \"$0\" \"$@\"\n' '''\nimport sys\n")
		}, "jupyter lab", expected{program: "^/opt/bin/python3.12", args: "^/opt/bin/python3.12 ^/opt/bin/jupyter lab"}},
		{"pip's wrapper for paths with blanks", func(w *world) {
			w.put("^/My Env/bin/python", arm64.bytes(w.t))
			w.script("^/opt/bin/tool", "#!^/bin/sh\n'''exec' \"^/My Env/bin/python\" \"$0\" \"$@\"\n' '''\n")
		}, "tool", expected{program: "^/My Env/bin/python"}},
		{"uv's relocatable wrapper", func(w *world) {
			w.script("^/opt/bin/tool", "#!^/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/'python3' \"$0\" "+
				"\"$@\"\n' '''\n")
		}, "tool a", expected{program: "^/opt/bin/python3", args: "^/opt/bin/python3 ^/opt/bin/tool a"}},
		{"Homebrew's wrapper that sets variables", func(w *world) {
			w.script("^/usr/bin/tool", "#!^/bin/bash\nexport A=1\nPYTHONPATH=\"^/lib/py\" exec \"^/opt/bin/python3\" -m tool "+
				"\"$@\"\n")
		}, "tool a b", expected{program: "^/opt/bin/python3", args: "^/opt/bin/python3 -m tool a b",
			env: []string{"A=1", "PYTHONPATH=^/lib/py"}}},
		{"a shell script that does more than start a program", func(w *world) {
			w.script("^/opt/bin/run.sh", "#!^/bin/bash\nset -e\nfor n in 1 2; do python3 x.py; done\n")
		}, "run.sh", expected{program: "^/opt/bin/run.sh", args: "run.sh", reasons: []Code{SystemProtected}, advice: "bash"}},
		{"pyenv shim", func(w *world) {
			w.put("^/pyenv/versions/3.11.7/bin/python", arm64.bytes(w.t))
			w.script("^/pyenv/version", "3.11.7\n")
			w.script("^/pyenv/shims/python", "#!^/usr/bin/env bash\nset -e\nexec \"^/pyenv/libexec/pyenv\" exec \"$program\" "+
				"\"$@\"\n")
		}, "pyenv/shims/python x.py", expected{program: "^/pyenv/versions/3.11.7/bin/python",
			args: "^/pyenv/versions/3.11.7/bin/python x.py", env: []string{"PYENV_VERSION=3.11.7"}}},
		{"asdf shim", asdf("python 3.9.1 3.11.7 # the first is not installed\n"), "asdf/shims/python x.py", expected{
			program: "^/asdf/installs/python/3.11.7/bin/python", args: "^/asdf/installs/python/3.11.7/bin/python x.py",
			env: []string{"ASDF_INSTALL_VERSION=3.11.7", "ASDF_INSTALL_PATH=^/asdf/installs/python/3.11.7",
				"PATH=^/asdf/installs/python/3.11.7/bin:^/opt/bin:^/usr/bin:^/bin"}}},
		{"asdf shim of the shell version, selected by its variable", func(w *world) {
			asdf("python 3.11.7\n")(w)
			w.put("^/asdf/installs/python/ref-main/bin/python", arm64.bytes(w.t))
			w.script("^/asdf/shims/python", "#!/usr/bin/env bash\n# asdf-plugin: python ref:main\nexec ^/asdf/bin/asdf exec "+
				"\"python\" \"$@\" # asdf_allow: ' asdf '\n")
			w.env = append(w.env, "ASDF_PYTHON_VERSION=ref:main")
		}, "asdf/shims/python", expected{program: "^/asdf/installs/python/ref-main/bin/python",
			env: []string{"ASDF_INSTALL_TYPE=ref"}}},
		{"asdf shim of a Python elsewhere", func(w *world) {
			asdf("python path:^/mine\n")(w)
			w.put("^/mine/bin/python", arm64.bytes(w.t))
		}, "asdf/shims/python", expected{program: "^/mine/bin/python", env: []string{"ASDF_INSTALL_TYPE=path"}}},
		{"asdf shim, and the system's program is selected", asdf("python system\n"), "asdf/shims/python",
			expected{program: "asdf/shims/python", reasons: []Code{SystemProtected}}},
		{"asdf shim whose plugin changes the environment", func(w *world) {
			asdf("python 3.11.7\n")(w)
			w.script("^/asdf/plugins/python/bin/exec-env", "export A=1\n")
		}, "asdf/shims/python", expected{program: "asdf/shims/python", reasons: []Code{SystemProtected}}},
		{"asdf with versions of other tools' files", func(w *world) {
			asdf("python 3.11.7\n")(w)
			w.script("^/asdfrc", "legacy_version_file = yes\n")
			w.env = append(w.env, w.at("ASDF_CONFIG_FILE=^/asdfrc"))
		}, "asdf/shims/python", expected{program: "asdf/shims/python", reasons: []Code{SystemProtected}}},
		{"framework build re-executes its application", func(w *world) {
			w.put("^/F/Python.framework/Versions/3.12/bin/python3.12", arm64.bytes(w.t))
			w.put("^/F/Python.framework/Versions/3.12/Resources/Python.app/Contents/MacOS/Python", arm64.bytes(w.t))
			os.Remove(w.at("^/opt/bin/python3"))
			w.link("^/F/Python.framework/Versions/3.12/bin/python3.12", "^/opt/bin/python3")
		}, "python3 x.py", expected{program: "^/opt/bin/python3", args: "python3 x.py", warnings: []Code{ReExecution}}},
		{"framework build whose application is hardened", func(w *world) {
			w.put("^/F/Python.framework/Versions/3.9/bin/python3.9", arm64.bytes(w.t))
			w.put("^/F/Python.framework/Versions/3.9/Resources/Python.app/Contents/MacOS/Python",
				arm64.signed(hardened).bytes(w.t))
		}, "F/Python.framework/Versions/3.9/bin/python3.9", expected{reasons: []Code{HardenedRuntime},
			warnings: []Code{ReExecution}}},
		{"python.org: hardened, with both entitlements", func(w *world) {
			w.put("^/p", arm64.signed(hardened, entitlementDyldVariables, entitlementNoValidation).bytes(w.t))
		}, "^/p", expected{program: "^/p"}},
		{"hardened without entitlements", func(w *world) { w.put("^/p", arm64.signed(hardened).bytes(w.t)) }, "^/p",
			expected{reasons: []Code{HardenedRuntime}, advice: "codesign --force --sign -", noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"hardened in the alternate code directory only counts too", func(w *world) {
			m := arm64
			m.signature.alternate = hardened
			w.put("^/p", m.bytes(w.t))
		}, "^/p", expected{reasons: []Code{HardenedRuntime}}},
		{"hardened, variables allowed, libraries validated", func(w *world) {
			w.put("^/p", arm64.signed(hardened, entitlementDyldVariables).bytes(w.t))
		}, "^/p", expected{reasons: []Code{LibraryValidation}, noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"an entitlement set to false is not granted", func(w *world) {
			m := arm64.signed(hardened, entitlementNoValidation)
			m.signature.entitlements[entitlementDyldVariables] = false
			w.put("^/p", m.bytes(w.t))
		}, "^/p", expected{reasons: []Code{HardenedRuntime}}},
		{"library validation alone", func(w *world) { w.put("^/p", arm64.signed(SignatureRequireLV).bytes(w.t)) }, "^/p",
			expected{reasons: []Code{LibraryValidation}}},
		{"restrict flag", func(w *world) { w.put("^/p", arm64.signed(SignatureRestrict).bytes(w.t)) }, "^/p",
			expected{reasons: []Code{RestrictFlag}}},
		{"__RESTRICT segment", func(w *world) { m := arm64; m.restrict = true; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{RestrictSegment}}},
		{"set-user-id", func(w *world) {
			w.put("^/p", arm64.bytes(w.t))
			w.mark("^/p", func(f *FileFacts) { f.Mode |= modeSetUID })
		}, "^/p", expected{reasons: []Code{SetID}, advice: "sudo mtrace run"}},
		{"platform binary outside the protected folders", func(w *world) {
			m := arm64
			m.signature.platform = 14
			w.put("^/p", m.bytes(w.t))
		}, "^/p", expected{reasons: []Code{PlatformBinary}}},
		{"arm64e of a third party", func(w *world) { w.put("^/p", arm64e.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{PointerAuthentic}, noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"universal: the kernel takes arm64e first",
			func(w *world) { w.put("^/p", universal(w.t, false, x86, arm64, arm64e)) }, "^/p",
			expected{reasons: []Code{PointerAuthentic}}},
		{"universal with a 64-bit table", func(w *world) { w.put("^/p", universal(w.t, true, x86, arm64)) }, "^/p",
			expected{program: "^/p"}},
		{"Intel program under Rosetta", func(w *world) { w.put("^/p", x86.bytes(w.t)) }, "^/p", expected{program: "^/p"}},
		{"Intel program, library without that slice", func(w *world) {
			w.put("^/p", x86.bytes(w.t))
			w.put("^/lib/libmtrace.dylib", arm64.asLibrary().bytes(w.t))
		}, "^/p", expected{reasons: []Code{LibraryLacksMachine}, advice: "build.sh cross", noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"translated mtrace: children take the Intel slice", func(w *world) {
			w.host.Translated = true
			w.put("^/p", universal(w.t, false, x86, arm64))
			w.put("^/lib/libmtrace.dylib", arm64.asLibrary().bytes(w.t))
		}, "^/p", expected{reasons: []Code{LibraryLacksMachine}}},
		{"Apple program on an Intel Mac", func(w *world) { w.host.Arch = "amd64"; w.put("^/p", arm64.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{WrongMachine}}},
		{"arch picks the slice and sets the variable itself",
			func(w *world) { w.put("^/p", universal(w.t, false, x86, arm64)) },
			"arch -x86_64 ^/p a", expected{program: "^/usr/bin/arch",
				args: "arch -x86_64 -e DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib -e " +
					"__XPC_DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib ^/p a"}},
		{"arch in front of a script starts its interpreter",
			func(w *world) { w.script("^/opt/bin/train", "#!^/usr/bin/env python3\n") },
			"arch -arm64 train", expected{program: "^/usr/bin/arch",
				args: "arch -arm64 -e DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib -e " +
					"__XPC_DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib ^/opt/bin/python3 ^/opt/bin/train"}},
		{"nice is a protected launcher", nil, "nice -n 5 python3 x.py",
			expected{program: "^/usr/bin/nice", args: "nice -n 5 python3 x.py", reasons: []Code{SystemProtected},
				advice: "nice … mtrace run"}},
		{"application bundle", func(w *world) {
			w.put("^/Demo.app/Contents/MacOS/demo", arm64.bytes(w.t))
			w.script("^/Demo.app/Contents/Info.plist", infoPlist("demo"))
		}, "./Demo.app --windowed", expected{program: "Demo.app/Contents/MacOS/demo",
			args: "Demo.app/Contents/MacOS/demo --windowed"}},
		{"sandboxed application", func(w *world) {
			w.put("^/Demo.app/Contents/MacOS/demo", arm64.signed(SignatureAdhoc, entitlementSandbox).bytes(w.t))
			w.script("^/Demo.app/Contents/Info.plist", infoPlist("demo"))
		}, "Demo.app/", expected{warnings: []Code{Sandboxed}}},
		{"iPad application", func(w *world) { m := arm64; m.platform = 2; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{WrongPlatform}}},
		{"unsigned arm64", func(w *world) { m := arm64; m.unsigned = true; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{Unsigned}, advice: "codesign --sign -"}},
		{"unsigned Intel is fine", func(w *world) { m := x86; m.unsigned = true; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{program: "^/p"}},
		{"no dynamic linker", func(w *world) { m := arm64; m.noLinker = true; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{reasons: []Code{NoDynamicLinker}}},
		{"Go program", func(w *world) { m := arm64; m.goInfo = true; w.put("^/p", m.bytes(w.t)) }, "^/p",
			expected{warnings: []Code{GoHost}}},
		{"uv run, environment known", func(w *world) {
			w.put("^/opt/bin/uv", arm64.bytes(w.t))
			w.link("^/opt/bin/python3.12", "^/.venv/bin/python3")
		}, "uv run train.py", expected{program: "^/opt/bin/uv", args: "uv run train.py"}},
		{"uv run, interpreter of macOS", func(w *world) {
			w.put("^/opt/bin/uv", arm64.bytes(w.t))
			w.put("^/.venv/bin/python3", arm64.signed(hardened).bytes(w.t))
		}, "uv run train.py", expected{reasons: []Code{HardenedRuntime}}},
		{"uv run, environment not made yet", func(w *world) { w.put("^/opt/bin/uv", arm64.bytes(w.t)) }, "uv run train.py",
			expected{program: "^/opt/bin/uv", warnings: []Code{ChildUnknown}}},
		{"damaged universal table", func(w *world) {
			w.put("^/p", append([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2}, make([]byte, 64)...))
		}, "^/p", expected{reasons: []Code{WrongMachine}}},
		{"Java class file", func(w *world) { w.put("^/p", []byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 0, 0, 0}) }, "^/p",
			expected{reasons: []Code{DamagedImage}}},
		{"signature cut off", func(w *world) { b := x86.bytes(w.t); w.put("^/p", b[:len(b)-8]) }, "^/p",
			expected{reasons: []Code{DamagedImage}, advice: "install the program again", noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"program of another system", func(w *world) {
			w.put("^/p",
				[]byte("\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 100)))
		}, "^/p",
			expected{reasons: []Code{WrongFormat}}},
		{"library missing", func(w *world) { os.Remove(w.at("^/lib/libmtrace.dylib")) }, "python3",
			expected{program: "^/opt/bin/python3", reasons: []Code{LibraryMissing}, advice: "build.sh",
				noEnv: "DYLD_INSERT_LIBRARIES"}},
		{"library quarantined", func(w *world) {
			w.mark("^/lib/libmtrace.dylib",
				func(f *FileFacts) { f.Quarantined = true })
		}, "python3",
			expected{reasons: []Code{LibraryQuarantined}, advice: "xattr -d com.apple.quarantine"}},
		{"library is a program", func(w *world) { w.put("^/lib/libmtrace.dylib", arm64.bytes(w.t)) }, "python3",
			expected{reasons: []Code{LibraryFormat}}},
		{"the user's own inserted libraries stay, behind ours", func(w *world) {
			w.env = append(w.env, w.at("DYLD_INSERT_LIBRARIES=/a.dylib:^/lib/libmtrace.dylib:/b.dylib"))
		}, "python3", expected{env: []string{"DYLD_INSERT_LIBRARIES=^/lib/libmtrace.dylib:/a.dylib:/b.dylib"}}},
	}
	if len(cases) < 25 {
		t.Fatalf("the decision table has %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := mac(t)
			if c.prepare != nil {
				c.prepare(w)
			}
			var command []string
			for _, word := range strings.Fields(c.command) {
				command = append(command, w.at(word))
			}
			plan, err := w.host.Prepare(command, w.at("^/lib/libmtrace.dylib"), w.env)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, w, plan, c.want)
		})
	}
}

func infoPlist(executable string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>` + executable + `</string></dict></plist>`
}

func compare(t *testing.T, w *world, plan *Plan, want expected) {
	t.Helper()
	if injectable := len(want.reasons) == 0; plan.Injectable != injectable {
		t.Errorf("injectable %v, want %v; reasons %v", plan.Injectable, injectable, plan.Reasons)
	}
	if got := codes(plan.Reasons); !slices.Equal(got, want.reasons) {
		t.Errorf("reasons %v, want %v", plan.Reasons, want.reasons)
	}
	if want.warnings != nil || plan.Injectable {
		if got := codes(plan.Warnings); !slices.Equal(got, want.warnings) {
			t.Errorf("warnings %v, want %v", plan.Warnings, want.warnings)
		}
	}
	if want.program != "" && plan.Program != w.at(want.program) {
		t.Errorf("program %q, want %q", plan.Program, w.at(want.program))
	}
	if args := strings.Join(plan.Args, " "); want.args != "" && args != w.at(want.args) {
		t.Errorf("arguments\n%s, want\n%s", args, w.at(want.args))
	}
	for _, entry := range want.env {
		if !slices.Contains(plan.Env, w.at(entry)) {
			t.Errorf("environment %q lacks %q", plan.Env, w.at(entry))
		}
	}
	if _, set := environment(plan.Env).get(want.noEnv); want.noEnv != "" && set {
		t.Errorf("environment %q sets %s", plan.Env, want.noEnv)
	}
	if want.advice != "" && !strings.Contains(allAdvice(plan), w.at(want.advice)) {
		t.Errorf("advice %q does not mention %q", allAdvice(plan), want.advice)
	}
	for _, finding := range plan.Reasons {
		if finding.Text == "" || finding.Path == "" || strings.Contains(finding.String(), "\n") {
			t.Errorf("finding %+v is not one whole line", finding)
		}
	}
	if plan.Program == "" || len(plan.Args) == 0 || len(plan.Chain) == 0 {
		t.Errorf("plan %+v cannot be started", plan)
	}
	if !filepath.IsAbs(w.host.absolute(plan.Program)) {
		t.Errorf("program %q", plan.Program)
	}
}

func codes(findings []Finding) []Code {
	var list []Code
	for _, f := range findings {
		list = append(list, f.Code)
	}
	return list
}

func allAdvice(plan *Plan) string {
	var text []string
	for _, f := range append(slices.Clone(plan.Reasons), plan.Warnings...) {
		text = append(text, f.Advice)
	}
	return strings.Join(text, "\n")
}
