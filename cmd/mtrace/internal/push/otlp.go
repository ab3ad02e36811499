package push

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"mtrace/analyze/profile/otlp"
)

// otlpHTTP sends a profile by OTLP over HTTP. The request message, ExportProfilesServiceRequest, is encoded exactly
// like ProfilesData.
func otlpHTTP(ctx context.Context, s *Server, p Profile) error {
	of := map[string]string{}
	for name, value := range s.Labels {
		of[attributeName(name)] = value
	}
	content, err := proto.Marshal(otlp.Make(p.Profile, of, s.Version))
	if err != nil {
		return err
	}
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	w.Write(content) // a buffer takes everything
	w.Close()
	answer, said, err := s.post(ctx, client(patient), "v1development/profiles", body.Bytes(),
		map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"})
	if err != nil {
		return err
	}
	isProtobuf := strings.HasPrefix(answer.Header.Get("Content-Type"), "application/x-protobuf")
	switch {
	case answer.StatusCode != http.StatusOK:
		if isProtobuf { // google.rpc.Status
			if why, err := textField(said, 2); err == nil {
				said = why
			}
		}
		return refused(answer, string(said))
	case !isProtobuf:
		return errors.New("the answer does not come from an OTLP receiver: check the URL")
	}
	return partly(said)
}

// partly returns an error if the server's response says that it rejected profiles. A warning without rejected
// profiles is ignored.
func partly(said []byte) error {
	partial, err := textField(said, 1)
	if err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	rejected, why := uint64(0), ""
	err = eachField(partial, func(field protowire.Number, number uint64, content []byte) {
		switch field {
		case 1:
			rejected = number
		case 2:
			why = string(content)
		}
	})
	if err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	if rejected > 0 {
		return fmt.Errorf("the server rejected %d profiles: %s", rejected, why)
	}
	return nil
}

// textField returns the content of the protobuf field with this number. If the field is repeated, it returns the last
// one; nil if there is none.
func textField(b []byte, wanted protowire.Number) (text []byte, err error) {
	err = eachField(b, func(field protowire.Number, _ uint64, content []byte) {
		if field == wanted {
			text = content
		}
	})
	return text, err
}

// eachField calls `see` for each varint and length-delimited field of a protobuf message.
func eachField(b []byte, see func(field protowire.Number, number uint64, content []byte)) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(field, kind, b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		switch kind {
		case protowire.VarintType:
			number, _ := protowire.ConsumeVarint(b)
			see(field, number, nil)
		case protowire.BytesType:
			content, _ := protowire.ConsumeBytes(b)
			see(field, 0, content)
		}
		b = b[size:]
	}
	return nil
}

// attributeName returns the OpenTelemetry attribute for a label.
func attributeName(label string) string {
	switch label {
	case ServiceLabel:
		return "service.name"
	case HostLabel:
		return "host.name"
	}
	return label
}

// Labels that attributeName translates to OpenTelemetry's names.
const (
	ServiceLabel = "service_name"
	HostLabel    = "host"
)

func sortedNames(labels map[string]string) []string { return slices.Sorted(maps.Keys(labels)) }
