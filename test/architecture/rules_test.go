// Package architecture checks the rules of the source: which packages import which, where time and randomness come
// from, and the files of the top level. It checks the documents and their words, too.
package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "resellerd"

// A pattern is an import path, or one that ends in /... for it and all below.
// The words std and pure mean the standard library, pure the part of it
// that does no I/O and knows no encoding.
const (
	std  = "std"
	pure = "pure"
)

var impure = []string{
	"bufio", "crypto/rand", "database/...", "encoding/...", "io/fs", "io/ioutil", "log/...", "math/rand/...",
	"net/...", "os/...", "plugin", "syscall/...", "testing/...", "unsafe",
}

// row lists the packages that those in a folder may import, besides each other. A folder that
// ends in /. leaves its subfolders out. The first row that matches a package is its
// own.
type row struct {
	folder  string
	imports []string
}

var (
	domain = []string{pure, "github.com/shopspring/decimal", "golang.org/x/text/secure/precis",
		"golang.org/x/text/unicode/bidi", "golang.org/x/text/unicode/norm"}
	inside = []string{module + "/domain/...", module + "/ports/..."}
	kit    = module + "/adapters/storekit" // for stores alone
	listed = kit + "/fields"               // likewise
	// Packages that drive the application know its use cases, but not the ports of these.
	driving  = with(features, "*", module+"/domain/...", module+"/application")
	usecases = module + "/application/internal/usecase" // for features alone
	checks   = module + "/application/internal/auditing"
	features = []string{
		module + "/application/access", module + "/application/events", module + "/application/jobs",
		module + "/application/ledger", module + "/application/lines", module + "/application/prices",
		module + "/application/reports",
		module + "/application/resellers", module + "/application/webhooks",
	}
	web    = module + "/adapters/webfile"     // for packages that serve browsers
	tables = module + "/adapters/sheet"       // for packages that read and write CSV
	named  = module + "/adapters/regularfile" // for packages that read files that an operator names
	meant  = module + "/adapters/spelling"    // for packages that refuse unknown names
	// The embedded store, which has floors.
	embedded = module + "/adapters/sqlitestore"
)

