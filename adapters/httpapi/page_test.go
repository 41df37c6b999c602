package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/application/ledger"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	clients "resellerd/test/api"
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

func found(sizes ...int) numberedPage {
	l := numberedPage{After: func(n numbered) at { return at("after-" + strconv.Itoa(n.N)) }}
	for i, size := range sizes {
		l.Items = append(l.Items, numbered{i, strings.Repeat("x", size)})
	}
	return l
}

// encodePage makes a page of what is found.
func encodePage(found numberedPage, most int) (body []byte, next string) {
	found.Items = slices.Clone(found.Items)
	made, err := readPage(nil, maxLimit, most, func(*at, int) (numberedPage, bool, error) {
		return found,
			false, nil
	},
		func(n numbered) numbered { return n }, func(bool) string { return "" })
	if err != nil {
		panic(err)
	}
	return made.body, made.next
}

func TestAPageIsWhatEncodingItAtOnceGives(t *testing.T) {
	for _, sizes := range [][]int{{}, {0}, {3, 0, 5}} {
		for _, next := range []string{"", "next"} {
			l := found(sizes...)
			if next != "" {
				l.Next = new(at(next))
			}
			body, following := encodePage(l, maxPage)
			atOnce := struct {
				Data []numbered `json:"data"`
				Next *string    `json:"next_cursor"`
			}{append([]numbered{}, l.Items...), nil}
			if next != "" {
				atOnce.Next = &next
			}
			expect.Equal(t, string(body), string(encode(atOnce)), "%v", sizes)
			expect.Equal(t, following, next, "%v: the next page", sizes)
		}
	}
}

func TestAPageEndsBeforeItsBodyIsTooLong(t *testing.T) {
	l := found(100, 200, 300, 400)
	l.Next = new(at("after-1000000")) // longer than the others
	whole, _ := encodePage(l, maxPage)
	part := found(100, 200, 300)
	part.Next = new(l.After(part.Items[2]))
	three, _ := encodePage(part, maxPage)
	for _, c := range []struct {
		name    string
		most    int
		want    []byte
		follows string
	}{
		{"as long as it may be", len(whole), whole, l.Next.String()},
		{"a byte too long", len(whole) - 1, three, part.Next.String()},
		{"three as long as they may be", len(three), three, part.Next.String()},
	} {
		body, next := encodePage(l, c.most)
		expect.Equal(t, string(body), string(c.want), "%s", c.name)
		expect.Equal(t, next, c.follows, "%s: the next page", c.name)
	}
	for _, most := range []int{0, 1, 100} {
		if body, next := encodePage(l, most); !bytes.Contains(body, []byte(`"n":0`)) ||
			bytes.Contains(body, []byte(`"n":1`)) || next != l.After(l.Items[0]).String() {
			t.Errorf("at most %d bytes: got %s, want the first record alone", most, body)
		}
	}
	if body, next := encodePage(found(maxPage), maxPage); len(body) <= maxPage || next != "" {
		t.Errorf("a single record that is too long: got %d bytes, and then %q", len(body), next)
	}
}

