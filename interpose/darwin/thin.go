package darwin

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	magic64           = 0xfeedfacf
	headerSize        = 32
	fileTypeExecute   = 2
	commandSegment64  = 0x19
	commandSignature  = 0x1d
	segmentFixed      = 72
	linkeditPageAlign = 0x4000
)

var le = binary.LittleEndian

// thin is a 64-bit little-endian Mach-O image for one processor, with the offsets that signing needs.
type thin struct {
	data      []byte
	cpu       uint32
	subtype   uint32
	fileType  uint32
	textStart uint64 // file offset and size of __TEXT
	textSize  uint64
	linkedit  int // offset of __LINKEDIT's load command
	signature int // offset of LC_CODE_SIGNATURE, 0 when there is none
	commands  int // end of the load commands
	firstByte int // lowest file offset of a section's content
}

// parseThin finds the load commands in an image that Sign needs. It returns an error if the image is damaged or of
// another kind.
func parseThin(data []byte) (*thin, error) {
	if len(data) < headerSize || le.Uint32(data) != magic64 {
		return nil, errors.New("not a 64-bit little-endian Mach-O file")
	}
	f := &thin{data: data, cpu: le.Uint32(data[4:]), subtype: le.Uint32(data[8:]), fileType: le.Uint32(data[12:]),
		firstByte: len(data)}
	count, size := le.Uint32(data[16:]), le.Uint32(data[20:])
	if int64(size) > int64(len(data)-headerSize) {
		return nil, fmt.Errorf("%d bytes of load commands do not fit into the file", size)
	}
	f.commands = headerSize + int(size)
	at := headerSize
	for i := uint32(0); i < count; i++ {
		if f.commands-at < 8 {
			return nil, fmt.Errorf("load command %d is cut off", i)
		}
		length := int64(le.Uint32(data[at+4:]))
		if length < 8 || length > int64(f.commands-at) {
			return nil, fmt.Errorf("load command %d has %d bytes", i, length)
		}
		command := data[at : at+int(length)]
		switch le.Uint32(command) {
		case commandSegment64:
			if err := f.addSegment(command, at); err != nil {
				return nil, err
			}
		case commandSignature:
			if length < 16 {
				return nil, errors.New("the code signature command is cut off")
			}
			f.signature = at
		}
		at += int(length)
	}
	if f.linkedit == 0 {
		return nil, errors.New("there is no __LINKEDIT segment")
	}
	return f, nil
}

func (f *thin) addSegment(command []byte, at int) error {
	if len(command) < segmentFixed {
		return errors.New("a segment command is cut off")
	}
	offset, size := le.Uint64(command[40:]), le.Uint64(command[48:])
	if offset > uint64(len(f.data)) || size > uint64(len(f.data))-offset {
		return fmt.Errorf("segment %s lies beyond the end", cString(command[8:24]))
	}
	switch cString(command[8:24]) {
	case "__TEXT":
		f.textStart, f.textSize = offset, size
	case "__LINKEDIT":
		f.linkedit = at
	}
	sections := command[segmentFixed:]
	for n := le.Uint32(command[64:]); n > 0 && len(sections) >= 80; n-- {
		if start := le.Uint32(sections[48:]); start != 0 && int64(start) < int64(f.firstByte) {
			f.firstByte = int(start)
		}
		sections = sections[80:]
	}
	return nil
}

func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