var table = []row{
	{"domain/fault", domain},
	{"domain/credit", with(domain, module+"/domain/fault")},
	{"domain/profile", with(domain, module+"/domain/fault")},
	{"domain/reseller", with(domain, module+"/domain/fault", module+"/domain/credit", module+"/domain/profile")},
	{"domain/session", with(domain, module+"/domain/fault")},
	{"domain/plan", with(domain, module+"/domain/fault", module+"/domain/credit")},
	{"domain/line", with(domain, module+"/domain/fault", module+"/domain/credit", module+"/domain/profile",
		module+"/domain/reseller")},
	{"domain/journal", with(domain, module+"/domain/fault", module+"/domain/credit", module+"/domain/profile",
		module+"/domain/reseller", module+"/domain/line", module+"/domain/plan")},
	{"domain/webhook", with(domain, module+"/domain/fault", module+"/domain/journal")},
	{"domain/lease", domain},
	{"domain/message", with(domain, module+"/domain/profile")},
	{"domain/secondfactor", with(domain, module+"/domain/fault")},
	{"domain/principal", with(domain, module+"/domain/fault", module+"/domain/credit")},
	{"domain/bulk", with(domain, module+"/domain/fault", module+"/domain/line", module+"/domain/principal",
		module+"/domain/profile", module+"/domain/reseller", module+"/domain/session")},
	{"domain/.", nil},
	{"ports/record", with(domain, "context", module+"/domain/fault", "github.com/go-json-experiment/json/...")},
	{"ports", []string{"context", "time", module + "/domain/...", module + "/ports/record"}},
	{"application/audit", with(features, append(inside, std, checks, "github.com/shopspring/decimal")...)},
	{"application/transfer", with(inside, std, module+"/application/audit")},
	{"application/sandbox", with(inside, std, usecases, module+"/application", module+"/application/access",
		module+"/application/lines", module+"/application/prices", module+"/application/resellers")},
	{"application/background", with(inside, std, module+"/application", usecases, module+"/application/reminders",
		module+"/application/webhooks")},
	{"application/operate", with(inside, std, module+"/application", module+"/application/audit",
		module+"/application/transfer", module+"/application/rekey",
		module+"/application/reports", usecases)},
	{"application/internal/auditing", with(inside, std)},
	{"application/internal/usecase", with(inside, std)},
	{"application/dryrun", with(inside, std, usecases)},
	{"application/jobs", with(inside, std, usecases, checks, module+"/application/dryrun", module+"/application/lines")},
	{"application/lines", with(inside, std, usecases, checks, module+"/application/dryrun")},
	{"application/*", with(inside, std, usecases, checks)}, // a feature, which imports no other
	{"application", with(features, append(inside, std, usecases, module+"/application/reminders",
		module+"/application/rekey")...)},
	{"adapters/webfile", []string{std}},
	{"adapters/regularfile", []string{std}},
	{"adapters/sheet", []string{std, "golang.org/x/text/..."}},
	{"adapters/spelling", []string{std}},
	{"adapters/console", []string{std, web}}, // it knows the public API alone, and that from the browser
	{"adapters/httpserver", []string{std, "golang.org/x/net/netutil", named}},
	{"adapters/httpapi", with(driving, web, tables, meant)},
	{"adapters/cli", with(driving, module+"/application/...", tables, named, meant)},
	{"adapters/storekit/fields", with(inside, std, kit)},
	{"adapters/storekit", with(inside, std)},
	{"adapters/memstore", with(inside, std, kit)},
	// The floors of the embedded store, from the ground up.
	{"adapters/sqlitestore/internals", []string{"*"}},
	{"adapters/sqlitestore/engine", []string{"*", module + "/domain/fault", kit, named, embedded + "/internals"}},
	{"adapters/sqlitestore/walcheck", []string{"*", embedded + "/engine"}},
	{"adapters/sqlitestore/schema", []string{"*", module + "/ports", kit, embedded + "/engine"}},
	{"adapters/sqlitestore/rows", with(inside, "*", kit, listed, embedded+"/engine")},
	{"adapters/sqlitestore/archive", with(inside, "*", kit, listed, embedded+"/internals", embedded+"/engine", embedded+
		"/walcheck", embedded+"/schema", embedded+"/rows")},
	{"adapters/sqlitestore", with(inside, "*", kit, listed, embedded+"/...")},
	{"adapters/mongostore/gather", []string{std, module + "/domain/fault", kit}},
	{"adapters/mongostore", with(inside, "*", kit, listed, named, module+"/adapters/mongostore/gather")},
	{"adapters/servicekey", with(inside, "*", named)},
	{"adapters/backupfolder", with(inside, "*", named)},
	{"adapters/*", with(inside, "*")},
	{"bootstrap", with(inside, "*", module+"/application/...", module+"/adapters/...", module+"/bootstrap/...")},
}

// fence allows some imports, wherever they come from, in one folder only.
type fence struct {
	imports []string
	folder  string
}

