package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

type numbered struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func (n numbered) appendJSON(b []byte) []byte { return append(b, marshal(n)...) }

// at is a cursor.
type at string

func (a at) String() string { return string(a) }

type numberedPage = application.PageOf[numbered, at]

// TestAPageIsReadInBatches ends a page within each batch, and between them.
func TestAPageIsReadInBatches(t *testing.T) {
	const limit, there = 2*application.MostHeld + 50, 3 * application.MostHeld
	item := func(i int) numbered { return numbered{i, strings.Repeat("x", i%7)} }
	behind := func(n numbered) at { return at(strconv.Itoa(n.N)) }
	write := func(limit, most int) (made page, items []numbered) {
		var held []numbered
		made, err := readPage(nil, limit, most,
			func(after *at, asked int) (found numberedPage, more bool, err error) {
				if asked > application.MostHeld || slices.ContainsFunc(held, func(n numbered) bool { return n != numbered{} }) {
					t.Fatalf("%d more are requested, while others are held", asked)
				}
				first, _ := strconv.Atoi(cmp.Or(after, new(at("0"))).String())
				for i := first + 1; i <= there && len(found.Items) < asked; i++ {
					found.Items, found.Next = append(found.Items, item(i)), new(behind(item(i)))
				}
				held, found.After = found.Items, behind
				return found, true, nil
			}, func(n numbered) numbered { return n }, func(more bool) string { return fmt.Sprintf(`,"more":%v`, more) })
		var body struct {
			Data []numbered `json:"data"`
			More bool       `json:"more"`
		}
		if bad := json.Unmarshal(made.body, &body); err != nil || bad != nil || !body.More {
			t.Fatal(err, bad, string(made.body))
		}
		return made, body.Data
	}
	whole, _ := write(limit, maxPage)
	_, first := write(limit, 0)
	expect.Equal(t, len(first), 1, "items of a page that is too short for any")
	for most := maxRecord; most <= len(whole.body)+maxRecord; most += 31 {
		made, items := write(limit, most)
		last := len(items)
		for i, n := range items {
			if n != item(i+1) {
				t.Fatalf("at most %d bytes: item %d is %v", most, i, n)
			}
		}
		full := last == limit || len(made.body)+maxRecord > most
		if len(made.body) > most || !full || made.next != behind(item(last)).String() {
			t.Fatalf("at most %d bytes: got %d with %d items, and then %q", most, len(made.body), last, made.next)
		}
	}
	for _, records := range []int{3, application.MostHeld - 1, application.MostHeld} {
		exact, _ := write(records, maxPage)
		for short := range 2 {
			_, items := write(application.MostHeld, len(exact.body)-short)
			expect.Equal(t, len(items), records-short, "%d bytes less than %d records take: items", short, records)
		}
	}
}

func TestTheNextPageIsTheSameQueryWithItsCursor(t *testing.T) {
	for _, c := range []struct{ asked, want string }{
		{"/lines", "/lines?cursor=N"},
		{"/api/v1/users/7/ledger?limit=5", "/api/v1/users/7/ledger?limit=5&cursor=N"},
		{"/lines?cursor=A", "/lines?cursor=N"},
		{"/lines?username=%C3%A9+b&cursor=A&limit=5", "/lines?username=%C3%A9+b&cursor=N&limit=5"},
		{"/lines?limit=5&limit=6&cursor=A&cursor=B&owner=1", "/lines?limit=5&limit=6&cursor=N&owner=1"},
		{"/lines?%63ursor=A&a", "/lines?cursor=N&a"},
		{"/lines?x=a\"b<c>d{e}|\\^`[é]#f", "/lines?x=a%22b%3Cc%3Ed%7Be%7D%7C%5C%5E%60%5B%C3%A9%5D%23f&cursor=N"},
		{"http://elsewhere.example/lines?limit=1", "/lines?limit=1&cursor=N"},
	} {
		asked, err := url.ParseRequestURI(c.asked)
		must(t, err)
		expect.Equal(t, nextPage(asked, "N"), c.want, "%s", c.asked)
	}
	expect.Equal(t, nextPage(&url.URL{Path: "/lines"}, "a b&c"), "/lines?cursor=a+b%26c", "a cursor is not escaped")
}

// ids has each reseller's own id for its token.
type ids struct{ ports.Tokens }

func (ids) Verify(token string) (ports.Token, error) {
	reseller, err := parseID(token)
	return ports.Token{Reseller: reseller}, err
}

// handlerOn is the API on a store, whose callers are named by their ids, below a base path.
func handlerOn(t *testing.T, store ports.Store, log io.Writer) http.Handler {
	t.Helper()
	handler, err := New(Options{
		Service: application.New(application.Dependencies{Store: store, Clock: func() time.Time { return fixture.Noon },
			Tokens: ids{}}, application.Policy{}),
		Log:      slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		BasePath: "/base",
	})
	must(t, err)
	return handler
}

// must ends a test whose setup fails.
func must(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}

// lacking is a store whose lists have a damaged record.
type lacking struct{ ports.Store }

func (l lacking) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return l.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		s.Resellers, s.Ledger = lackingResellers{s.Resellers}, lackingEntries{s.Ledger}
		return look(ctx, s)
	})
}

type (
	lackingResellers struct{ ports.ResellerDirectory }
	lackingEntries   struct{ ports.Statements }
)

func (l lackingResellers) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	page, err := l.ResellerDirectory.List(ctx, q)
	page.Damaged = []int64{7, 8}
	return page, err
}

func (l lackingEntries) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	page, err := l.Statements.Statement(ctx, reseller, before, limit)
	return page, cmp.Or[error](err, &ports.IncompletePage{Damaged: []int64{7, 8}, Next: 5})
}

func TestListsAndSummariesNameWhatTheyLack(t *testing.T) {
	t.Parallel()
	store := lacking{memstore.New()}
	must(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Resellers.Insert(ctx, fixture.Admin(1))
	}))
	for _, c := range []struct{ target, route, want string }{
		{"/users", "/users", `"next_cursor":null,"damaged":[7,8]}`},
		{"/users/1/ledger", "/users/:id/ledger", `{"data":[],"next_cursor":"ZW50cmllcyA1Lg","damaged":[7,8]}`},
		{"/reports/summary?tree=1&days=1", "/reports/summary", `"received":"0"}],"damaged":[7,8]}`},
	} {
		var log bytes.Buffer
		answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/base"+c.target, nil)
		r.Header.Set("Authorization", "Bearer 1")
		handlerOn(t, store, &log).ServeHTTP(answer, r)
		expect.Equal(t, answer.Code, http.StatusOK, "%s: %s", c.target, answer.Body)
		got := answer.Body.String()
		expect.Equal(t, strings.HasSuffix(got, c.want+"\n"), true, "%s: %s ends with %s", c.target, got, c.want)
		for _, want := range []string{`damaged="[7 8]"`, "route=/base" + c.route} {
			expect.Contains(t, log.String(), want, "%s: the log", c.target)
		}
	}
}
