package wire

// lasting caches the result of Call.Lasts for each call, because filters need it for every record.
var lasting = func() []bool {
	all := make([]bool, len(Table))
	for i := range all {
		row := Call(i).Row()
		switch row.Effect {
		case EffectStartsThread, EffectChecks, EffectBuildsLibrary, EffectFindsFunction, EffectBuildsFunction,
			EffectBuildsPipeline, EffectArchives, EffectHands:
			all[i] = true
		case EffectMakes:
			all[i] = row.Arg.Role == RoleMade && row.Arg.Kind.Base() == KindQueue
		case EffectLabels:
			all[i] = row.Object.Kind == KindQueue
		}
	}
	return all
}()

// Lasts reports whether later records cannot be interpreted without a record of this call: it says to which thread a
// ring buffer belongs, or what a queue or a pipeline state is. A reader of a time range must read such records from
// the start of the trace, and filters must keep them. They are few.
func (c Call) Lasts() bool { return int(c) < len(lasting) && lasting[c] }
