package xctrace

import (
	"errors"
	"fmt"
	"strings"

	"mtrace/analyze"
)

// Recording has the rows of all exports of one recording, and what is known about the recording itself.
type Recording struct {
	*Dictionary
	Documents []*Document
	Skipped   []string // inputs found in a directory that are not exports
	Run       *Run     // from a table of contents, nil without one
	// Failed has, for each table that xctrace could not export, the reason. Template has settings of the bundle's
	// template. Only a caller that runs xctrace fills them in.
	Failed   map[string]string
	Template []Setting
	// From and To are the time range in which counters are added up; To 0 means the end. Counters have too many rows
	// to store, so From and To must be set before the first Add.
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

// CommandRows has the rows about command buffers and encoders on the program's threads.
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

// GPURows has the rows about the work and the states of GPUs.
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

// MemoryRows has the rows about GPU memory.
type MemoryRows struct {
	Sizes     []AllocatedSize
	Resources []ResourceAllocation
}

// CPURows has the rows about what threads do outside of Metal.
type CPURows struct {
	Signposts []SignpostInterval
	Marks     []SignpostEvent
	Samples   []CPUSample
}

// Counter is the total of one GPU counter. If its values hold for intervals, Weighted/Duration is the mean over time.
type Counter struct {
	Name     TextIndex
	Samples  int64
	Sum, Max float64
	Weighted float64       // sum of value × duration
	Duration analyze.Nanos // sum of durations
}

// Progress is called with the number of bytes of an input that were read, and the input's size. If it returns an
// error, reading stops with that error.
type Progress func(name string, read, size int64) error

// NewRecording returns an empty recording. Fill it with Add, then call Finish.
func NewRecording() *Recording {
	return &Recording{
		Dictionary: NewDictionary(),
		Failed:     map[string]string{},
		sources:    map[string]string{},
		counters:   map[TextIndex]int{},
	}
}

// Load reads all inputs into one recording and finishes it. After an error it returns what was read so far.
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

// Finish completes a recording: it chooses the run and fills in what tables lack. Call it after the last Add.
func (r *Recording) Finish() {
	r.chooseRun()
	r.nameGPU()
	r.attributeIntervals()
	r.fillIn()
	r.pairSignposts()
}

// Add reads one input. If the input is no export, that is an error if the user named it; if it was found in a
// directory, it is listed in Skipped.
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

// errTwoRecordings is wrapped if two tables of contents cannot belong to one recording.
var errTwoRecordings = errors.New(
	"the inputs belong to more than one recording: summarise them one by one, or compare them with mtrace diff")

func (r *Recording) addTOC(toc *TOC, name string) error {
	if len(toc.Runs) == 0 {
		return fmt.Errorf("%s: nothing was recorded: the table of contents lists no run", name)
	}
	if r.toc != nil && !r.toc.Runs[0].Started.Equal(toc.Runs[0].Started) {
		return fmt.Errorf("%s: %w", name, errTwoRecordings)
	}
	r.toc = toc
	return nil
}

// chooseRun sets Run to the run in the table of contents whose tables were read.
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

// nameGPU takes the GPU's name from any other row that has it, if the table of GPUs is missing.
func (r *Recording) nameGPU() {
	for i := 0; i < len(r.GPU.Intervals) && r.GPU.Name == ""; i++ {
		r.GPU.Name = r.Text(r.GPU.Intervals[i].GPU)
	}
	for i := 0; i < len(r.Commands.Submissions) && r.GPU.Name == ""; i++ {
		r.GPU.Name = r.Text(r.Commands.Submissions[i].GPU)
	}
}

// accept returns an error if the table must not be read: it was read before, so its rows would count twice, or it
// belongs to another run than the first table.
func (r *Recording) accept(input string, t *Table) error {
	if run := runOf(t.XPath); run != "" {
		if r.run == "" {
			r.run = run
		} else if run != r.run {
			return fmt.Errorf("%s of the document is not read, because tables of %s were read before", run, r.run)
		}
	}
	key := t.XPath + " " + t.Schema
	if t.Inherited {
		return nil
	}
	// two nodes without a path in the same document are different tables
	if from, ok := r.sources[key]; ok && (t.XPath != "" || from != input) {
		return fmt.Errorf("the table was already read from %s", from)
	}
	r.sources[key] = input
	return nil
}

// runOf returns the run in a table's path, as "run[1]", or "".
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

// count adds a row to the total of its counter. If the row lies only partly within From and To, only that part counts.
// A counter without rows in that range is listed without values.
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

// Has reports whether a table with that schema was read, even without rows.
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

// Truncated returns the names of the inputs that end inside an element.
func (r *Recording) Truncated() []string {
	var names []string
	for _, d := range r.Documents {
		if d.Truncated {
			names = append(names, d.Name)
		}
	}
	return names
}
