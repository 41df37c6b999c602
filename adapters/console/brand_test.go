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

// TestEveryColorCanBeRead with any colour of a brand, in each theme: the text on its buttons, its links on the page and
// on its tint, and its outlines. Fills have the colour itself.
func TestEveryColorCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Color{rapid.Uint8().Draw(t, "red"), rapid.Uint8().Draw(t, "green"), rapid.Uint8().Draw(t, "blue")}
		for _, in := range []theme{light, dark} {
			is := map[string]Color{}
			for _, rule := range strings.Split(c.in(in), ";") {
				if name, value, _ := strings.Cut(rule, ":"); name != "--link-line" {
					found, err := ParseColor(value)
					require.NoError(t, err)
					is[strings.TrimPrefix(name, "--")] = *found
				}
			}
			expect.Equal(t, is["brand"], c)
			for _, pair := range []struct {
				of, on Color
				least  float64
			}{
				{is["on-brand"], c, 4.5}, {is["on-brand"], is["brand-hover"], 4.5}, {is["brand-text"], in.page, 4.5},
				{is["brand-text"], is["brand-tint"], 4.5}, {in.text, is["brand-tint"], 4.5}, {is["brand-edge"], in.page, 3},
			} {
				if ratio := pair.of.contrast(pair.on); ratio < pair.least {
					t.Errorf("%v: %v on %v has %.2f", is, pair.of, pair.on, ratio)
				}
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
		"\n:root[data-theme=light]{--brand:#ffcc00;--on-brand:#000000;--brand-hover:#ebbc00;--brand-text:#15181e;--brand-edge:#b38f08;--brand-tint:#fff7d6;--link-line:underline}\n"+
			":root[data-theme=dark]{--brand:#ffcc00;--on-brand:#000000;--brand-hover:#ebbc00;--brand-text:#ffcc00;--brand-edge:#ffcc00;--brand-tint:#2d2813;--link-line:none}\n") {
		t.Error(style[len(style)-500:])
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
