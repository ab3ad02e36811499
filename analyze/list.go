package analyze

// A list gathers values in blocks, so that growing it moves nothing.
type list[T any] struct {
	blocks []*[blockSize]T
	count  int
}

const (
	blockShift = 7
	blockSize  = 1 << blockShift // how many values of a list lie together
)

// add appends a zero value and returns where it is.
func (l *list[T]) add() *T {
	i := l.count % blockSize
	if i == 0 {
		l.blocks = append(l.blocks, new([blockSize]T))
	}
	l.count++
	return &l.blocks[len(l.blocks)-1][i]
}

// at is the value at an index.
func (l *list[T]) at(i int32) *T { return &l.blocks[i>>blockShift][i%blockSize] }
