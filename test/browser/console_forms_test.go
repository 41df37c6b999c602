package browser

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// flaky is a proxy between the browser and the program. It loses answers on request.
type flaky struct {
	program http.Handler
	address string

	mu     sync.Mutex
	faults []fault                                        // of the next requests that change something
	keys   map[string]int                                 // how often each idempotency key was sent
	lists  []func(w http.ResponseWriter, r *http.Request) // answer the next requests for a list
	each   fault                                          // of all that come after these
	hit    chan struct{}                                  // signalled when a fault that waits for the browser begins
	order  []string                                       // the keys as they came first
}

type fault string

const (
	lost        fault = "the answer is lost"
	never       fault = "the request is lost"
	unavailable fault = "503"
	tooMany     fault = "429, which leaves the outcome of an earlier try unknown"
	heldBack    fault = "the answer is held back until the browser has gone"
	tooLate     fault = "the request reaches the service when the browser has gone"
)

// between returns a flaky proxy in front of the program.
func between(t *testing.T, address string) *flaky {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, r.In.Host
	}}
	f := &flaky{program: proxy, keys: map[string]int{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.address = server.URL + target.Path
	return f
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if strings.HasSuffix(r.URL.Path, "/lines") && r.URL.Query().Has("limit") {
		f.mu.Lock()
		if len(f.lists) > 0 {
			var answer func(http.ResponseWriter, *http.Request)
			answer, f.lists = f.lists[0], f.lists[1:]
			f.mu.Unlock()
			answer(w, r)
			return
		}
		f.mu.Unlock()
	}
	if key == "" {
		f.program.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	if f.keys[key]++; f.keys[key] == 1 {
		f.order = append(f.order, key)
	}
	hit := f.hit
	next := f.each
	if len(f.faults) > 0 {
		next, f.faults = f.faults[0], f.faults[1:]
	}
	f.mu.Unlock()
	switch next {
	case lost:
		f.program.ServeHTTP(httptest.NewRecorder(), r)
		breakOff(w)
	case never:
		breakOff(w)
	case heldBack, tooLate:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			breakOff(w)
		}
		late := r.Clone(context.WithoutCancel(r.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		if next == heldBack {
			f.program.ServeHTTP(httptest.NewRecorder(), late)
		}
		hit <- struct{}{}
		<-r.Context().Done()
		if next == tooLate {
			f.program.ServeHTTP(httptest.NewRecorder(), late)
		}
	case unavailable:
		refuse(w, nil)
	case tooMany:
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"status":429,"code":"too-many-requests","title":"Too many requests","detail":"Wait."}`))
	default:
		f.program.ServeHTTP(w, r)
	}
}

// breakOff ends the connection within an answer. Before the first byte of an answer a browser may repeat the request by
// itself.
func breakOff(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte("{"))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// refuse answers as a service does whose store is out of reach.
func refuse(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"status":503,"code":"store-unavailable","title":"Store unavailable","detail":"Ask again."}`))
}

// fail has the next requests that change something fail, each in its way.
func (f *flaky) fail(faults ...fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults, f.each = faults, ""
}

// always has all requests fail from now on that change something, or none where the fault is "". It returns where to
// hear that one waits until the browser has gone.
func (f *flaky) always(each fault) (hit <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	begun := make(chan struct{}, 8)
	f.faults, f.each, f.hit = nil, each, begun
	return begun
}

// sent returns how many keys were sent, and how often.
func (f *flaky) sent() (keys, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.keys {
		times += n
	}
	return len(f.keys), times
}

// movements returns the kinds of an account's movements, the newest first.
func (a *account) movements(t *testing.T) (kinds []string) {
	t.Helper()
	data, _ := a.send(t, "GET", fmt.Sprintf("/users/%d/ledger", a.ID), nil)["data"].([]any)
	for _, entry := range data {
		kinds = append(kinds, fmt.Sprint(entry.(map[string]any)["kind"])) //nolint:forcetypeassert // it is an object
	}
	return kinds
}

// forgetSession ends the session behind the page's back.
func (v *tab) forgetSession(t *testing.T) {
	t.Helper()
	base := ask[string](t, v, `location.pathname.replace(/\/console.*/, '')`)
	ask[int](t, v,
		fmt.Sprintf(`(() => { const r = new XMLHttpRequest(); r.open('DELETE', %q, false); r.send(); return r.status })()`,
			base+"/auth/session"))
}

// TestConsoleSignsInAgain ends a session while a form is filled in. The text is there after signing in, and is sent
// under the same key.
func TestConsoleSignsInAgain(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	reseller := admin(t, address).reseller(t, "joao", false, "10")
	id := reseller.line(t, "", "")
	f := between(t, address)
	v := open(t, 360, 800)
	v.signIn(t, &account{address: f.address, Name: reseller.Name, Password: reseller.Password})
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=activate", f.address, id)))
	v.click(t, `form summary`)
	v.fill(t, "username", "ana.tv")
	v.click(t, `main input[value="2"]`)
	v.forgetSession(t)
	v.click(t, `form .primary`)
	v.sees(t, "Your session has ended")
	v.enter(t, reseller)
	v.until(t,
		`document.querySelector('main [name=username]')?.value === 'ana.tv' && !!document.querySelector('main input[value="2"]')?.checked`)
	v.click(t, `form .primary`)
	v.sees(t, "ana.tv is active until", "balance 8 credits")
	if keys, times := f.sent(); keys != 1 || times != 2 {
		t.Errorf("%d keys were sent %d times", keys, times)
	}
}

// TestConsoleExplainsRefusals checks that each refusal shows its reason and a remedy.
func TestConsoleExplainsRefusals(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	top := admin(t, address)
	reseller := top.reseller(t, "joao", false, "1.5")
	reseller.line(t, "taken.tv", "1")
	id := reseller.line(t, "", "")
	v := open(t, 1280, 800)
	v.do(t, chromedp.Navigate(address+"/console"))
	v.enter(t, &account{Name: "joao", Password: "wrong"})
	v.sees(t, "Wrong user name or password.")
	v.fill(t, "password", reseller.Password)
	v.click(t, `button[type=submit]`)
	v.isIn(t)

	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=activate", address, id)))
	v.click(t, `form summary`)
	v.fill(t, "username", "taken.tv")
	v.click(t, `main input[value="0.5"]`)
	v.click(t, `form .primary`)
	v.sees(t, "This user name is taken.")
	v.until(t,
		`document.activeElement.name === 'username' && document.activeElement.getAttribute('aria-invalid') === 'true'`)
	v.fill(t, "username", "free.tv")
	v.click(t, `main input[value="1"]`)
	v.sees(t, "you have 0.5, this needs")
	v.click(t, `form .primary`)
	v.sees(t, "Not enough credits: the balance is 0.5, this needs 1 credit.")
	// The line was activated elsewhere: the remedy leads to the extension.
	reseller.send(t, "PATCH", fmt.Sprintf("/lines/active/%d", id),
		map[string]any{"username": "free.tv", "password": "5566", "credits": 0.5, "country": "BR"})
	v.click(t, `form .primary`)
	v.sees(t, "This customer is no longer a trial.")
	v.press(t, "Renew")
	v.sees(t, "Renew free.tv")

	top.send(t, "PUT", fmt.Sprintf("/users/%d/block", reseller.ID), nil)
	v.click(t, `.side-head button`)
	v.sees(t, "This account, or one above it, is blocked.")
	for _, said := range v.said {
		if !strings.Contains(said, "Failed to load resource: the server responded with a status of 4") {
			t.Error(said)
		}
	}
}

// signInBeside signs an account in as another tab of the browser does.
func (v *tab) signInBeside(t *testing.T, a *account) {
	t.Helper()
	ask[int](t, v, fmt.Sprintf(`(() => {
		const r = new XMLHttpRequest(); r.open('POST', '/auth/session', false); r.setRequestHeader('Content-Type', 'application/json')
		r.send(JSON.stringify({ username: %q, password: %q }))
		localStorage.setItem(Object.keys(localStorage).find((k) => k.endsWith('signed in')), %q)
		return r.status
	})()`, a.Name, a.Password, fmt.Sprint(a.ID)))
}

// fillsExtension opens the form that extends a line, and chooses a price.
func (v *tab) fillsExtension(t *testing.T, address string, line int64) {
	t.Helper()
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=extend", address, line)))
	v.click(t, `main input[value="1"]`)
	v.until(t, `!!document.querySelector('[data-preview]')`)
}

// TestConsoleOfAnotherAccount signs another account in while a form is open, as another tab does: the text of one
// account is not sent as the other.
func TestConsoleOfAnotherAccount(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	master := admin(t, address).reseller(t, "maria", true, "100")
	reseller := master.reseller(t, "joao", false, "10")
	id := reseller.line(t, "ana.tv", "1")
	v := open(t, 1280, 800)
	v.signIn(t, reseller)
	v.fillsExtension(t, address, id)
	v.signInBeside(t, master)
	v.click(t, `form .primary`)
	v.until(t, `document.querySelector('header').dataset.who === 'maria'`)
	if kinds := reseller.movements(t); len(kinds) != 2 {
		t.Errorf("the movements are %v", kinds)
	}
	v.quiet(t, address)
}

// TestConsoleHidesResultsFromOtherAccounts signs another account in, in the browser that has stored the result of a
// form.
func TestConsoleHidesResultsFromOtherAccounts(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	master := admin(t, address).reseller(t, "maria", true, "100")
	reseller := master.reseller(t, "joao", false, "10")
	id := reseller.line(t, "ana.tv", "1")
	v := open(t, 1280, 800)
	v.signIn(t, reseller)
	v.fillsExtension(t, address, id)
	v.click(t, `form .primary`)
	v.until(t, `!location.search.includes('do=') && !!document.querySelector('.note.good')`)
	for _, who := range []struct {
		*account
		told bool
	}{{reseller, true}, {master, false}} {
		v.signInBeside(t, who.account)
		v.do(t, chromedp.Reload())
		v.until(t,
			fmt.Sprintf(
				`document.querySelector('header')?.dataset.who === %q && document.querySelector('h1')?.textContent === 'ana.tv'`, who.Name))
		if told := ask[bool](t, v, `!!document.querySelector('.note.good')`); told != who.told {
			t.Errorf("%s sees the result of joao's form: %t", who.Name, told)
		}
	}
	v.quiet(t, address)
}

// TestConsoleWaitsForItsTurn signs in while the service still has other sign-ins to answer.
func TestConsoleWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	front := between(t, serve(t, ""))
	var came atomic.Int64
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || came.Add(1) > 2 {
			front.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"status":429,"code":"logins-busy","title":"Logins busy","detail":"Try again."}`))
	}))
	t.Cleanup(busy.Close)
	v := open(t, 360, 740)
	v.signIn(t, &account{address: busy.URL, Name: "admin", Password: adminPassword})
	if n := came.Load(); n != 3 {
		t.Errorf("it sent %d requests", n)
	}
	v.quiet(t, busy.URL)
}
