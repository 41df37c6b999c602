// Package pages holds what a browser is shown: an index, and the pages of the API. They are made of the binary alone and
// ask no other host for anything. Links are relative, so that they hold below any base path.
package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Page is what one path serves.
type Page struct {
	// Path is where it is, below the base path.
	Path string

	contentType string
	policy      string        // its Content-Security-Policy, "" for what is no document
	forever     bool          // the path changes with the content
	vary        string        // which of the request's headers decide what is answered
	gzipped     []byte        // nil where it is too short to be worth it
	plain       func() []byte // made when the first client asks that does not take the other
	tag         string
}

// Nothing is allowed but what the pages are made of. Redoc makes styles as it goes, so that its page may.
const (
	nothing     = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	indexPolicy = nothing + "; style-src 'self'; img-src data:"
	docsPolicy  = nothing + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; script-src 'self'; connect-src 'self'"
)

var (
	//go:embed index.html
	index []byte
	//go:embed docs.html
	docs []byte
	//go:embed start.js
	script []byte
	//go:embed pages.css
	styles []byte
	//go:embed redoc/redoc.standalone.js.gz
	redoc []byte
)

const (
	html       = "text/html; charset=utf-8"
	javaScript = "text/javascript; charset=utf-8"
)

// Index is what the base path itself shows those who accept a page.
var Index = short(Page{Path: "/", contentType: html, policy: indexPolicy, vary: "Accept"}, index)

// All are the pages with a path of their own, and what they are made of.
var All = []*Page{
	short(Page{Path: "/docs", contentType: html, policy: docsPolicy}, docs),
	short(Page{Path: "/docs/start.js", contentType: javaScript}, script),
	short(Page{Path: "/docs/pages.css", contentType: "text/css; charset=utf-8"}, styles),
	long(Page{Path: "/docs/redoc-2.5.4.js", contentType: javaScript, forever: true}, redoc),
}

func short(p Page, content []byte) *Page {
	p.plain, p.tag = func() []byte { return content }, tagOf(content)
	return &p
}

func long(p Page, gzipped []byte) *Page {
	p.gzipped, p.tag, p.vary = gzipped, tagOf(gzipped), "Accept-Encoding"
	p.plain = sync.OnceValue(func() []byte { return inflated(gzipped) })
	return &p
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Accepted reports whether a client asks for a page rather than for whatever there is: browsers name HTML, programs
// seldom do.
func Accepted(r *http.Request) bool {
	for media := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, parameters, _ := strings.Cut(media, ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") && weight(parameters) > 0 {
			return true
		}
	}
	return false
}

// weight reads the q of a media range or of a coding (RFC 9110, 12.4.2), 1 where there is none.
func weight(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}

// ServeHTTP serves the page, compressed to who takes that.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", p.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if p.policy != "" {
		h.Set("Content-Security-Policy", p.policy)
	}
	h.Set("Cache-Control", "no-cache") // it is asked for again, and answered with 304
	if p.forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if p.vary != "" {
		h.Set("Vary", p.vary)
	}
	body, tag := p.plain, p.tag
	if p.gzipped != nil && takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = func() []byte { return p.gzipped }, tag+"-gzip"
	}
	tag = `"` + tag + `"`
	h.Set("ETag", tag)
	if same(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body())))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body()) // who does not take it has it not
	}
}

func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return weight(parameters) > 0
		}
	}
	return false
}

// same reports whether the client has this very version.
func same(r *http.Request, tag string) bool {
	for known := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == tag || known == "*" {
			return true
		}
	}
	return false
}

func inflated(gzipped []byte) []byte {
	from, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		panic(err) // it is a part of the binary
	}
	plain, err := io.ReadAll(from)
	if err != nil {
		panic(err)
	}
	return plain
}
