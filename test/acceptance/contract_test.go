package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract is the document that every exchange is held against.
var contract document

type document struct {
	*openapi3.T
	text []byte
}

func loadContract(path string) (document, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return document{}, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return document{}, err
	}
	return document{doc, text}, doc.Validate(context.Background())
}

// route finds the operation that serves a path, nil where there is none. A
// literal path goes before one with an id in its place.
func (d document) route(method, path string) *routers.Route {
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

// idIn returns what stands in path where template has {id}, "" where the path is
// another.
func idIn(template, path string) string {
	prefix, suffix, _ := strings.Cut(template, "{id}")
	id, starts := strings.CutPrefix(path, prefix)
	id, ends := strings.CutSuffix(id, suffix)
	if !starts || !ends || strings.Contains(id, "/") {
		return ""
	}
	return id
}

// check holds an exchange against the document: the response always, the request
// where it succeeded. The path is the one below the prefix.
func (d document) check(t testing.TB, r *http.Request, path string, sent []byte, a answer) {
	t.Helper()
	if err := d.violation(r, path, sent, a); err != nil {
		t.Errorf("%s: the exchange breaks openapi.json: %s", a.request, payload(err.Error()))
	}
}

func (d document) violation(r *http.Request, path string, sent []byte, a answer) error {
	ctx := context.Background()
	route := d.route(r.Method, path)
	if route == nil {
		if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("status %d from no route", a.status)
		}
		return d.Components.Schemas["Problem"].Value.VisitJSON(map[string]any(a.fields), openapi3.EnableJSONSchema2020())
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
		input.PathParams = map[string]string{"id": id}
	}
	if a.status < 300 {
		if err := openapi3filter.ValidateRequest(ctx, input); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 a.status,
		Header:                 a.header,
		Body:                   io.NopCloser(bytes.NewReader(a.body)),
		Options:                options,
	})
}
