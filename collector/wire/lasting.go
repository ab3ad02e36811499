package wire

// lasting says of each call whether it Lasts.
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

// Lasts says whether what a record of the call says holds for all that comes after it: which thread has the ring, what
// a queue or a pipeline state is. Such records are few.
func (c Call) Lasts() bool { return int(c) < len(lasting) && lasting[c] }
