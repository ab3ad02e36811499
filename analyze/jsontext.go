package analyze

import "encoding/json"

// AppendJSON appends a text as a JSON string to b. Names and labels rarely have characters that need escaping; texts
// without such characters skip encoding/json, which is slower.
func AppendJSON(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil { // strings always marshal
				panic(err)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
