package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
)

// TestDoctorKeepsSecrets: no secret from the environment, the command line, paths or configuration files is in the
// doctor's output that users send to others. `doctor --json` and `--bundle` showed MTRACE_TOKEN, every argument, and
// the working folder.
func TestDoctorKeepsSecrets(t *testing.T) {
	t.Parallel()
	buildSelfTest(t)
	dir := filepath.Join(t.TempDir(), "CANARY-project", "run")
	home := filepath.Join(t.TempDir(), "CANARY-home")
	temp := filepath.Join(t.TempDir(), "CANARY-t")
	for _, folder := range []string{dir, temp, filepath.Join(home, ".config", "pip")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(home, ".netrc"):                     "machine example.org login me password CANARY-netrc\n",
		filepath.Join(home, ".config", "pip", "pip.conf"): "[global]\nindex-url = https://me:CANARY-pip@example.org/simple\n",
		filepath.Join(dir, "prog.sh"): "#!/bin/sh\nexport KEY=CANARY-script\nexec true --token " +
			"CANARY-inner\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{
		"HOME=" + home, "TMPDIR=" + temp, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"MTRACE_TOKEN=CANARY-0123456789abcdef", "MTRACE_PUSH_TOKEN=CANARYpush",
		"AWS_SECRET_ACCESS_KEY=CANARY/with+odd=characters",
		"MTL_OF_TOMORROW=CANARY-mtl", "SOFTMETAL_NOTE=CANARY-softmetal", "https_proxy=http://me:CANARY-proxy@127.0.0.1:9",
		"PYTHONPATH=/opt/CANARY-python/site", "OBJC_NOTE=CANARY-objc",
	}
	check := func(what, text string) {
		t.Helper()
		for n, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "CANARY") {
				t.Errorf("%s:%d: %.300s", what, n+1, line)
			}
		}
	}
	for _, command := range [][]string{
		{"./prog.sh", "--password=CANARY-flag", "CANARY-word", "-pCANARY-short", "TOKEN=CANARY-assigned"},
		{"env", "SECRET=CANARY-env", "./prog.sh"},
		{"sh", "-c", "exec env SECRET=CANARY-shell ./prog.sh --key CANARY-shell"},
	} {
		got := sh(t, dir, env, tool.mtrace, append([]string{"doctor", "--json", "--no-self-test", "--"}, command...)...)
		if !strings.Contains(got.stdout, `"schema": "mtrace.doctor/1"`) || !strings.Contains(got.stdout, "MTRACE_TOKEN") {
			t.Fatalf("%+v", got)
		}
		check("doctor --json -- "+command[0], got.stdout+got.stderr)
	}
	got := sh(t, dir, env, tool.mtrace, "doctor", "--json")
	check("doctor --json", got.stdout+got.stderr)
	text := sh(t, dir, env, tool.mtrace, "doctor", "--no-self-test", "-v")
	for _, secret := range []string{"CANARY-0123456789abcdef", "CANARYpush", "CANARY-proxy", "CANARY-mtl", "CANARY-objc"} {
		if strings.Contains(text.stdout+text.stderr, secret) {
			t.Errorf("doctor prints %s", secret)
		}
	}
	archive := filepath.Join(dir, "first-run.tar.gz")
	if got := sh(t, dir, env, tool.mtrace, "doctor", "--bundle", "first-run.tar.gz"); got.exit == cli.ExitUsage {
		t.Fatalf("%+v", got)
	}
	files := unpacked(t, archive)
	if len(files) < 8 {
		t.Errorf("only %d files", len(files))
	}
	for name, content := range files {
		check(name, name+"\n"+content)
	}
}
