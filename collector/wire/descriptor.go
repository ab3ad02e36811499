package wire

// Descriptor says what a thread waited for at a file descriptor. It is the object of the record of such a wait.
type Descriptor uint8

// The kinds of descriptors.
const (
	DescriptorUnknown  Descriptor = iota
	DescriptorFile                // a regular file or a directory
	DescriptorPipe                // a pipe or FIFO of which another process has the other end
	DescriptorOwnPipe             // a pipe of which the process has both ends
	DescriptorPair                // an unnamed socket of this machine, as of socketpair: the program made both ends
	DescriptorSocket              // a named socket of this machine
	DescriptorNetwork             // a socket of the network
	DescriptorTerminal            // a terminal
	DescriptorDevice              // another device
	DescriptorEvent               // eventfd, or an event of kqueue that the program triggers: given by its own threads
	DescriptorTimer               // timerfd, or a timer of kqueue
	DescriptorOther               // another kind that the system has: a signalfd, an inotify instance
	DescriptorTimeout             // the call waited for several descriptors, or one, until its time was over
	DescriptorStandard            // standard input, where that is no file: a pipe of the program that started it
)

// descriptors are the names in the shim's header, and what a report says.
var descriptors = [...]struct{ name, text string }{
	DescriptorUnknown:  {"unknown", "a descriptor that is not known"},
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

// String says it as a report does.
func (d Descriptor) String() string {
	if int(d) < len(descriptors) {
		return descriptors[d].text
	}
	return "unknown"
}

// Name is its name in the shim's header.
func (d Descriptor) Name() string {
	if int(d) < len(descriptors) {
		return descriptors[d].name
	}
	return "unknown"
}
