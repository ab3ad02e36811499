package table

import "encoding/json"

// EventsSchema returns the JSON schema (2020-12) of the JSON lines, generated from the row structs.
// docs/schema/events.1.json is its published copy.
func EventsSchema() ([]byte, error) {
	type object = map[string]any
	var kinds []object
	for _, d := range descriptions() {
		properties := object{"table": object{"const": d.name}}
		required := []string{"table"}
		for _, c := range d.columns {
			p := object{"type": kindNames[c.kind], "description": c.doc}
			if c.kind == kindUint {
				p["minimum"] = 0
			}
			properties[c.name] = p
			if !c.optional {
				required = append(required, c.name)
			}
		}
		kinds = append(kinds, object{"title": d.name, "description": d.doc, "type": "object", "properties": properties,
			"required":             required,
			"additionalProperties": false})
	}
	text, number := object{"type": "string"}, object{"type": "integer"}
	list := object{"type": "array", "items": text}
	kinds = append(kinds, object{
		"title": "trace", "description": "the last line: the origin of the trace and the data that it lacks; " +
			"a file without it is not whole", "type": "object",
		"properties": object{"table": object{"const": "trace"}, "schema": object{"const": Schema}, "kind": text,
			"path": text, "program": text, "args": list,
			"host": text, "os": text, "device": text, "software_metal": object{"type": "boolean"},
			"started_unix_ns": number,
			"begin_ns":        number,
			"end_ns":          number, "events": number, "lost": number, "lost_at_least": object{"type": "boolean"},
			"incomplete": text,
			"warnings":   list,
			"missing": object{"type": "array", "items": object{"type": "object", "required": []string{"what", "why"},
				"properties": object{"what": text, "why": text}}}},
		"required":             []string{"table", "schema", "kind", "events", "lost", "warnings"},
		"additionalProperties": false,
	})
	return json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   Schema,
		"description": "One line of `mtrace export --format jsonl`: a row of the table it names. " +
			"Times are nanoseconds on one clock of the traced machine; columns without a value are left out.",
		"oneOf": kinds,
	}, "", "  ")
}
