package wire

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestThreadTimesRoundTrip(t *testing.T) {
	want := []ThreadTime{{}, {Thread: 7, At: 1, Ran: 2, Waited: WaitNotKnown}, {Thread: math.MaxUint64, At: math.MaxInt64,
		Ran: math.MaxInt64, Waited: math.MaxInt64}}
	var b []byte
	for _, tt := range want {
		b = AppendThreadTime(b, tt)
	}
	if len(b) != len(want)*ThreadTimeSize {
		t.Fatalf("%d bytes", len(b))
	}
	got, err := DecodeThreadTimes(nil, b)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, wrong := range map[string][]byte{
		"not a multiple": b[:33],
		"thread 9 ran":   AppendThreadTime(nil, ThreadTime{Thread: 9, Ran: -1}),
		"waited for -2":  AppendThreadTime(nil, ThreadTime{Waited: -2}),
		"at -5 ns":       AppendThreadTime(nil, ThreadTime{At: -5}),
	} {
		if _, err := DecodeThreadTimes(nil, wrong); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeThreadTimes(f *testing.F) {
	f.Add(AppendThreadTime(AppendThreadTime(nil, ThreadTime{Thread: 1, At: 5, Ran: 3}),
		ThreadTime{Thread: 2, Waited: WaitNotKnown}))
	f.Add(make([]byte, 33))
	f.Add(slices.Repeat([]byte{0xff}, ThreadTimeSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		times, err := DecodeThreadTimes(nil, b)
		if err != nil {
			return
		}
		var again []byte
		for _, tt := range times {
			again = AppendThreadTime(again, tt)
		}
		if string(again) != string(b) {
			t.Fatalf("%d bytes become %d others", len(b), len(again))
		}
	})
}
