package xctrace

import (
	"encoding/xml"
	"errors"
	"io"
)

// A second reader of exports, with encoding/xml and a tree for every value, as slow and simple as possible: the fast
// reader is compared with it.

type naiveValue struct {
	tag      string
	text     string
	fmt      string
	children []*naiveValue
	null     bool
}

type naiveTable struct {
	schema  string
	columns []string
	rows    []map[string]*naiveValue // by mnemonic
}

// readNaively reads every complete row of a document of one root.
func readNaively(r io.Reader) ([]naiveTable, error) {
	d := xml.NewDecoder(r)
	var tables []naiveTable
	known := map[string]*naiveValue{}
	var value func(start xml.StartElement) (*naiveValue, error)
	value = func(start xml.StartElement) (*naiveValue, error) {
		v := &naiveValue{tag: start.Name.Local, null: start.Name.Local == "sentinel"}
		var id, ref string
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				id = a.Value
			case "ref":
				ref = a.Value
			case "fmt":
				v.fmt = a.Value
			}
		}
		for {
			tok, err := d.Token()
			if err != nil {
				return nil, err
			}
			switch tok := tok.(type) {
			case xml.StartElement:
				child, err := value(tok)
				if err != nil {
					return nil, err
				}
				v.children = append(v.children, child)
			case xml.CharData:
				v.text += string(tok)
			case xml.EndElement:
				if ref != "" {
					if known[ref] == nil {
						return nil, errors.New("dangling reference " + ref)
					}
					return known[ref], nil
				}
				if id != "" {
					known[id] = v
				}
				return v, nil
			}
		}
	}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return tables, nil
		}
		if err != nil {
			return tables, err
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "schema":
			var s struct {
				Name string `xml:"name,attr"`
				Cols []struct {
					Mnemonic string `xml:"mnemonic"`
				} `xml:"col"`
			}
			if err := d.DecodeElement(&s, &start); err != nil {
				return tables, err
			}
			t := naiveTable{schema: s.Name}
			for _, c := range s.Cols {
				t.columns = append(t.columns, c.Mnemonic)
			}
			tables = append(tables, t)
		case "row":
			v, err := value(start)
			if err != nil {
				return tables, err
			}
			if len(tables) == 0 {
				continue // a detail view
			}
			t := &tables[len(tables)-1]
			row := map[string]*naiveValue{}
			for i, c := range v.children {
				row[t.columns[i]] = c
			}
			t.rows = append(t.rows, row)
		}
	}
}
