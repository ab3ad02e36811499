package xctrace

import (
	"encoding/binary"
	"os"

	"mtrace/collector"
)

// idTable maps each id of a document to its tag and one word: the value itself, or an index into the Dictionary.
//
// xctrace numbers the values of a document 1, 2, 3 … and may refer to any earlier one until the end, so none can be
// dropped; there is one for every distinct time stamp. To read documents of any size in bounded memory, the table is
// divided into pages; at most maxPages of them are in memory. Pages that were not used recently are written to an
// unnamed temporary file and read back when a reference needs them. If no such file can be created, all pages stay in
// memory.
type idTable struct {
	chunks   [maxID / pageIDs / chunkPages]*idChunk
	resident []*pageSlot // pages in memory, in the order of the clock hand
	hand     int
	last     *pageSlot // with the newest id: definitions come in order
	lastPage uint32
	limit    int // pages in memory

	file    *os.File
	noFile  bool
	written int64 // pages in file
	scratch []byte
}

const (
	pageIDs    = 1024
	chunkPages = 4096
	maxID      = 1 << 32
	// maxPages is how many pages stay in memory: one million ids, 10 MiB.
	maxPages = 1024
	idBytes  = 10
)

type idPage struct {
	words [pageIDs]uint64
	tags  [pageIDs]uint16 // tag.index, 0: not defined
}

type pageSlot struct {
	page  *idPage // nil: not in memory
	place int64   // page number in the file plus one; 0 if the page is not in the file
	used  bool    // since the clock hand (see evict) last passed the page
	dirty bool    // differs from the file
}

type idChunk [chunkPages]pageSlot

// set stores the tag (tag.index: the element's name and type) and the word of an id; see idTable.
func (t *idTable) set(id uint32, tag uint16, word uint64) error {
	slot := t.last
	if number := id / pageIDs; slot == nil || number != t.lastPage || slot.page == nil {
		var err error
		if slot, err = t.load(id, true); err != nil {
			return err
		}
		t.last, t.lastPage = slot, number
	}
	slot.used, slot.dirty = true, true
	slot.page.words[id%pageIDs] = word
	slot.page.tags[id%pageIDs] = tag
	return nil
}

// get returns the tag of an id (tag.index: the element's name and type) and its word (the value, or an index into the
// Dictionary). Tag 0 means that the document has not defined the id.
func (t *idTable) get(id uint32) (uint16, uint64, error) {
	chunk := t.chunks[id/pageIDs/chunkPages]
	if chunk == nil {
		return 0, 0, nil
	}
	slot := &chunk[id/pageIDs%chunkPages]
	if slot.page == nil {
		if slot.place == 0 {
			return 0, 0, nil
		}
		var err error
		if slot, err = t.load(id, false); err != nil {
			return 0, 0, err
		}
	}
	slot.used = true
	return slot.page.tags[id%pageIDs], slot.page.words[id%pageIDs], nil
}

// reset forgets all ids. It is called at the begin of the next document of an input, whose ids start again at 1.
func (t *idTable) reset() {
	if len(t.resident) == 0 {
		return
	}
	clear(t.chunks[:])
	clear(t.resident)
	t.resident = t.resident[:0]
	t.hand, t.last, t.written = 0, nil, 0
}

// close closes the temporary file, which has no name any more and so disappears.
func (t *idTable) close() {
	if t.file != nil {
		t.file.Close()
	}
}

// load returns the slot of the page with the id, and reads the page from the file if needed. If the page does not
// exist and create is set, load creates it.
func (t *idTable) load(id uint32, create bool) (*pageSlot, error) {
	place := &t.chunks[id/pageIDs/chunkPages]
	if *place == nil {
		*place = new(idChunk)
	}
	slot := &(*place)[id/pageIDs%chunkPages]
	if slot.page != nil {
		return slot, nil
	}
	limit := t.limit
	if limit == 0 {
		limit = maxPages
	}
	var page *idPage
	if len(t.resident) >= limit && !t.noFile {
		var err error
		if page, err = t.evict(); err != nil {
			return nil, err
		}
	}
	if page == nil {
		page = new(idPage)
		t.resident = append(t.resident, slot)
	} else {
		t.resident[t.hand] = slot
		t.hand = (t.hand + 1) % len(t.resident)
	}
	if slot.place > 0 {
		if err := t.readPage(slot.place-1, page); err != nil {
			return nil, err
		}
	} else if create {
		*page = idPage{}
	}
	slot.page, slot.used, slot.dirty = page, true, false
	return slot, nil
}

// evict removes a page from memory and returns the page's memory. It chooses a page that was not used since the clock
// hand (of the clock replacement algorithm) last passed it. It returns nil if pages cannot be written to a file.
func (t *idTable) evict() (*idPage, error) {
	if t.file == nil {
		file, err := os.CreateTemp(collector.TemporaryFolder(), "mtrace-xctrace-ids-")
		if err != nil {
			t.noFile = true
			return nil, nil
		}
		// remove the name at once, so that no file is left even after a crash
		os.Remove(file.Name())
		t.file = file
	}
	for t.resident[t.hand].used {
		t.resident[t.hand].used = false
		t.hand = (t.hand + 1) % len(t.resident)
	}
	slot := t.resident[t.hand]
	if slot.dirty {
		place := slot.place
		if place == 0 {
			place = t.written + 1
		}
		if err := t.writePage(place-1, slot.page); err != nil {
			// the disk is full: keep all pages in memory from now on
			t.noFile = true
			return nil, nil
		}
		if slot.place == 0 {
			slot.place = place
			t.written++
		}
	}
	page := slot.page
	slot.page, slot.dirty = nil, false
	return page, nil
}

const pageBytes = pageIDs * idBytes

func (t *idTable) writePage(n int64, page *idPage) error {
	if t.scratch == nil {
		t.scratch = make([]byte, pageBytes)
	}
	for i, w := range page.words {
		binary.LittleEndian.PutUint64(t.scratch[8*i:], w)
	}
	for i, tag := range page.tags {
		binary.LittleEndian.PutUint16(t.scratch[8*pageIDs+2*i:], tag)
	}
	_, err := t.file.WriteAt(t.scratch, n*pageBytes)
	return err
}

func (t *idTable) readPage(n int64, page *idPage) error {
	if _, err := t.file.ReadAt(t.scratch, n*pageBytes); err != nil {
		return err
	}
	for i := range page.words {
		page.words[i] = binary.LittleEndian.Uint64(t.scratch[8*i:])
	}
	for i := range page.tags {
		page.tags[i] = binary.LittleEndian.Uint16(t.scratch[8*pageIDs+2*i:])
	}
	return nil
}
