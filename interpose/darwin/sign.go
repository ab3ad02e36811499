package darwin

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	superBlobMagic     = 0xfade0cc0
	codeDirectoryMagic = 0xfade0c02
	codeDirectoryFixed = 88      // of version 0x20400
	signatureFlags     = 0x20002 // ad hoc, signed by a linker
	hashSHA256         = 2
	signPageBits       = 12
	execSegMain        = 1 // CS_EXECSEG_MAIN_BINARY
)

var be = binary.BigEndian

// Sign returns the image with an ad-hoc signature like the one that Apple's linker writes: a code directory with a
// SHA-256 hash of each 4 KiB page, and nothing else. It replaces an existing signature. The kernel of an Apple
// silicon Mac runs no code without a signature.
func Sign(image []byte, identifier string) ([]byte, error) {
	f, err := parseThin(image)
	if err != nil {
		return nil, err
	}
	if f.signature == 0 {
		if image, err = addSignatureCommand(f); err != nil {
			return nil, err
		}
		if f, err = parseThin(image); err != nil {
			return nil, err
		}
	}
	limit, err := f.codeLimit()
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, limit+limit/100+4096), f.data[:min(limit, len(f.data))]...)
	out = append(out, make([]byte, limit-len(out))...)
	length := signatureLength(limit, identifier)
	resizeLinkedit(out, f.linkedit, limit+length)
	le.PutUint32(out[f.signature+8:], uint32(limit))
	le.PutUint32(out[f.signature+12:], uint32(length))
	return append(out, f.codeDirectory(out, identifier)...), nil
}

// codeLimit returns the offset at which the signature begins: where the existing one is, or the end of the image.
func (f *thin) codeLimit() (int, error) {
	if start := int64(le.Uint32(f.data[f.signature+8:])); start != 0 {
		if start > int64(len(f.data)) {
			return 0, errors.New("the code signature lies beyond the end")
		}
		return int(start), nil
	}
	return (len(f.data) + 15) &^ 15, nil
}

// addSignatureCommand returns the image with the load command LC_CODE_SIGNATURE, written into the gap that linkers
// leave behind the load commands.
func addSignatureCommand(f *thin) ([]byte, error) {
	const size = 16
	if f.firstByte-f.commands < size {
		return nil, errors.New("there is no space for a signature's load command; link with -headerpad")
	}
	end := le.Uint64(f.data[f.linkedit+40:]) + le.Uint64(f.data[f.linkedit+48:])
	if end != uint64(len(f.data)) {
		return nil, errors.New("the segment __LINKEDIT, which contains the signature, is not at the end of the file")
	}
	image := append([]byte(nil), f.data...)
	le.PutUint32(image[f.commands:], commandSignature)
	le.PutUint32(image[f.commands+4:], size)
	le.PutUint64(image[f.commands+8:], 0)
	le.PutUint32(image[16:], le.Uint32(image[16:])+1)
	le.PutUint32(image[20:], le.Uint32(image[20:])+size)
	return image, nil
}

// resizeLinkedit changes the size of the segment __LINKEDIT so that it ends at file offset `end`. It is always the
// last segment, and contains the signature. command is the offset of its load command.
func resizeLinkedit(image []byte, command, end int) {
	size := uint64(end) - le.Uint64(image[command+40:])
	le.PutUint64(image[command+48:], size)
	le.PutUint64(image[command+32:], (size+linkeditPageAlign-1)&^(linkeditPageAlign-1))
}

func pageCount(limit int) int { return (limit + 1<<signPageBits - 1) >> signPageBits }

func signatureLength(limit int, identifier string) int {
	return 12 + 8 + codeDirectoryFixed + len(identifier) + 1 + pageCount(limit)*sha256.Size
}

