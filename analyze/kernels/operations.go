package kernels

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An Operation is the total GPU work of one name that the program gave (a label or scope), or of all unnamed work.
type Operation struct {
	analyze.Operation
	Dispatches int
	GPU        analyze.Nanos // if NotIdentified, a value between Low and High with which all operations add up
	Low, High  analyze.Nanos
	Share      float64  // share of all GPU time
	Source     string   // source of GPU: Measured, Fitted or NotIdentified
	Kernels    []string // the kernels that ran for the operation, each once

	sum *namedSum
}

// operationOf is a key for sums: one kernel's work with one name.
type operationOf struct {
	operation analyze.Operation
	kernel    row
}

// Further is the name under which operations beyond policy.MostOperations are counted.
const Further = "(further operations)"

// named adds up GPU work by operation, and by operation and kernel.
type named struct {
	by    map[operationOf]*namedSum
	order []operationOf // in the order of their first occurrence
	total map[analyze.Operation]*namedSum
	names []analyze.Operation // in the order of their first occurrence
	whole analyze.Nanos       // sum of the times that belong to one operation
	all   analyze.Nanos
}

// A namedSum is the total work with one name.
type namedSum struct {
	dispatches int
	own        analyze.Nanos // sum of the times that belong to this name alone
	uses       []columnUse   // uses within times that were measured together with other names
}

// A columnUse is how often a column (the cost of one kind of dispatch) occurs in times that several kernels share.
type columnUse struct {
	column int
	count  float64
}

func newNamed() named {
	return named{by: map[operationOf]*namedSum{}, total: map[analyze.Operation]*namedSum{}}
}

func (n *named) of(key operationOf) *namedSum {
	o := n.by[key]
	if o == nil && len(n.order) >= policy.MostOperations && key.operation.Name != "" {
		key.operation = analyze.Operation{Name: Further}
		o = n.by[key]
	}
	if o == nil {
		o = &namedSum{}
		n.by[key] = o
		n.order = append(n.order, key)
	}
	return o
}

func (n *named) totalOf(name analyze.Operation) *namedSum {
	o := n.total[name]
	if o == nil && len(n.names) >= policy.MostOperations && name.Name != "" {
		name = analyze.Operation{Name: Further}
		o = n.total[name]
	}
	if o == nil {
		o = &namedSum{}
		n.total[name] = o
		n.names = append(n.names, name)
	}
	return o
}

func (o *namedSum) use(column int, count float64) {
	for i := range o.uses {
		if o.uses[i].column == column {
			o.uses[i].count += count
			return
		}
	}
	o.uses = append(o.uses, columnUse{column, count})
}

// use adds the share's dispatches (`count` uses of a column) to its operation, if the measured time `t` must be divided
// among several operations or kernels. The time itself is divided later, in proportion to the uses' costs. A time
// that belongs to one operation and one kernel needs no division.
func (n *named) use(s *Share, column int, count float64, t *measuredTime, began bool) {
	if !began || s.again {
		return
	}
	if !t.whole {
		n.totalOf(s.Operation).use(column, count)
	}
	if !t.whole || !t.alone {
		n.of(operationOf{s.Operation, s.row()}).use(column, count)
	}
}

// take adds a measured time. A time of one operation alone is added to that operation; other times are divided later.
func (n *named) take(shares []Share, t *measuredTime) {
	n.all += t.took
	for i := range shares { // all operations are listed, in the order of their first work
		n.of(operationOf{shares[i].Operation, shares[i].row()})
		n.totalOf(shares[i].Operation)
	}
	if !t.whole {
		return
	}
	w := worker(shares)
	n.whole += t.took
	n.totalOf(w.Operation).own += t.took
	if t.alone {
		n.of(operationOf{w.Operation, w.row()}).own += t.took
	}
}

// count adds the dispatches of a share to its operation.
func (n *named) count(s *Share) {
	n.of(operationOf{s.Operation, s.row()}).dispatches += s.Dispatches
}

// add adds the sums of the next range of the run. `to` translates the column numbers of that range.
func (n *named) add(part *named, to renumbering) {
	join := func(o, p *namedSum) {
		o.dispatches += p.dispatches
		o.own += p.own
		o.addUses(p.uses, to)
	}
	for _, key := range part.order {
		join(n.of(key), part.by[key])
	}
	for _, name := range part.names {
		join(n.totalOf(name), part.total[name])
	}
	n.whole += part.whole
	n.all += part.all
}

// addUses adds counts of uses to the operation's uses. Their column numbers belong to another fit; `to` translates
// them.
func (o *namedSum) addUses(uses []columnUse, to renumbering) {
	for _, u := range uses {
		if at := to.number[u.column]; at >= 0 {
			o.use(at, u.count*to.times[u.column])
		}
	}
}

