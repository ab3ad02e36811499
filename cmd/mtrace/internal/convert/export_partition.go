package convert

import (
	"fmt"
	"strings"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// byRun is the only value of --partition: a folder for each run.
const byRun = "run"

func (x *ExportJob) checkPartition(path string) error {
	switch {
	case x.by == "":
		return nil
	case x.by != byRun:
		return cli.UsageError("--partition must be run, not %q", x.by)
	case len(x.Formats) != 1 || !isFolder(FormatNamed(x.Formats[0])):
		return cli.UsageError("--partition works only with tables: give --format %s",
			listed(FormatNames(isFolder), "or"))
	case x.table != "" || loading.Instruments(path):
		return cli.UsageError("--partition works only with traces of mtrace, and %s is a recording of Instruments",
			path)
	}
	return nil
}

// partition returns the folders host=HOST/run=START under which a trace's tables are written, so that databases get
// the columns host (text) and run (start in Unix nanoseconds) from the path. It is empty without --partition.
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

// HiveValue encodes a value for a folder name of the form KEY=VALUE: special characters become %XX, which readers of
// Hive partitions decode.
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