// codeDirectory returns a super blob (the container of a code signature) with the code directory for code.
func (f *thin) codeDirectory(code []byte, identifier string) []byte {
	length := signatureLength(len(code), identifier)
	b := make([]byte, 0, length)
	u32 := func(values ...uint32) {
		for _, v := range values {
			b = be.AppendUint32(b, v)
		}
	}
	u32(superBlobMagic, uint32(length), 1, 0, 20)
	hashes := uint32(codeDirectoryFixed + len(identifier) + 1)
	u32(codeDirectoryMagic, uint32(length-20), 0x20400, signatureFlags, hashes, codeDirectoryFixed, 0,
		uint32(pageCount(len(code))), uint32(len(code)))
	b = append(b, sha256.Size, hashSHA256, 0, signPageBits)
	u32(0, 0, 0, 0) // spare, scatter, team, spare
	b = be.AppendUint64(b, 0)
	b = be.AppendUint64(b, f.textStart)
	b = be.AppendUint64(b, f.textSize)
	execFlags := uint64(0)
	if f.fileType == fileTypeExecute {
		execFlags = execSegMain
	}
	b = be.AppendUint64(b, execFlags)
	b = append(append(b, identifier...), 0)
	for ; len(code) > 0; code = code[min(1<<signPageBits, len(code)):] {
		hash := sha256.Sum256(code[:min(1<<signPageBits, len(code))])
		b = append(b, hash[:]...)
	}
	return b
}

// ErrUnsigned is returned by Verify for an image without a signature.
var ErrUnsigned = errors.New("there is no code signature")

// Verify returns an error if the signature of an image is incomplete or a page does not match its hash in the code
// directory. It does not check who signed.
func Verify(image []byte) error {
	f, err := parseThin(image)
	if err != nil {
		return err
	}
	if f.signature == 0 {
		return ErrUnsigned
	}
	start, length := uint64(le.Uint32(image[f.signature+8:])), uint64(le.Uint32(image[f.signature+12:]))
	if start > uint64(len(image)) || length > uint64(len(image))-start {
		return errors.New("the code signature lies beyond the end")
	}
	directories, err := codeDirectories(image[start : start+length])
	if err != nil {
		return err
	}
	for _, directory := range directories {
		if err := verifyPages(directory, image[:start]); err != nil {
			return err
		}
	}
	return nil
}

// codeDirectories returns the code directories of a super blob that use SHA-256; an error if there is none.
func codeDirectories(blob []byte) ([][]byte, error) {
	if len(blob) < 12 || be.Uint32(blob) != superBlobMagic || uint64(be.Uint32(blob[4:])) > uint64(len(blob)) {
		return nil, errors.New("the code signature does not begin with a super blob, the container of its parts")
	}
	count := uint64(be.Uint32(blob[8:]))
	if 12+8*count > uint64(len(blob)) {
		return nil, fmt.Errorf("the code signature lists %d blobs", count)
	}
	var found [][]byte
	for i := range count {
		offset := uint64(be.Uint32(blob[12+8*i+4:]))
		if offset+8 > uint64(len(blob)) {
			return nil, errors.New("a part of the code signature lies beyond the signature's end")
		}
		body := blob[offset:]
		length := uint64(be.Uint32(body[4:]))
		if be.Uint32(body) != codeDirectoryMagic {
			continue
		}
		if length > uint64(len(body)) || length < 44 {
			return nil, fmt.Errorf("a code directory has %d bytes", length)
		}
		if body[37] == hashSHA256 {
			found = append(found, body[:length])
		}
	}
	if len(found) == 0 {
		return nil, errors.New("the code signature has no SHA-256 code directory")
	}
	return found, nil
}

func verifyPages(directory, code []byte) error {
	hashes, pages, limit := uint64(be.Uint32(directory[16:])), uint64(be.Uint32(directory[28:])),
		uint64(be.Uint32(directory[32:]))
	bits := directory[39]
	if limit != uint64(len(code)) {
		return fmt.Errorf("the signature's code directory covers %d bytes, but the code has %d", limit, len(code))
	}
	if directory[36] != sha256.Size || bits < 12 || bits > 16 || pages != (limit+1<<bits-1)>>bits ||
		hashes+pages*sha256.Size > uint64(len(directory)) {
		return errors.New("the code directory has not one SHA-256 hash for each page of the code")
	}
	for i := range pages {
		page := code[i<<bits : min((i+1)<<bits, limit)]
		if got := sha256.Sum256(page); string(got[:]) != string(directory[hashes+i*sha256.Size:][:sha256.Size]) {
			return fmt.Errorf("page %d was changed after signing: its hash is not the one in the signature", i)
		}
	}
	return nil
}