// TestAPageIsReadInBatches has a page end within each batch, and between them.
func TestAPageIsReadInBatches(t *testing.T) {
	const limit, there = 2*application.MostHeld + 50, 3 * application.MostHeld
	item := func(i int) numbered { return numbered{i, strings.Repeat("x", i%7)} }
	behind := func(n numbered) at { return at(strconv.Itoa(n.N)) }
	write := func(limit, most int) (made page, items []numbered) {
		var held []numbered
		made, err := readPage(nil, limit, most,
			func(after *at, asked int) (found numberedPage, more bool, err error) {
				if asked > application.MostHeld || slices.ContainsFunc(held, func(n numbered) bool { return n != numbered{} }) {
					t.Fatalf("%d more are asked for, while others are held", asked)
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
	for most := maxRecord; most <= len(whole.body)+maxRecord; most++ {
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

// TestAPageOfFewIsBounded has parts with few records, or none: no more are read than a full page has.
func TestAPageOfFewIsBounded(t *testing.T) {
	reads := 0
	made, err := readPage(nil, maxLimit, maxPage, func(*at, int) (numberedPage, bool, error) {
		reads++
		found := numberedPage{Next: new(at(strconv.Itoa(reads))), Damaged: []int64{int64(reads)}}
		return found, true, nil
	}, func(n numbered) numbered { return n }, func(more bool) string { return fmt.Sprintf(`,"more":%v`, more) })
	if want := `{"data":[],"next_cursor":"4","more":true,"damaged":[1,2,3,4]}` + "\n"; err != nil ||
		string(made.body) != want || reads != 4 {
		t.Errorf("after %d reads: got %s, %v, want %s", reads, made.body, err, want)
	}
}

// TestNoRecordIsLongerThanCounted makes the longest record of each list.
func TestNoRecordIsLongerThanCounted(t *testing.T) {
	const widest = "\u2028" // JSON has 6 bytes for it
	text := func(characters int) profile.Text { return profile.RestoreText(strings.Repeat(widest, characters)) }
	name := profile.RestoreUsername(strings.Repeat("\U0001F4FA", profile.MaxUsername), "x")
	many := int64(1<<62 - 1)
	l, err := line.Restore(line.State{
		ID: many, Owner: reseller.Position{ID: many, Ancestors: []int64{1}}, Username: name, Password: []byte("x"),
		ExpiresAt: time.Now(), Known: line.Known{Country: text(profile.MaxText), Whatsapp: text(profile.MaxText),
			Notes: text(profile.MaxNotes)}, PlatformID: many, Charge: many, CreatedAt: time.Now(),
		UpdatedAt: time.Now(),
	})
	must(t, err)
	a, err := reseller.Restore(reseller.State{
		Position: reseller.Position{ID: many, Ancestors: []int64{1}}, Role: reseller.Standard, Username: name,
		PasswordHash: "x", Language: text(profile.MaxText),
		Contact: reseller.Contact{
			Country: text(profile.MaxText), Whatsapp: text(profile.MaxText), Telegram: text(profile.MaxText),
			Email: text(profile.MaxEmail), Notes: text(profile.MaxNotes),
		},
	})
	must(t, err)
	m := credit.Movement{
		Provenance: credit.Provenance{ID: many, Actor: many, Request: strings.Repeat("x", 128),
			Notes: text(profile.MaxNotes).String(), At: time.Now()},
		Operation: credit.Recharge, Line: many,
		Source: credit.Reseller(many), Target: credit.Reseller(many - 1),
	}
	for name, record := range map[string]any{
		"line":    recordOf(lines.Line{Line: l}),
		"account": recordOfReseller(resellers.Reseller{Reseller: a}),
		"entry": entryOf(
			ledger.Entry{Movement: m, Posting: credit.Posting{Reseller: many, Tip: credit.Tip{Seq: many}}}),
	} {
		if size := len(encode(record)); size > maxRecord || size < 6*profile.MaxNotes {
			t.Errorf("%s: %d bytes, want at most %d", name, size, maxRecord)
		}
	}
}

func TestTheNextPageIsTheSameQueryWithItsCursor(t *testing.T) {
	for _, c := range []struct{ asked, want string }{
		{"/lines", "/lines?cursor=N"},
		{"/lines?", "/lines?cursor=N"},
		{"/api/v1/users/7/ledger?limit=5", "/api/v1/users/7/ledger?limit=5&cursor=N"},
		{"/lines?cursor=A", "/lines?cursor=N"},
		{"/lines?username=%C3%A9+b&cursor=A&limit=5", "/lines?username=%C3%A9+b&cursor=N&limit=5"},
		{"/lines?limit=5&limit=6&cursor=A&cursor=B&owner=1", "/lines?limit=5&limit=6&cursor=N&owner=1"},
		{"/lines?%63ursor=A&a", "/lines?cursor=N&a"},
		{"/lines?Cursor=A", "/lines?Cursor=A&cursor=N"},
		{"/lines?&&status=1&", "/lines?status=1&cursor=N"},
		{"/lines?x=>;y", "/lines?x=%3E;y&cursor=N"},
		{"/lines?x=a\"b<c>d{e}|\\^`[é]#f", "/lines?x=a%22b%3Cc%3Ed%7Be%7D%7C%5C%5E%60%5B%C3%A9%5D%23f&cursor=N"},
		{"/lines?x=a:b@c/d?e!$'()*,~-._", "/lines?x=a:b@c/d?e!$'()*,~-._&cursor=N"},
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

// crowd is the API on a store with so many resellers, lines and movements of the
// reseller 2, each with notes of so many characters that JSON escapes.
func crowd(t *testing.T, log io.Writer, records, characters int) http.Handler {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { must(t, store.Close()) })
	notes := profile.RestoreText(strings.Repeat("\u2028", characters))
	noted := func(s *reseller.State) { s.Contact.Notes = notes }
	must(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		var ledger fixture.Ledger
		admin := fixture.Admin(1, noted)
		owner := fixture.Reseller(admin, 2, noted)
		err := errors.Join(tx.Resellers.Insert(ctx, admin), tx.Resellers.Insert(ctx, owner))
		for i := range int64(records) {
			l := fixture.Trial(owner, 1+i, func(s *line.State) {
				s.ExpiresAt, s.Notes = fixture.Noon.Add(time.Duration(i*7%5+1)*time.Hour), notes // many at the same instant
			})
			provenance := ledger.Provenance(admin.ID())
			provenance.Notes = notes.String()
			m, wrong := admin.Fund(owner, fixture.Units(1), provenance)
			err = errors.Join(err, wrong, tx.Resellers.Insert(ctx, fixture.Reseller(admin, 10+i, noted)),
				tx.Lines.Insert(ctx, l), tx.Ledger.Append(ctx, ledger.Add(m)))
		}
		return errors.Join(err, tx.Resellers.Save(ctx, owner))
	}))
	return handlerOn(t, store, log)
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

// withAdmin returns a store with an admin.
func withAdmin(t *testing.T) *memstore.Store {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { must(t, store.Close()) })
	must(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Resellers.Insert(ctx, fixture.Admin(1))
	}))
	return store
}

// must ends a test whose setup fails.
func must(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}

func request(reseller int, method, target string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Authorization", "Bearer "+strconv.Itoa(reseller))
	return r
}

func ask(handler http.Handler, reseller int, method, target string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request(reseller, method, target))
	return answer
}

var nextLink = regexp.MustCompile(`^<(/base/[!-;=?-~]+)>; rel="next"$`)

// TestLongPagesEndEarly goes through each list, in each order, by its links.
func TestLongPagesEndEarly(t *testing.T) {
	const records = 200
	handler := crowd(t, io.Discard, records, profile.MaxNotes)
	for _, list := range []struct {
		target string
		want   int
	}{
		{"/base/users?limit=500", records + 2},
		{"/base/users?username=reseller&limit=150", records + 2},
		{"/base/lines?limit=500", records},
		{"/base/lines?limit=90&owner=2", records},
		{"/base/lines?status=1&limit=500", records},
		{"/base/lines?limit=499&expires_before=2200-01-01T00:00:00Z&tree=2", records},
		{"/base/users/2/ledger?limit=500", records},
		{"/base/users/2/ledger?limit=100", records},
	} {
		asked, _ := url.ParseRequestURI(list.target)
		limit, _ := strconv.Atoi(asked.Query().Get("limit"))
		shown := map[int64]bool{}
		early := 0
		for target := list.target; target != ""; {
			answer := ask(handler, 1, http.MethodGet, target)
			var got struct {
				Data []struct{ ID int64 }
				Next *string `json:"next_cursor"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || answer.Code != http.StatusOK ||
				len(got.Data) == 0 {
				t.Fatalf("%s: status %d, %d records, %v", target, answer.Code, len(got.Data), err)
			}
			expect.Equal(t, answer.Body.Len() <= maxPage, true, "%s: %d bytes are few", target, answer.Body.Len())
			for _, r := range got.Data {
				expect.Equal(t, shown[r.ID], false, "%s: %d is shown already", target, r.ID)
				shown[r.ID] = true
			}
			if got.Next != nil && len(got.Data) < limit {
				early++
				expect.Equal(t, answer.Body.Len() < maxPage-maxRecord, false, "%s: there was room for more", target)
			}
			head := ask(handler, 1, http.MethodHead, target)
			link := answer.Header().Get("Link")
			expect.Equal(t, head.Code, http.StatusOK, "HEAD %s: status", target)
			expect.Equal(t, head.Header().Get("Link"), link, "HEAD %s: Link", target)
			found := nextLink.FindStringSubmatch(link)
			if (found == nil) != (got.Next == nil) || found == nil && link != "" {
				t.Fatalf("%s: next_cursor %v with Link %q", target, got.Next, link)
			}
			if target = ""; found != nil {
				target = found[1]
				if next, err := url.ParseRequestURI(target); err != nil || next.Query().Get("cursor") != *got.Next ||
					next.Query().Get("limit") != strconv.Itoa(limit) {
					t.Errorf("%s: %v does not lead to %s", target, err, *got.Next)
				}
			}
		}
		expect.Equal(t, len(shown), list.want, "%s: records", list.target)
		expect.Equal(t, early > 0, true, "%s: pages end early", list.target)
	}
}

// unreadAnswer is an answer whose client takes nothing of its body until it is let.
type unreadAnswer struct {
	clients.Recorder

	let chan struct{}
}

func (a unreadAnswer) Write(b []byte) (int, error) {
	<-a.let
	return a.Recorder.Write(b)
}

// TestListsAreCounted asks for lists while the account has as many long ones under way as it may.
func TestListsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		handler := crowd(t, &log, 100, profile.MaxNotes)
		lists := []string{"/base/users?limit=100", "/base/lines?limit=100", "/base/users/2/ledger?limit=100"}
		let := make(chan struct{})
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				answer := unreadAnswer{clients.NewRecorder(), let}
				handler.ServeHTTP(answer, request(1, http.MethodGet, lists[i%len(lists)]))
				expect.Equal(t, answer.Code, http.StatusOK, "%s: %s", lists[i%len(lists)], answer.Body)
			})
			synctest.Wait()
		}
		for _, target := range lists {
			answer := ask(handler, 1, http.MethodGet, target)
			expect.Equal(t, answer.Code, http.StatusServiceUnavailable, "%s: %s", target, answer.Body)
			expect.Equal(t, answer.Header().Get("Retry-After"), "1", "%s: Retry-After", target)
			expect.Contains(t, answer.Body.String(), "too-many-answers")
		}
		for _, c := range []struct {
			reseller int
			target   string
		}{{1, "/base/users/2"}, {1, "/base/users/logged"}, {1, "/base/lines?limit=30"}, {2, "/base/lines?limit=100"}} {
			expect.Equal(t, ask(handler, c.reseller, http.MethodGet, c.target).Code, http.StatusOK, "%+v", c)
		}
		close(let)
		all.Wait()
		for _, target := range lists {
			expect.Equal(t, ask(handler, 1, http.MethodGet, target).Code, http.StatusOK, "once all is taken %s", target)
		}
		expect.Equal(t, log.String(), "", "a refusal is logged as if something were wrong")
	})
}

// lacking is a store of whose lists a record is damaged.
type lacking struct{ ports.Store }

func (l lacking) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return l.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		s.Resellers, s.Lines, s.Ledger = lackingResellers{s.Resellers}, lackingLines{s.Lines}, lackingEntries{s.Ledger}
		return look(ctx, s)
	})
}

type (
	lackingResellers struct{ ports.ResellerDirectory }
	lackingLines     struct{ ports.LineDirectory }
	lackingEntries   struct{ ports.Statements }
)

func (l lackingResellers) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	page, err := l.ResellerDirectory.List(ctx, q)
	page.Damaged = []int64{7, 8}
	return page, err
}

func (l lackingLines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	page, err := l.LineDirectory.List(ctx, q)
	page.Damaged = []int64{7, 8}
	return page, err
}

func (l lackingEntries) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	page, err := l.Statements.Statement(ctx, reseller, before, limit)
	return page, cmp.Or[error](err, &ports.LeftOut{Damaged: []int64{7, 8}, Next: 5})
}

func TestListsAndSummariesNameWhatTheyLack(t *testing.T) {
	t.Parallel()
	store := lacking{withAdmin(t)}
	for _, c := range []struct{ target, route, want string }{
		{"/users", "/users", `"next_cursor":null,"damaged":[7,8]}`},
		{"/lines", "/lines", `{"data":[],"next_cursor":null,"damaged":[7,8]}`},
		{"/users/1/ledger", "/users/:id/ledger", `{"data":[],"next_cursor":"ZW50cmllcyA1Lg","damaged":[7,8]}`},
		{"/reports/summary?tree=1&days=1", "/reports/summary", `"received":"0"}],"damaged":[7,8]}`},
	} {
		var log bytes.Buffer
		answer := ask(handlerOn(t, store, &log), 1, http.MethodGet, "/base"+c.target)
		expect.Equal(t, answer.Code, http.StatusOK, "%s: %s", c.target, answer.Body)
		got := answer.Body.String()
		expect.Equal(t, strings.HasSuffix(got, c.want+"\n"), true, "%s: %s ends with %s", c.target, got, c.want)
		for _, want := range []string{`damaged="[7 8]"`, "route=/base" + c.route} {
			expect.Contains(t, log.String(), want, "%s: the log", c.target)
		}
	}
}
