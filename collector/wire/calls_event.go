package wire

// eventCalls are the methods of MTLEvent and MTLSharedEvent.
var eventCalls = [...]Row{
	{64, "waitUntilSignaledValue:timeoutMS:", FamilyEvent, GroupWait, "event", "value", "x0 timeout ms"},
	{65, "setSignaledValue:", FamilyEvent, GroupOther, "event", "value", ""},
	{66, "notifyListener:atValue:block:", FamilyEvent, GroupOther, "event", "value", ""},

	{132, "setLabel:", FamilyEvent, GroupOther, "event", "StringID of the label", ""},
	{133, "newSharedEventHandle", FamilyEvent, GroupOther, "event", "new object", ""},

	{410, "dealloc", FamilyEvent, GroupOther, "event", "", ""},
}

// fenceCalls are the methods of MTLFence.
var fenceCalls = [...]Row{
	{134, "setLabel:", FamilyFence, GroupOther, "fence", "StringID of the label", ""},
}
