package httpapi

import (
	"net/http"

	"resellerd/application"
)

// refusal is a request that HTTP itself refuses, before any rule of the domain.
type refusal struct {
	status int
	code   string
	title  string
	detail string
}

func (r *refusal) Error() string { return r.detail }

var (
	errNoRoute       = &refusal{http.StatusNotFound, "unknown-route", "Unknown route", "There is no such route; /openapi.json lists them."}
	errMethod        = &refusal{http.StatusMethodNotAllowed, "method-not-allowed", "Method not allowed", "This route does not have this method; the Allow header lists those it has."}
	errMissingToken  = &refusal{http.StatusUnauthorized, "missing-token", "Missing token", "An Authorization header with the value Bearer <token> is required; POST /auth/static-token gives the token."}
	errBodyTooLarge  = &refusal{http.StatusRequestEntityTooLarge, "body-too-large", "Body too large", "A body has at most 65536 bytes."}
	errMediaType     = &refusal{http.StatusUnsupportedMediaType, "unsupported-media-type", "Unsupported media type", "A body must be declared as Content-Type: application/json."}
	errKey           = &refusal{http.StatusBadRequest, "bad-idempotency-key", "Bad Idempotency-Key", "An Idempotency-Key is given once and has 1 to 255 visible ASCII characters, bare or in double quotes."}
	errUnavailable   = &refusal{http.StatusServiceUnavailable, application.ErrUnavailable.Code(), "Store unavailable", "The service cannot reach its records now, or cannot tell how this ended. Repeat the request, with the same Idempotency-Key if it carried one."}
	errInternal      = &refusal{http.StatusInternalServerError, "internal-error", "Internal error", "The service failed to handle this request; its log has the cause under the request id."}
	errMalformedBody = &refusal{http.StatusBadRequest, "malformed-body", "Malformed body", "The body is not a JSON object."}
)

func malformed(detail string) error {
	r := *errMalformedBody
	r.detail = detail
	return &r
}
