package main

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
)

func checkCommand() command {
	return command{
		name:    "check",
		summary: "Check what is claimed of a run against its trace: PASS, FAIL or SKIPPED",
		usage:   "[flags] FILE --claims CLAIMS.json",
		example: "mtrace check trace.mtrace --claims claims.json --junit results.xml",
		setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
			var c check
			flags.StringVar(&c.claims, "claims", "",
				"the `FILE` of claims: {\"claims\": [{\"title\": …, \"expr\": \"gpu.busy_share > 0.9\", \"tolerance\": \"5%\"}]}")
			c.output.flags(flags, claims.Schema)
			flags.BoolVar(&c.strict, "strict", false, "exit 1 also when a claim was skipped")
			return func(std stdio, args []string) error {
				switch {
				case len(args) != 1:
					return usageError("takes one trace or report, but got %d: mtrace check FILE --claims CLAIMS.json", len(args))
				case c.claims == "":
					return usageError("no claims: mtrace check FILE --claims CLAIMS.json")
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

func (c *check) run(std stdio, path string) error {
	text, err := readClaimsFile(c.claims)
	if err != nil {
		return status{exitUsage, fmt.Errorf("reading the claims: %w", err)}
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
		return status{exitUsage, err}
	}
	if document == nil {
		r, _, err := buildReport(&part{}, std, path, report.Options{})
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
		return status{exitUsage, err}
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
		undecided = incompleteFile(path, i.Kind)
	}
	err = c.output.write(std, results, undecided, path, c.claims)
	switch {
	case err != nil:
		return err
	case undecided != nil:
		return undecided
	case results.Failed > 0 || c.strict && results.Skipped > 0:
		return status{code: exitNo}
	}
	return nil
}

// mostClaims bounds the size of a file of claims: more, as from a device that never ends, is a mistake.
const mostClaims = 64 << 20

func readClaimsFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostClaims+1))
	if err == nil && len(text) > mostClaims {
		err = fmt.Errorf("%s has more than %s, which is the most", path, analyze.FormatBytes(mostClaims))
	}
	return text, err
}

// mostDocument bounds a JSON document: a report of the longest runs has some megabytes.
const mostDocument = 256 << 20

// readDocument reads a JSON document of ours; nil when the file is none, and then it is a trace or nothing.
func readDocument(path string) (document []byte, schema string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", status{exitUsage, err}
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head) // a folder cannot be read, and is no document
	if !bytes.HasPrefix(bytes.TrimSpace(head[:n]), []byte("{")) {
		return nil, "", nil
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), f)
	if document, err = io.ReadAll(io.LimitReader(whole, mostDocument+1)); err != nil {
		return nil, "", status{exitUsage, err}
	}
	if len(document) > mostDocument {
		return nil, "", usageError("%s has more than %s, which is the most of a document", path,
			analyze.FormatBytes(mostDocument))
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(document, &kind); err != nil {
		return nil, "", status{exitUsage, fmt.Errorf("reading %s: not JSON: %w", path, err)}
	}
	if !strings.HasPrefix(kind.Schema, "mtrace.") {
		return nil, "", usageError("%s is JSON, but not a document of mtrace: its schema is %q", path, kind.Schema)
	}
	return document, kind.Schema, nil
}
