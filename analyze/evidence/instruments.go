package evidence

// kindInstruments is the source whose traces have neither waits nor locks: time that a thread is not seen encoding is not known
// to be its own work, and may as well have been a wait.
const kindInstruments = "xctrace"

// doingUnknown is what a thread did outside of encoding, in such a trace.
const doingUnknown = "doing something not recorded"

// Waitless says whether the trace has no waits because none were recorded, not because there were none.
func (ev *Evidence) Waitless() bool { return ev.Trace.Source.Kind == kindInstruments }

// outside is what a thread did that was seen doing nothing else.
func (ev *Evidence) outside() string {
	if ev.Waitless() {
		return doingUnknown
	}
	return doingOutside
}
