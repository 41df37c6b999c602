package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"resellerd/test/expect"
	_ "resellerd/test/rapidflags"

	"resellerd/test/require"
)

// TestEveryColorCanBeRead with any colour of a brand: the text on its buttons, and its links on light and on dark
// backgrounds. A readable link keeps the colour.
func TestEveryColorCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Color{rapid.Uint8().Draw(t, "red"), rapid.Uint8().Draw(t, "green"), rapid.Uint8().Draw(t, "blue")}
		if text := c.text(); text.contrast(c) < 4.5 || text != black && text != white {
			t.Errorf("%v on %v: %.2f", text, c, text.contrast(c))
		}
		for _, ground := range []Color{light, dark} {
			if link := c.link(ground); link.contrast(ground) < 4.5 || c.contrast(ground) >= 4.5 && link != c {
				t.Errorf("%v becomes %v on %v: %.2f, before %.2f", c, link, ground, link.contrast(ground), c.contrast(ground))
			}
		}
	})
}

// TestBrand serves a brand's pages: its name is text and not markup, its colours are the last rule, and its logo runs
// no script.
func TestBrand(t *testing.T) {
	t.Parallel()
	color, err := ParseColor("#FFCC00")
	require.NoError(t, err)
	b := Brand{Name: `A "TV" <b>&`, Color: color}
	require.NoError(t, b.ParseLogo(
		[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`)))
	served, policies := map[string]string{}, map[string]string{}
	for _, f := range Of(b).Files {
		got := httptest.NewRecorder()
		f.ServeHTTP(got, httptest.NewRequest(http.MethodGet, f.Path, nil))
		name := f.Path[strings.LastIndex(f.Path, "/")+1:]
		served[name], policies[name] = got.Body.String(), got.Header().Get("Content-Security-Policy")
	}
	if page := served["console"]; !strings.Contains(page, "<title>A &#34;TV&#34; &lt;b&gt;&amp;</title>") ||
		strings.Contains(page, "<b>") ||
		!strings.Contains(page, "/logo.svg\">") {
		t.Error(page)
	}
	expect.Equal(t, policies["logo.svg"], "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	expect.Equal(t, policies["icon.svg"], "")
	if style := served["style.css"]; !strings.HasSuffix(style,
		":root:root{--fill:#ffcc00;--on-fill:#000000;--main:light-dark(#8a6e00,#ffcc00);--focus:var(--main)}\n") {
		t.Error(style[len(style)-400:])
	}
	var manifest struct{ Name string }
	require.NoError(t, json.Unmarshal([]byte(served["manifest.webmanifest"]), &manifest))
	expect.Equal(t, manifest.Name, b.Name)
}

func TestLogos(t *testing.T) {
	t.Parallel()
	var small bytes.Buffer
	require.NoError(t, png.Encode(&small, image.NewGray(image.Rect(0, 0, 192, 100))))
	var b Brand
	if err := b.ParseLogo(small.Bytes()); err != nil || b.file() != "logo.png" ||
		!bytes.Contains(b.manifest(), []byte(`"sizes":"192x100"`)) {
		t.Errorf("%s: %v, %s", b.file(), err, b.manifest())
	}
	expect.Contains(t, fmt.Sprint(b.ParseLogo([]byte("<html><svg/></html>"))), "neither")
	for text, good := range map[string]bool{"": true, "#1D5BBF": true, "#12345": false, "#1d5bbf;": false} {
		_, err := ParseColor(text)
		expect.Equal(t, err == nil, good, "%q: %v", text, err)
	}
	for name, good := range map[string]bool{strings.Repeat("ã", 40): true, strings.Repeat("ã", 41): false} {
		if got, err := ParseName(" " + name); (err == nil) != good || good && got != name {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}
