package record

import (
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// observers passes everything that a collector.Observer receives to each observer in the list.
type observers []collector.Observer

func (all observers) Process(p tracefile.ProcessIndex, h wire.Hello) {
	for _, o := range all {
		o.Process(p, h)
	}
}

func (all observers) Clock(p tracefile.ProcessIndex, kind wire.ClockKind, numer, denom uint32) {
	for _, o := range all {
		o.Clock(p, kind, numer, denom)
	}
}

func (all observers) Samples(p tracefile.ProcessIndex, s []wire.ClockSample) {
	for _, o := range all {
		o.Samples(p, s)
	}
}

func (all observers) Facts(p tracefile.ProcessIndex, f []wire.Fact) {
	for _, o := range all {
		o.Facts(p, f)
	}
}

func (all observers) Records(p tracefile.ProcessIndex, ring uint16, r []wire.Record) {
	for _, o := range all {
		o.Records(p, ring, r)
	}
}

func (all observers) End(p tracefile.ProcessIndex, e tracefile.End) {
	for _, o := range all {
		o.End(p, e)
	}
}

func (all observers) Vanished(h wire.Hello) {
	for _, o := range all {
		o.Vanished(h)
	}
}
