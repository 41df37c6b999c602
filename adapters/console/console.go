// Package console holds the web console: pages for admins, masters and resellers that use only the public API. They are
// the files beside this one, without their comments, and load nothing from other hosts.
//
// One hash of all files is in the path of each, so that a browser caches them for ever and never mixes two versions.
// The shell, which names them, is what /console and its deep links serve. Links are relative, so that they work below
// any base path.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"resellerd/adapters/webfile"
)

//go:embed files
var embedded embed.FS

// Policy is what the console's pages may do: run, show and request what is of this service, and nothing else. No text
// becomes a script or markup.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// deepLinks are the paths below /console at which it can be opened, the same as the screens of files/routes.js.
var deepLinks = []string{
	"", "/sign-in", "/lines", "/lines/:id", "/jobs", "/jobs/:id", "/resellers", "/resellers/:id", "/statement", "/activity", "/webhooks", "/webhooks/:id",
	"/keys", "/keys/:id", "/staff", "/staff/:id", "/sessions", "/proof", "/prices",
}

// shell is the page that is served there.
const shell = "index.html"

var types = map[string]string{".js": webfile.JavaScript, ".css": webfile.CSS, ".svg": webfile.SVG}

// isolated keeps the files from other origins.
var isolated = [2]string{"Cross-Origin-Resource-Policy", "same-origin"}

// folder is the files of the console.
type folder struct {
	names    []string // in order
	contents map[string][]byte
	hash     string
}

// Files returns all that the console serves. A path may have :id in it, which stands for any id.
func Files() []*webfile.File {
	all, err := screens().files()
	if err != nil {
		panic(err) // it is a part of the binary
	}
	return all
}

// Nowhere returns the pages, with status 404, for unknown paths below /console: the shell, which says so. That of a
// path with n slashes below /console/ is at index n.
func Nowhere() (pages []*webfile.File) {
	f := screens()
	for depth := range deepest {
		page := f.page(shell, "", strings.Repeat("../", depth))
		page.Status, page.Vary = http.StatusNotFound, "Accept"
		pages = append(pages, page)
	}
	return pages
}

// deepest is how many slashes an unknown path below /console may have to get such a page.
const deepest = 8

func screens() *folder {
	files, err := fs.Sub(embedded, "files")
	if err != nil {
		panic(err) // it is a part of the binary
	}
	f, err := read(files)
	if err != nil {
		panic(err)
	}
	return f
}

// read reads all files of a folder and of those in it.
func read(from fs.FS) (*folder, error) {
	f, sum := &folder{contents: map[string][]byte{}}, sha256.New()
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		content = withoutComments(name, content)
		f.names, f.contents[name] = append(f.names, name), content
		_, _ = fmt.Fprintf(sum, "%s\n%d\n%s", name, len(content), content) // a hash never fails
		return err
	})
	f.hash = hex.EncodeToString(sum.Sum(nil))[:16]
	return f, err
}

// withoutComments drops what only a reader of the source needs, a fifth of the modules that are ours: comments,
// indentation and empty lines. So no text has /** in it, nor // between spaces.
func withoutComments(name string, content []byte) []byte {
	if path.Ext(name) != ".js" || path.Dir(name) == "vendor" {
		return content
	}
	var code, kept []byte
	for found := true; found; {
		var before []byte
		before, content, found = bytes.Cut(content, []byte("/**"))
		_, content, _ = bytes.Cut(content, []byte("*/"))
		code, content = append(code, before...), bytes.TrimPrefix(content, []byte(" "))
	}
	for line := range bytes.Lines(code) {
		line, _, _ = bytes.Cut(bytes.TrimSpace(line), []byte(" // "))
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			kept = append(append(kept, line...), '\n')
		}
	}
	return kept
}

// files returns the shell at each deep link, and each other file but the pages.
func (f *folder) files() ([]*webfile.File, error) {
	all := f.pages(shell)
	for _, name := range f.names {
		if name == shell {
			continue
		}
		kind, known := types[path.Ext(name)]
		if !known {
			return nil, fmt.Errorf("%s: no type is known for such a file", name)
		}
		all = append(all, webfile.Long(webfile.File{
			Path: "/console/" + f.hash + "/" + name, Type: kind, Headers: [][2]string{isolated}, Forever: true, Untagged: true,
		}, f.contents[name]))
	}
	return all, nil
}

// pages returns a page at each deep link. It names files by "@/", which is replaced by their relative path from the
// deep link.
func (f *folder) pages(name string) (all []*webfile.File) {
	for _, link := range deepLinks {
		all = append(all, f.page(name, "/console"+link, []string{"console/", "", "../"}[strings.Count(link, "/")]))
	}
	return all
}

// page returns one of the pages; way is the path from it to its files.
func (f *folder) page(name, at, way string) *webfile.File {
	var modules strings.Builder
	for _, name := range f.names {
		// The texts are left out: a reader needs those of one language.
		if path.Ext(name) == ".js" && path.Dir(name) != "text" {
			fmt.Fprintf(&modules, "<link rel=\"modulepreload\" href=\"@/%s\">\n", name)
		}
	}
	text := strings.ReplaceAll(string(f.contents[name]), "<!-- modules -->\n", modules.String())
	return webfile.Long(webfile.File{
		Path: at, Type: webfile.HTML, Policy: Policy, Untagged: true,
		Headers: [][2]string{
			isolated,
			{"Cross-Origin-Opener-Policy", "same-origin"},
			{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
			{"X-Frame-Options", "DENY"},
		},
	}, []byte(strings.ReplaceAll(text, `"@/`, `"`+way+f.hash+"/")))
}
