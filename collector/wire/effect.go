package wire

// An Effect is what a call does, as far as the analysis distinguishes calls.
type Effect uint8

// The effects of calls of the program. The kind of object that the call affects is in the field Object of the call's
// row.
const (
	EffectNone           Effect = iota
	EffectCounted               // only counted, never recorded
	EffectMakes                 // creates an object and does nothing else
	EffectLabels                // gives an object its label
	EffectOpensGroup            // begins a debug group of a command buffer or an encoder
	EffectClosesGroup           // ends the innermost one
	EffectEnqueues              // reserves a command buffer's position in its queue
	EffectCommits               // submits command buffers to their queue
	EffectCommitsOptions        // submits command buffers with the program's options
	EffectHandles               // adds a completion handler
	EffectSignals               // sets the value of an event: at once, or when the GPU reaches the command
	EffectAddsListener          // adds a block that runs when an event reaches a value
	EffectAwaits                // makes the GPU wait until an event has a value
	EffectBinds                 // sets the pipeline state for the following dispatches
	EffectDispatches            // encodes a run of a kernel
	EffectDraws                 // encodes a drawing
	EffectExecutes              // encodes a run of the commands of an indirect command buffer
	EffectResets                // empties commands of an indirect command buffer
	EffectCopies                // encodes a copy
	EffectFills                 // encodes the filling of memory with a value
	EffectEnds                  // ends an encoder
	EffectWaitsScheduled        // waits until a command buffer is scheduled
	EffectWaitsCompleted        // waits until a command buffer has completed
	EffectWaitsValue            // waits until an event has a value
	EffectBlocks                // waits for a lock
	EffectListens               // waits for a signal of another thread
	EffectAwaitsProcess         // waits for a child process
	EffectAwaitsInput           // waits at a file descriptor until it can be read or written
	EffectSleeps                // waits for a time
	EffectJoins                 // waits for the end of another thread
	EffectAllocates             // takes memory
	EffectAllocatesCopy         // allocates memory and copies into it
	EffectResides               // changes which resources are resident, and so usable by the GPU
	EffectReleases              // releases an object, or memory
	EffectBuildsLibrary         // compiles or loads a library
	EffectFindsFunction         // looks a function up in a library
	EffectBuildsFunction        // builds a function with constants or from a descriptor
	EffectBuildsPipeline        // compiles a pipeline state
	EffectArchives              // loads or fills an archive of compiled code
	EffectEncodesLayer          // encodes through a layer above Metal; the layer's work ends with the call

	// The effects of records that the tracer writes by itself.
	EffectStartsThread // the records that follow in this ring belong to another thread
	EffectCompletes    // a command buffer has completed
	EffectFails        // a command buffer has completed with an error; the text is the error
	EffectSchedules    // a command buffer was scheduled
	EffectTimes        // an encoder ran on the GPU
	EffectSeesStack    // the stack of the call that begins when this record ends
	EffectMeters       // a device reported how much memory is allocated
	EffectCountsAlive  // the tracer counted objects that are alive
	EffectChecks       // the tracer recorded a call of its self-check
	EffectEntersLayer  // a call of a layer above Metal begins
	EffectMarks        // the program marked a moment with a name
	EffectScopes       // a scope that the program named has ended
	EffectOpensScope   // a scope that the program named begins
	EffectSpans        // an interval that the program named, begun by another thread
	EffectHands        // an object was passed to a completion handler
	EffectFeeds        // the process can write into a pipe
	EffectContinues    // the second half of the previous record
)

// effectNames has the name of each effect for docs/wire.md; that of EffectNone is empty.
var effectNames = [...]string{
	EffectCounted:        "counted",
	EffectMakes:          "makes",
	EffectLabels:         "labels",
	EffectOpensGroup:     "opens a group",
	EffectClosesGroup:    "closes a group",
	EffectEnqueues:       "enqueues",
	EffectCommits:        "commits",
	EffectCommitsOptions: "commits with options",
	EffectHandles:        "adds a handler",
	EffectSignals:        "signals",
	EffectAddsListener:   "adds a listener",
	EffectAwaits:         "awaits",
	EffectBinds:          "binds",
	EffectDispatches:     "dispatches",
	EffectDraws:          "draws",
	EffectExecutes:       "executes",
	EffectResets:         "resets",
	EffectCopies:         "copies",
	EffectFills:          "fills",
	EffectEnds:           "ends",
	EffectWaitsScheduled: "waits until scheduled",
	EffectWaitsCompleted: "waits until completed",
	EffectWaitsValue:     "waits for a value",
	EffectBlocks:         "blocks",
	EffectListens:        "listens",
	EffectAwaitsProcess:  "awaits a process",
	EffectAwaitsInput:    "awaits input",
	EffectSleeps:         "sleeps",
	EffectJoins:          "joins a thread",
	EffectAllocates:      "allocates",
	EffectAllocatesCopy:  "allocates and copies",
	EffectResides:        "changes residency",
	EffectReleases:       "releases",
	EffectBuildsLibrary:  "builds a library",
	EffectFindsFunction:  "finds a function",
	EffectBuildsFunction: "builds a function",
	EffectBuildsPipeline: "builds a pipeline",
	EffectArchives:       "archives",
	EffectEncodesLayer:   "encodes a layer",
	EffectStartsThread:   "starts a thread",
	EffectCompletes:      "completes",
	EffectFails:          "fails",
	EffectSchedules:      "schedules",
	EffectTimes:          "times",
	EffectSeesStack:      "sees a stack",
	EffectMeters:         "meters",
	EffectCountsAlive:    "counts objects",
	EffectChecks:         "checks",
	EffectEntersLayer:    "enters a layer",
	EffectMarks:          "marks",
	EffectScopes:         "scopes",
	EffectOpensScope:     "opens a scope",
	EffectSpans:          "spans threads",
	EffectHands:          "passes to a handler",
	EffectFeeds:          "feeds a pipe",
	EffectContinues:      "continues",
}

// String returns the name of the effect for docs/wire.md.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "unknown"
}

// Compiles reports whether the call compiles or loads GPU code. The constants between EffectBuildsLibrary and
// EffectArchives must stay adjacent.
func (e Effect) Compiles() bool { return e >= EffectBuildsLibrary && e <= EffectArchives }

// Blocks reports whether the call waits outside of Metal for input, a time or another thread's end. Waits for locks,
// signals and child processes are not included.
func (e Effect) Blocks() bool { return e >= EffectAwaitsInput && e <= EffectJoins }

// OnlyWaits reports whether the call is a wait outside of Metal for anything but a lock. A thread that makes only
// such calls does no work of its own.
func (e Effect) OnlyWaits() bool { return e == EffectListens || e == EffectAwaitsProcess || e.Blocks() }

// Commits reports whether the call submits command buffers to their queue.
func (e Effect) Commits() bool { return e == EffectCommits || e == EffectCommitsOptions }

// Allocates reports whether the call allocates memory.
func (e Effect) Allocates() bool { return e == EffectAllocates || e == EffectAllocatesCopy }
