package analyze

// A list gathers values in blocks, so that growing it moves nothing.
type list[T any] struct {
	blocks   []*[blockSize]T
	count    int
	latest   Nanos
	unsorted bool // some value was added whose instant is before that of one before it
}

const (
	blockShift = 7
	blockSize  = 1 << blockShift // how many values of a list lie together
)

// add appends a zero value for something at an instant and returns where it is.
func (l *list[T]) add(at Nanos) *T {
	l.unsorted = l.unsorted || at < l.latest
	l.latest = at
	i := l.count % blockSize
	if i == 0 {
		l.blocks = append(l.blocks, new([blockSize]T))
	}
	l.count++
	return &l.blocks[len(l.blocks)-1][i]
}

// at is the value at an index.
func (l *list[T]) at(i int32) *T { return &l.blocks[i>>blockShift][i%blockSize] }
