package otlp

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// example has two samples of one stack, labels of several values, and a name that is no UTF-8, which protobuf refuses.
func example() *profile.Profile {
	mapping := &profile.Mapping{ID: 1, File: "/bin/train"}
	kernel, commit := &profile.Function{ID: 1, Name: "matmul\xff"}, &profile.Function{ID: 2, Name: "commit",
		Filename: "a.py", StartLine: 3}
	stack := []*profile.Location{{ID: 1, Mapping: mapping, Line: []profile.Line{{Function: kernel}}},
		{ID: 2, Mapping: mapping, Line: []profile.Line{{Function: commit, Line: 7}}}}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "waits", Unit: "count"}, {Type: "wait", Unit: "nanoseconds"}}, TimeNanos: 5,
		DurationNanos: 9,
		Mapping:       []*profile.Mapping{mapping}, Function: []*profile.Function{kernel, commit}, Location: stack,
		Comments: []string{"one", "two"},
		Sample: []*profile.Sample{
			{Location: stack, Value: []int64{1, 40}, Label: map[string][]string{"thread": {"a", "b"}},
				NumLabel: map[string][]int64{"tid": {7}}},
			{Location: stack, Value: []int64{0, 2}, NumLabel: map[string][]int64{"size": {16}},
				NumUnit: map[string][]string{"size": {"bytes"}}},
		},
	}
}

// Each type of sample is a profile of its own, without samples of zero. Stacks, names and labels are stored once, and
// attributes of the whole are kept.
func TestMake(t *testing.T) {
	data := Make(example(), map[string]string{"service.name": "train"}, "v1")
	if content, err := proto.Marshal(data); err != nil || proto.Unmarshal(content, new(profiles.ProfilesData)) != nil {
		t.Fatal(err)
	}
	d, of := data.Dictionary, data.ResourceProfiles[0]
	list := of.ScopeProfiles[0].Profiles
	if len(list) != 2 || len(list[0].Samples) != 1 || len(list[1].Samples) != 2 || len(d.StackTable) != 2 ||
		len(d.MappingTable) != 2 || of.Resource.Attributes[0].Value.GetStringValue() != "train" {
		t.Fatalf("%v", data)
	}
	text := func(at int32) string { return d.StringTable[at] }
	first := list[1].Samples[0]
	var stack []string
	for _, at := range d.StackTable[first.StackIndex].LocationIndices {
		for _, line := range d.LocationTable[at].Lines {
			stack = append(stack, text(d.FunctionTable[line.FunctionIndex].NameStrindex))
		}
	}
	if strings.Join(stack, " ") != "matmul\uFFFD commit" || first.Values[0] != 40 ||
		text(list[1].SampleType.UnitStrindex) != "nanoseconds" || list[1].TimeUnixNano != 5 || list[1].DurationNano != 9 {
		t.Errorf("%v %v", stack, list[1])
	}
	// Pyroscope names a profile by the type of its period, and refuses a period of 0 for the second time.
	if list[0].Period != 1 || text(list[0].PeriodType.GetTypeStrindex()) != "waits" ||
		text(list[1].PeriodType.GetUnitStrindex()) != "nanoseconds" {
		t.Errorf("the period is %d of %v", list[0].Period, list[0].PeriodType)
	}
	values := func(indices []int32) map[string]*common.AnyValue {
		all := map[string]*common.AnyValue{}
		for _, at := range indices {
			all[text(d.AttributeTable[at].KeyStrindex)] = d.AttributeTable[at].Value
		}
		return all
	}
	labels := values(first.AttributeIndices)
	if l := labels["thread"].GetArrayValue().GetValues(); len(l) != 2 || l[1].GetStringValue() != "b" ||
		labels["tid"].GetIntValue() != 7 {
		t.Errorf("%v", labels)
	}
	size := d.AttributeTable[list[1].Samples[1].AttributeIndices[0]]
	if text(size.UnitStrindex) != "bytes" || size.Value.GetIntValue() != 16 {
		t.Errorf("%v", size)
	}
	if said := values(list[0].AttributeIndices)["pprof.profile.comment"].GetArrayValue().GetValues(); len(said) != 2 {
		t.Errorf("%v", said)
	}
	if len(list[0].ProfileId) != 16 || string(list[0].ProfileId) == string(list[1].ProfileId) ||
		!proto.Equal(Make(example(), nil, "").ResourceProfiles[0].ScopeProfiles[0].Profiles[0], list[0]) {
		t.Error("a profile has not one identity")
	}
}
