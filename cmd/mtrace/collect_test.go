package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/relay"
)

// A collecting is a collector at work.
type collecting struct {
	cmd     *exec.Cmd
	stdout  bytes.Buffer
	stderr  *bufio.Reader
	pipe    io.Closer // of stderr
	address string
	said    string // on stderr before the address
}

// startCollecting starts `mtrace collect` and waits until it listens.
func startCollecting(t *testing.T, dir string, env []string, args ...string) *collecting {
	t.Helper()
	c := &collecting{cmd: exec.Command(tool.mtrace, append([]string{"collect"}, args...)...)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stdout = dir, append(os.Environ(), env...), &c.stdout
	pipe, err := c.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, c.cmd)
	c.stderr, c.pipe = bufio.NewReader(pipe), pipe
	for {
		line, err := c.stderr.ReadString('\n')
		if err != nil {
			t.Fatalf("it ends before it listens: %s%s", c.said, line)
		}
		if address, found := strings.CutPrefix(line, "mtrace collect: listening on "); found {
			c.address = strings.TrimSpace(address)
			return c
		}
		c.said += line
	}
}

// interrupt ends the collector as a user does and returns the rest of its output.
func (c *collecting) interrupt(t *testing.T) outcome {
	t.Helper()
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c.stderr)
	if err != nil {
		t.Error(err)
	}
	c.cmd.Wait()
	return outcome{c.stdout.String(), string(rest), cli.ExitStatus(c.cmd.ProcessState.Sys().(syscall.WaitStatus))}
}

// injected is the environment in which a program of this machine records to a socket.
func injected(t *testing.T, socket string) []string {
	if _, err := os.Stat(filepath.Join(tool.dir, "softmetal", "libsoftmetal-preload.so")); err != nil {
		t.Skip("without the software Metal a program is injected by mtrace run only")
	}
	return []string{"MTRACE_SOCKET=" + socket, "LD_PRELOAD=" + filepath.Join(tool.dir, cli.LibraryName()) + ":" +
		filepath.Join(tool.dir, "softmetal", "libsoftmetal-preload.so")}
}

