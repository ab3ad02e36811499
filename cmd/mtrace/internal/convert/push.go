package convert

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/analyze/profile"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/push"
)

// pushTokenVariable is the environment variable with the token that mtrace push sends, if --token-file is not given.
const pushTokenVariable = "MTRACE_PUSH_TOKEN"

func PushCommand() cli.Command {
	return cli.Command{
		Name:    "push",
		Summary: "Send a trace's profiles to Pyroscope, Parca or an OpenTelemetry receiver",
		Usage:   "[flags] --server KIND URL FILE",
		Example: "mtrace push --server pyroscope http://localhost:4040 trace.mtrace",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var j pushJob
			flags.StringVar(&j.to, "server", "", "the `KIND` of server at URL: "+
				"pyroscope (its push API), parca (gRPC) or otlp (profiles of OTLP over HTTP)")
			flags.StringSliceVar(&j.profiles.Types, "type", profile.Types,
				"send profiles of these `TYPES`; a recording of Instruments also has cpu")
			flags.StringVar(&j.service, "service", "",
				"the `NAME` of the service to which the profiles belong (default: the program's name)")
			flags.StringArrayVar(&j.labels, "label", nil,
				"add the label `NAME=VALUE` to all profiles; host and run (its start time) are always added")
			flags.StringVar(&j.tokenFile, "token-file", "",
				"read the server's access token from this `FILE` (default: the variable "+pushTokenVariable+")")
			flags.StringVar(&j.user, "user", "",
				"send the token as the password of the user `NAME`, by HTTP basic authentication "+
					"(default: as a bearer token)")
			flags.StringVar(&j.tenant, "tenant", "", "the `ID` of the tenant, for servers that have several (X-Scope-OrgID)")
			flags.DurationVar(&j.timeout, "timeout", 30*time.Second,
				"wait at most this `TIME` for the server to accept each profile")
			j.profiles.Of.Flags(flags)
			return func(std cli.Stdio, args []string) error {
				j.profiles.asked = flags.Changed("type")
				return j.run(std, args)
			}
		},
	}
}

// A pushJob holds the flags of mtrace push: the profiles to send, the server, and the labels.
type pushJob struct {
	profiles                             ProfileJob
	to, service, tokenFile, user, tenant string
	labels                               []string
	timeout                              time.Duration
}

func (j *pushJob) run(std cli.Stdio, args []string) error {
	server, err := j.server(args)
	if err != nil {
		return err
	}
	made, err := j.profiles.profiles(std, args[1])
	if err != nil {
		return err
	}
	sent := 0
	for _, b := range made.list {
		if len(b.Profile.Sample) == 0 {
			fmt.Fprintf(std.Err, "mtrace: the %s profile has no samples: it is not sent\n", b.Kind)
			continue
		}
		one := *server
		one.Labels = j.labelled(server.Labels, b, made.host)
		ctx, cancel := context.WithTimeout(context.Background(), j.timeout)
		err := one.Send(ctx, push.Profile{Kind: b.Kind, Profile: b.Profile})
		cancel()
		if err != nil {
			return cli.UsageError("the server did not accept the %s profile (%d of %d were sent before): %w",
				b.Kind, sent, len(made.list), err)
		}
		sent++
		fmt.Fprintf(std.Out, "%s: %d samples\n", b.Kind, len(b.Profile.Sample))
	}
	if sent == 0 {
		return cmp.Or(made.incomplete, cli.UsageError("%s has no samples: nothing was sent", args[1]))
	}
	return made.incomplete
}

// labelled returns the labels of one profile: service, host and run (start time), overridden and extended by the
// labels in given.
func (j *pushJob) labelled(given map[string]string, b built, host string) map[string]string {
	labels := map[string]string{push.ServiceLabel: j.service}
	if j.service == "" {
		labels[push.ServiceLabel] = "unknown"
		if m := b.Profile.Mapping; len(m) > 0 && m[0].File != "" {
			labels[push.ServiceLabel] = filepath.Base(m[0].File)
		}
	}
	if host != "" {
		labels[push.HostLabel] = host
	}
	if b.Profile.TimeNanos > 0 {
		labels["run"] = strconv.FormatInt(b.Profile.TimeNanos, 10)
	}
	for name, value := range given {
		labels[name] = value
	}
	return labels
}

// server validates the command line and returns the server to which profiles are sent.
func (j *pushJob) server(args []string) (*push.Server, error) {
	names := make([]string, len(push.Protocols))
	for i, p := range push.Protocols {
		names[i] = p.Name
	}
	at := slices.Index(names, j.to)
	switch {
	case at < 0 && j.to == "":
		return nil, cli.UsageError("the kind of server is missing: --server %s", strings.Join(names, ", or "))
	case at < 0:
		return nil, cli.UsageError("unknown kind of server %q: --server must be one of %s",
			j.to, strings.Join(names, ", "))
	case len(args) != 2:
		return nil, cli.UsageError("give a URL and a trace, not %d arguments: mtrace push --server %s URL FILE",
			len(args), j.to)
	case j.timeout <= 0:
		return nil, cli.UsageError("--timeout must be above 0")
	}
	address, err := url.Parse(args[0])
	switch {
	case strings.Contains(args[0], "@"): // checked first: the next error would print the password
		return nil, cli.UsageError(
			"the URL contains a name or a password, which other users can see on the command line: "+
				"give --user NAME, and the password in %s or --token-file", pushTokenVariable)
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		return nil, cli.UsageError("%q is not a server's URL: give http://HOST:PORT or https://HOST:PORT", args[0])
	case address.RawQuery != "" || address.Fragment != "":
		return nil, cli.UsageError("the URL must not contain ? or #: give http://HOST:PORT or http://HOST:PORT/PATH")
	}
	labels, err := labelsOf(j.labels)
	if err != nil {
		return nil, err
	}
	token, err := j.token()
	if err != nil {
		return nil, err
	}
	return &push.Server{URL: address, Protocol: push.Protocols[at], Labels: labels, User: j.user, Token: token,
		Tenant: j.tenant, Version: cli.ToolVersion()}, nil
}

// token returns the token to send, from --token-file or the environment; empty if neither is given.
func (j *pushJob) token() (string, error) {
	token := os.Getenv(pushTokenVariable)
	if j.tokenFile != "" {
		text, err := os.ReadFile(j.tokenFile)
		if err != nil {
			return "", cli.UsageError("reading the token: %w", err)
		}
		token = strings.TrimSpace(string(text))
		if token == "" {
			return "", cli.UsageError("%s has no token in it", j.tokenFile)
		}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", cli.UsageError("the token contains line breaks or control characters: it must be one line of text")
	}
	if j.user != "" && token == "" {
		return "", cli.UsageError("--user %s needs a password: set %s, or give --token-file", j.user, pushTokenVariable)
	}
	return token, nil
}

// labelName matches label names that all servers accept: letters, digits and _. Names that begin with __ are reserved
// by Prometheus.
var labelName = regexp.MustCompile(`^(?:[a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9_]*$`)

func labelsOf(given []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, l := range given {
		name, value, found := strings.Cut(l, "=")
		switch {
		case !found || !labelName.MatchString(name):
			return nil, cli.UsageError("--label %s is not of the form NAME=VALUE, with a name of letters, digits and _", l)
		case value == "":
			return nil, cli.UsageError("--label %s has no value", l)
		}
		if _, twice := labels[name]; twice {
			return nil, cli.UsageError("--label names %s twice", name)
		}
		labels[name] = value
	}
	return labels, nil
}