var fences = []fence{
	{[]string{"github.com/gin-gonic/gin/...", "github.com/go-playground/validator/..."}, "adapters/httpapi"},
	{[]string{"database/sql/...", "modernc.org/sqlite/...", "modernc.org/libc", "zombiezen.com/go/sqlite/..."},
		"adapters/sqlitestore"},
	{[]string{"unsafe", "modernc.org/sqlite/...", "modernc.org/libc/..."}, "adapters/sqlitestore/internals"},
	{[]string{"go.mongodb.org/mongo-driver/..."}, "adapters/mongostore"},
	{[]string{kit, listed}, "adapters"},
	{[]string{"go.uber.org/fx/..."}, "bootstrap"},
	{[]string{"golang.org/x/net/netutil", "net/http/pprof"}, "adapters/httpserver"},
	{[]string{"github.com/alecthomas/kong/..."}, "adapters/cli"},
	{[]string{"github.com/prometheus/...", "go.opentelemetry.io/..."}, "adapters/telemetry"},
	{[]string{"code.dny.dev/ssrf/..."}, "adapters/webhooks"},
	{[]string{"github.com/pquerna/otp/..."}, "adapters/onetime"},
	{[]string{"rsc.io/qr/..."}, "adapters/httpapi"},
	{[]string{
		"testing/...", module + "/test/...", "github.com/stretchr/testify/...", "github.com/google/go-cmp/...",
		"github.com/getkin/kin-openapi/...", "pgregory.net/rapid/...", "go.uber.org/goleak/...",
		"github.com/anishathalye/porcupine/...",
		"github.com/standard-webhooks/...", "github.com/evanw/esbuild/...",
		"github.com/yuin/goldmark/...",
	}, "test"},
}

// admitted are folders that a fence lets through.
var admitted = []fence{
	{[]string{"zombiezen.com/go/sqlite/..."}, "adapters/cli/panels"}, // it reads databases of others
}

// arguments are the folders that get time and randomness as arguments.
var arguments = []string{"domain", "ports", "application"}

// generators are the packages and functions that would make them there.
var generators = map[string][]string{
	"time":         {"Now", "Since", "Until", "After", "AfterFunc", "NewTicker", "NewTimer", "Sleep", "Tick"},
	"crypto/rand":  nil,
	"math/rand":    nil,
	"math/rand/v2": nil,
}

var (
	topLevel = []string{"domain", "application", "adapters", "ports", "bootstrap", "test", "go.mod", "go.sum", "Makefile",
		"README.md"}
	topExtra = []string{"LICENSE", "CHANGELOG.md"}
)

func with(base []string, more ...string) []string { return append(slices.Clone(base), more...) }

func matches(pattern, imported string) bool {
	prefix, open := strings.CutSuffix(pattern, "/...")
	return imported == prefix || open && strings.HasPrefix(imported, prefix+"/")
}

func matchesAny(patterns []string, imported string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, imported) })
}

func within(folder, dir string) bool {
	if alone, only := strings.CutSuffix(folder, "/."); only {
		return dir == alone
	}
	if parent, each := strings.CutSuffix(folder, "/*"); each {
		return strings.HasPrefix(dir, parent+"/")
	}
	return dir == folder || strings.HasPrefix(dir, folder+"/")
}

// own is the folder that counts as one package family: of adapters each its own.
func own(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] == "adapters" && len(parts) > 1 {
		return strings.Join(parts[:2], "/")
	}
	return dir
}

func isStd(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != module
}

// rowOf returns the index of the row of a package, -1 if there is none.
func rowOf(dir string) int {
	return slices.IndexFunc(table, func(r row) bool { return within(r.folder, dir) })
}

// allowed reports whether the row lets a package in dir import this.
func (r row) allowed(dir, imported string) bool {
	if target := strings.TrimPrefix(imported, module+"/"); within(own(dir), target) && rowOf(target) == rowOf(dir) {
		return true
	}
	for _, pattern := range r.imports {
		switch pattern {
		case "*":
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				return true
			}
		case std:
			if isStd(imported) {
				return true
			}
		case pure:
			if isStd(imported) && !matchesAny(impure, imported) {
				return true
			}
		default:
			if matches(pattern, imported) {
				return true
			}
		}
	}
	return false
}

