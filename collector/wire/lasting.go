package wire

// lasting has the result of Lasts for each call.
var lasting = func() []bool {
	all := make([]bool, len(Table))
	for i := range all {
		row := Call(i).Row()
		switch row.Effect {
		case EffectStartsThread, EffectChecks, EffectBuildsLibrary, EffectFindsFunction, EffectBuildsFunction,
			EffectBuildsPipeline, EffectArchives:
			all[i] = true
		case EffectMakes:
			all[i] = row.Arg.Role == RoleMade && row.Arg.Kind.Base() == KindQueue
		case EffectLabels:
			all[i] = row.Object.Kind == KindQueue
		}
	}
	return all
}()

// Lasts reports whether the information in a record of the call stays valid for all later records: which thread has the
// ring, what a queue or a pipeline state is. A reader of a time range has to read such records from the start of the
// trace. They are few.
func (c Call) Lasts() bool { return int(c) < len(lasting) && lasting[c] }
