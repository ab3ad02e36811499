package analyze

// A list stores values in blocks of fixed size. Appending moves nothing, so pointers to values stay valid, and a list
// of a million values needs no copying.
type list[T any] struct {
	blocks []*[blockSize]T
	count  int
}

const (
	blockShift = 7
	blockSize  = 1 << blockShift // so many values are in one block
)

// more appends a zero value to the list and returns a pointer to it, for the caller to fill in.
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

// A chronicle is a list of values that are added with their instants. It notes whether the instants were ascending,
// so that a sorted list need not be sorted again.
type chronicle[T any] struct {
	list[T]
	latest   Nanos
	unsorted bool // a value was added after one with a later instant
}

// add appends a zero value for the time `at` and returns a pointer to the value for the caller to fill in.
func (l *chronicle[T]) add(at Nanos) *T {
	l.unsorted = l.unsorted || at < l.latest
	l.latest = at
	return l.more()
}
