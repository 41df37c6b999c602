package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestConsoleStatementOfAPeriod has the list, the sums, the chart and the file of the same period, also if it has more
// movements than a page.
func TestConsoleStatementOfAPeriod(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reader(t, "pt-BR", "maria", true, "100")
	joao := maria.reader(t, "pt-BR", "joao", false, "0")
	for i := range 61 {
		maria.send(t, "PATCH", fmt.Sprintf("/users/credits/%d", joao.ID),
			map[string]any{"credits": "0.5", "notes": fmt.Sprint("a;b ", i)})
	}
	v := open(t, 360, 740)
	v.signIn(t, maria)
	v.do(t, chromedp.Navigate(address+"/console/statement"))
	v.sees(t, "Saldo inicial", "+100", "−30,5", "Saldo final", "69,5", "Recarga joao", "a;b 60", "saldo 69,5")
	if rows := ask[int](t, v,
		`[...document.querySelectorAll('.ledger tbody tr')].filter((e) => e.getBoundingClientRect().bottom <= document.querySelector('.places').getBoundingClientRect().top).length`); rows < 3 {
		t.Errorf("%d movements are in sight", rows)
	}
	v.fitsAt(t, "statement", sizes...)
	ask[bool](t, v, `document.querySelector('.area').focus() ?? true`)
	v.do(t, chromedp.KeyEvent(kb.Home))
	v.sees(t, "Mostrar em tabela")
	first := ask[string](t, v, `document.querySelector('.area').ariaValueText`)
	v.sees(t, first)
	v.press(t, "Mostrar em tabela")
	v.sees(t, "Ocultar tabela", "Dia")
	v.fitsAt(t, "balances as a table", sizes[0], sizes[4])
	v.press(t, "Ocultar tabela")
	v.until(t, `(scrollTo(0, document.body.scrollHeight), document.body.innerText.includes('62 movimentos'))`)
	ask[bool](t, v,
		`fetch(document.querySelector('a[href*="/exports/ledger"]').href).then((a) => a.text()).then((text) => { window.saved = text }), true`)
	v.until(t, `'saved' in window`)
	rows := strings.Split(strings.TrimSuffix(ask[string](t, v, `saved`), "\r\n"), "\r\n")
	if len(rows) != 63 || !strings.HasPrefix(rows[0], "ID;Número;Tipo;Valor;") || !strings.Contains(rows[1], ";Recarga;-0,5;69,5;") ||
		!strings.Contains(rows[1], `;"a;b 60";`) {
		t.Errorf("%d rows are saved, and begin with %q", len(rows), rows[:2])
	}
	v.press(t, "Mês passado")
	v.sees(t, "Nenhum movimento neste período.")
	v.press(t, "De – até")
	v.shows(t, `input[name=from]`)
	v.fitsAt(t, "dates", sizes[0], sizes[4])
	v.press(t, "Este mês")
	v.sees(t, "−30,5")
	v.quiet(t, address)
}

// TestConsoleShowsSpentCredits of 7, 30 and 90 days, with a bar and a value for each day.
func TestConsoleShowsSpentCredits(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	maria.line(t, "ana.tv", "1")
	maria.line(t, "bia.tv", "0.5")
	v := open(t, 1280, 740)
	v.signIn(t, maria)
	for i, days := range []string{"30", "7", "90 days"} {
		if i > 0 {
			v.press(t, days)
		}
		v.sees(t, "1.5 in "+strings.TrimSuffix(days, " days")+" days")
		v.until(t, fmt.Sprintf(`document.querySelector('.area').ariaValueMax === %q && document.querySelectorAll('.bar').length === 1`,
			strings.TrimSuffix(days, " days")))
	}
	ask[bool](t, v, `document.querySelector('.area').focus() ?? true`)
	v.sees(t, ": 1.5 credits")
	v.fitsAt(t, "90 days", sizes[0], sizes[2], sizes[4])
	v.press(t, "Show as a table")
	v.until(t, `document.querySelectorAll('.plot tbody tr').length === 90`)
	v.quiet(t, address)
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
	v.sees(t, "No customer expires within 7 days.")
	for _, left := range []struct {
		hours int
		says  string
		day   string // of the calendar, as in rows
	}{{73, "in 3 days", "in [34] days"}, {36, "in 36 hours", "tomorrow|in 2 days"}} {
		mu.Lock()
		ahead = time.Until(until) - time.Duration(left.hours)*time.Hour
		mu.Unlock()
		for _, screen := range []string{"", "/lines?when=soon"} {
			v.do(t, chromedp.Navigate(address+"/console"+screen))
			v.until(t, fmt.Sprintf(`/^(%s)$/.test(document.querySelector('[data-id] .rel')?.textContent)`, left.day))
		}
		v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, line)))
		v.sees(t, "ana.tv", left.says)
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
