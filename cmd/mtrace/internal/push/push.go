// Package push sends profiles to servers that keep them.
package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// A Profile is one to be sent.
type Profile struct {
	Kind    string // one of profile.Types, or cpu
	Profile *profile.Profile
}

// raw is the profile as files have it. Both Pyroscope and Parca name a profile's types by that of its period, too:
// nothing here is sampled, so each unit of what is counted stands for itself.
func (p Profile) raw() ([]byte, error) {
	whole := p.Profile.Copy()
	if whole.PeriodType == nil && len(whole.SampleType) > 0 {
		whole.PeriodType, whole.Period = whole.SampleType[len(whole.SampleType)-1], 1
	}
	var b bytes.Buffer
	err := whole.Write(&b)
	return b.Bytes(), err
}

// A Server is where profiles go, and as whom.
type Server struct {
	URL *url.URL
	Protocol
	Labels  map[string]string // of every profile; with service_name and the like
	User    string            // with the token as its password; empty sends the token as a bearer's
	Token   string
	Tenant  string // of a server that has several
	Version string // of this tool
}

// A Protocol is how a kind of server takes profiles.
type Protocol struct {
	Name string
	send func(ctx context.Context, s *Server, p Profile) error
}

// Protocols are those that there are.
var Protocols = []Protocol{{"pyroscope", pyroscope}, {"parca", parca}, {"otlp", otlpHTTP}}

// Send sends a profile, and returns when the server has said that it has it. An error is one line: why it has not, in
// the server's words.
func (s *Server) Send(ctx context.Context, p Profile) error {
	if err := s.send(ctx, s, p); err != nil {
		return fmt.Errorf("%s of %s: %s", s.Name, s.URL.Redacted(), oneLine(err.Error()))
	}
	return nil
}

// post sends a message to a path below the server's address. The answer's headers and trailers are there when it
// returns.
func (s *Server) post(ctx context.Context, client *http.Client, path string, body []byte, headers map[string]string) (
	answer *http.Response, said []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		request.Header.Set(name, headers[name])
	}
	request.Header.Set("User-Agent", "mtrace/"+s.Version)
	switch {
	case s.User != "":
		request.SetBasicAuth(s.User, s.Token)
	case s.Token != "":
		request.Header.Set("Authorization", "Bearer "+s.Token)
	}
	if s.Tenant != "" {
		request.Header.Set("X-Scope-OrgID", s.Tenant)
	}
	if answer, err = client.Do(request); err != nil {
		return nil, nil, plain(err)
	}
	defer answer.Body.Close()
	said, err = io.ReadAll(io.LimitReader(answer.Body, mostOfAnAnswer))
	return answer, said, plain(err)
}

// mostOfAnAnswer is how many bytes of it are read: it says done, or why not.
const mostOfAnAnswer = 64 << 10

// client does not follow to other addresses: behind one, what is sent would be a request without its profile, which
// many a server answers with a page.
func client(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// plain removes the address from an error, because the message names it already.
func plain(err error) error {
	of, is := err.(*url.Error)
	switch {
	case errors.Is(err, context.DeadlineExceeded), is && of.Timeout():
		return errors.New("it did not answer in time")
	case is:
		return of.Err
	}
	return err
}

// refused is what a server said instead of taking a profile.
func refused(answer *http.Response, said string) error {
	if to := answer.Header.Get("Location"); to != "" && answer.StatusCode/100 == 3 {
		said = "it is at " + to
	}
	if said = oneLine(said); said == "" || strings.HasPrefix(said, "<") {
		return fmt.Errorf("refused with %s", answer.Status)
	}
	return fmt.Errorf("refused with %s: %s", answer.Status, said)
}

// oneLine is a server's text as a part of a line, without what a terminal would obey.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return r <= ' ' || r >= 0x7f &&
			r < 0xa0
	}), " ")
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return s
}
