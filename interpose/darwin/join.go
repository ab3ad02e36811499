package darwin

import (
	"errors"
	"fmt"
	"slices"
)

const (
	fatMagic     = 0xcafebabe
	fatAlignBits = 14 // 16 KiB, the page size of Apple silicon
	maxFatSlices = 30
)

// Join combines images for different processors into a universal file. The images are sorted by processor, as lipo
// does, so that equal input gives equal output.
func Join(images ...[]byte) ([]byte, error) {
	slicesOf := make([]*thin, 0, len(images))
	for i, image := range images {
		f, err := parseThin(image)
		if err != nil {
			return nil, fmt.Errorf("image %d: %w", i+1, err)
		}
		slicesOf = append(slicesOf, f)
	}
	slices.SortFunc(slicesOf, compare)
	for i := 1; i < len(slicesOf); i++ {
		if compare(slicesOf[i-1], slicesOf[i]) == 0 {
			return nil, errors.New("two of the images are for the same processor; a universal file has one image per processor")
		}
	}
	out := be.AppendUint32(nil, fatMagic)
	out = be.AppendUint32(out, uint32(len(slicesOf)))
	out = append(out, make([]byte, 20*len(slicesOf))...)
	for i, f := range slicesOf {
		out = append(out, make([]byte, -len(out)&(1<<fatAlignBits-1))...)
		entry := out[8+20*i:]
		for j, value := range []uint32{f.cpu, f.subtype, uint32(len(out)), uint32(len(f.data)), fatAlignBits} {
			be.PutUint32(entry[4*j:], value)
		}
		out = append(out, f.data...)
	}
	return out, nil
}

func compare(a, b *thin) int {
	if a.cpu != b.cpu {
		return int(int64(a.cpu) - int64(b.cpu))
	}
	return int(int64(a.subtype) - int64(b.subtype))
}

// Split returns the images of a universal file, or the file itself if it is for one processor.
func Split(file []byte) ([][]byte, error) {
	if len(file) < 8 || be.Uint32(file) != fatMagic {
		if _, err := parseThin(file); err != nil {
			return nil, err
		}
		return [][]byte{file}, nil
	}
	count := int(be.Uint32(file[4:]))
	if count == 0 || count > maxFatSlices || len(file) < 8+20*count {
		return nil, fmt.Errorf("a universal file of %d slices", count)
	}
	var images [][]byte
	for i := range count {
		entry := file[8+20*i:]
		offset, size := uint64(be.Uint32(entry[8:])), uint64(be.Uint32(entry[12:]))
		if offset > uint64(len(file)) || size > uint64(len(file))-offset {
			return nil, fmt.Errorf("slice %d lies beyond the end", i+1)
		}
		images = append(images, file[offset:offset+size])
	}
	return images, nil
}
