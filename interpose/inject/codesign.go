package inject

import (
	"encoding/binary"

	"howett.net/plist"
)

// Magic numbers, slots and flags of code signatures, from XNU's osfmk/kern/cs_blobs.h. Everything in a signature is
// big-endian.
const (
	magicSuperBlob     = 0xfade0cc0
	magicCodeDirectory = 0xfade0c02
	magicEntitlements  = 0xfade7171

	slotCodeDirectory = 0
	slotEntitlements  = 5
	slotAlternate     = 0x1000 // to 0x1004: the same directory with other kinds of hashes
	slotAlternateEnd  = 0x1005

	maxSignature = 64 << 20
	maxBlobs     = 64
	codeDirLen   = 44 // fixed part of the oldest version
)

// SignatureFlags are the flags (CS_* in XNU) of a code directory.
type SignatureFlags uint32

// The flags that decide whether a library can be injected.
const (
	SignatureAdhoc        SignatureFlags = 0x2
	SignatureRestrict     SignatureFlags = 0x800
	SignatureRequireLV    SignatureFlags = 0x2000
	SignatureRuntime      SignatureFlags = 0x10000
	SignatureLinkerSigned SignatureFlags = 0x20000
)

// The entitlements that decide whether a library can be injected.
const (
	entitlementDyldVariables = "com.apple.security.cs.allow-dyld-environment-variables"
	entitlementNoValidation  = "com.apple.security.cs.disable-library-validation"
	entitlementSandbox       = "com.apple.security.app-sandbox"
)

// Signature is what an embedded code signature says about a program.
type Signature struct {
	Flags SignatureFlags `json:"flags"`
	// Platform is not zero for a program that is part of macOS.
	Platform   uint8  `json:"platform,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Team       string `json:"team,omitempty"`
	// Entitlements holds the names of the entitlements whose value is true.
	Entitlements map[string]bool `json:"entitlements,omitempty"`
}

// parseSignature reads the super blob (the container of a code signature) to which LC_CODE_SIGNATURE refers. It
// combines the flags of all code directories: the kernel chooses one of them by the hashes that it supports, so a
// restriction in any of them may apply.
func parseSignature(blob []byte) (*Signature, error) {
	if len(blob) < 12 || binary.BigEndian.Uint32(blob) != magicSuperBlob {
		return nil, damaged("its code signature does not start with a super blob")
	}
	length := int64(binary.BigEndian.Uint32(blob[4:]))
	if length > int64(len(blob)) || length < 12 {
		return nil, damaged("its code signature should have %d bytes, but has %d", length, len(blob))
	}
	blob = blob[:length]
	count := binary.BigEndian.Uint32(blob[8:])
	if count > maxBlobs || 12+int64(count)*8 > length {
		return nil, damaged("its code signature lists %d blobs", count)
	}
	signature := &Signature{}
	directories := 0
	for i := int64(0); i < int64(count); i++ {
		entry := blob[12+i*8:]
		slot := binary.BigEndian.Uint32(entry)
		body, magic, err := subBlob(blob, binary.BigEndian.Uint32(entry[4:]))
		if err != nil {
			return nil, err
		}
		switch {
		case magic == magicCodeDirectory && (slot == slotCodeDirectory || slot >= slotAlternate && slot < slotAlternateEnd):
			if err := signature.addDirectory(body); err != nil {
				return nil, err
			}
			directories++
		case slot == slotEntitlements && magic == magicEntitlements:
			if err := signature.addEntitlements(body[8:]); err != nil {
				return nil, err
			}
		}
	}
	if directories == 0 {
		return nil, damaged("its code signature has no code directory")
	}
	return signature, nil
}

// subBlob returns the blob at offset, including its own magic and length, and its magic. It returns an error if that
// blob is not inside the outer blob.
func subBlob(blob []byte, offset uint32) (body []byte, magic uint32, err error) {
	if int64(offset)+8 > int64(len(blob)) {
		return nil, 0, damaged("a part of its code signature starts beyond the signature's end")
	}
	body = blob[offset:]
	length := binary.BigEndian.Uint32(body[4:])
	if length < 8 || int64(length) > int64(len(body)) {
		return nil, 0, damaged("a part of its code signature claims an impossible size of %d bytes", length)
	}
	return body[:length], binary.BigEndian.Uint32(body), nil
}

// addDirectory reads a code directory into s. Offsets in the directory: version 8, flags 12, identifier 20, platform
// 38, and since version 0x20200 team 48.
func (s *Signature) addDirectory(directory []byte) error {
	if len(directory) < codeDirLen {
		return damaged("the code directory of its signature is cut off after %d bytes", len(directory))
	}
	s.Flags |= SignatureFlags(binary.BigEndian.Uint32(directory[12:]))
	if platform := directory[38]; platform != 0 {
		s.Platform = platform
	}
	s.Identifier = stringAt(directory, binary.BigEndian.Uint32(directory[20:]))
	if binary.BigEndian.Uint32(directory[8:]) >= 0x20200 && len(directory) >= 52 {
		if offset := binary.BigEndian.Uint32(directory[48:]); offset != 0 {
			s.Team = stringAt(directory, offset)
		}
	}
	return nil
}

func stringAt(b []byte, offset uint32) string {
	if int64(offset) >= int64(len(b)) {
		return ""
	}
	return fixedString(b[offset:])
}

// addEntitlements reads the XML property list of an entitlement blob into s, and keeps the entitlements whose value
// is true.
func (s *Signature) addEntitlements(xml []byte) error {
	var values map[string]any
	if _, err := plist.Unmarshal(xml, &values); err != nil {
		return damaged("its entitlements cannot be read: %v", err)
	}
	for name, value := range values {
		if granted, ok := value.(bool); ok && granted {
			if s.Entitlements == nil {
				s.Entitlements = make(map[string]bool)
			}
			s.Entitlements[name] = true
		}
	}
	return nil
}

func (s *Signature) has(flag SignatureFlags) bool { return s != nil && s.Flags&flag != 0 }

func (s *Signature) entitled(name string) bool { return s != nil && s.Entitlements[name] }
