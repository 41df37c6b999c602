package storekit

import (
	"strings"

	"resellerd/ports"
)

// Altered returns an error for a store whose schema differs from that of this program. It names the remedy. It is nil
// if there are no differences.
func Altered(differences []string, remedy string) error {
	if len(differences) == 0 {
		return nil
	}
	return &ports.Altered{
		Findings: SchemaFindings(differences),
		Text: "its schema differs from that of this program: " + strings.Join(differences, "; ") +
			". The database may no longer protect the records: " + remedy,
	}
}

// SchemaFindings returns the findings of an audit for these differences.
func SchemaFindings(differences []string) (findings []string) {
	for _, d := range differences {
		findings = append(findings, "schema: "+d)
	}
	return findings
}
