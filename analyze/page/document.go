// Package page makes the page of a report that people look at: the report itself with a timeline, that one can zoom
// into, and charts. A Builder takes the run slice by slice, with each call, and makes of it a Document of bounded size;
// Write puts it, as JSON, with the report into a page that needs nothing else. The page's script only draws what is in
// the document.
package page

// Schema names the document.
const Schema = "mtrace.page/1"

// A Document is what the page's script draws. Times are nanoseconds after the begin of the trace, as those of --from
// and --to.
type Document struct {
	Schema     string      `json:"schema"`
	BeginNS    int64       `json:"begin_ns"`
	EndNS      int64       `json:"end_ns"`
	Kinds      []Kind      `json:"kinds"` // of blocks in lanes of threads
	Names      []string    `json:"names"`
	Frames     []string    `json:"frames"` // of stacks: a function each
	Stacks     [][]int     `json:"stacks"` // places in Frames, innermost first; the first stack is the unknown one
	Lanes      []Lane      `json:"lanes"`  // from top to bottom
	LanesLeft  int         `json:"lanes_left"`
	Flows      []Flow      `json:"flows"`
	FlowsOf    int64       `json:"flows_of"` // how many there are, of which Flows are one in so many
	Marks      []Mark      `json:"marks"`
	MarksLeft  int64       `json:"marks_left"`
	QueuesLeft int         `json:"queues_left"` // that have no series
	Series     []Series    `json:"series"`
	Histograms []Histogram `json:"histograms"`
	Flames     []Flame     `json:"flames"` // empty in the document of a part
	Detail     bool        `json:"detail"` // a server has more of each part
}

// A Kind is a part of a thread's time, as the table of threads shows it.
type Kind struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Color   string `json:"color"`
}

// What lanes show.
const (
	LaneThread = "thread" // blocks are parts of its time; their kinds are Document.Kinds
	LaneGPU    = "gpu"    // blocks are work; their kinds are colours of who committed it
	LaneScopes = "scopes" // blocks are what the program named; their kinds are colours
)

// A Lane is a row of the timeline.
type Lane struct {
	Key    string `json:"key"` // the same in all documents of a trace
	Shows  string `json:"shows"`
	Name   string `json:"name"`
	TID    uint64 `json:"tid,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Color  int    `json:"color"` // of a thread, in lanes of the GPU
	Begin  int64  `json:"begin_ns"`
	End    int64  `json:"end_ns"`
	Count  int64  `json:"count"`  // of blocks, those in cells too
	Hidden int64  `json:"hidden"` // of blocks for which there was no room alongside others
	Idle   bool   `json:"idle"`   // a thread that only waited for signals: it is folded at first

	// TimeNS is how long blocks of each kind took, in all of the run.
	TimeNS [kinds]int64 `json:"time_ns"`
	Levels []Level      `json:"levels"` // the finest first
}

// A Level is a lane's blocks, where all that is shorter than a cell is in cells. Lists are of numbers, that they take
// little room.
type Level struct {
	CellNS  int64 `json:"cell_ns"`
	FirstNS int64 `json:"first_ns"` // begin of cell 0

	// Blocks has seven numbers for each block: nanoseconds since the begin of the block before; its length; its kind; the
	// place of its name in Document.Names; the place in Document.Lanes of its peer, or −1; the place of its stack in
	// Document.Stacks; the place of its command buffer in Document.Flows, or −1. The peer is the thread that committed the
	// work, holds the lock, or sent the signal.
	Blocks []int64 `json:"blocks"`

	// Cells has for each cell: how many cells it lies behind the one before (the first: behind cell 0), how many blocks
	// began in it, of how many kinds it has something, and for each of those the kind and its part of the cell in 255ths.
	Cells []int64 `json:"cells"`
}

// A Flow is a command buffer, from its creation over the commit and the GPU to the return of the first wait for it.
// Lanes are places in Document.Lanes, −1 where there is none; times are −1 where they are not known.
type Flow struct {
	Label       int64 `json:"n"` // place in Document.Names
	Queue       int64 `json:"q"` // place in Document.Names
	CreatedNS   int64 `json:"o"`
	From        int   `json:"f"`
	CommitNS    int64 `json:"c"`
	ScheduledNS int64 `json:"s"`
	GPU         int   `json:"g"`
	BeginNS     int64 `json:"b"`
	EndNS       int64 `json:"e"`
	CompletedNS int64 `json:"d"`
	To          int   `json:"t"`
	WaitNS      int64 `json:"u"` // begin of the wait
	WakeNS      int64 `json:"w"`
}

// A Mark is a moment to which the program gave a name, or a command buffer that failed.
type Mark struct {
	Lane   int    `json:"lane"`
	AtNS   int64  `json:"at_ns"`
	Name   string `json:"name"`
	Failed bool   `json:"failed"`
}

// A Series is a level over time: its mean in each of a row of bins.
type Series struct {
	Name    string    `json:"name"`
	Group   string    `json:"group"` // "busy", "flight", "queue" or "memory"
	Unit    string    `json:"unit"`
	BeginNS int64     `json:"begin_ns"`
	BinNS   int64     `json:"bin_ns"`
	Means   []float64 `json:"means"`
}

// A Histogram is how many durations there are of each length.
type Histogram struct {
	Name  string `json:"name"`
	Total int64  `json:"total"`
	Bins  []Bin  `json:"bins"`
}

// A Bin is the durations from FromNS up to ToNS.
type Bin struct {
	FromNS float64 `json:"from_ns"`
	ToNS   float64 `json:"to_ns"`
	Count  int64   `json:"count"`
}
