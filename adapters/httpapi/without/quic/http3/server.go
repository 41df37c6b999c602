// Package http3 is all that gin needs of quic-go to be compiled: this service speaks HTTP/1.1 and HTTP/2.
package http3

import (
	"errors"
	"net/http"
)

// ListenAndServeQUIC fails: there is no server of HTTP/3 in this program.
func ListenAndServeQUIC(_, _, _ string, _ http.Handler) error {
	return errors.ErrUnsupported
}
