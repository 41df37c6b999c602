// Package console implements the web console: pages for administrators, masters and resellers that use only the public
// API. The binary has the files below this folder, minified. They load nothing from other hosts.
//
// All modules are bundled into one file, so that a browser needs one request for them. The path of each file has a hash
// of all files: a browser caches them for ever and never mixes two versions. /console and its deep links serve the
// shell, which names the files. Links are relative, so that they work below any base path.
//
// # Conventions of the modules
//
// Requests:
//
//   - A form sends only what the user chose, and no times or random values: a retry must be identical. While
//     form.frozen, no balance is shown with its result. A form's name is unique for the user and names the object,
//     such as 'extend 7'. Its payer is the account whose statement has the movement. Its place is the address at
//     which its answer shows a secret. Fields that the tab must not store are in secret.
//   - A page of a list may be short or empty and not the last. useRows reads until there are rows or no more pages,
//     and stops after 20 empty pages. Filters are in the address (setQuery). made() is when the list was opened:
//     windows of time use it, so that they do not move.
//   - A hidden tab sends no request. No timer repeats one, with two exceptions: the attempts of a webhook for half a
//     minute after something was sent to it, and a running job, are read each second. feed.js waits for events with a
//     request.
//   - Long content is a link with download, or is read row by row (stream).
//
// Rights and texts:
//
//   - No button is shown, and nothing is read, without the right to it: may and can in session.js. A refusal for lack
//     of a scope reads them again.
//   - A text of a user is a child of an element. The console never makes markup of it and never uses innerHTML.
//     Addresses go through href.
//   - The price on the button is the price paid, also where the browser translates the page. Amounts, names,
//     passwords and buttons that spend have translate=${false}: use Credits and exact(key, values). The form compares
//     data-exact when it is sent.
//   - A failure ends in a sentence and a next step: Failure, ByHand, or the shell's own sentence.
//   - Success is one line that goes away (done.js). A failure stays until it is read.
//   - useMessages reads the templates once for each sign-in, and textOf(kind, line) makes the message. A row whose
//     placeholder has no value is left out, so a list, which has no passwords, checks needsPassword first. Where
//     dialled(written, country) is empty, the link has no number.
//   - A secret that an answer shows once is in the memory of its screen only.
//
// Numbers and time:
//
//   - Credits are texts. Sums and comparisons use units, ofUnits and less of format.js. amountOf reads typed credits
//     by the signs of the language and does not guess.
//   - The present is now() of clock.js, the service's time.
//   - A number in a condition becomes a text: write ${!!count && html...}.
//   - Types are JSDoc, and TypeScript checks them in test/clients. Write a path out (/lines/${id}), so that ask and
//     useRead know the answer.
//
// Layout:
//
//   - Styles are classes in four layers: tokens.css has each colour and size, base.css the elements, parts.css the
//     parts, such as buttons and tables, and screens.css how screens lay them out. Properties are logical. The page
//     /console/parts of a sandbox shows each part in each state.
//   - Targets have 44 pixels on phones and 36 on desks. A state has a word and an icon besides its colour. Widths are
//     in em, so that texts of twice the size fit. A screen has at most one primary button.
//   - Icons are paths in icons.js, copied from Lucide.
//   - Content that loads later must not move the screen: its place is reserved (Balance, Chart, Figures,
//     PriceChoice), or it appears together with the content below it (Home).
//   - A brand's colour fills buttons (--brand, text --on-brand). Links use a readable shade of it (--brand-text), and
//     outlines one with a contrast of 3 (--brand-edge).
//   - The sign-in loads at most 60 KB compressed. What is behind it is in inside.js, which is loaded while one types.
//
// # What the browser stores
//
//   - A cookie: the session. No script reads it.
//   - sessionStorage: the typed values of each form, and after sending the request with its key, until an answer came.
//     The request may have a password, because an identical retry needs it. Unsent values go with cancel or sign-out.
//   - history.state: for each entry the position of its list, and the result that it shows.
//   - localStorage: who is signed in, until sign-out; the language, the theme, whether single letters work; and of each
//     account the price that it renewed for last, how many credits it moved last, the lines that a queue of reminders
//     passed today, and whether the first steps are hidden.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"resellerd/adapters/webfile"
)

//go:generate go run -tags nomsgpack ../../test/bundle files served

//go:embed served
var embedded embed.FS

// policy is the Content-Security-Policy of the pages: they run, show and request files of this service only. No text
// becomes a script or markup. The only script within the page is allowed by its hash.
const policy = "default-src 'none'; script-src 'self' '%s'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// deepLinks are the paths below /console that open the console, the same as the screens of files/routes.js.
var deepLinks = []string{
	"", "/sign-in", "/lines", "/lines/:id", "/jobs", "/jobs/:id", "/resellers", "/resellers/:id", "/statement",
	"/activity", "/webhooks", "/webhooks/:id",
	"/keys", "/keys/:id", "/staff", "/staff/:id", "/messages", "/sessions", "/proof", "/prices",
}

