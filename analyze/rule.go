package analyze

import (
	"slices"

	"mtrace/collector/wire"
)

// A rule tells the loader how to treat calls of one row of wire.Table, the table of all recorded calls.
type rule struct {
	row      *wire.Row
	effect   wire.Effect // the row's effect; none if the model cannot represent it (see understood)
	object   wire.Kind   // kind of the object that the call is made on
	makes    wire.Kind   // kind of object that the call creates, without its subtype
	part     Part
	note     bool // a record that the tracer writes about itself, not a call
	kept     bool // the model stores each of these calls, not only sums
	absorbs  bool // the call's time includes the time of calls nested in it
	blocks   bool // it yields, and the model has a BlockedWait for it
	yields   bool // the call's time counts for the call that it is nested in
	encoder  EncoderKind
	lives    string // the call creates an object of this class whose release is recorded (Lifetime)
	polls    bool   // it is a wait by polling
	counted  bool   // the record has a number to report, for example of threads or commands
	indirect bool   // it concerns commands of indirect command buffers
	// for a call that commits several command buffers: where their numbers are in the record
	members []wire.Place
	roles   roles // roles of a thread that makes the call

	// where the values are in the record; Nowhere if the record does not have them
	sampling, address, holder, name, source, size, from, first wire.Place
}

// rules has the rule of each row of wire.Table. One more rule at the end is for calls that this version does not
// know, from newer versions of the tracer.
var rules = func() []rule {
	rs := make([]rule, len(wire.Table)+1)
	for i := range rs {
		row := wire.Call(i).Row()
		rs[i] = ruleFor(&row)
		rs[i].note = row.Family == wire.FamilyTracer && i < len(wire.Table)
		rs[i].roles = rolesOf(&rs[i])
	}
	return rs
}()

func ruleFor(row *wire.Row) rule {
	place := func(role wire.Role) wire.Place {
		f, _ := row.Find(role)
		return f.At
	}
	r := rule{row: row, effect: understood(row), object: row.Object.Kind, part: partOf(row.Group),
		kept:     row.Group == wire.GroupWait || row.Group == wire.GroupLock || row.Group == wire.GroupSignal,
		absorbs:  row.Group == wire.GroupWait || row.Group == wire.GroupAcquire || row.Group == wire.GroupDrawable,
		yields:   row.Group == wire.GroupSignal,
		blocks:   row.Effect.Blocks(),
		sampling: place(wire.RoleSampling), address: place(wire.RoleAddress), holder: place(wire.RoleHolder),
		name: place(wire.RoleName), source: place(wire.RoleSource),
		size: place(wire.RoleSize), first: place(wire.RoleFirst),
		counted: row.Arg.Role == wire.RoleCount, polls: row.Polls(),
	}
	if row.TracksLife() {
		r.lives = row.Arg.Kind.Base().String()
	}
	r.indirect = row.Effect == wire.EffectExecutes || row.Effect == wire.EffectResets ||
		row.Effect == wire.EffectCopies && row.Arg.Unit == wire.UnitCommands
	if row.Arg.Role == wire.RoleMade {
		r.makes, r.encoder = row.Arg.Kind.Base(), encoderKind(row.Arg.Kind)
	}
	for _, f := range row.More {
		switch {
		case f.Role == wire.RoleMember:
			r.members = append(r.members, f.At)
		case f.Role == wire.RoleObject && f.Kind == wire.KindFunction:
			r.from = f.At
		}
	}
	return r
}

func ruleOf(c wire.Call) *rule { return &rules[min(int(c), len(rules)-1)] }

// understoodOf lists the kinds of objects for which the model can represent an effect. An effect without an entry is
// represented for all kinds.
var understoodOf = map[wire.Effect][]wire.Kind{
	wire.EffectLabels:         {wire.KindQueue, wire.KindCommandBuffer, wire.KindEncoder},
	wire.EffectOpensGroup:     {wire.KindCommandBuffer, wire.KindEncoder},
	wire.EffectClosesGroup:    {wire.KindCommandBuffer, wire.KindEncoder},
	wire.EffectEnqueues:       {wire.KindCommandBuffer},
	wire.EffectCommits:        {wire.KindCommandBuffer, wire.KindQueue},
	wire.EffectCommitsOptions: {wire.KindQueue},
	wire.EffectHandles:        {wire.KindCommandBuffer},
	wire.EffectSignals:        {wire.KindEvent, wire.KindCommandBuffer, wire.KindQueue},
	wire.EffectAwaits:         {wire.KindCommandBuffer, wire.KindQueue},
	wire.EffectBinds:          {wire.KindEncoder, wire.KindIndirectCommand},
	wire.EffectDispatches:     {wire.KindEncoder, wire.KindIndirectCommand},
	wire.EffectReleases: {wire.KindResource, wire.KindHeap, wire.KindEvent, wire.KindFence, wire.KindQueue,
		wire.KindLibrary, wire.KindPipeline, wire.KindResidencySet},
}

// understood returns the row's effect, or EffectNone if the model cannot represent that effect for the row's object.
func understood(row *wire.Row) wire.Effect {
	kinds, some := understoodOf[row.Effect]
	switch {
	case some && !slices.Contains(kinds, row.Object.Kind):
		return wire.EffectNone
	case row.Effect == wire.EffectCopies && row.Arg.Unit != wire.UnitBytes && row.Arg.Unit != wire.UnitCommands:
		// the record has no size of the copy, or not in bytes or commands
		return wire.EffectNone
	}
	return row.Effect
}

func partOf(g wire.Group) Part {
	switch g {
	case wire.GroupAcquire:
		return PartAcquire
	case wire.GroupEncode:
		return PartEncode
	case wire.GroupCommit:
		return PartCommit
	case wire.GroupCompile:
		return PartCompile
	case wire.GroupAllocate:
		return PartAllocate
	case wire.GroupLock:
		return PartLock
	case wire.GroupDrawable:
		return PartDrawable
	case wire.GroupSignal:
		return PartOutside
	case wire.GroupWait:
		return PartCount // the model divides waits into their parts itself
	}
	return PartOtherAPI
}

func encoderKind(kind wire.Kind) EncoderKind {
	switch kind {
	case wire.KindComputeEncoder:
		return EncoderCompute
	case wire.KindBlitEncoder:
		return EncoderBlit
	case wire.KindRenderEncoder:
		return EncoderRender
	}
	return EncoderOther
}

// roles state what a thread does anywhere in the trace, even outside of the loaded range. They are needed to choose
// the threads to analyze: a thread that waits for an answer during the whole range may have submitted its request
// before.
type roles uint8

const (
	roleUses    roles = 1 << iota // it makes calls other than waits for a signal
	roleSubmits                   // it commits command buffers, or waits for them
)

// rolesOf returns the roles that one call proves its thread to have.
func rolesOf(r *rule) (shown roles) {
	if r.note {
		return 0
	}
	if !r.effect.OnlyWaits() {
		shown |= roleUses
	}
	if r.effect.Commits() || r.row.Group == wire.GroupWait {
		shown |= roleSubmits
	}
	return shown
}
