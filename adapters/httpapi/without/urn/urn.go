// Package urn is all that the validator needs of go-urn to be compiled: no field of this service is a URN.
package urn

// ParsingMode is a way to read one.
type ParsingMode int

// RFC8141Only is the mode that the validator names.
const RFC8141Only ParsingMode = 0

// Option changes nothing.
type Option struct{}

// WithParsingMode changes nothing.
func WithParsingMode(ParsingMode) Option { return Option{} }

// URN is none.
type URN struct{}

// Parse reads nothing: there are no URNs in this program.
func Parse([]byte, ...Option) (*URN, bool) { return nil, false }
