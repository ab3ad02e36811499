// Package otlp converts profiles to OpenTelemetry's protocol:
// opentelemetry/proto/profiles/v1development/profiles.proto.
package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/google/pprof/profile"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/slim/otlp/profiles/v1development"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
)

// Make converts a pprof profile to OpenTelemetry's format. `of` has the attributes of the profiled resource.
// OpenTelemetry allows one sample type per profile, so the result has one profile for each sample type of p. Comments
// of p become the attribute pprof.profile.comment of each profile.
func Make(p *profile.Profile, of map[string]string, version string) *profiles.ProfilesData {
	d := newDictionary()
	stacks := make([]int32, len(p.Sample))
	attributes := make([][]int32, len(p.Sample))
	for i, s := range p.Sample {
		stacks[i], attributes[i] = d.stack(s.Location), d.labels(s)
	}
	scope := &profiles.ScopeProfiles{Scope: &common.InstrumentationScope{Name: "mtrace", Version: version}}
	var comments []*common.AnyValue
	for _, c := range p.Comments {
		comments = append(comments, text(c))
	}
	var said []int32
	if len(comments) > 0 {
		said = []int32{d.attribute("pprof.profile.comment", oneOrList(comments), "")}
	}
	for k, t := range p.SampleType {
		one := &profiles.Profile{
			SampleType:   &profiles.ValueType{TypeStrindex: d.text(t.Type), UnitStrindex: d.text(t.Unit)},
			TimeUnixNano: uint64(max(p.TimeNanos, 0)), DurationNano: uint64(max(p.DurationNanos, 0)),
			ProfileId: identity(p, k), AttributeIndices: said,
		}
		period, interval := t, int64(1) // each event was recorded, not one in so many: the sampling interval is 1
		if p.PeriodType != nil && p.PeriodType.Type != "" && p.Period > 0 {
			period, interval = p.PeriodType, p.Period
		}
		one.PeriodType = &profiles.ValueType{TypeStrindex: d.text(period.Type), UnitStrindex: d.text(period.Unit)}
		one.Period = interval
		for i, s := range p.Sample {
			if s.Value[k] != 0 {
				one.Samples = append(one.Samples, &profiles.Sample{StackIndex: stacks[i],
					AttributeIndices: attributes[i], Values: []int64{s.Value[k]}})
			}
		}
		scope.Profiles = append(scope.Profiles, one)
	}
	whole := &resource.Resource{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		whole.Attributes = append(whole.Attributes, &common.KeyValue{Key: name, Value: text(of[name])})
	}
	return &profiles.ProfilesData{ResourceProfiles: []*profiles.ResourceProfiles{{Resource: whole,
		ScopeProfiles: []*profiles.ScopeProfiles{scope}}}, Dictionary: d.tables}
}

// identity returns the ID of the profile of one sample type. It depends only on the content, so sending the same
// profile again gives the same ID.
func identity(p *profile.Profile, sampleType int) []byte {
	h := sha256.New()
	p.WriteUncompressed(h) // writing to a hash never fails
	h.Write(binary.AppendVarint(nil, int64(sampleType)))
	return h.Sum(nil)[:16]
}

func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: valid(s)}}
}
