package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody is the most bytes that a request body may have.
const maxBody = 64 << 10

// readBody returns the whole body, at most maxBody bytes of it. One that says that it is longer is still read so far:
// only then does the server close gently enough for the client to see the answer.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errBodyTooLarge
	case err != nil:
		return nil, malformed("The body could not be read to its end.")
	}
	return raw, nil
}

// checkMediaType refuses a body that is not declared as JSON in UTF-8.
func checkMediaType(r *http.Request) error {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return errMediaType
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return errMediaType
	}
	return nil
}

// noBody is the body of an operation that takes none: whatever is sent is ignored.
type noBody struct{}

func (noBody) command(id int64) int64 { return id }

// decode reads the members of a body as a whole. It may be absent where body, a
// pointer to a struct of members, requires none.
func decode(r *http.Request, raw []byte, body any) (members, error) {
	if _, ignored := body.(*noBody); ignored || len(raw) == 0 && !requiresAny(body) {
		return nil, nil
	}
	if len(raw) > 0 {
		if err := checkMediaType(r); err != nil {
			return nil, err
		}
	}
	return object(raw)
}
