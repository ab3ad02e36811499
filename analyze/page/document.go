// Package page writes the page of a report that people look at: the report itself with a timeline that one can zoom
// into, and charts. A Builder receives the run slice by slice, with each call, and returns a Document of bounded size.
// Write puts the document, as JSON, with the report into a page that needs no other file. The page's script only draws
// the document.
package page

// Schema names the document.
const Schema = "mtrace.page/1"

// A Document is the data that the page's script draws. Times are in nanoseconds since the begin of the trace, as in
// --from and --to.
type Document struct {
	Schema     string      `json:"schema"`
	BeginNS    int64       `json:"begin_ns"`
	EndNS      int64       `json:"end_ns"`
	Kinds      []Kind      `json:"kinds"` // the kinds of blocks in lanes of threads
	Names      []string    `json:"names"`
	Frames     []string    `json:"frames"` // the functions in stacks
	Stacks     [][]int     `json:"stacks"` // indexes in Frames, innermost first; the first stack is the unknown one
	Lanes      []Lane      `json:"lanes"`  // from top to bottom
	LanesLeft  int         `json:"lanes_left"`
	Flows      []Flow      `json:"flows"`
	FlowsOf    int64       `json:"flows_of"` // Flows has one of every FlowsOf command buffers
	Marks      []Mark      `json:"marks"`
	MarksLeft  int64       `json:"marks_left"`
	QueuesLeft int         `json:"queues_left"` // number of queues that are left out of Series
	Series     []Series    `json:"series"`
	Histograms []Histogram `json:"histograms"`
	Flames     []Flame     `json:"flames"` // empty if the document is of a part of the run
	Detail     bool        `json:"detail"` // true if a server can give more detail of each part of the run
}

// A Kind is a part of a thread's time, named and colored as in the table of threads.
type Kind struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Color   string `json:"color"`
}

// What lanes show.
const (
	LaneThread = "thread" // blocks are parts of its time; their kinds are Document.Kinds
	LaneGPU    = "gpu"    // blocks are GPU work; their kinds are the colours of the threads that committed the work
	LaneScopes = "scopes" // blocks are the program's scopes; their kinds are colours
)

// A Lane is one row of the timeline, with its blocks at several levels of detail.
type Lane struct {
	Key    string `json:"key"` // identifies the lane in all documents of a trace
	Shows  string `json:"shows"`
	Name   string `json:"name"`
	TID    uint64 `json:"tid,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Color  int    `json:"color"` // colour of a thread, in lanes of the GPU
	Begin  int64  `json:"begin_ns"`
	End    int64  `json:"end_ns"`
	Count  int64  `json:"count"`  // number of blocks, including those summed up in cells
	Hidden int64  `json:"hidden"` // number of blocks that overlapped others and had no free lane
	Idle   bool   `json:"idle"`   // a thread that only waited for signals: it is folded at first

	// TimeNS is the total time of the blocks of each kind in the whole run
	TimeNS [kinds]int64 `json:"time_ns"`
	Levels []Level      `json:"levels"` // the finest first
}

// A Level is one level of detail of a lane. It has each block that is at least as long as a cell; shorter blocks are
// summed up in cells, which are time ranges of equal length. Lists are plain numbers to keep the document small.
type Level struct {
	CellNS  int64 `json:"cell_ns"`
	FirstNS int64 `json:"first_ns"` // begin of cell 0

	// Blocks has seven numbers for each block: nanoseconds since the begin of the previous block; its length; its
	// kind; the index of its name in Document.Names; the index of its peer's lane in Document.Lanes, or −1; the index
	// of its stack in Document.Stacks; the index of its command buffer in Document.Flows, or −1. The peer is the
	// thread that committed the work, holds the lock, or sent the signal.
	Blocks []int64 `json:"blocks"`

	// Cells describes the cells that are not empty. Each has these numbers: its distance from the previous one,
	// counted in cells (for the first, from cell 0); how many blocks began in it; how many kinds it has; and for each
	// of these the kind and its share of the cell in 255ths.
	Cells []int64 `json:"cells"`
}

// A Flow is the life of one command buffer: creation, commit, GPU work, and the return of the first wait for it. The
// page draws it as arrows. Lanes are indices in Document.Lanes, −1 for none; times are −1 if not known.
type Flow struct {
	Label       int64 `json:"n"` // index in Document.Names
	Queue       int64 `json:"q"` // index in Document.Names
	CreatedNS   int64 `json:"o"`
	From        int   `json:"f"` // lane of the thread that committed
	CommitNS    int64 `json:"c"`
	ScheduledNS int64 `json:"s"`
	GPU         int   `json:"g"` // lane of the GPU
	BeginNS     int64 `json:"b"` // begin of the GPU work
	EndNS       int64 `json:"e"` // end of the GPU work
	CompletedNS int64 `json:"d"`
	To          int   `json:"t"` // lane of the thread that waited first
	WaitNS      int64 `json:"u"` // begin of the wait
	WakeNS      int64 `json:"w"` // end of the wait
}

// A Mark is an instant that the program marked with a name, or the failure of a command buffer.
type Mark struct {
	Lane   int    `json:"lane"`
	AtNS   int64  `json:"at_ns"`
	Name   string `json:"name"`
	Failed bool   `json:"failed"`
}

// A Series is a quantity over time, such as the number of command buffers in flight: its mean in each of consecutive
// bins of equal length.
type Series struct {
	Name    string    `json:"name"`
	Group   string    `json:"group"` // "busy", "flight", "queue" or "memory"
	Unit    string    `json:"unit"`
	BeginNS int64     `json:"begin_ns"`
	BinNS   int64     `json:"bin_ns"`
	Means   []float64 `json:"means"`
}

// A Histogram counts durations by their length.
type Histogram struct {
	Name  string `json:"name"`
	Total int64  `json:"total"`
	Bins  []Bin  `json:"bins"`
}

// A Bin counts the durations from FromNS up to, but not including, ToNS.
type Bin struct {
	FromNS float64 `json:"from_ns"`
	ToNS   float64 `json:"to_ns"`
	Count  int64   `json:"count"`
}
