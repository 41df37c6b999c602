// Command unfold writes the openapi.json of a folder from its openapi.yaml, which has each repeated text once. It
// resolves anchors, aliases and merge keys, and has four rules of its own. The first member, shared, is for aliases
// alone and left out. "name: *absent" leaves a merged member out. "optional", in a schema, becomes "required" with all
// other properties. Statuses are sorted.
package main

import (
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	width  = 150 // of a line with a whole object or array, where one fits
	filled = 120 // of a line with some of an array's scalars
)

func main() {
	document, err := unfolded(os.Args[1])
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Args[1], "openapi.json"), []byte(document), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func unfolded(folder string) (document string, err error) {
	file, err := parser.ParseFile(filepath.Join(folder, "openapi.yaml"), 0)
	if err != nil {
		return "", err
	}
	root := anchors{}.part(file.Docs[0].Body)
	document = joined("{", root.parts[1:], "}").laid("", 0) + "\n"
	value := jsontext.Value(document) // no JSON where an alias has no anchor
	return document, value.Compact(jsontext.AllowDuplicateNames(false))
}

// part is a value, and its name where it is a member of an object.
type part struct {
	head  string // the name as JSON, with the colon
	text  string // the value as JSON, on one line
	parts []part // of an object or an array
}

// anchors are the values of aliases. Each comes before its aliases.
type anchors map[string]part

func (a anchors) part(node ast.Node) part {
	switch node := node.(type) {
	case *ast.AnchorNode:
		a["*"+node.Name.String()] = a.part(node.Value)
		return a["*"+node.Name.String()]
	case *ast.AliasNode:
		return a[node.String()]
	case *ast.SequenceNode:
		var parts []part
		for _, value := range node.Values {
			parts = append(parts, a.part(value))
		}
		return joined("[", parts, "]")
	case *ast.MappingNode:
		return joined("{", a.members(node), "}")
	case *ast.LiteralNode:
		return part{text: quoted(node.Value.Value)}
	case *ast.StringNode:
		return part{text: quoted(node.Value)}
	}
	return part{text: node.GetToken().Value}
}

// members returns the members of an object. One that overrides a merged one stays in its position.
func (a anchors) members(node *ast.MappingNode) (members []part) {
	at := func(head string) int { return slices.IndexFunc(members, func(p part) bool { return p.head == head }) }
	for _, entry := range node.Values {
		value := a.part(entry.Value)
		value.head = quoted(entry.Key.GetToken().Value) + ": "
		switch i := at(value.head); {
		case entry.Key.IsMergeKey():
			members = append(members, value.parts...)
		case i < 0:
			members = append(members, value)
		case entry.Value.String() == "*absent":
			members = slices.Delete(members, i, i+1)
		default:
			members[i] = value
		}
	}
	// statuses, in their order, from wherever they are merged
	if len(members) > 0 && `"1` < members[0].head && members[0].head < `"6` {
		slices.SortFunc(members, func(a, b part) int { return strings.Compare(a.head, b.head) })
	}
	if i, properties := at(`"optional": `), at(`"properties": `); i >= 0 && properties >= 0 {
		var required []part
		for _, p := range members[properties].parts {
			name := part{text: strings.TrimSuffix(p.head, ": ")}
			if !slices.ContainsFunc(members[i].parts, func(p part) bool { return p.text == name.text }) {
				required = append(required, name)
			}
		}
		members[i] = joined("[", required, "]")
		members[i].head = `"required": `
	}
	return members
}

func joined(open string, parts []part, end string) part {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.head + p.text
	}
	return part{text: open + strings.Join(texts, ", ") + end, parts: parts}
}

// laid returns the value from a column on: on that line where it fits, else by parts.
func (p part) laid(indent string, column int) string {
	if len(p.parts) == 0 || column+len(p.text) < width {
		return p.text
	}
	deeper, text, column := indent+"  ", p.text[:1], filled
	fill := p.text[0] == '[' && !slices.ContainsFunc(p.parts, func(p part) bool { return p.parts != nil })
	for i, q := range p.parts {
		item := q.head + q.laid(deeper, len(deeper+q.head))
		if i < len(p.parts)-1 {
			item += ","
		}
		if fill && column+1+len(item) <= filled {
			text, column = text+" "+item, column+1+len(item)
		} else {
			text, column = text+"\n"+deeper+item, len(deeper+item)
		}
	}
	return text + "\n" + indent + p.text[len(p.text)-1:]
}

func quoted(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return string(quoted)
}
