package wire

// An Effect is what a call does, beyond taking time, that some reader has to know.
type Effect uint8

// The effects of calls of the program. Which kind of object it is done to is the row's Object.
const (
	EffectNone           Effect = iota
	EffectCounted               // only counted, never recorded
	EffectMakes                 // makes an object, and nothing else
	EffectLabels                // gives an object its label
	EffectOpensGroup            // begins a debug group of a command buffer or an encoder
	EffectClosesGroup           // ends the innermost one
	EffectEnqueues              // takes a command buffer's place in its queue
	EffectCommits               // hands command buffers to their queue
	EffectCommitsOptions        // the same, with options of the program's
	EffectHandles               // adds a handler of completion
	EffectSignals               // gives an event a value: at once, or when the GPU comes to it
	EffectAwaits                // has the GPU wait until an event has a value
	EffectBinds                 // sets the pipeline state for what follows
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
	EffectAwaitsInput           // waits at a file descriptor, for input or for room for output
	EffectSleeps                // waits for a time
	EffectJoins                 // waits for the end of another thread
	EffectAllocates             // takes memory
	EffectAllocatesCopy         // takes memory and copies into it
	EffectResides               // changes what is resident, and can be used by the GPU
	EffectReleases              // gives memory, or an object, back
	EffectBuildsLibrary         // compiles or loads a library
	EffectFindsFunction         // looks a function up in a library
	EffectBuildsFunction        // the same, with constants or a description of what to make of it
	EffectBuildsPipeline        // compiles a pipeline state
	EffectArchives              // loads or fills an archive of what was compiled
	EffectEncodesLayer          // encodes what a layer above Metal makes of it: it ends when the call does

	// The effects of records of the tracer's own.
	EffectStartsThread // the records that follow are of another thread
	EffectCompletes    // a command buffer has completed
	EffectFails        // a command buffer has completed with an error, which is in words
	EffectSchedules    // a command buffer was scheduled
	EffectTimes        // an encoder ran on the GPU
	EffectSeesStack    // a call begins at a stack
	EffectMeters       // a device said how much is allocated
	EffectChecks       // a call of the self-check was seen
	EffectEntersLayer  // a call of a layer above Metal begins
	EffectMarks        // the program named a moment
	EffectScopes       // the program named a time, which has ended
	EffectOpensScope   // the program named a time, which begins
	EffectSpans        // the program named a time, which another thread began
	EffectHands        // an object came to a completion handler
	EffectFeeds        // the process can write into a pipe
	EffectContinues    // it belongs to the record before it
)

// effectNames are for people.
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
	EffectChecks:         "checks",
	EffectEntersLayer:    "enters a layer",
	EffectMarks:          "marks",
	EffectScopes:         "scopes",
	EffectOpensScope:     "opens a scope",
	EffectSpans:          "spans threads",
	EffectHands:          "hands over",
	EffectFeeds:          "feeds a pipe",
	EffectContinues:      "continues",
}

// String is the effect's name in documentation.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "unknown"
}

// Compiles says whether it makes something of code.
func (e Effect) Compiles() bool { return e >= EffectBuildsLibrary && e <= EffectArchives }

// Blocks says whether the call waits outside of Metal for something other than a lock, another thread's signal or a
// child process.
func (e Effect) Blocks() bool { return e >= EffectAwaitsInput && e <= EffectJoins }

// OnlyWaits says whether a thread that makes only such calls does nothing but wait, outside of Metal and for no lock.
func (e Effect) OnlyWaits() bool { return e == EffectListens || e == EffectAwaitsProcess || e.Blocks() }

// Commits says whether it hands command buffers to their queue.
func (e Effect) Commits() bool { return e == EffectCommits || e == EffectCommitsOptions }

// Allocates says whether it takes memory.
func (e Effect) Allocates() bool { return e == EffectAllocates || e == EffectAllocatesCopy }
