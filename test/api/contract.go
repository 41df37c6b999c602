package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Contract returns the document that every exchange is held against: openapi.json, made as exact as the program is.
var Contract = sync.OnceValue(func() Document {
	doc, err := loadContract()
	if err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err))
	}
	return doc
})

// Document is the OpenAPI document.
type Document struct {
	*openapi3.T
	Text []byte // as published
}

// published returns openapi.json.
func published() ([]byte, error) { return source("adapters/httpapi/openapi.json") }

// source returns a file of the module.
func source(name string) ([]byte, error) {
	root, err := os.Getwd() // of the tests, which is the folder of their package
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		if parent := filepath.Dir(root); parent != root {
			root = parent
		} else {
			err = errors.New("no folder above has a go.mod")
		}
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
}

func loadContract() (Document, error) {
	text, err := published()
	if err != nil {
		return Document{}, err
	}
	exact, err := exactly(text)
	if err != nil {
		return Document{}, err
	}
	doc, err := read(exact)
	if err != nil {
		return Document{}, fmt.Errorf("with exact.json: %w", err)
	}
	return Document{doc, text}, nil
}

// read reads a document and validates it, its examples included.
func read(text []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
}

// Route finds the operation that serves a path, nil where there is none. A
// literal path goes before one with an id in its place.
func (d Document) Route(method, path string) *routers.Route {
	for _, fits := range []func(template string) bool{
		func(template string) bool { return template == path },
		func(template string) bool { return idIn(template, path) != "" },
	} {
		for template, item := range d.Paths.Map() {
			if op := item.GetOperation(method); op != nil && fits(template) {
				return &routers.Route{Spec: d.T, Path: template, PathItem: item, Method: method, Operation: op}
			}
		}
	}
	return nil
}

// idIn returns what stands in path where template has {id}, or {username}, "" where the path is another.
func idIn(template, path string) string {
	prefix, suffix, has := strings.Cut(strings.Replace(template, "{username}", "{id}", 1), "{id}")
	id, starts := strings.CutPrefix(path, prefix)
	id, ends := strings.CutSuffix(id, suffix)
	if !has || !starts || !ends || strings.Contains(id, "/") {
		return ""
	}
	return id
}

// check holds an exchange against the document: the response always, the request where it succeeded. The path is the
// one below the prefix. The checker compiles a schema for each value, so of exchanges that are alike only the
// first is held against it.
func (d Document) check(t testing.TB, r *http.Request, path string, sent []byte, a Answer) {
	t.Helper()
	if _, known := checked.LoadOrStore(d.likeness(r, path, sent, a), true); known {
		return
	}
	if err := d.Violation(r, path, sent, a); err != nil {
		t.Errorf("%s: the exchange breaks openapi.json: %s", a.Request, Payload(err.Error()))
	}
}

// checked are the likenesses of exchanges that were held against the document.
var checked sync.Map

// likeness is all of an exchange that the document can be broken by: everything but what is any text, any number above
// 9 or an instant, how many records of a list are alike, and where a page ends. Caller.Send compares the request id,
// the instance and the link to the next page.
func (d Document) likeness(r *http.Request, path string, sent []byte, a Answer) string {
	header := a.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} {
		header.Del(name)
	}
	if link := header.Get("Link"); plainLink.MatchString(link) {
		header.Set("Link", "a link")
	}
	template := ""
	if route := d.Route(r.Method, path); route != nil {
		template = route.Path
	}
	parts := []any{r.Method, template, a.Status, header, like("", map[string]any(a.Fields))}
	if a.Status < 300 {
		var body any
		if err := json.Unmarshal(sent, &body); err != nil {
			body = string(sent)
		}
		id, query := idIn(template, path), r.URL.Query()
		if plainID.MatchString(id) {
			id = "an id"
		}
		if query.Get("cursor") != "" {
			query.Set("cursor", "a cursor")
		}
		parts = append(parts, id, query, r.Header.Get("Content-Type"), len(r.Header.Get("Idempotency-Key")), like("", body))
	}
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // it came out of JSON
	}
	return string(text)
}

var (
	plainID   = regexp.MustCompile(`^[1-9][0-9]*$`)
	plainLink = regexp.MustCompile(`^</[!-;=?-~]+>; rel="next"$`)
)

// like replaces in a value what the schemas make no difference of.
func like(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, field := range v {
			all[name] = like(name, field)
		}
		return all
	case []any:
		var different []any
		for _, element := range v {
			if l := like(name, element); !slices.ContainsFunc(different, func(other any) bool {
				return reflect.DeepEqual(l, other)
			}) {
				different = append(different, l)
			}
		}
		return different
	case json.Number:
		if len(v) > 1 && plainID.MatchString(v.String()) {
			return "a number"
		}
	case string:
		anyText := slices.Contains([]string{"username", "password", "token", "notes", "request_id", "instance",
			"next_cursor"}, name)
		if anyText && v != "" || ISO.MatchString(v) {
			return "a text"
		}
	}
	return value
}

// Violation returns how an exchange breaks the document, nil where it does not.
func (d Document) Violation(r *http.Request, path string, sent []byte, a Answer) error {
	ctx := context.Background()
	route := d.Route(r.Method, path)
	if route == nil {
		if a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
			return fmt.Errorf("status %d from no route", a.Status)
		}
		return d.Components.Schemas["Problem"].Value.VisitJSON(map[string]any(a.Fields))
	}
	options := &openapi3filter.Options{
		IncludeResponseStatus: true,
		SkipSettingDefaults:   true,
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
	}
	request := r.Clone(ctx)
	request.Body = io.NopCloser(bytes.NewReader(sent))
	input := &openapi3filter.RequestValidationInput{Request: request, Route: route, Options: options}
	if id := idIn(route.Path, path); id != "" {
		input.PathParams = map[string]string{"id": id, "username": id}
	}
	if a.Status < 300 {
		if err := openapi3filter.ValidateRequest(ctx, input); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 a.Status,
		Header:                 a.Header,
		Body:                   io.NopCloser(bytes.NewReader(a.Body)),
		Options:                options,
	})
}
