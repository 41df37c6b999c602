package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/profile"
)

// encode never fails: the records have only fields that JSON can hold.
func encode(record any) []byte {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(record); err != nil {
		panic(err)
	}
	return body.Bytes()
}

// answer makes what a use case records and returns.
func answer(status int, record any) application.Receipt {
	return application.Receipt{Code: status, Content: encode(record)}
}

// ok sends what a read found.
func ok(c *gin.Context, record any) {
	send(c, "application/json", http.StatusOK, encode(record))
}

func send(c *gin.Context, contentType string, status int, body []byte) {
	c.Header("Cache-Control", "no-store") // answers hold balances, passwords and tokens
	c.Header("X-Content-Type-Options", "nosniff")
	c.Data(status, contentType, body)
}

// messageRecord answers an effect that leaves nothing to show.
type messageRecord struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

const isoMillis = "2006-01-02T15:04:05.000Z"

func iso(t time.Time) string { return t.UTC().Format(isoMillis) }

// orNull is nil for an unset text.
func orNull(t profile.Text) *string {
	if s := t.String(); s != "" {
		return &s
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