// renumber gives the uses of columns to the columns' new numbers, after the fit merged columns.
func (n *named) renumber(to renumbering) {
	move := func(o *namedSum) {
		old := o.uses
		o.uses = nil
		o.addUses(old, to)
	}
	for _, o := range n.by {
		move(o)
	}
	for _, o := range n.total {
		move(o)
	}
}

// weight returns the estimated cost of the uses. A time that several operations share is divided in proportion to
// their weights.
func (o *namedSum) weight(costs *Costs) (weight float64) {
	for _, u := range o.uses {
		cost, known := costs.of(u.column)
		if !known {
			cost = costs.usual
		}
		weight += u.count * cost
	}
	return weight
}

// giveOperations divides each kernel's time among the operations for which it ran. `total` is all GPU time.
func (s *Sum) giveOperations(costs *Costs, total analyze.Nanos) {
	for _, k := range s.list {
		k.Operations = nil
	}
	for _, key := range s.named.order {
		o, k := s.named.by[key], s.by[key.kernel]
		out := &Operation{Operation: key.operation, Dispatches: o.dispatches, GPU: o.own, Source: Measured, sum: o}
		out.Kernels = []string{key.kernel.name}
		if len(o.uses) > 0 {
			// if the kernel's time is measured, only its division among several operations is fitted
			if out.Source = k.Source; k.Source == Measured {
				out.Source = Fitted
			}
		}
		k.Operations = append(k.Operations, out)
	}
	for _, k := range s.list {
		left, weights := k.GPU, make([]float64, len(k.Operations))
		for i, o := range k.Operations {
			left -= o.GPU
			weights[i] = o.sum.weight(costs)
		}
		for i, part := range divide(max(0, left), weights) {
			k.Operations[i].GPU += part
		}
	}
	for _, k := range s.list {
		sortByGPUTime(k.Operations, total)
	}
}

// Operations returns the operations of all kernels, those with most GPU time first. Their times add up to the
// kernels' times. It returns none if the program named none of its work.
func (s *Sum) Operations() []*Operation {
	costs := s.Costs()
	any, shared, sum := false, s.named.all-s.named.whole, 0.0
	weights := make([]float64, len(s.named.names))
	for i, name := range s.named.names {
		any = any || name.Name != ""
		weights[i] = s.named.total[name].weight(costs)
		sum += weights[i]
	}
	if !any {
		return nil
	}
	factor := float64(shared) / max(1, sum)
	by := map[analyze.Operation]*Operation{}
	var list []*Operation
	for i, part := range divide(shared, weights) {
		name := s.named.names[i]
		o := s.named.total[name]
		out := &Operation{Operation: name, GPU: o.own + part, Low: o.own + part, High: o.own + part, Source: Measured}
		if len(o.uses) > 0 {
			low, high, source := costs.interval(o.uses)
			out.Source = source
			out.Low, out.High = min(out.GPU, o.own+analyze.Nanos(low*factor)), max(out.GPU,
				o.own+analyze.Nanos(high*factor))
		}
		by[name] = out
		list = append(list, out)
	}
	for _, key := range s.named.order {
		o := by[key.operation]
		if o == nil {
			o = by[analyze.Operation{Name: Further}]
		}
		o.Dispatches += s.named.by[key].dispatches
		if !slices.Contains(o.Kernels, key.kernel.name) {
			o.Kernels = append(o.Kernels, key.kernel.name)
		}
	}
	sortByGPUTime(list, s.named.all)
	return list
}

// interval returns bounds of the GPU time of an operation's dispatches (`uses`), and whether they come from the fit
// (Fitted) or from the bounds of its kernels (NotIdentified). The caller must scale them, so that all operations
// together add up to the measured time.
func (c *Costs) interval(uses []columnUse) (low, high float64, source string) {
	source = Fitted
	all := make([]float64, len(c.fit.columns))
	for _, u := range uses {
		all[u.column] += u.count
	}
	if c.solution != nil {
		g, fitted := c.solution.scaledUses(all)
		if e := c.solution.estimate(g); e.identified && fitted {
			return e.low, e.high, Fitted
		}
	}
	source = NotIdentified
	for _, u := range uses { // the bounds of its kernels
		r := c.rows[c.fit.columns[u.column].row]
		cost, _ := c.of(u.column)
		if r.value > 0 {
			low += u.count * cost * r.low / r.value
			high += u.count * cost * r.high / r.value
		}
	}
	return low, high, source
}

// sortByGPUTime sets each operation's share of total. It sorts operations by GPU time, largest first; operations whose
// time is not identified come last.
func sortByGPUTime(list []*Operation, total analyze.Nanos) {
	for _, o := range list {
		if total > 0 {
			o.Share = float64(o.GPU) / float64(total)
		}
	}
	slices.SortStableFunc(list, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.open(), b.open()), cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.From, b.From))
	})
}

// open returns 1 if the operation's time is not identified, else 0, as a sort key.
func (o *Operation) open() int {
	if o.Source == NotIdentified {
		return 1
	}
	return 0
}
