package wire

// eventCalls has the rows of Table for the methods of MTLEvent and MTLSharedEvent. Traces contain the numbers of the
// rows, so a number must never change.
var eventCalls = [...]Row{
	{64, "waitUntilSignaledValue:timeoutMS:", FamilyEvent, GroupWait, EffectWaitsValue, event, eventValue,
		[]Field{{At: InX0, Role: RoleTimeout, Unit: UnitMillis, name: "timeout"}}},
	{65, "setSignaledValue:", FamilyEvent, GroupOther, EffectSignals, event, eventValue, nil},
	{66, "notifyListener:atValue:block:", FamilyEvent, GroupOther, EffectAddsListener, event, eventValue, nil},

	{471, "signaledValue", FamilyEvent, GroupWait, EffectWaitsValue, event, eventValue, pollFields},

	{132, "setLabel:", FamilyEvent, GroupOther, EffectLabels, event, theLabel, nil},
	{133, "newSharedEventHandle", FamilyEvent, GroupOther, EffectMakes, event, made(KindObject), nil},

	{410, "dealloc", FamilyEvent, GroupOther, EffectReleases, event, none, nil},
}

// fenceCalls has the rows of Table for the methods of MTLFence. Traces contain the numbers of the rows, so a number
// must never change.
var fenceCalls = [...]Row{
	{134, "setLabel:", FamilyFence, GroupOther, EffectLabels, fence, theLabel, nil},
	{493, "dealloc", FamilyFence, GroupOther, EffectReleases, fence, none, nil},
}