// checkImports checks a file of the product against the table and the fences.
func checkImports(f source) (found []string) {
	at := rowOf(f.dir)
	if at < 0 {
		return []string{fmt.Sprintf("%s: no row of the import table covers %s", f.name, f.dir)}
	}
	for _, spec := range f.tree.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if !table[at].allowed(f.dir, imported) {
			found = append(found, fmt.Sprintf("%s: %s may not import %s", f.name, f.dir, imported))
		}
		for _, kept := range fences {
			through := func(a fence) bool { return matchesAny(a.imports, imported) && within(a.folder, f.dir) }
			if matchesAny(kept.imports, imported) && !within(kept.folder, f.dir) && !slices.ContainsFunc(admitted, through) {
				found = append(found, fmt.Sprintf("%s: only %s may import %s", f.name, kept.folder, imported))
			}
		}
	}
	return found
}

// checkGenerators finds time and randomness that a package makes itself.
func checkGenerators(f source) (found []string) {
	if !slices.ContainsFunc(arguments, func(folder string) bool { return within(folder, f.dir) }) {
		return nil
	}
	names := map[string][]string{}
	for _, spec := range f.tree.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		made, listed := generators[imported]
		switch {
		case !listed:
		case made == nil:
			found = append(found, fmt.Sprintf("%s: randomness is an argument here, not %s", f.name, imported))
		case spec.Name != nil:
			names[spec.Name.Name] = made
		default:
			names[path.Base(imported)] = made
		}
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(names[x.Name], selector.Sel.Name) {
			found = append(found, fmt.Sprintf("%s: time is an argument here, not %s.%s", f.at(selector), x.Name,
				selector.Sel.Name))
		}
		return true
	})
	return found
}

// checkDeclarations finds code in the ports: a function there is one return.
func checkDeclarations(f source) (found []string) {
	if f.dir != "ports" { // records are written and read below
		return nil
	}
	for _, declared := range f.tree.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		if len(function.Body.List) == 1 {
			if _, returns := function.Body.List[0].(*ast.ReturnStmt); returns {
				continue
			}
		}
		found = append(found, fmt.Sprintf("%s: ports have no code, but %s does more than return", f.at(function),
			function.Name.Name))
	}
	return found
}

// plainOf returns the types of the ports that are plain records, and no ports.
func plainOf(files []source) map[string]bool {
	plain := map[string]bool{}
	for _, f := range files {
		if f.test || f.dir != "ports" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if declared, ok := n.(*ast.TypeSpec); ok {
				_, plain[declared.Name.Name] = declared.Type.(*ast.StructType)
			}
			return true
		})
	}
	return plain
}

// checkAssertions finds assertions of types of the ports except plain records. A store's optional abilities come from
// its Parts, which a wrapper passes on.
func checkAssertions(f source, plain map[string]bool) (found []string) {
	asserted := func(types ...ast.Expr) {
		for _, t := range types {
			ast.Inspect(t, func(n ast.Node) bool {
				if port, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := port.X.(*ast.Ident); ok && x.Name == "ports" && !plain[port.Sel.Name] {
						found = append(found, fmt.Sprintf("%s: asserts ports.%s: use Parts", f.at(port), port.Sel.Name))
					}
				}
				return true
			})
		}
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				asserted(n.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				asserted(clause.(*ast.CaseClause).List...)
			}
		}
		return true
	})
	return found
}

// mostWiring is how many lines bootstrap may have, without its tests.
const mostWiring = 1_600

// mostInternals is how many lines of the embedded store may reach into its driver.
const mostInternals = 300

// checkInternals checks the size of the code that uses the driver's internals.
func checkInternals(files []source) (found []string) {
	lines := 0
	for _, f := range files {
		if !f.test && within("adapters/sqlitestore/internals", f.dir) {
			lines += f.positions.File(f.tree.FileStart).LineCount()
		}
	}
	if lines > mostInternals {
		found = append(found, fmt.Sprintf("adapters/sqlitestore/internals: %d lines, at most %d", lines, mostInternals))
	}
	return found
}

