// Receivers takes profiles with what two real servers are made of: the handler of Pyroscope's push API that Grafana publishes, and the OpenTelemetry
// Collector's own decoder and encoder of OTLP. Its receiver cannot be had whole: a module of it is not public. It prints its two addresses, and
// then a line of JSON for each profile. A label or an attribute `refuse` is answered with an error, `partly` with a part left out. It ends with its
// standard input.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
)

// received is what is said of one profile.
type received struct {
	Server        string
	Labels        map[string]any
	Authorization string `json:",omitempty"`
	Tenant        string `json:",omitempty"`
	Samples       int
	Sums          map[string]int64
	Deepest       int      // of its stacks
	Functions     []string // of the first sample that has something of the first type, leaf first
	Time          uint64   // Unix, in nanoseconds
}

var printing sync.Mutex

func print(r received) {
	printing.Lock()
	defer printing.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

type pusher struct{}

func (pusher) Push(_ context.Context, request *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	for _, s := range request.Msg.Series {
		r := received{Server: "pyroscope", Labels: map[string]any{}, Authorization: request.Header().Get("Authorization"), Tenant: request.Header().Get("X-Scope-OrgID"), Sums: map[string]int64{}}
		for _, l := range s.Labels {
			r.Labels[l.Name] = l.Value
		}
		if r.Labels["refuse"] != nil {
			return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("this label\nis not wanted"))
		}
		for _, raw := range s.Samples {
			p, err := profile.Parse(bytes.NewReader(raw.RawProfile))
			if err != nil {
				return nil, connect.NewError(connect.CodeInvalidArgument, err)
			}
			r.Samples, r.Time = len(p.Sample), uint64(p.TimeNanos)
			for _, one := range p.Sample {
				named := r.Functions != nil || one.Value[0] == 0
				r.Deepest = max(r.Deepest, len(one.Location))
				for k, t := range p.SampleType {
					r.Sums[t.Type+"/"+t.Unit] += one.Value[k]
				}
				for _, l := range one.Location {
					if !named {
						r.Functions = append(r.Functions, l.Line[0].Function.Name)
					}
				}
			}
		}
		print(r)
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

// export answers as the protocol says: https://opentelemetry.io/docs/specs/otlp/#otlphttp.
func export(w http.ResponseWriter, request *http.Request) {
	answer := func(code int, content []byte, err error) {
		if err != nil {
			log.Fatal(err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.WriteHeader(code)
		w.Write(content)
	}
	fail := func(err error) {
		content, wrong := proto.Marshal(&status.Status{Code: int32(code.Code_INVALID_ARGUMENT), Message: err.Error()})
		answer(http.StatusBadRequest, content, wrong)
	}
	body, err := gzip.NewReader(request.Body)
	if err != nil || request.Header.Get("Content-Encoding") != "gzip" || request.Header.Get("Content-Type") != "application/x-protobuf" {
		fail(fmt.Errorf("%v: %v", err, request.Header))
		return
	}
	content, err := io.ReadAll(body)
	exported := pprofileotlp.NewExportRequest()
	if err == nil {
		err = exported.UnmarshalProto(content)
	}
	if err == nil {
		err = profiles(exported.Profiles(), request.Header)
	}
	if err != nil {
		fail(err)
		return
	}
	response := pprofileotlp.NewExportResponse()
	if _, partly := exported.Profiles().ResourceProfiles().At(0).Resource().Attributes().Get("partly"); partly {
		response.PartialSuccess().SetRejectedProfiles(2)
		response.PartialSuccess().SetErrorMessage("too much")
	}
	content, err = response.MarshalProto()
	answer(http.StatusOK, content, err)
}

func profiles(all pprofile.Profiles, header http.Header) error {
	dictionary := all.Dictionary()
	for _, of := range all.ResourceProfiles().All() {
		r := received{Server: "otlp", Labels: of.Resource().Attributes().AsRaw(), Authorization: header.Get("Authorization"), Tenant: header.Get("X-Scope-OrgID"), Sums: map[string]int64{}}
		if r.Labels["refuse"] != nil {
			return errors.New("this label\nis not wanted")
		}
		seen := map[string]bool{} // samples: each has a stack and attributes of its own
		for _, scope := range of.ScopeProfiles().All() {
			for k, p := range scope.Profiles().All() {
				text := func(at int32) string { return dictionary.StringTable().At(int(at)) }
				kind := text(p.SampleType().TypeStrindex()) + "/" + text(p.SampleType().UnitStrindex())
				r.Time = uint64(p.Time())
				for i, s := range p.Samples().All() {
					for _, v := range s.Values().All() {
						r.Sums[kind] += v
					}
					places := dictionary.StackTable().At(int(s.StackIndex())).LocationIndices()
					r.Deepest = max(r.Deepest, places.Len())
					seen[fmt.Sprint(s.StackIndex(), s.AttributeIndices().AsRaw())] = true
					for _, at := range places.All() {
						function := dictionary.FunctionTable().At(int(dictionary.LocationTable().At(int(at)).Lines().At(0).FunctionIndex()))
						if i == 0 && k == 0 {
							r.Functions = append(r.Functions, text(function.NameStrindex()))
						}
					}
					for _, at := range s.AttributeIndices().All() {
						a := dictionary.AttributeTable().At(int(at))
						r.Labels["sample "+text(a.KeyStrindex())] = a.Value().AsRaw()
					}
				}
			}
		}
		r.Samples = len(seen)
		print(r)
	}
	return nil
}

func main() {
	pyroscope, otlp := http.NewServeMux(), http.NewServeMux()
	pyroscope.Handle(pushv1connect.NewPusherServiceHandler(pusher{}))
	otlp.HandleFunc("POST /v1development/profiles", export)
	var addresses []any
	for _, handler := range []http.Handler{pyroscope, otlp} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		addresses = append(addresses, listener.Addr())
		go func() { log.Fatal(http.Serve(listener, handler)) }()
	}
	fmt.Printf("http://%s http://%s\n", addresses...)
	io.Copy(io.Discard, os.Stdin)
}
