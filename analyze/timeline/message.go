package timeline

import "google.golang.org/protobuf/encoding/protowire"

// message builds one protobuf message.
type message []byte

func (m *message) uint(field protowire.Number, v uint64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, v)
}

func (m *message) fixed64(field protowire.Number, v uint64) {
	*m = protowire.AppendTag(*m, field, protowire.Fixed64Type)
	*m = protowire.AppendFixed64(*m, v)
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendString(*m, s)
}

func (m *message) message(field protowire.Number, inner []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, inner)
}
