package tracefile

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"mtrace/collector/wire"
)

// written1 is a trace of version 1, and written1Records the records that the mtrace of its time read from it: their
// number, and a hash of them.
const (
	written1        = "../../fixtures/traces/device-sync.mtrace"
	written1Records = 12613
	written1Hash    = 0xbb1ff1730a9d5b0a
)

// A file of version 1 has the times in columns, as varints. No mtrace writes it any more, and all will read it.
func TestReadsVersion1(t *testing.T) {
	data, err := os.ReadFile(written1)
	if err != nil {
		t.Fatal(err)
	}
	if v := fileVersion(data); v != 1 {
		t.Fatalf("%s has version %d: reading version 1 is not tested any more", written1, v)
	}
	records, hash := hashRecords(t, written1)
	if records != written1Records || hash != written1Hash {
		t.Errorf("%d records with the hash %#x, not %d with %#x", records, hash, written1Records, uint64(written1Hash))
	}
	again := filepath.Join(t.TempDir(), "again.mtrace")
	if err := ReadText(bytes.NewReader(text(t, written1)), again); err != nil {
		t.Fatal(err)
	}
	if records, hash := hashRecords(t, again); records != written1Records || hash != written1Hash {
		t.Errorf("written again: %d records with the hash %#x", records, hash)
	}
}

// A trace of version 1 passes every function that copies blocks unchanged, and can be read afterwards.
func TestCopiesVersion1(t *testing.T) {
	data, err := os.ReadFile(written1)
	if err != nil {
		t.Fatal(err)
	}
	var copied, assembled bytes.Buffer
	c := Copier{Dst: &copied, Name: "copied"}
	if err := c.From(bytes.NewReader(data)); err != nil || !c.Whole() || !bytes.Equal(copied.Bytes(), data) {
		t.Fatalf("%d bytes of %d were copied: %v", copied.Len(), len(data), err)
	}
	if err := Assemble(&assembled, bytes.NewReader(data), ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "assembled.mtrace")
	if err := os.WriteFile(path, assembled.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if records, hash := hashRecords(t, path); records != written1Records || hash != written1Hash {
		t.Errorf("assembled: %d records with the hash %#x", records, hash)
	}
}

// version1Payload is the smallest block of records of a trace of version 1.
func version1Payload(t testing.TB) (payload []byte, count uint16) {
	r, err := Open(written1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var smallest *block
	for i := range r.blocks {
		if b := &r.blocks[i]; b.kind == blockRecords && (smallest == nil || b.count < smallest.count) {
			smallest = b
		}
	}
	var tools readTools
	if payload, err = r.file.read(smallest, &tools); err != nil {
		t.Fatal(err)
	}
	return payload, uint16(smallest.count)
}

func hashRecords(t *testing.T, path string) (records int, hash uint64) {
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := fnv.New64a()
	for _, s := range r.Streams() {
		if err := r.Read(s, func(part []wire.Record) error {
			records += len(part)
			return binary.Write(h, binary.LittleEndian, part)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if d := r.Damage(); len(d) > 0 {
		t.Errorf("%s is damaged: %v", path, d)
	}
	return records, h.Sum64()
}
