package analyze

import (
	"reflect"
	"testing"
)

// TestSlicesHaveTheirOwn: the value for a thread or a process in all slices keeps nothing of an earlier slice, whatever
// is added to their fields.
func TestSlicesHaveTheirOwn(t *testing.T) {
	all := &sliced{processes: map[int]*Process{}, threads: map[sliceThread]*Thread{}}
	first := all.process(&Process{ID: 7, place: 3})
	thread := all.thread(&Thread{Process: first, ID: 8})
	first.CPU, first.CPUSamples, first.OfMachine = 1, []CPUSample{{}}, []CPUSample{{}, {}}
	*thread = Thread{Process: first, ID: 8, Name: "before", Active: Interval{1, 2}, Exclusive: [PartCount]Nanos{1},
		Working:          Interval{1, 2},
		WorkingExclusive: [PartCount]Nanos{1}, OnlyIdle: true, Submits: true, CPU: []CPUSample{{}},
		late: [PartCount]Nanos{1}, Events: 1, Lost: 1, Notified: 1, Exited: true}
	for i := range reflect.ValueOf(thread).Elem().NumField() {
		if reflect.ValueOf(thread).Elem().Field(i).IsZero() {
			t.Fatalf("the test sets all fields of a thread but %s", reflect.TypeFor[Thread]().Field(i).Name)
		}
	}
	process := &Process{ID: 7, place: 3}
	if same := all.process(process); same != first || !reflect.DeepEqual(same, process) {
		t.Errorf("a process is %+v, want %+v", same, process)
	}
	fresh := &Thread{Process: first, ID: 8, Name: "after"}
	if same := all.thread(fresh); same != thread || !reflect.DeepEqual(same, fresh) {
		t.Errorf("a thread is %+v, want %+v", same, fresh)
	}
}
