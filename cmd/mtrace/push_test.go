package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"mtrace/cmd/mtrace/internal/cli"
)

// receiver is a test's server, which prints its addresses in its first line and then one line of JSON for each profile
// that it receives.
type receiver struct {
	addresses []string
	lines     *bufio.Reader
}

func startReceiver(t *testing.T, cmd *exec.Cmd) *receiver {
	t.Helper()
	in, err := cmd.StdinPipe() // its end is the server's
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	startInTime(t, cmd)
	r := &receiver{lines: bufio.NewReader(out)}
	t.Cleanup(func() {
		in.Close()
		hang := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer hang.Stop()
		io.Copy(io.Discard, r.lines)
		cmd.Wait()
	})
	first, err := r.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, wrong.String())
	}
	r.addresses = strings.Fields(first)
	return r
}

func (r *receiver) next(t *testing.T, v any) {
	t.Helper()
	line, err := r.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
}

// receivers builds the servers in testdata/receivers with the module versions locked there.
func receivers(t *testing.T) *receiver {
	t.Helper()
	program := filepath.Join(t.TempDir(), "receivers")
	download := exec.Command("go", "mod", "download")
	build := exec.Command("go", "build", "-o", program, ".")
	download.Dir, build.Dir = "testdata/receivers", "testdata/receivers"
	if out, err := saidBy(download, networkLimit); err != nil {
		t.Skipf("the modules of Pyroscope and of OpenTelemetry's Collector cannot be had here: %s", cli.LastLine(string(out)))
	}
	if out, err := saidBy(build, commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return startReceiver(t, exec.Command(program))
}

// parcaServer builds the server in testdata/parca with the package versions locked there.
func parcaServer(t *testing.T) *receiver {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("what Parca publishes of its messages is a package for Node: ", err)
		}
	}
	folder := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := copyFile(filepath.Join(folder, name), filepath.Join("testdata/parca", name)); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir, install.Env = folder, append(os.Environ(), "npm_config_fetch_retries=0", "npm_config_fetch_timeout=60000")
	if out, err := saidBy(install, networkLimit); err != nil {
		t.Skipf("npm cannot have Parca's client here: %s", cli.LastLine(string(out)))
	}
	return startReceiver(t, exec.Command("node", "testdata/parca/server.mjs", folder))
}

// got is a profile as a server received it.
type got struct {
	Server                string
	Labels                map[string]any
	Authorization, Tenant string
	Samples, Deepest      int
	Sums                  map[string]int64
	Functions             []string
	Time                  int64
}

// ofProfile returns a profile in a file as a server must receive it.
func ofProfile(p *pprof.Profile) got {
	want := got{Samples: len(p.Sample), Sums: map[string]int64{}, Time: p.TimeNanos}
	for _, s := range p.Sample {
		if want.Functions == nil && s.Value[0] != 0 {
			for _, l := range s.Location {
				want.Functions = append(want.Functions, l.Line[0].Function.Name)
			}
		}
		want.Deepest = max(want.Deepest, len(s.Location))
		for k, kind := range p.SampleType {
			want.Sums[kind.Type+"/"+kind.Unit] += s.Value[k]
		}
	}
	return want
}

