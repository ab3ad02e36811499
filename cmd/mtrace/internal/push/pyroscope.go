package push

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"
)

// pyroscope sends a profile to Pyroscope with Push of push.v1.PusherService, by Connect's protocol
// (https://connectrpc.com/docs/protocol). Errors are JSON, although the request is protobuf.
func pyroscope(ctx context.Context, s *Server, p Profile) error {
	raw, err := p.raw()
	if err != nil {
		return err
	}
	series := labelPairs(nil, 1, s.named(p))
	series = message(series, 2, message(nil, 1, raw))
	answer, said, err := s.post(ctx, client(patient), "push.v1.PusherService/Push", message(nil, 1, series),
		map[string]string{"Content-Type": "application/proto", "Connect-Protocol-Version": "1"})
	if err != nil || answer.StatusCode == http.StatusOK && answer.Header.Get("Content-Type") == "application/proto" {
		return err
	}
	var why struct{ Code, Message string }
	if json.Unmarshal(said, &why) == nil && why.Code != "" {
		said = []byte(why.Code + ": " + why.Message)
	}
	if answer.StatusCode == http.StatusOK {
		return errors.New("the answer does not come from Pyroscope: check the URL")
	}
	return refused(answer, string(said))
}

// named returns the labels of one profile: its name, mtrace_TYPE, and the labels of all profiles.
func (s *Server) named(p Profile) [][2]string {
	list := [][2]string{{"__name__", "mtrace_" + p.Kind}}
	for _, name := range sortedNames(s.Labels) {
		list = append(list, [2]string{name, s.Labels[name]})
	}
	return list
}

// labelPairs appends each label to b as a protobuf message of name (field 1) and value (field 2).
func labelPairs(b []byte, field protowire.Number, labels [][2]string) []byte {
	for _, l := range labels {
		pair := message(nil, 1, []byte(l[0]))
		b = message(b, field, message(pair, 2, []byte(l[1])))
	}
	return b
}

// message appends a length-delimited protobuf field to b: a text, or an encoded message.
func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}
