package xctrace

// tree is an XML element with its attributes and children. Only the small parts of an export are read as trees:
// schemas and tables of contents.
type tree struct {
	name     string
	attrs    []treeAttr
	children []*tree
	text     string
}

type treeAttr struct{ name, value string }

// maxTree is the maximum number of elements of a tree, so that a malformed file cannot use up the memory. A table of
// contents has some thousands.
const maxTree = 1 << 20

// readTree reads the element whose first token, tok, the scanner just returned.
func readTree(s *scanner, tok token) (*tree, error) {
	budget := maxTree
	return readSubtree(s, tok, &budget)
}

func readSubtree(s *scanner, tok token, budget *int) (*tree, error) {
	if *budget--; *budget < 0 {
		return nil, s.syntax("more than %d elements in a schema or table of contents", maxTree)
	}
	t := &tree{name: string(s.name)}
	for _, a := range s.attrs {
		value, _ := unescape(nil, a.value)
		t.attrs = append(t.attrs, treeAttr{string(a.name), string(value)})
	}
	if tok == tokenLeaf {
		text, _ := unescape(nil, s.text)
		t.text = string(text)
	}
	for tok == tokenStart {
		inner, err := s.next()
		if err != nil {
			return nil, err
		}
		switch inner {
		case tokenEOF:
			return nil, errTruncated
		case tokenEnd:
			return t, nil
		case tokenText:
		default:
			child, err := readSubtree(s, inner, budget)
			if err != nil {
				return nil, err
			}
			t.children = append(t.children, child)
		}
	}
	return t, nil
}

// attr returns the value of the attribute of that name, or "" if the element has none.
func (t *tree) attr(name string) string {
	for _, a := range t.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// child returns the first child of that name, or an empty tree if there is none.
func (t *tree) child(name string) *tree {
	for _, c := range t.children {
		if c.name == name {
			return c
		}
	}
	return &tree{}
}