// filed returns the profile that mtrace pprof writes, which must equal the sent one.
func filed(t *testing.T, trace, kind string) *pprof.Profile {
	t.Helper()
	path := filepath.Join(t.TempDir(), kind)
	if r := sh(t, "", nil, tool.mtrace, "pprof", "--type", kind, "-o", path, trace); r.exit != 0 {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pprof.ParseData(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sameProfile(t *testing.T, have, want got) {
	t.Helper()
	if have.Samples != want.Samples || fmt.Sprint(have.Sums) != fmt.Sprint(want.Sums) || have.Deepest != want.Deepest ||
		have.Time != want.Time ||
		fmt.Sprint(have.Functions) != fmt.Sprint(want.Functions) {
		t.Errorf("the server has\n%+v\nand the file\n%+v", have, want)
	}
}

// The servers' own code decodes exactly the samples in the files that mtrace pprof writes, to the nanosecond, with
// service, host, run, the user's labels, and the token. A refusal by a server is one line with the server's reason, and
// status 2.
func TestPush(t *testing.T) {
	t.Parallel()
	needTruth(t)
	trace := smallTrace(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, have got, kind string, labels map[string]string) {
		t.Helper()
		p := filed(t, trace, kind)
		sameProfile(t, have, ofProfile(p))
		for name, value := range labels {
			if have.Labels[name] != value {
				t.Errorf("%s is %v, not %s: %v", name, have.Labels[name], value, have.Labels)
			}
		}
		if run := fmt.Sprint(p.TimeNanos); have.Labels["run"] != run {
			t.Errorf("the run is %v, not %s", have.Labels["run"], run)
		}
	}
	refused := func(t *testing.T, to, address, label, why string) {
		t.Helper()
		r := sh(t, "", nil, tool.mtrace, "push", "--server", to, "--type", "wait,api", "--label", label, address, trace)
		if r.exit != cli.ExitUsage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 ||
			!strings.Contains(r.stderr, why) ||
			!strings.Contains(r.stderr, "the server did not accept the wait profile (0 of 2 were sent before): "+to+" of "+
				address) {
			t.Errorf("want %q: %+v", why, r)
		}
	}

	t.Run("Pyroscope and OTLP", func(t *testing.T) {
		server := receivers(t)
		token := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for at, to := range []string{"pyroscope", "otlp"} {
			address := server.addresses[at]
			r := sh(t, "", nil, tool.mtrace, "push", "--server", to, "--type", "wait,gpu", "--token-file", token, "--user",
				"me", "--tenant", "us", "--label", "branch=main", address, trace)
			if r.exit != 0 || r.stderr != "" || strings.Count(r.stdout, " samples\n") != 2 {
				t.Fatalf("%+v", r)
			}
			names := map[string]map[string]string{
				"pyroscope": {"__name__": "mtrace_wait", "service_name": "python3", "host": host, "branch": "main"},
				"otlp":      {"service.name": "python3", "host.name": host, "branch": "main"},
			}
			for _, kind := range []string{"wait", "gpu"} {
				var have got
				server.next(t, &have)
				if to == "pyroscope" {
					names[to]["__name__"] = "mtrace_" + kind
				}
				if name, ok := have.Labels["service_name"].(string); ok && strings.HasPrefix(name, "python3") {
					have.Labels["service_name"] = "python3" // as python3.11
				}
				if name, ok := have.Labels["service.name"].(string); ok && strings.HasPrefix(name, "python3") {
					have.Labels["service.name"] = "python3"
				}
				check(t, have, kind, names[to])
				if have.Server != to || have.Tenant != "us" || have.Authorization != "Basic "+base64.StdEncoding.EncodeToString(
					[]byte("me:secret")) {
					t.Errorf("%+v", have)
				}
				if to == "otlp" && (have.Labels["sample thread"] == nil || have.Labels["sample tid"] == nil) {
					t.Errorf("samples have no thread: %v", have.Labels)
				}
			}
			refused(t, to, address, "refuse=yes", "refused with 400 Bad Request: ")
			refused(t, to, address, "refuse=yes", "this label is not wanted")
		}
		refused(t, "otlp", server.addresses[1], "partly=yes", "the server rejected 2 profiles: too much")
		// Each server gets a request in the other's protocol.
		refused(t, "otlp", server.addresses[0], "a=b", "404 Not Found")
		refused(t, "pyroscope", server.addresses[1], "a=b", "404 Not Found")
		refused(t, "parca", server.addresses[0], "a=b", "p") // that the server speaks another HTTP, in Go's words
	})

	t.Run("Parca", func(t *testing.T) {
		server := parcaServer(t)
		address := server.addresses[0]
		r := sh(t, "", []string{"MTRACE_PUSH_TOKEN=secret"}, tool.mtrace, "push", "--server", "parca", "--type", "api",
			"--service", "training", address, trace)
		if r.exit != 0 || r.stderr != "" || !strings.HasPrefix(r.stdout, "api: ") {
			t.Fatalf("%+v", r)
		}
		var have struct {
			Labels        map[string]any
			Profiles      []string
			Normalized    bool
			Authorization []string
		}
		server.next(t, &have)
		if len(have.Profiles) != 1 || !have.Normalized || fmt.Sprint(have.Authorization) != "[Bearer secret]" {
			t.Fatalf("%+v", have)
		}
		raw, err := base64.StdEncoding.DecodeString(have.Profiles[0])
		if err != nil {
			t.Fatal(err)
		}
		p, err := pprof.ParseData(raw)
		if err != nil {
			t.Fatal(err)
		}
		sent := ofProfile(p)
		sent.Labels = have.Labels
		check(t, sent, "api", map[string]string{"__name__": "mtrace_api", "service_name": "training", "host": host})
		refused(t, "parca", address, "refuse=yes", "rejected with gRPC status 3: this label is not wanted: 100%")
		refused(t, "pyroscope", address, "a=b", "p")
	})
}

// A push to anything but a profile server fails: to a web page, another path, a server that does not answer, and a port
// without a listener.
func TestPushToNobody(t *testing.T) {
	t.Parallel()
	needTruth(t)
	trace := smallTrace(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>welcome")
	}))
	defer page.Close()
	// It halts until the test ends. The story: it halted until its client had gone, which a server of HTTP/1 never hears
	// of one that spoke HTTP/2 and continued after its first packet; closing the server waited for that, until all tests
	// were out of time.
	over := make(chan struct{})
	halting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-over
	}))
	defer halting.Close()
	defer close(over)
	elsewhere := httptest.NewServer(http.RedirectHandler(page.URL, http.StatusFound))
	defer elsewhere.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections wait there for ever
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, to := range []string{"pyroscope", "parca", "otlp"} {
		for address, why := range map[string]string{page.URL: "check the URL", halting.URL: "did not answer in time",
			elsewhere.URL: "", "http://" + silent.Addr().String(): "did not answer in time", "http://" +
				gone.Addr().String(): "refused"} {
			if to == "parca" && (address == page.URL || address == halting.URL) {
				why = "" // they speak HTTP/1
			}
			r := sh(t, "", nil, tool.mtrace, "push", "--server", to, "--type", "wait", "--timeout", "2s", address, trace)
			if r.exit != cli.ExitUsage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 ||
				!strings.Contains(r.stderr, why) {
				t.Errorf("%s, want %q: %+v", to, why, r)
			}
		}
	}
}

