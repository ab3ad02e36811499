package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/claims"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/cmd/mtrace/internal/show"
)

func CheckCommand() cli.Command {
	return cli.Command{
		Name:    "check",
		Summary: "Check a run's trace against your claims about it: PASS, FAIL or SKIPPED for each",
		Usage:   "[flags] FILE --claims CLAIMS.json",
		Example: "mtrace check trace.mtrace --claims claims.json --junit results.xml",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var c check
			flags.StringVar(&c.claims, "claims", "",
				"check the claims (conditions on the report's numbers) in this JSON `FILE`: {\"claims\": "+
					"[{\"title\": …, \"expr\": \"gpu.busy_share > 0.9\", \"tolerance\": \"5%\"}]}")
			c.output.flags(flags, claims.Schema)
			flags.BoolVar(&c.strict, "strict", false,
				"also exit 1 if a claim was skipped, because the trace lacks its data")
			return func(std cli.Stdio, args []string) error {
				switch {
				case len(args) != 1:
					return cli.UsageError("give one trace or report, not %d: mtrace check FILE --claims CLAIMS.json",
						len(args))
				case c.claims == "":
					return cli.UsageError("no file of claims is given: mtrace check FILE --claims CLAIMS.json")
				}
				if err := c.output.check(); err != nil {
					return err
				}
				return c.run(std, args[0])
			}
		},
	}
}

type check struct {
	claims string
	strict bool
	output gateOutput
}

func (c *check) run(std cli.Stdio, path string) error {
	text, err := readClaimsFile(c.claims)
	if err != nil {
		return cli.UsageError("reading the claims: %w", err)
	}
	document, schema, err := readDocument(path)
	if err != nil {
		return err
	}
	var keys *claims.Keys
	if schema == "" || schema == report.Schema {
		keys = claims.KeysOf(reflect.TypeFor[report.Report]())
	}
	file, err := claims.ParseFile(c.claims, text, keys)
	if err != nil {
		return cli.AsStatus(err)
	}
	if document == nil {
		r, _, err := show.BuildReport(&loading.Selection{}, std, path, report.Options{})
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			return err
		}
		document = b.Bytes()
	}
	results, err := file.Check(document, path)
	if err != nil {
		return cli.AsStatus(err)
	}
	var of struct {
		Source struct {
			Incomplete   *report.Incomplete
			Selected     []string
			RecordedText string `json:"recorded_text"`
		}
	}
	if json.Unmarshal(document, &of) == nil && of.Source.Incomplete != nil {
		results.Incomplete = of.Source.Incomplete.Text
	} else if len(of.Source.Selected) > 0 {
		results.Incomplete = of.Source.RecordedText
	}
	var undecided error
	if i := of.Source.Incomplete; i != nil {
		undecided = loading.IncompleteFile(path, i.Kind)
	}
	err = c.output.write(std, results, undecided, path, c.claims)
	switch {
	case err != nil:
		return err
	case undecided != nil:
		return undecided
	case results.Failed > 0 || c.strict && results.Skipped > 0:
		return cli.Status{Code: cli.ExitNo}
	}
	return nil
}

// mostClaims is the maximum size of a claims file. Without a limit a path such as /dev/zero would be read for ever.
const mostClaims = 64 << 20

func readClaimsFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostClaims+1))
	if err == nil && len(text) > mostClaims {
		err = fmt.Errorf("%s is larger than %s, the maximum for a file of claims",
			path, analyze.FormatBytes(mostClaims))
	}
	return text, err
}

// mostDocument is the maximum size of a JSON report, in bytes. Reports of the longest runs have a few MB; without a
// limit a device would be read for ever.
const mostDocument = 256 << 20

// readDocument reads a JSON document that mtrace wrote, and returns its schema. It returns nil without an error if
// the file is not JSON, because it may be a trace.
func readDocument(path string) (document []byte, schema string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", cli.AsStatus(err)
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head) // a folder cannot be read, and is not a document
	if !bytes.HasPrefix(bytes.TrimSpace(head[:n]), []byte("{")) {
		return nil, "", nil
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), f)
	if document, err = io.ReadAll(io.LimitReader(whole, mostDocument+1)); err != nil {
		return nil, "", cli.AsStatus(err)
	}
	if len(document) > mostDocument {
		return nil, "", cli.UsageError("%s is larger than %s, the maximum for a JSON report", path,
			analyze.FormatBytes(mostDocument))
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(document, &kind); err != nil {
		return nil, "", cli.UsageError("reading %s: not JSON: %w", path, err)
	}
	if !strings.HasPrefix(kind.Schema, "mtrace.") {
		return nil, "", cli.UsageError("%s is JSON, but mtrace did not write it: its schema is %q", path, kind.Schema)
	}
	return document, kind.Schema, nil
}
