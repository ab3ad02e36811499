package wire

import "sync"

// Call is the number of a row in Table. A row is a traced method or function, or a kind of record that the tracer
// writes by itself. Trace files store these numbers: a new row gets the next number, and the number of a removed row
// is never used again.
type Call uint16

// The tracer's own records, and those calls of the program that code refers to by name.
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
	CallAlive        Call = 498
	CallSignpost     Call = 436
)

// callCount is the highest call number plus one, that is the length of Table. A row with a larger number would make
// every program panic at its start.
const callCount = 1 +
	len(tracerCalls) + len(functionCalls) + len(deviceCalls) + len(queueCalls) + len(ioCalls) +
	len(commandBufferCalls) + len(encoderCalls) +
	len(resourceCalls) + len(heapCalls) + len(residencySetCalls) + len(eventCalls) + len(fenceCalls) +
	len(libraryCalls) + len(functionObjectCalls) +
	len(pipelineCalls) + len(archiveCalls) + len(metal4Calls) + len(compilerCalls) + len(lockCalls) + len(signalCalls) +
	len(blockingCalls) +
	len(mpsCalls) + len(indirectCalls) +
	len(layerCalls)

// Table has a row for each call, at the index of its number. The C header of the library, the decoder, the text form
// and docs/wire.md are all made from it, so they cannot contradict each other. The rows are in the files calls_*.go.
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

// Row returns the row of a call. For a number that is not in the table, because a newer library wrote it, Row returns
// a row with the selector "unknown".
func (c Call) Row() Row {
	if int(c) < len(Table) {
		return Table[c]
	}
	return Row{Call: c, Selector: "unknown", Family: FamilyTracer}
}

// String returns the Objective-C selector or the C symbol of the call.
func (c Call) String() string { return c.Row().Selector }

// Lookup returns the call with this selector in a family of classes, or false if there is none. A selector alone is
// not unique: several classes have setLabel:.
func Lookup(family Family, selector string) (Call, bool) {
	call, ok := callsByName()[callName{family, selector}]
	return call, ok
}

type callName struct {
	family   Family
	selector string
}

// callsByName has the calls of Table by their names; the first row of a name counts.
var callsByName = sync.OnceValue(func() map[callName]Call {
	calls := make(map[callName]Call, len(Table))
	for i, row := range Table {
		if _, ok := calls[callName{row.Family, row.Selector}]; !ok {
			calls[callName{row.Family, row.Selector}] = Call(i)
		}
	}
	return calls
})

// Named returns the calls with this selector or symbol, in all families of classes: a user gives only the selector,
// not the class.
func Named(selector string) (calls []Call) {
	for i, row := range Table {
		if selector != "" && row.Selector == selector {
			calls = append(calls, Call(i))
		}
	}
	return calls
}

// MustLookup returns the call with this selector in a family, and panics if there is none. Package variables are
// initialized with it, so that a wrong selector fails at program start.
func MustLookup(family Family, selector string) Call {
	c, ok := Lookup(family, selector)
	if !ok {
		panic("wire: no call " + selector + " of family " + family.String())
	}
	return c
}
