// Package pages implements the API's HTML pages for browsers: an index, the reference of its operations, and the guide
// for developers. The pages are in the binary and load nothing from other hosts. Links are relative, so that they work
// below any base path.
package pages

import (
	"embed"
	"io/fs"
	"regexp"
	"strings"

	"resellerd/adapters/webfile"
)

// The Content-Security-Policy of the pages allows only their own files. Redoc creates styles at run time, so its page
// may have inline styles.
const (
	nothing    = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	textPolicy = nothing + "; style-src 'self'; img-src data:"
	docsPolicy = nothing +
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
	//go:embed guide
	guide embed.FS
)

// Index is the page at the base path itself.
var Index = webfile.Short(webfile.File{Path: "/", Type: webfile.HTML, Policy: textPolicy, Vary: "Accept"}, index)

var link = regexp.MustCompile(`href="([a-z./]+)"`)

// IndexBelow returns the index for another path than the base path, with links to the base path.
func IndexBelow(basePath string) *webfile.File {
	f := webfile.File{Type: webfile.HTML, Policy: textPolicy, Vary: "Accept"}
	return webfile.Short(f, link.ReplaceAll(index, []byte(`href="`+basePath+`/$1"`)))
}

// All are the pages with their own path, and their files.
var All = append([]*webfile.File{
	webfile.Short(webfile.File{Path: "/docs", Type: webfile.HTML, Policy: docsPolicy}, docs),
	webfile.Short(webfile.File{Path: "/docs/start.js", Type: webfile.JavaScript}, script),
	webfile.Short(webfile.File{Path: "/docs/pages.css", Type: webfile.CSS}, styles),
	webfile.Gzipped(webfile.File{Path: "/docs/redoc-2.5.4.js", Type: webfile.JavaScript, Forever: true}, redoc),
}, guidePages()...)

// guidePages are the pages of the guide, which test/guide generates from the folder docs.
func guidePages() (pages []*webfile.File) {
	if err := fs.WalkDir(guide, "guide", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := guide.ReadFile(name)
		path := strings.TrimSuffix(strings.TrimSuffix("/docs/"+name, ".html"), "/index")
		pages = append(pages, webfile.Long(webfile.File{Path: path, Type: webfile.HTML, Policy: textPolicy}, content))
		return err
	}); err != nil {
		panic(err) // it is a part of the binary
	}
	return pages
}
