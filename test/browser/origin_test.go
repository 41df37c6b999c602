package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// witness is a proxy in front of the program that records the answers to pages of other origins.
type witness struct {
	mu   sync.Mutex
	seen []string // method, path, status, and whether the session's cookie was sent
}

// TestOtherOrigins opens pages of other origins in the browser in which a master is signed in. One has the same host
// and another port, so the browser sends it the session's cookie; the other has another host. Neither can read or
// change anything, or sign a user in or out, in any way that it tries.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	program := serve(t, "")
	boss := admin(t, program)
	maria := boss.reseller(t, "maria", true, "100")
	joao := maria.reseller(t, "joao", false, "20")
	line := maria.line(t, "ana.tv", "1")

	target, err := url.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, r.In.Host
		},
		ModifyResponse: func(answer *http.Response) error {
			site := answer.Request.Header.Get("Sec-Fetch-Site")
			if site == "same-origin" || site == "none" || strings.HasPrefix(answer.Request.URL.Path, "/console") {
				return nil
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.seen = append(w.seen,
				fmt.Sprintf("%d cookie=%t %s %s %s", answer.StatusCode, answer.Request.Header.Get("Cookie") != "", site,
					answer.Request.Method, answer.Request.URL.Path))
			return nil
		},
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte("<!doctype html><title>another</title><body></body>"))
	}))
	t.Cleanup(other.Close)

	state := func() string {
		t.Helper()
		all := []any{
			boss.send(t, "GET", "/users?limit=500", nil), maria.send(t, "GET", "/lines?limit=500", nil),
			maria.send(t, "GET", fmt.Sprintf("/users/%d/ledger?limit=500", maria.ID), nil),
			joao.send(t, "GET", fmt.Sprintf("/users/%d/ledger?limit=500", joao.ID), nil),
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	v := open(t, 1280, 800)
	v.signIn(t, &account{address: front.URL, Name: maria.Name, Password: maria.Password})
	before := state()
	from := map[string]string{"another port": other.URL,
		"another host": strings.Replace(other.URL, "127.0.0.1", "localhost", 1)}
	for name, page := range from {
		v.do(t, chromedp.Navigate(page))
		result, err := chromedp.Run(v,
			chromedp.Evaluate[string](fmt.Sprintf(attack, front.URL, line, joao.ID, maria.Password, joao.Password),
				chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		var read []string
		if err := json.Unmarshal([]byte(result), &read); err != nil {
			t.Fatal(err)
		}
		for _, what := range read {
			t.Errorf("a page of %s read %s", name, what)
		}
	}
	w.mu.Lock()
	seen, withCookie := w.seen, 0
	w.mu.Unlock()
	for _, s := range seen {
		if strings.Contains(s, "cookie=true") {
			withCookie++
		}
		if strings.HasPrefix(s, "2") && !strings.Contains(s, "OPTIONS") {
			t.Errorf("another origin was answered: %s", s)
		}
	}
	if withCookie < 10 || len(seen) < 30 {
		t.Errorf("%d requests of other origins came, %d of them with the cookie: they prove nothing", len(seen), withCookie)
	}
	if after := state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	v.do(t, chromedp.Navigate(front.URL+"/console"))
	v.isIn(t)
	if who := ask[string](t, v, `document.querySelector('header').dataset.who`); who != "maria" {
		t.Errorf("%s is signed in", who)
	}
	if got := ask[int](t, v,
		`(() => { const r = new XMLHttpRequest(); r.open('GET', '/auth/sessions', false); r.send(); return JSON.parse(r.responseText).length })()`); got != 1 {
		t.Errorf("there are %d sessions", got)
	}
}

// attack is all that a page can do to another origin. It returns what it could read.
const attack = `(async () => {
	const service = %q, line = %d, below = %d, own = %q, theirs = %q, read = []
	const wait = (ms) => new Promise((r) => setTimeout(r, ms))
	const requests = [
		['GET', '/users/logged'], ['GET', '/auth/session'], ['GET', '/auth/sessions'], ['GET', '/lines'], ['GET', '/lines/' + line], ['GET', '/users'],
		['POST', '/lines/test', '{}'], ['PATCH', '/lines/extend/' + line, '{"credits":"1"}'], ['DELETE', '/lines/' + line],
		['PATCH', '/users/credits/' + below, '{"credits":"1"}'], ['PUT', '/users/' + below + '/block'], ['DELETE', '/auth/session'],
		['POST', '/auth/session', JSON.stringify({ username: 'joao', password: theirs })], ['POST', '/auth/session', JSON.stringify({ username: 'maria', password: own })],
	]
	for (const [method, path, body] of requests) {
		for (const mode of ['cors', 'no-cors', 'same-origin']) {
			for (const type of [undefined, 'text/plain', 'application/json']) {
				try {
					const answer = await fetch(service + path, { method, body, mode, credentials: 'include', headers: type && body ? { 'Content-Type': type } : {} })
					const text = await answer.text()
					if (text) read.push(mode + ' ' + method + ' ' + path + ': ' + text.slice(0, 100))
				} catch { /* refused, as it should be */ }
			}
		}
	}
	for (const [method, path, body] of requests.filter(([method]) => method !== 'PATCH' && method !== 'PUT' && method !== 'DELETE')) {
		for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
			const frame = document.createElement('iframe')
			frame.name = 'f' + Math.random()
			document.body.append(frame)
			const form = document.createElement('form')
			Object.assign(form, { method, action: service + path, enctype, target: frame.name })
			if (body) {
				const field = document.createElement('input') // a body of text/plain that is JSON
				const [name, ...value] = (body.slice(0, -1) + (body === '{}' ? '"x":"' : ',"x":"')).split('=')
				Object.assign(field, { name: name + value.join('='), value: '"}' })
				form.append(field)
			}
			document.body.append(form)
			form.submit()
			await wait(30)
		}
	}
	for (const path of ['/console', '/console/lines', '/users/logged', '/auth/session', '/lines']) {
		const frame = document.createElement('iframe')
		frame.src = service + path
		document.body.append(frame)
		const image = document.createElement('img')
		image.src = service + path
		const script = document.createElement('script')
		script.src = service + path
		document.body.append(image, script)
		const opened = window.open(service + path)
		await wait(400)
		for (const w of [frame.contentWindow, opened]) {
			try {
				if (w && w.document.body.innerText) read.push(path + ': ' + w.document.body.innerText.slice(0, 100))
			} catch { /* refused */ }
			try {
				w?.postMessage({ type: 'x' }, '*')
				if (w && (w.frames.length || w.length)) read.push('frames of ' + path)
			} catch { /* refused */ }
		}
		opened?.close()
	}
	await wait(500)
	return JSON.stringify(read)
})()`
