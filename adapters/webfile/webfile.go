// Package webfile implements the HTTP answers for pages and their files in the binary: ETags, gzip, caching and a
// Content-Security-Policy. Each file is compressed at most once. The package does not know the contents.
package webfile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Types of content.
const (
	HTML       = "text/html; charset=utf-8"
	JavaScript = "text/javascript; charset=utf-8"
	CSS        = "text/css; charset=utf-8"
	SVG        = "image/svg+xml"
)

// File is the file of one path.
type File struct {
	Path     string // below the base path
	Type     string
	Policy   string      // its Content-Security-Policy, "" unless it is a document
	Headers  [][2]string // besides those of all files
	Forever  bool        // the path changes with the content, so browsers may cache it for ever
	Untagged bool        // it has no ETag: it is resent, or never requested again
	Vary     string      // request headers that the answer depends on, besides Accept-Encoding
	Status   int         // of the answer, 0: 200

	// If the binary has one form, the other is made at the first request for it.
	plain   func() []byte
	gzipped func() []byte // nil if the file is too short for it
	tag     string
}

// Site has the files of one part of the service for browsers.
type Site struct {
	// Files are all files. :id in a path matches any id.
	Files []*File
	// Nowhere are the pages, with status 404, for unknown paths below the site. Index n is for a path with n slashes
	// below it. Programs, and browsers at deeper paths, get a problem document.
	Nowhere []*File
}

// Short returns a file that is sent uncompressed.
func Short(f File, content []byte) *File {
	f.plain, f.tag = func() []byte { return content }, tagOf(content)
	return &f
}

// Long returns a file that is worth compressing.
func Long(f File, content []byte) *File {
	f.plain, f.tag = func() []byte { return content }, tagOf(content)
	f.gzipped = sync.OnceValue(func() []byte { return deflated(content) })
	return &f
}

// Gzipped returns a file of which the binary has only the compressed form.
func Gzipped(f File, content []byte) *File {
	f.gzipped, f.tag = func() []byte { return content }, tagOf(content)
	f.plain = sync.OnceValue(func() []byte { return inflated(content) })
	return &f
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// ServeHTTP serves the file, compressed if the client accepts that.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if f.Policy != "" {
		h.Set("Content-Security-Policy", f.Policy)
	}
	for _, header := range f.Headers {
		h.Set(header[0], header[1])
	}
	h.Set("Cache-Control", "no-cache") // it is revalidated, with 304 if it has a tag
	if f.Forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if f.Vary != "" {
		h.Add("Vary", f.Vary)
	}
	body, tag := f.plain, f.tag
	if f.gzipped != nil {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body, tag = f.gzipped, tag+"-gzip"
		}
	}
	if !f.Untagged {
		tag = `"` + tag + `"`
		h.Set("ETag", tag)
		if same(r, tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	content := body()
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a failure is the client's
	}
}

// Accepted reports whether a client requests a page: browsers name HTML in Accept, programs seldom do.
func Accepted(r *http.Request) bool {
	for media := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, parameters, _ := strings.Cut(media, ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") && weight(parameters) > 0 {
			return true
		}
	}
	return false
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

// weight reads the q of a media range or of a coding (RFC 9110, 12.4.2), 1 without a q.
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

// same reports whether the client has this version.
func same(r *http.Request, tag string) bool {
	for known := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == tag || known == "*" {
			return true
		}
	}
	return false
}

// writers are more than a megabyte each, and soon reused: a browser requests all files of a page at once.
var writers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

func deflated(plain []byte) []byte {
	var into bytes.Buffer
	w := writers.Get().(*gzip.Writer) //nolint:forcetypeassert // the pool makes no others
	defer writers.Put(w)
	w.Reset(&into)
	_, err := w.Write(plain)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writes to memory do not fail
	}
	return bytes.Clone(into.Bytes())
}

// inflated returns a compressed part of the binary.
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