const (
	shell     = "index.html" // the page at each deep link
	beginning = "begin.js"   // the script within the shell
	styles    = "style.css"
	manifest  = "manifest.webmanifest"
	app       = "app.js"
	chunk     = `<link rel="modulepreload" href="@/chunk.js">` // what app.js imports
	parts     = "parts.js"                                     // in place of app.js, at /console/parts
)

var types = map[string]string{
	".html": webfile.HTML, ".js": webfile.JavaScript, ".map": "application/json", ".css": webfile.CSS, ".svg": webfile.SVG,
	".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg",
	".webmanifest": "application/manifest+json",
}

// isolated keeps other origins from loading the files.
var isolated = [2]string{"Cross-Origin-Resource-Policy", "same-origin"}

// Of returns the pages of an operator's brand. The page for an unknown path is the shell, which shows a message.
func Of(brand Brand) *webfile.Site {
	bundle, err := fs.Sub(embedded, "served")
	if err != nil {
		panic(err) // it is a part of the binary
	}
	f, err := build(bundle, brand)
	if err != nil {
		panic(err)
	}
	p := &webfile.Site{}
	for _, name := range slices.Sorted(maps.Keys(f.served)) {
		file := webfile.File{
			Path: "/console/" + f.hash + "/" + name, Type: types[path.Ext(name)], Headers: [][2]string{isolated}, Forever: true,
			Untagged: true,
		}
		if name == brand.file() {
			file.Policy = logoPolicy
		}
		p.Files = append(p.Files, webfile.Long(file, f.served[name]))
	}
	for _, link := range deepLinks {
		p.Files = append(p.Files, f.page("/console"+link, []string{"console/", "", "../"}[strings.Count(link, "/")]))
	}
	if brand.Parts {
		of := *f
		of.shell = strings.NewReplacer(app, parts, chunk, "").Replace(f.shell)
		p.Files = append(p.Files, of.page("/console/parts", ""))
	}
	for depth := range deepest {
		page := f.page("", strings.Repeat("../", depth))
		page.Status, page.Vary = http.StatusNotFound, "Accept"
		p.Nowhere = append(p.Nowhere, page)
	}
	return p
}

// deepest bounds the slashes of an unknown path below /console that gets a page.
const deepest = 8

// folder has the files to serve.
type folder struct {
	served map[string][]byte // by the path below the hash
	hash   string
	shell  string // with the script in it
	policy string
}

// build returns the files to serve for a bundle and a brand.
func build(bundle fs.FS, brand Brand) (*folder, error) {
	f := &folder{served: map[string][]byte{}}
	if err := fs.WalkDir(bundle, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if types[path.Ext(name)] == "" {
			return fmt.Errorf("%s: no type is known for such a file", name)
		}
		f.served[name], err = fs.ReadFile(bundle, name)
		return err
	}); err != nil {
		return nil, err
	}
	begin := bytes.TrimSpace(f.served[beginning])
	sum := sha256.Sum256(begin)
	f.policy = fmt.Sprintf(policy, "sha256-"+base64.StdEncoding.EncodeToString(sum[:]))
	f.shell = strings.NewReplacer(
		"{{name}}", html.EscapeString(brand.name()), "{{icon}}", brand.icon(), "{{begin}}", string(begin),
	).Replace(string(f.served[shell]))
	delete(f.served, shell)
	delete(f.served, beginning)
	if !brand.Parts {
		delete(f.served, parts)
		delete(f.served, parts+".map")
	}
	f.served[styles] = append(f.served[styles], brand.styles()...)
	f.served[manifest] = brand.manifest()
	if brand.Logo != nil {
		f.served[brand.file()] = brand.Logo
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.served)) {
		_, _ = fmt.Fprintf(all, "%s\n%d\n%s", name, len(f.served[name]), f.served[name]) // a hash never fails
	}
	_, _ = fmt.Fprint(all, f.shell)
	f.hash = hex.EncodeToString(all.Sum(nil))[:16]
	return f, nil
}

// page returns the shell at a path. way is the relative path to the files, and replaces "@/" in the shell.
func (f *folder) page(at, way string) *webfile.File {
	return webfile.Long(webfile.File{
		Path: at, Type: webfile.HTML, Policy: f.policy, Untagged: true,
		Headers: [][2]string{
			isolated,
			{"Cross-Origin-Opener-Policy", "same-origin"},
			{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
			{"X-Frame-Options", "DENY"},
		},
	}, []byte(strings.ReplaceAll(f.shell, `"@/`, `"`+way+f.hash+"/")))
}
