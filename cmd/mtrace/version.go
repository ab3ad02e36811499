package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

func versionCommand() cli.Command {
	return cli.Command{
		Name:    "version",
		Summary: "Print the versions of mtrace, its library, the wire format and the file format",
		Usage:   "[--json]",
		Example: "mtrace version",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			asJSON := flags.Bool("json", false, "print them as JSON")
			return func(std cli.Stdio, args []string) error {
				if len(args) > 0 {
					return cli.UsageError("unexpected argument %q: mtrace version takes none", args[0])
				}
				library, err := cli.FindLibrary()
				if err != nil {
					library = ""
				}
				v := versions{"mtrace.version/1", cli.ToolVersion(), library, wire.Version, tracefile.Version, runtime.Version()}
				if *asJSON {
					return json.NewEncoder(std.Out).Encode(v)
				}
				if library == "" {
					library = "not found: " + err.Error()
				}
				fmt.Fprintf(std.Out, "mtrace %s (%s, %s/%s)\nlibrary %s\nwire format %d\nfile format %d\n", v.Tool, v.Go,
					runtime.GOOS, runtime.GOARCH, library, v.Wire, v.File)
				return nil
			}
		},
	}
}

// versions is the document that mtrace version --json prints.
type versions struct {
	Schema  string `json:"schema"`
	Tool    string `json:"tool"`
	Library string `json:"library"` // path; empty when it is not found
	Wire    int    `json:"wire"`    // version of the protocol between library and collector
	File    int    `json:"file"`    // version of the trace file
	Go      string `json:"go"`
}
