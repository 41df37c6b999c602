package storekit

import (
	"strings"

	"resellerd/ports"
)

// Altered refuses a store with these differences from what this program makes, and says what is to be done; nil if
// there are none.
func Altered(differences []string, remedy string) error {
	if len(differences) == 0 {
		return nil
	}
	return &ports.Altered{
		Findings: SchemaFindings(differences),
		Text: "its schema is not what this program makes: " + strings.Join(differences, "; ") +
			". What protects the records may be gone: " + remedy,
	}
}

// SchemaFindings are how an audit reports differences.
func SchemaFindings(differences []string) (findings []string) {
	for _, d := range differences {
		findings = append(findings, "schema: "+d)
	}
	return findings
}
