package xctrace

import (
	"errors"
	"fmt"
	"strings"

	"mtrace/analyze"
)

// Recording has the rows of all exports of one recording.
type Recording struct {
	*Dictionary
	Documents []*Document
	Skipped   []string // inputs found in a directory that are not exports
	Run       *Run     // from a table of contents, nil without one
	// Failed are tables that xctrace could not export, with the reason. Template has settings of the template in the
	// bundle. The code that ran xctrace fills in both.
	Failed   map[string]string
	Template []Setting
	// From and To are the time range in which counters are summed, because they have too many rows to be kept. To 0
	// means the end. They must be set before Add.
	From, To analyze.Nanos
	Commands CommandRows
	GPU      GPURows
	Memory   MemoryRows
	CPU      CPURows
	Others   []*OtherTable

	toc      *TOC
	sources  map[string]string // table path and schema: the input it came from
	run      string            // the run that is read: "run[1]"
	counters map[TextIndex]int
}

// CommandRows are the rows about command buffers and encoders on the program's threads.
type CommandRows struct {
	Submissions  []Submission
	Completions  []Completion
	Errors       []CommandBufferError
	Encoders     []EncoderInterval
	Application  []ApplicationInterval
	Events       []ApplicationEvent
	Driver       []DriverInterval
	Compilations []CompilerActivity
	FilledIn     bool // submissions or encoders were derived from metal-application-intervals
}

// GPURows are the rows about the work and the states of GPUs.
type GPURows struct {
	Name        string
	Intervals   []GPUInterval
	States      []GPUState
	Performance []PerformanceState
	Shaders     []ShaderInterval
	Counters    []Counter
	Points      int64 // rows of metal-gpu-execution-points
	Coalesced   int64 // encoders merged into others on the GPU
}

// MemoryRows are the rows about memory of GPUs.
type MemoryRows struct {
	Sizes     []AllocatedSize
	Resources []ResourceAllocation
}

// CPURows are the rows about threads outside of Metal.
type CPURows struct {
	Signposts []SignpostInterval
	Marks     []SignpostEvent
	Samples   []CPUSample
}

// Counter sums the values of one GPU counter, over time if it is by intervals.
type Counter struct {
	Name     TextIndex
	Samples  int64
	Sum, Max float64
	Weighted float64       // sum of value × duration
	Duration analyze.Nanos // sum of durations
}

// Progress receives how much of which input was read. Its error stops the reading.
type Progress func(name string, read, size int64) error

// NewRecording returns an empty one, for Add.
func NewRecording() *Recording {
	return &Recording{
		Dictionary: NewDictionary(),
		Failed:     map[string]string{},
		sources:    map[string]string{},
		counters:   map[TextIndex]int{},
	}
}

// Load reads all inputs into one recording.
func Load(inputs []Input, progress Progress) (*Recording, error) {
	r := NewRecording()
	for i := range inputs {
		if err := r.Add(&inputs[i], progress); err != nil {
			return r, err
		}
	}
	r.Finish()
	return r, nil
}

// Finish completes a recording after all inputs were added.
func (r *Recording) Finish() {
	r.chooseRun()
	r.nameGPU()
	r.attributeIntervals()
	r.fillIn()
	r.pairSignposts()
}