// Processes that know the socket are recorded together, while they run side by side, into one trace.
func TestCollectProcesses(t *testing.T) {
	dir := t.TempDir()
	c := startCollecting(t, dir, nil, "--listen", "unix:s", "-o", "traces")
	env := injected(t, filepath.Join(dir, "s"))
	var programs []*exec.Cmd
	for range 2 {
		p := exec.Command("/usr/bin/python3", workload(t), "--op", "axpy", "--size", "4096", "--threads", "2", "--iters",
			"30")
		p.Env = append(os.Environ(), env...)
		startInTime(t, p)
		programs = append(programs, p)
	}
	for _, p := range programs {
		if err := p.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	got := c.interrupt(t)
	path := strings.TrimSpace(got.stdout)
	trace, err := analyze.Load(filepath.Join(dir, path), analyze.Options{})
	if err != nil || got.exit != 0 || !strings.Contains(got.stderr, " 0 lost") {
		t.Fatalf("%v: %+v", err, got)
	}
	buffers := map[int]int{}
	for b := range trace.Buffers() {
		buffers[b.Process.ID]++
	}
	for _, p := range programs {
		if buffers[p.Process.Pid] < 60 {
			t.Errorf("of process %d there are %d command buffers", p.Process.Pid, buffers[p.Process.Pid])
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "s")); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestCollectNothing(t *testing.T) {
	dir := t.TempDir()
	got := startCollecting(t, dir, nil, "--listen", "unix:s", "-o", "traces").interrupt(t)
	left, _ := filepath.Glob(filepath.Join(dir, "traces", "*"))
	if got.exit != 0 || got.stdout != "" || !strings.Contains(got.stderr, "no process connected") || len(left) > 0 {
		t.Errorf("%+v, left behind: %v", got, left)
	}
}

// The reader of a collector's standard output may be gone long before the processes that the collector records. With
// the next line of output the collector ended by SIGPIPE, and all traces were cut.
func TestCollectWhenNobodyReads(t *testing.T) {
	dir := t.TempDir()
	c := startCollecting(t, dir, nil, "--listen", "unix:s", "-o", "traces")
	c.pipe.Close()
	conn, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.Write(bytes.Repeat([]byte("noise"), 100)) // the collector warns of it
	io.ReadAll(conn)
	c.cmd.Process.Signal(os.Interrupt)
	c.cmd.Wait()
	if exit := cli.ExitStatus(waitStatus(c.cmd)); exit != 0 {
		t.Errorf("exit status %d", exit)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "traces", "*.mtrace")); len(left) != 1 {
		t.Errorf("there are %q", left)
	}
}

// A reader that keeps the log's pipe open without reading blocks nothing. Unauthenticated connections filled the pipe
// with a warning each. From then on a sender with the right token got no answer, and the collector did not end.
func TestCollectWhoseLogNobodyReads(t *testing.T) {
	whole, err := os.ReadFile(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	for deadline := time.Now().Add(50 * time.Millisecond); ; { // fill it
		writer.SetWriteDeadline(deadline)
		if _, err := writer.Write(make([]byte, 4096)); err != nil {
			break
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	dir, token := t.TempDir(), "a-token-that-is-long-enough"
	c := exec.Command(tool.mtrace, "collect", "--listen", "tcp://"+address, "--listen", "unix:s", "-o", "traces")
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), "MTRACE_TOKEN="+token), writer
	startInTime(t, c)
	awaitFile(t, filepath.Join(dir, "s"))
	for range 1000 {
		for network, at := range map[string]string{"tcp": address, "unix": filepath.Join(dir, "s")} {
			if conn, err := net.Dial(network, at); err == nil {
				conn.Write(bytes.Repeat([]byte("noise"), 10))
				conn.Close()
			}
		}
	}
	spoolsIn(t)
	s, err := relay.NewSender(relay.SenderOptions{Address: address, Token: token, Name: "job", Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Discard()
	s.Start()
	if _, err := s.Write(whole); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := s.Deliver(context.Background(), 30*time.Second); err != nil {
		t.Error(err)
	}
	c.Process.Signal(os.Interrupt)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		c.Process.Kill()
		t.Error("it does not end")
	}
}

// Traces from other machines arrive whole, each in a file of its own; a sender without the token can deliver nothing.
func TestCollectFromOtherMachines(t *testing.T) {
	whole, err := os.ReadFile(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := startCollecting(t, dir, []string{"MTRACE_TOKEN="}, "--listen", "tcp://127.0.0.1:0", "-o", "traces")
	token := regexp.MustCompile(`MTRACE_TOKEN=(\S+)`).FindStringSubmatch(c.said)
	if token == nil {
		t.Fatalf("it does not tell the token: %q", c.said)
	}
	spoolsIn(t)
	send := func(token string) error {
		s, err := relay.NewSender(relay.SenderOptions{Address: strings.TrimPrefix(c.address, "tcp://"), Token: token,
			Name: "job", Limit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Discard()
		s.Start()
		if _, err := s.Write(whole); err != nil {
			t.Fatal(err)
		}
		s.Close()
		return s.Deliver(context.Background(), 3*time.Minute)
	}
	if send("not-the-token-at-all") == nil {
		t.Error("a wrong token is accepted")
	}
	for range 2 {
		if err := send(token[1]); err != nil {
			t.Fatal(err)
		}
	}
	got := c.interrupt(t)
	if got.exit != 0 || got.stdout != "traces/job.mtrace\ntraces/job-2.mtrace\n" {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"job.mtrace", "job-2.mtrace"} {
		if text, err := os.ReadFile(filepath.Join(dir, "traces", name)); err != nil || !bytes.Equal(text, whole) {
			t.Errorf("%s is not what was sent: %v", name, err)
		}
	}
}

func TestRunSendsAwayRefuses(t *testing.T) {
	refused(t, t.TempDir(), map[string]struct {
		args []string
		says string
	}{
		"a bad address": {[]string{"run", "--collector", "nowhere", "--", "true"}, "neither unix:PATH nor tcp://HOST:PORT"},
		"two places":    {[]string{"run", "--collector", "tcp://h:1", "-o", "x", "--", "true"}, "give one of them"},
		"no size": {[]string{"run", "--collector", "tcp://h:1", "--collector-spool", "much", "--", "true"},
			"not a size like 512M"},
		"no wait": {[]string{"run", "--collector", "tcp://h:1", "--collector-wait", "-1s", "--", "true"},
			"give a time of 0 or more"},
		"a report": {[]string{"run", "--collector", "tcp://h:1", "--json", "--", "true"}, "run mtrace report there"},
	})
}

func TestCollectRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, map[string]struct {
		args []string
		says string
	}{
		"nothing":     {[]string{"collect"}, "the address is missing"},
		"no folder":   {[]string{"collect", "--listen", "unix:s"}, "-o DIR"},
		"an argument": {[]string{"collect", "--listen", "unix:s", "-o", "d", "x"}, "unexpected argument"},
		"a bad address": {[]string{"collect", "--listen", "udp://x", "-o", "d"},
			"neither unix:PATH nor tcp://HOST:PORT"},
		"no port": {[]string{"collect", "--listen", "tcp://localhost", "-o", "d"},
			"neither unix:PATH nor tcp://HOST:PORT"},
		"a folder for socket": {[]string{"collect", "--listen", "unix:none/s", "-o", "d"}, "listen on"},
		"a file for folder":   {[]string{"collect", "--listen", "unix:s", "-o", file}, "file"},
		"a long path":         {[]string{"collect", "--listen", "unix:" + strings.Repeat("s", 200), "-o", "d"}, "longer"},
	})
	if got := sh(t, dir, []string{"MTRACE_TOKEN=short"}, tool.mtrace, "collect", "--listen", "tcp://127.0.0.1:0", "-o",
		"d"); got.exit != 2 || !strings.Contains(got.stderr, "token has 5 characters") {
		t.Errorf("a short token: %+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "d", "*")); len(left) > 0 {
		t.Errorf("refused, and left behind: %v", left)
	}
}
