package wire

// Descriptor is the kind of a file descriptor for which a thread waited. The record of such a wait contains it in the
// field Object.
type Descriptor uint8

// The kinds of descriptors.
const (
	DescriptorUnknown Descriptor = iota
	DescriptorFile               // a regular file or a directory
	DescriptorPipe               // a pipe or FIFO with its other end in another process
	DescriptorOwnPipe            // a pipe with both ends in this process
	// an unnamed socket, such as one made by socketpair; both ends were made on this machine by the program itself
	DescriptorPair
	DescriptorSocket   // a named socket of this machine
	DescriptorNetwork  // a socket of the network
	DescriptorTerminal // a terminal
	DescriptorDevice   // another device
	DescriptorEvent    // eventfd, or a user event of kqueue: triggered by the program's own threads
	DescriptorTimer    // timerfd, or a timer of kqueue
	DescriptorOther    // another kind that the system has: a signalfd, an inotify instance
	DescriptorTimeout  // the call waited until its timeout, for one descriptor or several
	DescriptorStandard // standard input that is not a file: a pipe from the program that started this one
)

// descriptors has two names of each kind of descriptor: for the C header, and for reports.
var descriptors = [...]struct{ name, text string }{
	DescriptorUnknown:  {"unknown", "an unknown descriptor"},
	DescriptorFile:     {"file", "a file"},
	DescriptorPipe:     {"pipe", "a pipe from another process"},
	DescriptorOwnPipe:  {"own pipe", "a pipe of the process's own"},
	DescriptorPair:     {"pair", "a socket pair"},
	DescriptorSocket:   {"socket", "a socket"},
	DescriptorNetwork:  {"network", "a network socket"},
	DescriptorTerminal: {"terminal", "a terminal"},
	DescriptorDevice:   {"device", "a device"},
	DescriptorEvent:    {"event", "an event of the process's own"},
	DescriptorTimer:    {"timer", "a timer"},
	DescriptorOther:    {"other", "a descriptor of another kind"},
	DescriptorTimeout:  {"timeout", "a timeout"},
	DescriptorStandard: {"standard", "standard input"},
}

// String returns the name of the kind for reports.
func (d Descriptor) String() string {
	if int(d) < len(descriptors) {
		return descriptors[d].text
	}
	return "unknown"
}

// Name returns the name of the kind for the C header.
func (d Descriptor) Name() string {
	if int(d) < len(descriptors) {
		return descriptors[d].name
	}
	return "unknown"
}