// Add reads one input. One named by the user that is not an export is an error;
// one found in a directory is skipped and listed.
func (r *Recording) Add(in *Input, progress Progress) error {
	src, err := in.Open(progress)
	if err != nil {
		return err
	}
	defer src.Close()
	doc, err := Read(src, in.Name, r.sink())
	if err != nil && !in.Listed && len(doc.Tables) == 0 && len(doc.TOCs) == 0 {
		r.Skipped = append(r.Skipped, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	r.Documents = append(r.Documents, doc)
	for _, toc := range doc.TOCs {
		if err := r.addTOC(toc, in.Name); err != nil {
			return err
		}
	}
	return nil
}

// errTwoRecordings is wrapped if the inputs cannot belong to one recording.
var errTwoRecordings = errors.New("the inputs belong to more than one recording: summarise them one by one, or compare " +
	"them with mtrace diff")

func (r *Recording) addTOC(toc *TOC, name string) error {
	if len(toc.Runs) == 0 {
		return fmt.Errorf("%s: the table of contents lists no run: nothing was recorded", name)
	}
	if r.toc != nil && !r.toc.Runs[0].Started.Equal(toc.Runs[0].Started) {
		return fmt.Errorf("%s: %w", name, errTwoRecordings)
	}
	r.toc = toc
	return nil
}

// chooseRun selects the run of the tables from the table of contents.
func (r *Recording) chooseRun() {
	if r.toc == nil {
		return
	}
	r.Run = &r.toc.Runs[0]
	for i := range r.toc.Runs {
		if r.run == fmt.Sprintf("run[%d]", i+1) {
			r.Run = &r.toc.Runs[i]
		}
	}
}

// nameGPU takes the GPU's name from any row that has it, if there is no table of GPUs.
func (r *Recording) nameGPU() {
	for i := 0; i < len(r.GPU.Intervals) && r.GPU.Name == ""; i++ {
		r.GPU.Name = r.Text(r.GPU.Intervals[i].GPU)
	}
	for i := 0; i < len(r.Commands.Submissions) && r.GPU.Name == ""; i++ {
		r.GPU.Name = r.Text(r.Commands.Submissions[i].GPU)
	}
}

// accept rejects a table that was read before, which would count everything twice, and tables of a second run.
func (r *Recording) accept(input string, t *Table) error {
	if run := runOf(t.XPath); run != "" {
		if r.run == "" {
			r.run = run
		} else if run != r.run {
			return fmt.Errorf("%s of the document is not read: %s came first", run, r.run)
		}
	}
	key := t.XPath + " " + t.Schema
	if t.Inherited {
		return nil
	}
	// Nodes of one document that have no path are different tables.
	if from, ok := r.sources[key]; ok && (t.XPath != "" || from != input) {
		return fmt.Errorf("already read from %s", from)
	}
	r.sources[key] = input
	return nil
}

// runOf cuts "run[1]" out of a table's path.
func runOf(xpath string) string {
	i := strings.Index(xpath, "/run[")
	if i < 0 {
		return ""
	}
	rest := xpath[i+1:]
	if end := strings.IndexByte(rest, ']'); end > 0 {
		return rest[:end+1]
	}
	return ""
}

func (r *Recording) sink() *Sink {
	return &Sink{
		Dictionary: r.Dictionary,
		Accept:     func(doc *Document, t *Table) error { return r.accept(doc.Name, t) },
		Commands: CommandSinks{
			Submission:  keep(&r.Commands.Submissions),
			Completion:  keep(&r.Commands.Completions),
			Error:       keep(&r.Commands.Errors),
			Encoder:     keep(&r.Commands.Encoders),
			Application: keep(&r.Commands.Application),
			Event:       keep(&r.Commands.Events),
			Driver:      keep(&r.Commands.Driver),
			Compiler:    keep(&r.Commands.Compilations),
		},
		GPU: GPUSinks{
			Interval:        keep(&r.GPU.Intervals),
			State:           keep(&r.GPU.States),
			Performance:     keep(&r.GPU.Performance),
			Shader:          keep(&r.GPU.Shaders),
			ExecutionPoint:  func(*ExecutionPoint) { r.GPU.Points++ },
			SubmissionMap:   func(m *SubmissionMap) { r.GPU.Coalesced += int64(m.Coalesced) },
			CounterInterval: r.count,
			Info:            func(g *GPUInfo) { r.GPU.Name = r.Text(g.Name) },
		},
		Memory: MemorySinks{Size: keep(&r.Memory.Sizes), Resource: keep(&r.Memory.Resources)},
		CPU: CPUSinks{
			Signpost: keep(&r.CPU.Signposts),
			Mark:     keep(&r.CPU.Marks),
			Sample:   keep(&r.CPU.Samples),
		},
		Other: func(t *Table) *OtherTable {
			for _, o := range r.Others {
				if o.Table == t {
					return o
				}
			}
			r.Others = append(r.Others, &OtherTable{Table: t})
			return r.Others[len(r.Others)-1]
		},
	}
}

func keep[R any](list *[]R) func(*R) {
	return func(row *R) { *list = append(*list, *row) }
}

// count adds a row to its counter. A counter whose rows are all outside the range is listed without values.
func (r *Recording) count(c *CounterInterval) {
	if !c.Known {
		return
	}
	i, ok := r.counters[c.Name]
	if !ok {
		i = len(r.GPU.Counters)
		r.GPU.Counters = append(r.GPU.Counters, Counter{Name: c.Name})
		r.counters[c.Name] = i
	}
	begin, end := max(c.Start, r.From), c.Start+c.Duration
	if r.To > 0 {
		end = min(end, r.To)
	}
	if end < begin || end == begin && c.Duration > 0 {
		return
	}
	sum := &r.GPU.Counters[i]
	sum.Samples++
	sum.Sum += c.Value
	sum.Max = max(sum.Max, c.Value)
	sum.Weighted += c.Value * float64(end-begin)
	sum.Duration += end - begin
}

// Has reports whether a table of that schema was read, even if it has no rows.
func (r *Recording) Has(schema string) bool { return r.table(schema) != nil }

func (r *Recording) table(schema string) *Table {
	for _, d := range r.Documents {
		for _, t := range d.Tables {
			if t.Schema == schema && t.Refused == "" {
				return t
			}
		}
	}
	return nil
}

// Truncated lists the inputs that were cut.
func (r *Recording) Truncated() []string {
	var names []string
	for _, d := range r.Documents {
		if d.Truncated {
			names = append(names, d.Name)
		}
	}
	return names
}