// checkWiring checks the size of bootstrap, and finds types there that implement a port. Such a type declares at least
// one method of an interface of ports here, and has the others here or from an embedded port.
func checkWiring(files []source) (found []string) {
	lines := 0
	declared := map[string]map[string]source{} // methods by the type that has them, and where
	ports, embedded := map[string][]string{}, map[string][]string{}
	for _, f := range files {
		switch {
		case f.test:
		case within("ports", f.dir):
			interfaces(f, ports)
		case within("bootstrap", f.dir) && !ast.IsGenerated(f.tree):
			lines += f.positions.File(f.tree.FileStart).LineCount()
			methods(f, declared, embedded)
		}
	}
	if lines > mostWiring {
		found = append(found, fmt.Sprintf("bootstrap: %d lines, at most %d: it wires, and does nothing else", lines,
			mostWiring))
	}
	for name, own := range declared {
		for port := range ports {
			wanted := methodsOf(ports, port)
			here := slices.DeleteFunc(slices.Clone(wanted), func(m string) bool { return own[m].tree == nil })
			missing := slices.DeleteFunc(slices.Clone(wanted), func(m string) bool {
				return own[m].tree != nil || slices.ContainsFunc(embedded[name], func(e string) bool {
					return slices.Contains(methodsOf(ports, e), m)
				})
			})
			if len(here) > 0 && len(missing) == 0 {
				found = append(found, fmt.Sprintf("%s: %s implements ports.%s: that is an adapter's", own[here[0]].name,
					name, port))
			}
		}
	}
	return found
}

// interfaces adds the interfaces of a file: the names of their methods, and with a dot before them those of interfaces
// that they embed.
func interfaces(f source, all map[string][]string) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if i, ok := spec.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				if embedded, ok := m.Type.(*ast.Ident); ok {
					all[spec.Name.Name] = append(all[spec.Name.Name], "."+embedded.Name)
				}
				for _, name := range m.Names {
					all[spec.Name.Name] = append(all[spec.Name.Name], name.Name)
				}
			}
		}
		return false
	})
}

// methodsOf returns the methods of an interface, those of the embedded ones among them.
func methodsOf(all map[string][]string, name string) (methods []string) {
	for _, m := range all[name] {
		if embedded, is := strings.CutPrefix(m, "."); is {
			methods = append(methods, methodsOf(all, embedded)...)
		} else {
			methods = append(methods, m)
		}
	}
	return methods
}

// methods adds the methods that a file declares, by their types, and the ports that its types embed.
func methods(f source, declared map[string]map[string]source, embedded map[string][]string) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				break
			}
			of := n.Recv.List[0].Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			if name, ok := of.(*ast.Ident); ok {
				if declared[name.Name] == nil {
					declared[name.Name] = map[string]source{}
				}
				declared[name.Name][n.Name.Name] = f
			}
		case *ast.TypeSpec:
			fields, ok := n.Type.(*ast.StructType)
			if !ok {
				break
			}
			for _, field := range fields.Fields.List {
				if port, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 && fmt.Sprint(port.X) == "ports" {
					embedded[n.Name.Name] = append(embedded[n.Name.Name], port.Sel.Name)
				}
			}
		}
		return true
	})
}

// checkTopLevel checks the names at the root, without hidden and ignored ones, against the fixed list.
func checkTopLevel(names []string) (found []string) {
	for _, name := range names {
		if !slices.Contains(topLevel, name) && !slices.Contains(topExtra, name) {
			found = append(found, name+": does not belong at the top level")
		}
	}
	for _, name := range topLevel {
		if !slices.Contains(names, name) {
			found = append(found, name+": is missing at the top level")
		}
	}
	return found
}

// source is a parsed file; name and dir are relative to the module's root.
type source struct {
	name, dir string
	test      bool // part of a test: in *_test.go or under test/
	tree      *ast.File
	positions *token.FileSet
}

func (f source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.name, f.positions.Position(n.Pos()).Line)
}
