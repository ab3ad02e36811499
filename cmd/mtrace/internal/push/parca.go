package push

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/encoding/protowire"
)

// parca sends a profile to Parca with WriteRaw of parca.profilestore.v1alpha1.ProfileStoreService. It speaks gRPC
// itself (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): one HTTP/2 request with one message each
// way.
func parca(ctx context.Context, s *Server, p Profile) error {
	raw, err := p.raw()
	if err != nil {
		return err
	}
	series := message(nil, 1, labelPairs(nil, 1, s.named(p)))
	series = message(series, 2, message(nil, 1, raw))
	request := message(nil, 2, series)
	// field 3 (normalized) = 1: addresses are already relative to their files, so the server must not adjust them
	request = protowire.AppendVarint(protowire.AppendTag(request, 3, protowire.VarintType), 1)

	framed := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request))) // 0: uncompressed; the profile is gzipped
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP2(true)
	transport.Protocols.SetUnencryptedHTTP2(true)
	answer, said, err := s.post(ctx, client(transport), "parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
		append(framed, request...),
		map[string]string{"Content-Type": "application/grpc+proto", "Te": "trailers"})
	if err != nil {
		return err
	}
	return callFailed(answer, said)
}

// callFailed returns the error of a gRPC call, or nil. The status is in the trailers, or in the headers if the call
// failed before it sent a body.
func callFailed(answer *http.Response, said []byte) error {
	for _, end := range []http.Header{answer.Trailer, answer.Header} {
		switch code := end.Get("Grpc-Status"); code {
		case "":
		case "0":
			return nil
		default:
			why, err := url.PathUnescape(end.Get("Grpc-Message"))
			if err != nil {
				why = end.Get("Grpc-Message")
			}
			return fmt.Errorf("rejected with gRPC status %s: %s", code, why)
		}
	}
	if answer.StatusCode == http.StatusOK {
		return errors.New("the answer does not come from a gRPC server: check Parca's URL")
	}
	return refused(answer, string(said))
}
