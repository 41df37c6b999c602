package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/spelling"
	"resellerd/application"
	"resellerd/domain/fault"
)

// limits are the time that an operation may take, whether it continues after its client has disconnected, and whether
// it is exempt from the quota of requests.
type limits struct {
	time      time.Duration
	detached  bool
	uncounted bool
}

// handler answers a request within ctx, which has the time limit of its operation, or returns an error.
type handler func(ctx context.Context, c *gin.Context) error

// handle makes a gin handler. The context of the request itself ends only with its client.
func (a *api) handle(l limits, h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		client := c.Request.Context()
		ctx := client
		if l.detached {
			ctx = context.WithoutCancel(client)
		}
		within, cancel := context.WithTimeout(ctx, l.time-requestOf(c).spent)
		defer cancel()
		err := l.extend(c.Writer)
		if err == nil {
			err = h(within, c)
		}
		if !l.detached && errors.Is(context.Cause(client), context.Canceled) {
			err = givenUp(err)
		}
		if err != nil {
			a.fail(c, err)
		}
	}
}

// extend sets the connection's deadlines for a long operation, because the server's own deadlines are shorter.
func (l limits) extend(w http.ResponseWriter) error {
	if l.time <= requestTimeout {
		return nil
	}
	deadline := time.Now().Add(l.time + requestTimeout)
	connection := http.NewResponseController(w)
	return errors.Join(connection.SetReadDeadline(deadline), connection.SetWriteDeadline(deadline))
}

// show returns the handler of an operation that reads one thing and answers its record.
func show[R, T any](read func(context.Context, application.Call) (R, error), record func(R) T) handler {
	return func(ctx context.Context, c *gin.Context) error {
		if err := noQuery(c); err != nil {
			return err
		}
		found, err := read(ctx, callOf(c))
		if err != nil {
			return err
		}
		ok(c, record(found))
		return nil
	}
}

// showByID is show of the thing with the id in the path.
func showByID[R, T any](read func(context.Context, application.Call, int64) (R, error), record func(R) T) handler {
	return func(ctx context.Context, c *gin.Context) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		return show(func(ctx context.Context, call application.Call) (R, error) { return read(ctx, call, id) }, record)(ctx,
			c)
	}
}

// effect returns the handler of an operation that changes something. The id in the path, if any, and the body B become
// a command for a use case, and render makes the answer from its result.
func effect[B interface{ command(id int64) C }, C, R any](
	a *api, use func(context.Context, application.Call, C, application.Render[R]) (application.Receipt, error),
	render application.Render[R],
) handler {
	return func(ctx context.Context, c *gin.Context) error {
		var body B
		id, call, err := a.receive(c, &body, true)
		if err != nil {
			return err
		}
		done, err := use(ctx, call, body.command(id), render)
		return hand(c, done, err)
	}
}

// proven is effect for a body with a password or a code that proves the caller's identity. Wrong ones are counted
// against the client.
func proven[B interface{ command(client string) C }, C, R any](
	a *api, use func(context.Context, application.Call, C, application.Render[R]) (application.Receipt, error),
	render application.Render[R],
) handler {
	return func(ctx context.Context, c *gin.Context) error {
		var body B
		_, call, err := a.receive(c, &body, true)
		if err != nil {
			return err
		}
		done, err := use(ctx, call, body.command(client(call.Address)), render)
		return hand(c, done, err)
	}
}

// hand answers with the receipt of a change.
func hand(c *gin.Context, done application.Receipt, err error) error {
	if err != nil {
		return err
	}
	if done.Replayed {
		c.Header("Idempotency-Replayed", "true")
	}
	send(c, jsonContent, done.Code, done.Content)
	return nil
}

// receive reads a request with a body, a pointer to a struct of members. It refuses in the promised order: the id in
// the path, the body as a whole, the idempotency key if the operation takes one, then every invalid field and every
// query parameter at once.
func (a *api) receive(c *gin.Context, body any, keyed bool) (id int64, call application.Call, err error) {
	return a.receiveWith(c, body, keyed, func() error { return noQuery(c) })
}

// receiveWith is receive with other checks of the query and of fields.
func (a *api) receiveWith(c *gin.Context, body any, keyed bool, others func() error) (id int64, call application.Call,
	err error) {
	if id, err = pathID(c); err != nil {
		return 0, call, err
	}
	raw, err := readBody(c.Writer, c.Request, maxBody, errBodyTooLarge)
	if err != nil {
		return 0, call, err
	}
	unknown, err := decode(c.Request, raw, body, !requestOf(c).lenient)
	if err != nil {
		return 0, call, err
	}
	call = a.changeOf(c)
	if keyed {
		if err := a.key(c.Request, raw, &call); err != nil {
			return 0, call, err
		}
	}
	if err = bind(body); err != nil || unknown {
		err = nameMembers(raw, body, unknown, err)
	}
	return id, call, together(err, others())
}

// pathID returns the id in the path, 0 if the route has no id. An id is digits without sign or leading zero. Anything
// else is not found.
func pathID(c *gin.Context) (int64, error) {
	text, has := c.Params.Get("id")
	if !has {
		return 0, nil
	}
	id, err := parseID(text)
	if err != nil || id == 0 {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// callOf returns the data of the request itself for a use case.
func callOf(c *gin.Context) application.Call {
	return application.Call{Caller: caller(c), Request: requestID(c)}
}

// changeOf is callOf with the client's address, for changes.
func (a *api) changeOf(c *gin.Context) application.Call {
	call := callOf(c)
	call.Address = a.address(c.Request)
	return call
}

// key adds the idempotency key and the content of the request to a call.
func (a *api) key(r *http.Request, body []byte, call *application.Call) (err error) {
	if call.Key, err = keyOf(r.Header); err == nil && call.Key != "" {
		path := strings.TrimPrefix(r.URL.Path, a.BasePath)
		call.Content = bytes.Join([][]byte{[]byte(r.Method), []byte(path), []byte(r.URL.RawQuery), body}, []byte{'\n'})
	}
	return err
}

// keyOf returns the idempotency key of a request, "" if there is none. Some clients send it under another name. An
// ignored header would let a repetition take effect twice.
func keyOf(h http.Header) (key string, err error) {
	var under string
	var names []string
	for name := range h {
		if namesKey(name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		other, err := idempotencyKey(h[name])
		switch {
		case err != nil:
			return "", err
		case under == "":
			key, under = other, name
		case other != key:
			return "", errKey.because(under + " and " + name + " have different values.")
		}
	}
	return key, nil
}

// namesKey reports whether the name of a header is Idempotency-Key, or a similar one such as X-Idempotency-Key and
// Idempotence-Key.
func namesKey(header string) bool {
	if len(header) > longestSegment || !strings.Contains(header, "dempoten") {
		return false
	}
	switch strings.TrimPrefix(spelling.Letters(header), "x") {
	case "idempotencykey", "idempotencekey", "idempotentkey", "idempotencytoken", "idempotencyid":
		return true
	}
	return false
}

// idempotencyKey reads the header, bare or as a quoted string (RFC 8941).
func idempotencyKey(values []string) (string, error) {
	key := values[0]
	if quoted, ok := strings.CutPrefix(key, `"`); ok {
		if key, ok = strings.CutSuffix(quoted, `"`); !ok {
			return "", errKey
		}
	}
	if len(values) > 1 || !visibleASCII(key) || len(key) > 255 || strings.ContainsAny(key, `"\`) {
		return "", errKey
	}
	return key, nil
}
