package wire

// Call is the number of a row of the table: a traced method or function, or a record that the tracer writes on its own.
// The numbers are stored in trace files. A new row gets the next number, and a retired row keeps its number.
type Call uint16

// The tracer's own records, and the calls that the analysis refers to by name.
const (
	CallNone        Call = 0
	CallMore        Call = 1
	CallThreadStart Call = 2
	CallCompleted   Call = 3
	CallScheduled   Call = 4

	CallEncoderTimes Call = 344
	CallStack        Call = 354
	CallLayer        Call = 403
	CallCanary       Call = 357
	CallScopeBegins  Call = 358
	CallAllocated    Call = 404
	CallSignpost     Call = 436
)

// callCount is the highest call number plus one.
const callCount = 1 +
	len(tracerCalls) + len(functionCalls) + len(deviceCalls) + len(queueCalls) + len(ioCalls) + len(commandBufferCalls) +
	len(encoderCalls) +
	len(resourceCalls) + len(heapCalls) + len(residencySetCalls) + len(eventCalls) + len(fenceCalls) + len(libraryCalls) +
	len(functionObjectCalls) +
	len(pipelineCalls) + len(archiveCalls) + len(metal4Calls) + len(compilerCalls) + len(lockCalls) + len(signalCalls) +
	len(blockingCalls) +
	len(mpsCalls) + len(indirectCalls) +
	len(layerCalls)

// Table is the one table from which the shim's header, the decoder, the text form and docs/wire.md come: the rows of
// the files calls_*.go, each at its number.
var Table = tableOf(
	tracerCalls[:], functionCalls[:], deviceCalls[:], queueCalls[:], ioCalls[:], commandBufferCalls[:], encoderCalls[:],
	resourceCalls[:], heapCalls[:],
	residencySetCalls[:], eventCalls[:], fenceCalls[:], libraryCalls[:], functionObjectCalls[:], pipelineCalls[:],
	archiveCalls[:], metal4Calls[:],
	compilerCalls[:], lockCalls[:], signalCalls[:], blockingCalls[:], mpsCalls[:], indirectCalls[:], layerCalls[:],
)

func tableOf(lists ...[]Row) (table [callCount]Row) {
	for _, rows := range lists {
		for _, row := range rows {
			row.Object.At, row.Arg.At = InObject, InArg
			table[row.Call] = row
		}
	}
	return table
}

// Row returns the call's row in the table. For a number that is not in the table, from a newer library, it returns a
// row that shows the number.
func (c Call) Row() Row {
	if int(c) < len(Table) {
		return Table[c]
	}
	return Row{Call: c, Selector: "unknown", Family: FamilyTracer}
}

// String returns the selector or symbol.
func (c Call) String() string { return c.Row().Selector }

// Lookup returns the call of a family with a selector.
func Lookup(family Family, selector string) (Call, bool) {
	for i, row := range Table {
		if row.Family == family && row.Selector == selector {
			return Call(i), true
		}
	}
	return CallNone, false
}

// Named returns the calls of all families with a selector or symbol, as a user names them.
func Named(selector string) (calls []Call) {
	for i, row := range Table {
		if selector != "" && row.Selector == selector {
			calls = append(calls, Call(i))
		}
	}
	return calls
}

// MustLookup is Lookup for selectors that are known to be in the table. It panics at program start if they are not.
func MustLookup(family Family, selector string) Call {
	c, ok := Lookup(family, selector)
	if !ok {
		panic("wire: no call " + selector + " of family " + family.String())
	}
	return c
}
