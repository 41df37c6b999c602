// Package mimetype is all that the validator needs of mimetype to be compiled: no field of this service names a file.
package mimetype

import (
	"errors"
	"io"
)

// MIME is no type.
type MIME struct{}

// DetectReader fails: there is no detection in this program.
func DetectReader(io.Reader) (*MIME, error) { return nil, errors.ErrUnsupported }

// String returns no type's name.
func (*MIME) String() string { return "" }
