package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"resellerd/application/audit"
)

// OutputFlags select the format of the output.
type OutputFlags struct {
	JSON bool `name:"json" help:"Print JSON, one object on a line. Messages on standard error and exit codes stay as they are."`
}

// printed writes a record as JSON with --json, and otherwise the text.
func (s *session) printed(f OutputFlags, record any, text string) (err error) {
	if f.JSON {
		encoder := json.NewEncoder(s.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(record)
	}
	_, err = fmt.Fprintln(s.stdout, text)
	return err
}

// listed prints records: each as JSON, or all as a table. Tabs separate the cells of the header.
func listed[R any](s *session, f OutputFlags, header string, all []R, cells func(R) []string) error {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(columns, header)
	for _, one := range all {
		if f.JSON {
			if err := s.printed(f, one, ""); err != nil {
				return err
			}
			continue
		}
		shown := cells(one)
		for i := range shown {
			shown[i] = quotedIfOdd(shown[i])
		}
		_, _ = fmt.Fprint(columns, "\n", strings.Join(shown, "\t"))
	}
	if f.JSON {
		return nil
	}
	_ = columns.Flush() // into memory
	return s.printed(f, nil, table.String())
}

// verdict prints the result of a command: well without findings, otherwise found.
func (s *session) verdict(f OutputFlags, findings int64, record any, found, well string) error {
	if findings == 0 {
		return s.printed(f, record, well)
	}
	if err := s.printed(f, record, found); err != nil {
		return err
	}
	return errFound
}

// reporting returns a function that prints findings, below the meter.
func (s *session) reporting(f OutputFlags, shown *meter) func(finding string) {
	return func(finding string) {
		shown.end()
		s.finding(f, finding)
	}
}

// finding writes a finding. A failure to write is no reason to stop.
func (s *session) finding(f OutputFlags, text string) {
	_ = s.printed(f, struct {
		Finding string `json:"finding"`
	}{text}, quotedIfOdd(text))
}

// verdictRecord is the verdict of an audit as printed.
type verdictRecord struct {
	Findings  int64  `json:"findings"`
	Accounts  int64  `json:"accounts"`
	Lines     int64  `json:"lines"`
	Movements int64  `json:"movements"`
	Entries   int64  `json:"entries"` // of the journal
	Issued    string `json:"issued"`
	Consumed  string `json:"consumed"`
	Held      string `json:"held"`
	Imported  int64  `json:"imported"` // lines, which Lines counts as well
}

func recordOf(v audit.Verdict) verdictRecord {
	return verdictRecord{v.Findings, v.Resellers, v.Lines, v.Movements, v.Entries, v.Issued.String(), v.Consumed.String(),
		v.Balances.String(), v.Imported}
}

// counted returns the totals of an audit without findings.
func counted(v audit.Verdict) string {
	return fmt.Sprintf(
		"%d accounts, %d lines, %d movements and %d entries of the journal; %s credits issued = %s consumed + %s held%s",
		v.Resellers, v.Lines, v.Movements, v.Entries, v.Issued, v.Consumed, v.Balances, imported(v))
}

// mistaken returns the number of findings and of the audited records.
func mistaken(v audit.Verdict) string {
	return fmt.Sprintf("%d findings in %d accounts, %d lines, %d movements and %d entries of the journal", v.Findings,
		v.Resellers, v.Lines, v.Movements, v.Entries)
}

// imported returns the number of lines without a charge, as a clause.
func imported(v audit.Verdict) string {
	switch v.Imported {
	case 0:
		return ""
	case 1:
		return "; 1 line was imported"
	}
	return fmt.Sprintf("; %d lines were imported", v.Imported)
}
