package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bug is a change of a part of a file: a text before it and one after it, in which number is the placeholder of the
// bug's number.
type bug struct {
	pkg      string // import path
	file     string // below the module's root
	line     int
	function string // such as domain/line Line.Activate
	kind     string
	what     string // is unique in the function
	from, to int    // of the part
	before   string
	after    string
	round    int    // a function gives its next bug when each other has given one
	lot      uint64 // orders a round
	number   int    // once it is planted
	draft    string // name of the file that takes the place of the bug's
}

// number is the placeholder of the number of a bug.
const number = "\x00"

// key is the same in each run, and mostly after other code was changed.
func (b *bug) key() string { return b.function + ": " + b.what }

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Name, Export      string
	DepOnly                            bool
	Module                             *struct{ Path string }
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// draw returns the bugs of all functions in packages, in the order that the seed gives them.
func draw(root, seed string, packages []listed) ([]*bug, error) {
	files := token.NewFileSet()
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var drawn []*bug
	for _, p := range packages {
		if p.DepOnly {
			continue
		}
		w := &writer{root: root, seed: seed, pkg: p, files: files,
			types: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, file)
		}
		var err error
		if w.checked, err = (&types.Config{Importer: imports}).Check(p.ImportPath, files, parsed, &w.types); err != nil {
			return nil, err
		}
		for _, file := range parsed {
			if ast.IsGenerated(file) {
				continue
			}
			text, err := os.ReadFile(files.Position(file.Pos()).Filename)
			if err != nil {
				return nil, err
			}
			w.text = string(text)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					drawn = append(drawn, w.function(f)...)
				}
			}
		}
	}
	slices.SortFunc(drawn, byLot)
	return drawn, nil
}

func byLot(a, b *bug) int { return cmp.Or(a.round-b.round, cmp.Compare(a.lot, b.lot)) }

// lot returns the same number for the same words.
func lot(words ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return binary.BigEndian.Uint64(sum[:])
}

// writer writes the bugs of a package.
type writer struct {
	root, seed string
	pkg        listed
	files      *token.FileSet
	types      types.Info
	checked    *types.Package
	text       string // of the file
	name       string // of the function
	bugs       []*bug // of the function
}

// function returns the bugs of a function. The kinds take turns: else most bugs would have the same kind.
func (w *writer) function(f *ast.FuncDecl) []*bug {
	w.name, w.bugs = f.Name.Name, nil
	if f.Recv != nil && len(f.Recv.List) == 1 {
		w.name = strings.TrimLeft(w.source(f.Recv.List[0].Type), "*") + "." + w.name
	}
	ast.PreorderStack(f.Body, nil, w.node)
	same, turns := map[string]int{}, map[string]int{}
	for _, b := range w.bugs {
		if same[b.what]++; same[b.what] > 1 {
			b.what += fmt.Sprintf(" (%d)", same[b.what])
		}
		b.lot = lot(w.seed, b.key())
	}
	slices.SortFunc(w.bugs, byLot)
	for _, b := range w.bugs {
		b.round, b.lot = turns[b.kind], lot(w.seed, b.function, b.kind)
		turns[b.kind]++
	}
	slices.SortFunc(w.bugs, byLot)
	for i, b := range w.bugs {
		b.round, b.lot = i, lot(w.seed, b.function)
	}
	return w.bugs
}

func (w *writer) offset(at token.Pos) int { return w.files.Position(at).Offset }

func (w *writer) source(n ast.Node) string { return w.text[w.offset(n.Pos()):w.offset(n.End())] }

// add adds a bug: a node, and the texts before and after it.
func (w *writer) add(kind string, n ast.Node, before, after, what string) {
	at := w.files.Position(n.Pos())
	file, _ := filepath.Rel(w.root, at.Filename)
	room, _ := filepath.Rel(w.root, w.pkg.Dir)
	w.bugs = append(w.bugs, &bug{pkg: w.pkg.ImportPath, file: filepath.ToSlash(file), line: at.Line, kind: kind,
		function: filepath.ToSlash(room) + " " + w.name, what: what, from: at.Offset, to: w.offset(n.End()),
		before: before, after: after})
}

const is = "mutant.Is(" + number + ")"