// Wrong usage is refused before anything is sent.
func TestPushUsage(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		said string
		args []string
	}{
		{"the kind of server is missing: --server pyroscope, or parca, or otlp", []string{"http://h", "t"}},
		{`unknown kind of server "sentry"`, []string{"--server", "sentry", "http://h", "t"}},
		{"give a URL and a trace", []string{"--server", "otlp", "t"}},
		{"is not a server's URL", []string{"--server", "otlp", "localhost:4318", "t"}},
		{"other users can see on the command line", []string{"--server", "otlp", "http://me:secret@h", "t"}},
		{"other users can see on the command line", []string{"--server", "otlp", "http://me:secret%zz@h", "t"}},
		{"other users can see on the command line", []string{"--server", "otlp", "me:secret@h:4318", "t"}},
		{"the URL must not contain ? or #", []string{"--server", "otlp", "http://h/?a=b", "t"}},
		{"not of the form NAME=VALUE", []string{"--server", "otlp", "--label", "__name__=x", "http://h", "t"}},
		{"has no value", []string{"--server", "otlp", "--label", "a=", "http://h", "t"}},
		{"names a twice", []string{"--server", "otlp", "--label", "a=1", "--label", "a=2", "http://h", "t"}},
		{"has no token", []string{"--server", "otlp", "--token-file", empty, "http://h", "t"}},
		{"needs a password", []string{"--server", "otlp", "--user", "me", "http://h", "t"}},
		{"--timeout must be above", []string{"--server", "otlp", "--timeout", "0s", "http://h", "t"}},
		{`unknown profile type "x"`, []string{"--server", "otlp", "--type", "x", "http://h", "t"}},
		{"no profile type is given", []string{"--server", "otlp", "--type", "", "http://h", "t"}},
	} {
		r := sh(t, "", []string{"MTRACE_PUSH_TOKEN="}, tool.mtrace, append([]string{"push"}, c.args...)...)
		if r.exit != cli.ExitUsage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 ||
			!strings.Contains(r.stderr, c.said) || strings.Contains(r.stderr, "secret") {
			t.Errorf("want %q: %+v", c.said, r)
		}
	}
}
