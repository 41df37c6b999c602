package rival

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
)

// fixed is about what a line looks like in an answer.
const fixed = `{"id":1,"username":"k3v9x0q2m4t7","password":"b8n1c5z6h2j4","owner":2,"expDate":"2026-12-21T10:05:00.000Z",` +
	`"notes":null,"status":1,"isTrial":0,"whatsapp":"+5511912345678","telegram":null,"country":"BR","email":null,"idPlatform":1,` +
	`"trash":0,"error_platform":0,"updated":0,"migrationUrl":null,"lastTrust":null,` +
	`"createdAt":"2026-11-21T10:05:00.000Z","updatedAt":"2026-11-21T10:05:00.000Z"}`

// ServeBare serves a gin handler that always answers the same.
func ServeBare() error {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/", func(c *gin.Context) { c.Data(http.StatusOK, "application/json", []byte(fixed)) })
	return serve(engine)
}

// Bare returns clients of a bare handler.
func Bare(address string, n int) (clients []drive.Client, ended func()) {
	request := wire.Request{Method: "GET", Path: "/"}.Append(nil)
	return clientsOf(address, n, func(_ int, to []byte) []byte { return append(to, request...) })
}
