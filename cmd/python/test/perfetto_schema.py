"""Reads an export for Perfetto with Perfetto's published protobuf schema, and compares it with the table of calls.

Usage: perfetto_schema.py TRACE.pftrace CALLS.parquet"""
import collections
import sys

import pyarrow.parquet
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published


def unknown(message):
    """How many fields Perfetto does not know."""
    count = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            count += sum(map(unknown, value if field.is_repeated else [value]))
    return count


trace = published.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
assert unknown(trace) == 0, unknown(trace)



class Sequence:
    """The state of a sequence of packets: its names, its track, its clock, and the time to which its next timestamp is
    relative."""

    def __init__(self):
        self.names, self.track, self.clock, self.clocks = {}, None, None, {}


tracks = {packet.track_descriptor.uuid for packet in trace.packet if packet.HasField("track_descriptor")}
sequences, open_slices, flows = collections.defaultdict(Sequence), collections.defaultdict(list), collections.Counter()
slices, nanoseconds = collections.Counter(), collections.Counter()
for packet in trace.packet:
    if packet.sequence_flags & packet.SEQ_INCREMENTAL_STATE_CLEARED:
        sequences[packet.trusted_packet_sequence_id] = Sequence()
    sequence = sequences[packet.trusted_packet_sequence_id]
    for clock in packet.clock_snapshot.clocks:
        if clock.is_incremental:
            sequence.clocks[clock.clock_id] = clock.timestamp
    if packet.HasField("trace_packet_defaults"):
        defaults = packet.trace_packet_defaults
        sequence.track, sequence.clock = defaults.track_event_defaults.track_uuid, defaults.timestamp_clock_id
    sequence.names.update({name.iid: name.name for name in packet.interned_data.event_names})
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    sequence.clocks[sequence.clock] += packet.timestamp
    at = sequence.clocks[sequence.clock]
    track = event.track_uuid if event.HasField("track_uuid") else sequence.track
    assert track in tracks, event
    if event.type == event.TYPE_SLICE_BEGIN:
        open_slices[track].append((event.name or sequence.names[event.name_iid], at))
    elif event.type == event.TYPE_SLICE_END:
        name, begin = open_slices[track].pop()
        assert begin <= at, event
        slices[name] += 1
        nanoseconds[name] += at - begin
    flows.update(list(event.flow_ids) + list(event.terminating_flow_ids))
assert not any(open_slices.values()), open_slices
assert flows and all(ends > 1 for ends in flows.values()), "a flow without its other end"

calls, durations = collections.Counter(), collections.Counter()
for row in pyarrow.parquet.read_table(sys.argv[2]).to_pylist():
    calls[row["selector"]] += 1
    durations[row["selector"]] += row["duration_ns"]
assert calls["commit"] > 0
for selector, n in calls.items():
    assert (slices[selector], nanoseconds[selector]) == (n, durations[selector]), (selector, n, slices[selector],
        durations[selector], nanoseconds[selector])
print("Perfetto's protobuf: %d packets, %d slices, %d flows" % (len(trace.packet), sum(slices.values()), len(flows)))
