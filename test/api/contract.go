package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Contract returns the document that every exchange is checked against: openapi.json, made as exact as the program is.
var Contract = sync.OnceValue(func() Document {
	text, err := source("adapters/httpapi/openapi.json")
	exact, wrong := exactly(text)
	doc, invalid := read(exact)
	if err = errors.Join(err, wrong, invalid); err != nil {
		panic(fmt.Sprintf("openapi.json with exact.json: %v", err))
	}
	return Document{doc, text}
})

// Document is the OpenAPI document.
type Document struct {
	*openapi3.T
	Text []byte // as published
}

// source returns a file of the module, which the folder of a test is in.
func source(name string) (text []byte, err error) {
	for up := "."; len(up) < 30; up += "/.." {
		if text, err = os.ReadFile(filepath.Join(up, filepath.FromSlash(name))); err == nil {
			break
		}
	}
	return text, err
}

// read reads a document and validates it, its examples included.
func read(text []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
}

// Route finds the operation that serves a path, nil if there is none. A
// literal path goes before one with an id.
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

// idIn returns the part of path where template has {id} or {username}. It returns "" where path does not match
// template.
func idIn(template, path string) string {
	if all, version, has := strings.Cut(template, "/{version}"); has && version == "" {
		number := path[strings.LastIndexByte(path, '/')+1:]
		if path = strings.TrimSuffix(path, "/"+number); !strings.Contains(all, "{") && all == path {
			return number
		}
		template = all
	}
	prefix, suffix, has := strings.Cut(strings.Replace(template, "{username}", "{id}", 1), "{id}")
	id, starts := strings.CutPrefix(path, prefix)
	id, ends := strings.CutSuffix(id, suffix)
	if !has || !starts || !ends || strings.Contains(id, "/") {
		return ""
	}
	return id
}

// check checks an exchange against the document: the response always, the request where it succeeded. The path is
// relative to the prefix. The checker compiles a schema for each value, so check skips exchanges that are alike after
// the first.
func (d Document) check(t testing.TB, r *http.Request, path string, sent []byte, a Answer) {
	t.Helper()
	if _, known := checked.LoadOrStore(d.likeness(r, path, sent, a), true); known {
		return
	}
	if err := d.Violation(r, path, sent, a); err != nil {
		t.Errorf("%s: the exchange breaks openapi.json: %s", a.Request, Payload(err.Error()))
	}
}

// checked has the likeness of each exchange that was checked against the document.
var checked sync.Map

// likeness returns everything in an exchange that can break the document. It leaves out free texts, numbers above 9 and
// the digits of instants. Caller.Send compares the request id and the instance.
func (d Document) likeness(r *http.Request, path string, sent []byte, a Answer) string {
	header := a.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length", "Link"} {
		header.Del(name)
	}
	parts := []any{r.Method, path, a.Status, header, string(a.Body)}
	if a.Status < 300 {
		query, _ := url.QueryUnescape(r.URL.RawQuery)
		parts = append(parts, query, r.Header.Get("Content-Type"), len(r.Header.Get("Idempotency-Key")), string(sent))
	}
	return anyNumber.ReplaceAllString(anyText.ReplaceAllString(fmt.Sprint(parts...), `"$1":"a text"`), "a number")
}

var (
	anyText   = regexp.MustCompile(`"(username|password|token|notes|request_id|instance|next_cursor)": ?"[^"\\]+"`)
	anyNumber = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[1-9]\d+`)
)

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
		input.PathParams = map[string]string{"id": id, "username": id, "version": path[strings.LastIndexByte(path, '/')+1:]}
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
