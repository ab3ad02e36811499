package timeline

import (
	"fmt"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// A shown slice is a slice as a viewer would show it.
type shown struct {
	track      string // "pid/thread name" or "pid/track name"
	name       string
	begin, end int64
	depth      int
	category   string
	args       string
	flows      string // ids that begin or pass at its begin
	flowsEnd   string // ids that end at its end
}

type counted struct {
	track string
	at    int64
	value int64
}

// field reads a field of a decoded message by name.
func field(m protoreflect.Message, name string) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

func has(m protoreflect.Message, name string) bool {
	return m.Has(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}

// replay is an independent importer, written from Perfetto's documentation. It decodes with the protobuf library and
// the schema in testdata, and refuses input that Perfetto's importer would drop: events without state, ends without
// begins, clocks that go backwards.
func replay(t testing.TB, data []byte) (slices []shown, counts []counted) {
	t.Helper()
	text, err := os.ReadFile("testdata/perfetto.txtpb")
	if err != nil {
		t.Fatal(err)
	}
	var fd descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal(text, &fd); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(&fd, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := dynamicpb.NewMessage(file.Messages().ByName("Trace"))
	if err := proto.Unmarshal(data, trace); err != nil {
		t.Fatal("the file is not protobuf: ", err)
	}
	if n := unknownFields(trace); n > 0 {
		t.Errorf("%d bytes are in fields that the schema does not have", n)
	}

	type state struct {
		track    uint64
		clock    uint32
		now      uint64
		ready    bool
		interned map[string]map[uint64]string
		stack    []shown
		last     uint64
	}
	names := map[uint64]string{}
	states := map[uint64]*state{}
	packets := field(trace, "packet").List()
	for i := range packets.Len() {
		p := packets.Get(i).Message()
		if has(p, "track_descriptor") {
			d := field(p, "track_descriptor").Message()
			name := field(d, "name").String()
			if has(d, "parent_uuid") {
				parent, known := names[field(d, "parent_uuid").Uint()]
				if !known {
					t.Errorf("track %d comes before its parent", field(d, "uuid").Uint())
				}
				name = parent + "/" + name
			}
			if has(d, "process") {
				name = fmt.Sprint(field(field(d, "process").Message(), "pid").Int())
			}
			if has(d, "thread") {
				name += field(field(d, "thread").Message(), "thread_name").String()
			}
			names[field(d, "uuid").Uint()] = name
			continue
		}
		id := field(p, "trusted_packet_sequence_id").Uint()
		s := states[id]
		if field(p, "sequence_flags").Uint()&1 != 0 {
			s = &state{ready: true, interned: map[string]map[uint64]string{}}
			states[id] = s
		}
		if s == nil || !s.ready {
			t.Fatalf("packet %d of sequence %d needs state that was never set", i, id)
		}
		if has(p, "clock_snapshot") {
			snapshot := field(p, "clock_snapshot").Message()
			clocks := field(snapshot, "clocks").List()
			if clocks.Len() != 2 || field(snapshot, "primary_trace_clock").Uint() != 3 {
				t.Fatalf("clock snapshot: %v", snapshot)
			}
			own, monotonic := clocks.Get(0).Message(), clocks.Get(1).Message()
			if field(own, "clock_id").Uint() != 64 || !field(own, "is_incremental").Bool() ||
				field(monotonic, "clock_id").Uint() != 3 {
				t.Fatalf("clock snapshot: %v", snapshot)
			}
			s.now = field(monotonic, "timestamp").Uint()
		}
		if has(p, "trace_packet_defaults") {
			d := field(p, "trace_packet_defaults").Message()
			s.clock = uint32(field(d, "timestamp_clock_id").Uint())
			s.track = field(field(d, "track_event_defaults").Message(), "track_uuid").Uint()
		}
		if has(p, "interned_data") {
			data := field(p, "interned_data").Message()
			data.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
				kind := string(fd.Name())
				for j := range v.List().Len() {
					entry := v.List().Get(j).Message()
					value := ""
					if fd.Message().Name() == "InternedBytes" {
						value = string(field(entry, "str").Bytes())
					} else {
						value = field(entry, "name").String()
					}
					if s.interned[kind] == nil {
						s.interned[kind] = map[uint64]string{}
					}
					if old, known := s.interned[kind][field(entry, "iid").Uint()]; known && old != value {
						t.Errorf("%s %d was %q and is %q", kind, field(entry, "iid").Uint(), old, value)
					}
					s.interned[kind][field(entry, "iid").Uint()] = value
				}
				return true
			})
		}
		if !has(p, "track_event") {
			continue
		}
		at := field(p, "timestamp").Uint()
		if !has(p, "timestamp_clock_id") {
			if s.clock != 64 {
				t.Fatal("an event has no clock")
			}
			s.now += at
			at = s.now
		}
		if at < s.last {
			t.Errorf("track %s: time goes back from %d to %d", names[s.track], s.last, at)
		}
		s.last = at
		e := field(p, "track_event").Message()
		look := func(kind string, id uint64) string {
			v, known := s.interned[kind][id]
			if !known {
				t.Errorf("%s %d is not known", kind, id)
			}
			return v
		}
		switch field(e, "type").Uint() {
		case 1:
			sl := shown{track: names[s.track], begin: int64(at), depth: len(s.stack),
				name: look("event_names", field(e, "name_iid").Uint())}
			sl.category = look("event_categories", field(e, "category_iids").List().Get(0).Uint())
			args := field(e, "debug_annotations").List()
			for j := range args.Len() {
				a := args.Get(j).Message()
				value := fmt.Sprint(field(a, "uint_value").Uint())
				if has(a, "string_value_iid") {
					value = look("debug_annotation_string_values", field(a, "string_value_iid").Uint())
				}
				sl.args += look("debug_annotation_names", field(a, "name_iid").Uint()) + "=" + value + ";"
			}
			sl.flows = ids(field(e, "flow_ids").List())
			s.stack = append(s.stack, sl)
		case 2:
			if len(s.stack) == 0 {
				t.Fatalf("track %s: an end without a begin at %d", names[s.track], at)
			}
			sl := s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
			sl.end, sl.flowsEnd = int64(at), ids(field(e, "terminating_flow_ids").List())
			slices = append(slices, sl)
		case 4:
			counts = append(counts, counted{names[s.track], int64(at), field(e, "counter_value").Int()})
		default:
			t.Errorf("an event of type %d", field(e, "type").Uint())
		}
	}
	for _, s := range states {
		if len(s.stack) > 0 {
			t.Errorf("track %s: %d slices never end", names[s.track], len(s.stack))
		}
	}
	return slices, counts
}

func ids(l protoreflect.List) string {
	s := ""
	for i := range l.Len() {
		s += fmt.Sprintf("%x ", l.Get(i).Uint())
	}
	return s
}

func unknownFields(m protoreflect.Message) int {
	n := len(m.GetUnknown())
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				n += unknownFields(v.List().Get(i).Message())
			}
		default:
			n += unknownFields(v.Message())
		}
		return true
	})
	return n
}
