package analyze

// A list gathers values in blocks, so that growing it moves nothing and a million of them cost little.
type list[T any] struct {
	blocks []*[blockSize]T
	count  int
}

const (
	blockShift = 7
	blockSize  = 1 << blockShift // how many values of a list lie together
)

// more appends a zero value and returns where it is.
func (l *list[T]) more() *T {
	i := l.count % blockSize
	if i == 0 {
		l.blocks = append(l.blocks, new([blockSize]T))
	}
	l.count++
	return &l.blocks[len(l.blocks)-1][i]
}

// at is the value at an index.
func (l *list[T]) at(i int32) *T { return &l.blocks[i>>blockShift][i&(blockSize-1)] }

// each calls f with each value.
func (l *list[T]) each(f func(*T)) {
	left := l.count
	for _, b := range l.blocks {
		for i := range b[:min(left, blockSize)] {
			f(&b[i])
		}
		left -= blockSize
	}
}

// A chronicle is a list of what was at some instant.
type chronicle[T any] struct {
	list[T]
	latest   Nanos
	unsorted bool // some value was added whose instant is before that of one before it
}

// add appends a zero value for something at an instant and returns where it is.
func (l *chronicle[T]) add(at Nanos) *T {
	l.unsorted = l.unsorted || at < l.latest
	l.latest = at
	return l.more()
}
