package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestConsoleSavesAll saves a statement with one page on the screen. Other pages come short, empty, slowly and not at
// all. The file has all of it, in the form that spreadsheets of the language read.
func TestConsoleSavesAll(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reader(t, "pt-BR", "maria", true, "100")
	joao := maria.reader(t, "pt-BR", "joao", false, "0")
	const movements = 61
	for i := range movements {
		maria.send(t, "PATCH", fmt.Sprintf("/users/credits/%d", joao.ID),
			map[string]any{"credits": "0.5", "notes": fmt.Sprint("a;b ", i)})
	}
	var pages, failAt atomic.Int64
	failAt.Store(2)
	held := make(chan struct{})
	address = through(t, address, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		query := r.URL.Query()
		if strings.HasSuffix(r.URL.Path, "/ledger") && query.Get("limit") == "500" {
			switch n := pages.Add(1); {
			case n == failAt.Load():
				refuse(w, r)
				return
			case n == 4:
				_, _ = fmt.Fprintf(w, `{"data":[],"next_cursor":%q}`, query.Get("cursor"))
				return
			case n == 6:
				<-held
			}
			query.Set("limit", "10")
			r.URL.RawQuery = query.Encode()
		}
		next.ServeHTTP(w, r)
	})
	v := open(t, 360, 740)
	v.signIn(t, &account{address: address, Name: maria.Name, Password: maria.Password})
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d", address, joao.ID)))
	v.sees(t, "Salvar tudo como CSV")
	ask[bool](t, v,
		`(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text }); return make.call(URL, blob) }; return true })()`)
	v.press(t, "Salvar tudo como CSV")
	v.press(t, "Tentar de novo")
	v.sees(t, "30 movimentos lidos…")
	v.look(t, "while it is saved", `look.layout()`)
	close(held)
	v.until(t, `'saved' in window`)
	file := ask[string](t, v, `saved`)
	rows := strings.Split(strings.TrimSuffix(file, "\r\n"), "\r\n")
	if len(rows) != 1+movements ||
		rows[0] != "seq;at;kind;amount;balance;counterparty;line;actor;request_id;notes;line_username;actor_name" {
		t.Errorf("%d rows were saved, the first is %q", len(rows), rows[0])
	}
	for i, row := range rows[1:] {
		// "a;b 60" has a semicolon of its own.
		if cells := strings.SplitN(row, ";", 10); cells[0] != fmt.Sprint(movements-i) || cells[3] != "0,5" ||
			cells[9] != fmt.Sprintf(`"a;b %d";;maria`, movements-1-i) {
			t.Errorf("row %d is %q", i, row)
		}
	}
	v.sees(t, "Salvar tudo como CSV")

	// The user can cancel it.
	pages.Store(0)
	failAt.Store(1)
	v.press(t, "Salvar tudo como CSV")
	v.sees(t, "Tentar de novo")
	v.press(t, "Cancelar")
	v.until(t,
		`!document.body.innerText.includes('Tentar de novo') && document.body.innerText.includes('Salvar tudo como CSV')`)
}

// TestConsoleGoesByTheServicesClock has the service's clock differ from the browser's. The console computes what
// expires soon, and how soon, with the service's clock, also after that is set forward.
func TestConsoleGoesByTheServicesClock(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	reseller := admin(t, address).reseller(t, "joao", false, "10")
	line := reseller.line(t, "ana.tv", "0.5")
	shown, _ := reseller.send(t, "GET", fmt.Sprintf("/lines/%d", line), nil)["expDate"].(string)
	until, err := time.Parse(time.RFC3339, shown)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var ahead time.Duration
	address = through(t, address, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		mu.Lock()
		w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		mu.Unlock()
		next.ServeHTTP(&dated{w, w.Header().Get("Date")}, r)
	})
	v := open(t, 640, 740)
	v.signIn(t, &account{address: address, Name: reseller.Name, Password: reseller.Password})
	v.sees(t, "No line expires within 7 days.")
	for _, left := range []struct {
		hours int
		says  string
	}{{73, "in 3 days"}, {36, "in 36 hours"}} {
		mu.Lock()
		ahead = time.Until(until) - time.Duration(left.hours)*time.Hour
		mu.Unlock()
		for _, screen := range []string{"", "/lines?when=soon", fmt.Sprintf("/lines/%d", line)} {
			v.do(t, chromedp.Navigate(address+"/console"+screen))
			v.sees(t, "ana.tv", left.says)
		}
	}
	v.quiet(t, address)
}

// dated stores a date that the program would set.
type dated struct {
	http.ResponseWriter
	date string
}

func (d *dated) WriteHeader(status int) {
	d.Header().Set("Date", d.date)
	d.ResponseWriter.WriteHeader(status)
}
