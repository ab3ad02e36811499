package collector

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// readHello reads a process's hello, the first frame of a connection. It skips a token frame before the hello: a
// required token was checked earlier, and a program may also send one that is not required.
func readHello(in *bufio.Reader) (hello wire.Hello, err error) {
	h, err := wire.ReadFrameHeader(in)
	if err == nil && h.Kind == wire.FrameToken {
		if _, err = in.Discard(int(h.Length)); err == nil {
			h, err = wire.ReadFrameHeader(in)
		}
	}
	if err != nil {
		return hello, err
	}
	if h.Kind != wire.FrameHello {
		return hello, fmt.Errorf("frame: a connection must begin with a hello, not with a frame of kind %d", h.Kind)
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(in, payload); err != nil {
		return hello, err
	}
	return wire.DecodeHello(payload)
}

// readFrames handles frames until the connection or the process ends, and then returns nil. It drops an incomplete
// last frame. No record is lost by that: the process releases ring slots only after it sent a whole frame, so salvage
// reads them from shared memory. An error means that the process violated the protocol.
func (p *process) readFrames(in *bufio.Reader) error {
	var payload []byte
	var records []wire.Record
	for {
		h, err := wire.ReadFrameHeader(in)
		if err == nil {
			if cap(payload) < int(h.Length) {
				payload = make([]byte, max(int(h.Length), 1<<16))
			}
			payload = payload[:h.Length]
			_, err = io.ReadFull(in, payload)
		}
		p.trace.mutex.Lock()
		failure := p.trace.failure
		p.trace.mutex.Unlock()
		switch {
		case failure != nil:
			return failure
		case isEnd(err):
			return nil
		case err != nil:
			return err
		}
		switch h.Kind {
		case wire.FrameRings:
			fd := p.reader.take()
			if p.rings.mapped {
				err = errors.New("a second Rings frame")
			} else if fd < 0 {
				err = errors.New("the Rings frame came without a descriptor: " +
					"either it was not sent, or the collector had no descriptor left (raise the limit with ulimit -n)")
			} else {
				err = p.rings.attach(fd)
			}
			if fd >= 0 {
				unix.Close(fd)
			}
		case wire.FrameRecords:
			if records, err = wire.DecodeRecords(records[:0], payload); err == nil {
				err = p.order.joinRecords(p.order.ring(h.Ring), h.Position, records)
			}
			select {
			case p.rings.hurry <- struct{}{}: // more records follow in the same ring
			default:
			}
		case wire.FrameFacts:
			if p.rings.mapped {
				err = p.order.joinFacts(p.order.ring(h.Ring), h.Position, payload)
			} else {
				err = p.looseFacts(payload)
			}
		case wire.FrameProcessFacts:
			err = p.looseFacts(payload)
		case wire.FrameClock:
			for ; len(payload) > 0; payload = payload[16:] {
				p.trace.handSamples(wire.ClockSample{Ticks: wire.Ticks(binary.LittleEndian.Uint64(payload)),
					Nanos: int64(binary.LittleEndian.Uint64(payload[8:]))})
			}
			payload = payload[:0]
		case wire.FrameThreadTimes:
			var times []wire.ThreadTime
			if times, err = wire.DecodeThreadTimes(nil, payload); err == nil {
				p.trace.handThreadTimes(times)
			}
		default:
			err = fmt.Errorf("frame: kind %d may only come at the beginning of a connection", h.Kind)
		}
		if err != nil {
			return err
		}
	}
}

// looseFacts writes facts (names and other data of variable size) that belong to no ring: those about the whole
// process, and those sent before the ring buffers exist. They are only sent over the socket, so no second copy of
// them in shared memory can be read.
func (p *process) looseFacts(payload []byte) error {
	p.trace.mutex.Lock()
	defer p.trace.mutex.Unlock()
	p.trace.add()
	facts, err := wire.DecodeFacts(payload)
	if err != nil {
		return err
	}
	p.trace.handFacts(facts)
	return p.trace.failure
}

// isEnd reports whether a read error only means that the connection ended. Any other error is a protocol violation or
// a failure.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, os.ErrClosed)
}