// node writes the bugs of a node. It returns whether to go on with the parts of it.
func (w *writer) node(n ast.Node, stack []ast.Node) bool {
	if s, ok := n.(ast.Stmt); ok && len(stack) > 0 {
		w.statement(s, stack[len(stack)-1])
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType:
		return false
	case *ast.IfStmt:
		if test, ok := n.Cond.(*ast.BinaryExpr); ok && test.Op == token.NEQ && w.isError(test.X) {
			w.add("error", test, "((", ") && !"+is+")", quoted(w.source(test))+" is ignored")
			break
		}
		w.condition(n.Cond, true)
		w.condition(n.Cond, false)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, test := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					w.condition(test, false)
				}
			}
		}
	case *ast.CompositeLit:
		// The key of an element of an array or a slice has to be a constant.
		if t := w.types.Types[n].Type; t != nil {
			switch t.Underlying().(type) {
			case *types.Array, *types.Slice:
				return !slices.ContainsFunc(n.Elts, func(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok })
			}
		}
	case ast.Expr:
		value := w.types.Types[n]
		if value.Value != nil {
			w.constant(n, value)
			return false
		}
		if b, ok := n.(*ast.BinaryExpr); ok {
			w.comparison(b)
		}
	}
	return true
}

// statement leaves one out.
func (w *writer) statement(s ast.Stmt, parent ast.Node) {
	switch p := parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	case *ast.CommClause:
		if p.Comm == s {
			return
		}
	default:
		return
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok || w.source(call.Fun) == "panic" {
			return
		}
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return w.source(e) != "_" }) {
			return
		}
	case *ast.IncDecStmt:
	default:
		return
	}
	w.add("statement", s, "if !"+is+" { ", " }", quoted(w.source(s))+" is left out")
}

// condition makes one always true or always false.
func (w *writer) condition(test ast.Expr, always bool) {
	with := " && !"
	if always {
		with = " || "
	}
	if w.types.Types[test].Value == nil {
		w.add("condition", test, "((", ")"+with+is+")", fmt.Sprintf("%s is always %t", quoted(w.source(test)), always))
	}
}

// flipped is what takes the place of a comparison.
var flipped = map[token.Token]string{token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=",
	token.GEQ: ">"}

// comparison flips one, and removes each condition of two.
func (w *writer) comparison(b *ast.BinaryExpr) {
	if b.Op == token.LAND || b.Op == token.LOR {
		w.condition(b.X, b.Op == token.LAND)
		w.condition(b.Y, b.Op == token.LAND)
	}
	op, is := flipped[b.Op], is
	if op == "" || w.isError(b.X) {
		return
	}
	was := w.source(b)
	becomes := w.source(b.X) + " " + op + " " + w.source(b.Y)
	what := quoted(was) + " becomes " + quoted(becomes)
	switch {
	case op == "!=" || op == "==":
		w.add("comparison", b, "((", ") != "+is+")", what)
	case !strings.Contains(was, "\n"): // an error of the compiler has to name the right line
		w.add("comparison", b, "("+is+" && "+becomes+" || !"+is+" && ", ")", what)
	}
}

// constant gives one another value. A text of more than one word is for people, or for a database that refuses it.
func (w *writer) constant(e ast.Expr, value types.TypeAndValue) {
	basic, ok := value.Type.Underlying().(*types.Basic)
	_, generic := value.Type.(*types.TypeParam)
	was := w.source(e)
	if !ok || generic || basic.Info()&types.IsUntyped != 0 || strings.Contains(was, "\n") {
		return
	}
	var other string
	switch {
	case basic.Info()&types.IsInteger != 0:
		other = was + " + 1"
	case basic.Info()&types.IsBoolean != 0:
		other = "!" + was
	case basic.Info()&types.IsString != 0 && !strings.Contains(constant.StringVal(value.Value), " "):
		other = was + ` + "~"`
	default:
		return
	}
	named := types.TypeString(value.Type, func(p *types.Package) string {
		if p == w.checked {
			return ""
		}
		return p.Name()
	})
	if named == "time.Duration" && constant.Sign(value.Value) != 0 { // one more would be a nanosecond
		other = "2 * (" + was + ")"
	}
	w.add("constant", e, "mutant.Changed["+named+"]("+number+", ", ", "+other+")", quoted(was)+" becomes "+quoted(other))
}

func (w *writer) isError(e ast.Expr) bool {
	t := w.types.Types[e].Type
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func quoted(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80]) + "..."
	}
	return "`" + text + "`"
}
