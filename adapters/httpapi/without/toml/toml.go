// Package toml is all that gin needs of go-toml to be compiled: this service speaks JSON.
package toml

import (
	"errors"
	"io"
)

// Decoder reads nothing.
type Decoder struct{}

// NewDecoder returns a decoder.
func NewDecoder(io.Reader) *Decoder { return new(Decoder) }

// Decode fails: there is no TOML in this program.
func (*Decoder) Decode(any) error { return errors.ErrUnsupported }

// Marshal fails: there is no TOML in this program.
func Marshal(any) ([]byte, error) { return nil, errors.ErrUnsupported }
