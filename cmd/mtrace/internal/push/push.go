// Package push sends profiles to servers that store them.
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

// A Profile is a profile to send, with its type.
type Profile struct {
	Kind    string // one of profile.Types, or cpu
	Profile *profile.Profile
}

// raw encodes the profile as a .pb.gz file. Pyroscope and Parca require a period type; mtrace counts every event
// instead of sampling, so the period is 1 unit.
func (p Profile) raw() ([]byte, error) {
	whole := p.Profile.Copy()
	if whole.PeriodType == nil && len(whole.SampleType) > 0 {
		whole.PeriodType, whole.Period = whole.SampleType[len(whole.SampleType)-1], 1
	}
	var b bytes.Buffer
	err := whole.Write(&b)
	return b.Bytes(), err
}

// A Server is where profiles are sent, with the labels of all profiles and the credentials.
type Server struct {
	URL *url.URL
	Protocol
	Labels map[string]string // labels of every profile, including service_name and the like
	// User is the user name of HTTP basic authentication, with the token as the password. If User is empty, the
	// token is sent as a bearer token.
	User    string
	Token   string
	Tenant  string // tenant of a server that separates several; empty for none
	Version string // version of mtrace
}

// A Protocol is a way to send profiles, by the name that --server takes.
type Protocol struct {
	Name string
	send func(ctx context.Context, s *Server, p Profile) error
}

// Protocols are the kinds of server that --server accepts.
var Protocols = []Protocol{{"pyroscope", pyroscope}, {"parca", parca}, {"otlp", otlpHTTP}}

// Send sends a profile, and returns when the server has accepted it. An error is one line with the server's reason.
func (s *Server) Send(ctx context.Context, p Profile) error {
	if err := s.send(ctx, s, p); err != nil {
		return fmt.Errorf("%s of %s: %s", s.Name, s.URL.Redacted(), oneLine(err.Error()))
	}
	return nil
}

// post sends a request to path below the server's URL, with its credentials, and returns the response with its whole
// body, up to 64 KiB.
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

// mostOfAnAnswer is how many bytes of a response are read at most. A normal response is a short confirmation or
// error.
const mostOfAnAnswer = 64 << 10

// client returns an HTTP client that does not follow redirects: Go would repeat the request as a GET without the
// profile, and the page that answers it could pass for success.
func client(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// plain returns an error of the HTTP client without the URL, which Send puts before every message.
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

// refused returns the error for a response that rejects a profile: the HTTP status, and the server's reason or
// redirect.
func refused(answer *http.Response, said string) error {
	if to := answer.Header.Get("Location"); to != "" && answer.StatusCode/100 == 3 {
		said = "it is at " + to
	}
	if said = oneLine(said); said == "" || strings.HasPrefix(said, "<") {
		return fmt.Errorf("refused with %s", answer.Status)
	}
	return fmt.Errorf("refused with %s: %s", answer.Status, said)
}

// oneLine returns at most 300 characters of a server's text in one line, without control characters.
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
