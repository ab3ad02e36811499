package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

func versionCommand() command {
	return command{
		name:    "version",
		summary: "Versions of the tool, the library, the wire and the file format",
		usage:   "[--json]",
		example: "mtrace version",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			asJSON := flags.Bool("json", false, "print them as JSON")
			return func(std stdio, args []string) error {
				if len(args) > 0 {
					return usageError("takes no arguments, but got %q", args[0])
				}
				library, err := findLibrary()
				if err != nil {
					library = ""
				}
				v := versions{"mtrace.version/1", toolVersion(), library, wire.Version, tracefile.Version, runtime.Version()}
				if *asJSON {
					return json.NewEncoder(std.out).Encode(v)
				}
				if library == "" {
					library = "not found: " + err.Error()
				}
				fmt.Fprintf(std.out, "mtrace %s (%s, %s/%s)\nlibrary %s\nwire format %d\nfile format %d\n", v.Tool, v.Go,
					runtime.GOOS, runtime.GOARCH, library, v.Wire, v.File)
				return nil
			}
		},
	}
}

// versions is what mtrace version says, as JSON.
type versions struct {
	Schema  string `json:"schema"`
	Tool    string `json:"tool"`
	Library string `json:"library"` // path; empty when it is not found
	Wire    int    `json:"wire"`    // version of the protocol between library and collector
	File    int    `json:"file"`    // version of the trace file
	Go      string `json:"go"`
}
