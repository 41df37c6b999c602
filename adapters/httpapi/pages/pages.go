// Package pages holds the API's pages for browsers: an index, and the documentation of its operations. They are in the
// binary and load nothing from other hosts. Links are relative, so that they work below any base path.
package pages

import (
	_ "embed"
	"regexp"

	"resellerd/adapters/webfile"
)

// Only the pages' own files are allowed. Redoc makes styles at run time, so its page may.
const (
	nothing     = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	indexPolicy = nothing + "; style-src 'self'; img-src data:"
	docsPolicy  = nothing +
		"; style-src 'self' 'unsafe-inline'; img-src 'self' data:; script-src 'self'; connect-src 'self'"
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

// Index is the page at the base path itself.
var Index = webfile.Short(webfile.File{Path: "/", Type: webfile.HTML, Policy: indexPolicy, Vary: "Accept"}, index)

var link = regexp.MustCompile(`href="([a-z./]+)"`)

// IndexBelow returns the same page for a path that is not the base path itself: its links name that.
func IndexBelow(basePath string) *webfile.File {
	f := webfile.File{Path: "/", Type: webfile.HTML, Policy: indexPolicy, Vary: "Accept"}
	return webfile.Short(f, link.ReplaceAll(index, []byte(`href="`+basePath+`/$1"`)))
}

// All are the pages with a path of their own, and their files.
var All = []*webfile.File{
	webfile.Short(webfile.File{Path: "/docs", Type: webfile.HTML, Policy: docsPolicy}, docs),
	webfile.Short(webfile.File{Path: "/docs/start.js", Type: webfile.JavaScript}, script),
	webfile.Short(webfile.File{Path: "/docs/pages.css", Type: webfile.CSS}, styles),
	webfile.Gzipped(webfile.File{Path: "/docs/redoc-2.5.4.js", Type: webfile.JavaScript, Forever: true}, redoc),
}
