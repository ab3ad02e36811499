package wiretest

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// Hello is the hello of the calling process.
func Hello() wire.Hello {
	program, _ := os.Executable()
	host, _ := os.Hostname()
	return wire.Hello{Version: wire.Version, PID: os.Getpid(), PPID: os.Getppid(), Program: program, Args: os.Args,
		Host: host, OS: runtime.GOOS, Arch: runtime.GOARCH, Started: time.Now().UnixNano()}
}

// Frame is a frame whole, as bytes.
func Frame(kind wire.FrameKind, ring uint16, position uint64, payload []byte) []byte {
	return append(wire.AppendFrameHeader(nil, wire.FrameHeader{Kind: kind, Ring: ring, Length: uint32(len(payload)),
		Position: position}), payload...)
}

// Dial connects to a collector that has no token and says hello.
func Dial(path string, h wire.Hello) (*net.UnixConn, error) { return DialWith(path, wire.Token{}, h) }

// DialWith connects to a collector, sends the token unless it is zero, and says hello.
func DialWith(path string, token wire.Token, h wire.Hello) (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if !token.IsZero() {
		if _, err := conn.Write(token.Frame()); err != nil {
			return conn, err
		}
	}
	_, err = conn.Write(Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, h)))
	return conn, err
}

// SendRings sends the Rings frame with the descriptor of the shared memory.
func SendRings(conn *net.UnixConn, memory *os.File) error {
	n, _, err := conn.WriteMsgUnix(Frame(wire.FrameRings, 0, 0, nil), unix.UnixRights(int(memory.Fd())), nil)
	if err == nil && n != wire.FrameHeaderSize {
		err = fmt.Errorf("only %d bytes of the Rings frame were written", n)
	}
	return err
}

// Map maps shared memory that Memory made.
func Map(memory *os.File) ([]byte, error) {
	return unix.Mmap(int(memory.Fd()), 0, wire.RegionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// Now is the monotonic clock, as ticks of wire.ClockNanoseconds.
func Now() wire.Ticks {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return wire.Ticks(t.Nano())
}
