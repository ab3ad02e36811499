package convert

import (
	"fmt"
	"strings"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// byRun is the only way to partition datasets.
const byRun = "run"

func (x *ExportJob) checkPartition(path string) error {
	switch {
	case x.by == "":
		return nil
	case x.by != byRun:
		return cli.UsageError("--partition is run, not %q", x.by)
	case len(x.Formats) != 1 || !isFolder(FormatNamed(x.Formats[0])):
		return cli.UsageError("--partition divides tables: it requires --format %s", listed(FormatNames(isFolder), "or"))
	case x.table != "" || loading.Instruments(path):
		return cli.UsageError("--partition divides traces, and %s is a recording of Instruments", path)
	}
	return nil
}

// partition is the position of a trace among the runs of a dataset: its host and its start, in Unix time in
// nanoseconds, which databases read as a text and an integer. It is empty if the export is not part of a dataset.
func (x *ExportJob) partition(path string) (string, error) {
	if x.by == "" {
		return "", nil
	}
	file, err := loading.OpenTrace(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	host, began := file.Made()
	return fmt.Sprintf("host=%s/run=%d", HiveValue(host), began), nil
}

// HiveValue encodes a value for the name of a folder: special characters become %XX, which readers of such folders
// decode.
func HiveValue(s string) string {
	if s == "" {
		return "__HIVE_DEFAULT_PARTITION__" // null
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
