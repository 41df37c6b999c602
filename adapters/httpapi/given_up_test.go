package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
)

// watched is a store that calls first before each Update, View and Ready. If first returns an error, the store returns
// it.
type watched struct {
	ports.Store
	first func(ctx context.Context) error
}

func (s *watched) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	return errors.Join(s.first(ctx), s.Store.Update(ctx, work, hints...))
}

func (s *watched) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return errors.Join(s.first(ctx), s.Store.View(ctx, look))
}

func (s *watched) Ready(ctx context.Context) error {
	return errors.Join(s.first(ctx), s.Store.Ready(ctx))
}

// whole is the API on a watched store, with an administrator that has a token and a browser.
type whole struct {
	serving *sync.Mutex // is held while a request over a connection is answered
	http.Handler
	t      *testing.T
	store  *watched
	log    *bytes.Buffer
	token  string
	cookie string
}

func newWhole(t *testing.T, changes ...func(*inprocess.Parts)) *whole {
	t.Helper()
	w := &whole{t: t, store: &watched{memstore.New(), func(context.Context) error { return nil }}, log: new(bytes.Buffer),
		serving: new(sync.Mutex)}
	clock := func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
	logged := func(p *inprocess.Parts) {
		p.HTTP.Log = slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	service, err := inprocess.New(w.store, append(changes, inprocess.At(clock), logged)...)
	if err == nil {
		err = service.Admin(t.Context())
	}
	must(t, err)
	w.Handler = service.Handler
	var answer struct{ Token string }
	must(t, json.Unmarshal(w.ask(t.Context(), "POST /auth/static-token").Body.Bytes(), &answer))
	w.token = answer.Token
	w.cookie, _, _ = strings.Cut(w.ask(t.Context(), "POST /auth/session").Header().Get("Set-Cookie"), ";")
	w.log.Reset()
	return w
}

// ask sends a request whose client disconnects when ctx ends. A request that begins with "cookie" is a browser's.
func (w *whole) ask(ctx context.Context, request string) api.Recorder {
	request, browser := strings.CutPrefix(request, "cookie ")
	method, path, _ := strings.Cut(request, " ")
	body := ""
	if path == "/auth/static-token" || request == "POST /auth/session" {
		body = fmt.Sprintf(`{"username":%q,"password":%q}`, api.AdminName, api.AdminPassword)
	}
	switch path {
	case "/keys":
		body = `{"name":"a key","role":"manager"}`
	case "/bulk":
		body = `{"action":"suspend","select":{"ids":[1,2,3]},"dry_run":true}`
	}
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if browser {
		r.Header.Set("Cookie", w.cookie)
	} else {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	answer := api.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}

// logged expects that the log has this status of a request, and an error or none.
func (w *whole) logged(status int, failed bool) {
	w.t.Helper()
	want := fmt.Sprintf(`"status":%d,`, status)
	expect.Equal(w.t, strings.Contains(w.log.String(), want), true, "the log has %s:\n%s", want, w.log)
	expect.Equal(w.t, strings.Contains(w.log.String(), `"level":"ERROR"`), failed, "the log has a failure:\n%s", w.log)
	w.log.Reset()
}

func TestAnAbandonedRequestIsNoFailure(t *testing.T) {
	for _, c := range []struct {
		request string
		after   time.Duration
	}{
		{"GET /lines", time.Second},
		{"POST /auth/session", time.Second},
		{"cookie POST /lines/test", time.Second}, // it had not begun
		{"GET /readyz", time.Second},
		{"GET /ledger/proof", time.Minute}, // has a limit of its own
	} {
		t.Run(fmt.Sprintf("%s after %s", c.request, c.after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWhole(t)
				ctx, hangUp := context.WithCancel(t.Context())
				w.store.first = func(ctx context.Context) error {
					time.AfterFunc(c.after, hangUp)
					<-ctx.Done()
					return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
				}
				expect.Equal(t, w.ask(ctx, c.request).Code, http.StatusServiceUnavailable, "status")
				w.logged(499, false)
			})
		})
	}
}

func TestAnEffectOutlivesItsClient(t *testing.T) {
	w := newWhole(t)
	ctx, hangUp := context.WithCancel(t.Context())
	w.store.first = func(context.Context) error {
		hangUp()
		return nil
	}
	expect.Equal(t, w.ask(ctx, "POST /lines/test").Code, http.StatusCreated, "a trial whose client went away")
	w.logged(http.StatusCreated, false)
	w.store.first = func(context.Context) error { return nil }
	expect.Equal(t, w.ask(t.Context(), "cookie GET /lines/1").Code, http.StatusOK, "the trial")
}

// TestAFailureOfTheStoreIsLogged also if the client of an effect has disconnected: the error then has another cause.
func TestAFailureOfTheStoreIsLogged(t *testing.T) {
	w := newWhole(t)
	ctx, hangUp := context.WithCancel(t.Context())
	fails := func(context.Context) error { return fmt.Errorf("%w: the disk is full", ports.ErrUnavailable) }
	w.store.first = fails
	for _, request := range []string{"POST /auth/static-token", "POST /lines/test", "cookie GET /prices"} {
		w.ask(ctx, request)
		w.logged(http.StatusServiceUnavailable, true)
	}
	w.store.first = func(ctx context.Context) error {
		hangUp()
		return fails(ctx)
	}
	w.ask(ctx, "POST /lines/test")
	w.logged(http.StatusServiceUnavailable, true)
}

func TestARequestMayTakeTenSeconds(t *testing.T) {
	for _, request := range []string{"GET /prices", "GET /readyz", "cookie POST /lines/test"} {
		t.Run(request, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWhole(t)
				asked := 0
				w.store.first = func(ctx context.Context) error {
					if asked++; asked == 1 && strings.HasPrefix(request, "cookie") {
						time.Sleep(3 * time.Second) // a session counts as well
						return nil
					}
					<-ctx.Done()
					return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
				}
				began := time.Now()
				expect.Equal(t, w.ask(t.Context(), request).Code, http.StatusServiceUnavailable, "status")
				expect.Equal(t, time.Since(began), 10*time.Second, "a request to a store that does not answer ends after")
				w.logged(http.StatusServiceUnavailable, true)
			})
		})
	}
}
