package show

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/cmd/mtrace/internal/cli"
)

// parseWhatIf parses --what-if values: KIND:NAME=FACTOR, several separated by commas. A NAME may itself contain
// commas and equals signs.
func parseWhatIf(asked []string) (wanted []replay.Wanted, err error) {
	for _, text := range asked {
		for _, item := range splitWhatIf(text) {
			w, err := parseWanted(item)
			if err != nil {
				return nil, err
			}
			wanted = append(wanted, w)
		}
	}
	return wanted, nil
}

// splitWhatIf splits only at commas that are followed by a known KIND: others belong to a name.
func splitWhatIf(text string) (items []string) {
	from := 0
	for i := range text {
		if text[i] == ',' && slices.ContainsFunc(cause.Kinds(),
			func(kind string) bool { return strings.HasPrefix(text[i+1:], kind+":") }) {
			items = append(items, text[from:i])
			from = i + 1
		}
	}
	return append(items, text[from:])
}

func parseWanted(item string) (replay.Wanted, error) {
	kind, rest, named := strings.Cut(item, ":")
	if !slices.Contains(cause.Kinds(), kind) || !named {
		return replay.Wanted{}, cli.UsageError("--what-if %q must be KIND:NAME=FACTOR, where KIND is one of %s",
			item, strings.Join(cause.Kinds(), ", "))
	}
	at := strings.LastIndexByte(rest, '=')
	if at <= 0 {
		return replay.Wanted{}, cli.UsageError("--what-if %q has no name or no factor: "+
			"write %s:NAME=0.5, where 1 means unchanged and 0 means no time", item, kind)
	}
	factor, err := strconv.ParseFloat(rest[at+1:], 64)
	if err != nil || math.IsNaN(factor) || factor < 0 || factor > 100 {
		return replay.Wanted{}, cli.UsageError(
			"--what-if %q: the factor must be a number from 0 to 100, where 1 means unchanged and 0 means no time",
			item)
	}
	if (kind == cause.KindCause || replay.AsAWhole(kind)) && factor != 0 {
		return replay.Wanted{}, cli.UsageError(
			"--what-if %q: the factor of a %s must be 0, because a %[2]s can only be removed as a whole", item, kind)
	}
	return replay.Wanted{Kind: kind, Pattern: rest[:at], Factor: factor}, nil
}
