package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"resellerd/test/documents"
)

// index is the page at the path of the guide itself.
const index = "README.md"

// sections are the folders of the pages, in the order of the navigation.
var sections = [][2]string{
	{"tutorial", "Tutorial"}, {"concepts", "Concepts"}, {"how-to", "How-to"}, {"reference", "Reference"},
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

var title = regexp.MustCompile(`(?m)^# +(.+)$`)

// guide has all pages, by their names below the docs.
type guide struct {
	sources map[string][]byte
	titles  map[string]string
	trees   map[string]ast.Node
	anchors map[string][]string
}

// render returns each page as HTML, by its name below the served guide.
func render(sources map[string][]byte) (pages map[string][]byte, err error) {
	g := &guide{sources, map[string]string{}, map[string]ast.Node{}, map[string][]string{}}
	pages = map[string][]byte{}
	for name, source := range sources {
		if path.Ext(name) != ".md" {
			err = errors.Join(err, fmt.Errorf("%s is not a page", name))
		}
		if found := title.FindSubmatch(source); found != nil {
			g.titles[name] = strings.ReplaceAll(string(found[1]), "`", "")
		} else {
			err = errors.Join(err, fmt.Errorf("%s has no title", name))
		}
		ids := &anchors{}
		g.trees[name] = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(
			parser.NewContext(parser.WithIDs(ids))))
		g.anchors[name] = *ids
	}
	for _, name := range sorted(g.sources) {
		err = errors.Join(err, g.resolve(name))
		var body, page bytes.Buffer
		err = errors.Join(err, markdown.Renderer().Render(&body, g.sources[name], g.trees[name]))
		err = errors.Join(err, layout.Execute(&page, g.shown(name, template.HTML(body.String()))))
		pages[pageOf(name)] = page.Bytes()
	}
	return pages, err
}

// pageOf returns the name of the served page of a source.
func pageOf(name string) string {
	if name == index {
		return "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// anchors are the ids of the headings of a page, as GitHub makes them.
type anchors []string

// Generate implements parser.IDs.
func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := documents.Anchor(string(heading))
	for i, first := 1, id; slices.Contains(*a, id); i++ {
		id = fmt.Sprintf("%s-%d", first, i)
	}
	*a = append(*a, id)
	return []byte(id)
}

// Put implements parser.IDs.
func (a *anchors) Put(id []byte) { *a = append(*a, string(id)) }

// up returns the way from a page to the path /docs/, below which the guide is.
func up(name string) string {
	if name == index {
		return ""
	}
	return strings.Repeat("../", 1+strings.Count(name, "/"))
}

// href returns the way from a page to another one.
func href(from, to string) string {
	if to == index {
		return up(from) + "guide"
	}
	return up(from) + "guide/" + strings.TrimSuffix(to, ".md")
}

// resolve changes the links of a page to served addresses. HTML, pictures and broken links are errors.
func (g *guide) resolve(name string) (err error) {
	complain := func(format string, args ...any) {
		err = errors.Join(err, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	var comments, outside []ast.Node
	_ = ast.Walk(g.trees[name], func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			if first := n.Lines().At(0); !bytes.HasPrefix(first.Value(g.sources[name]), []byte("<!--")) {
				complain("HTML is not shown: %s", first.Value(g.sources[name]))
			}
			comments = append(comments, n)
		case *ast.RawHTML:
			complain("HTML is not shown: %s", n.Segments.Value(g.sources[name]))
		case *ast.Image:
			complain("a picture is not shown: %s", n.Destination)
		case *ast.Link:
			to, wrong := url.Parse(string(n.Destination))
			if wrong != nil {
				complain("%v", wrong)
				return ast.WalkContinue, nil
			}
			if to.IsAbs() {
				return ast.WalkContinue, nil
			}
			linked := name
			if to.Path != "" {
				linked = path.Join(path.Dir(name), to.Path)
			}
			switch _, is := g.sources[linked]; {
			case linked == "../openapi.json":
				n.Destination = []byte(up(name) + "../openapi.json")
			case strings.HasPrefix(linked, "../"):
				outside = append(outside, n)
			case !is:
				complain("the link %s is broken", n.Destination)
			case to.Fragment != "" && !slices.Contains(g.anchors[linked], to.Fragment):
				complain("%s has no heading %s", linked, to.Fragment)
			case to.Path != "":
				n.Destination = []byte(href(name, linked))
				if to.Fragment != "" {
					n.Destination = append(n.Destination, "#"+to.Fragment...)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range comments {
		n.Parent().RemoveChild(n.Parent(), n)
	}
	for _, n := range outside {
		g.name(name, n.(*ast.Link)) //nolint:forcetypeassert // no others are among them
	}
	return err
}

// name replaces a link to a file that the service does not serve by its text and the path of the file.
func (g *guide) name(page string, link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		parent.InsertBefore(parent, link, child)
	}
	to, _, _ := strings.Cut(string(link.Destination), "#")
	file := ast.NewString([]byte(" (<code>" + template.HTMLEscapeString(path.Join("adapters/httpapi/docs", path.Dir(page), to)) +
		"</code>)"))
	file.SetCode(true) // it is written unchanged
	parent.ReplaceChild(parent, link, file)
}

// shown is the data of the layout.
type shown struct {
	Title, Up, Home string
	Body            template.HTML
	Sections        []section
}

type section struct {
	Title string
	Pages []entry
}

type entry struct {
	Title, Href string
	Current     bool
}

func (g *guide) shown(name string, body template.HTML) shown {
	s := shown{Title: g.titles[name], Up: up(name), Home: href(name, index), Body: body}
	for _, of := range sections {
		var pages []entry
		for _, other := range g.ordered(of[0]) {
			pages = append(pages, entry{g.titles[other], href(name, other), other == name})
		}
		if pages != nil {
			s.Sections = append(s.Sections, section{of[1], pages})
		}
	}
	return s
}

// ordered returns the pages of a folder: in the order in which the index links to them, then by name.
func (g *guide) ordered(folder string) (names []string) {
	for _, name := range sorted(g.sources) {
		if path.Dir(name) == folder {
			names = append(names, name)
		}
	}
	place := func(name string) int {
		if at := bytes.Index(g.sources[index], []byte("]("+name)); at >= 0 {
			return at
		}
		return len(g.sources[index])
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}

var layout = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · resellerd</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{{.Up}}pages.css">
<body class="guide">
<header><a href="{{.Up}}../">resellerd</a> <a href="{{.Home}}">Guide</a> <a href="{{.Up}}../docs">API reference</a>
<a href="#pages">All pages</a></header>
<main>
{{.Body}}</main>
<nav id="pages" aria-label="Pages">
{{range .Sections}}<h2>{{.Title}}</h2>
<ul>
{{range .Pages}}<li><a href="{{.Href}}"{{if .Current}} aria-current="page"{{end}}>{{.Title}}</a></li>
{{end}}</ul>
{{end}}</nav>
`))
