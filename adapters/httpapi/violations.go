package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"resellerd/domain/fault"
)

var errValidation = fault.New(fault.Invalid, "validation-failed", "The request has invalid fields.")

// violation is an invalid value of the member at Pointer, or of the query parameter Parameter.
type violation struct {
	Pointer   string `json:"pointer,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

// form collects the first fault of every invalid field of a body, or value of a query.
type form struct {
	query  bool
	faults []namedFault
}

type namedFault struct {
	name string
	err  error
}

func (f *form) refuses(name string) bool {
	return slices.ContainsFunc(f.faults, func(n namedFault) bool { return n.name == name })
}

func (f *form) refuse(name string, err error) {
	if err != nil && !f.refuses(name) {
		f.faults = append(f.faults, namedFault{name, err})
	}
}

// err returns nil, or a refusal that names every invalid field. Unknown parameters have their own code if nothing else
// is wrong.
func (f *form) err() error {
	if len(f.faults) == 0 {
		return nil
	}
	invalid := &invalidFields{fault: errValidation}
	for _, n := range f.faults {
		if within, is := errors.AsType[*invalidFields](n.err); is { // an object's
			for _, v := range within.violations {
				v.Pointer = "/" + n.name + v.Pointer
				invalid.violations = append(invalid.violations, v)
			}
			continue
		}
		known, is := errors.AsType[*fault.Fault](n.err)
		if !is {
			return n.err
		}
		v := violation{Code: known.Code(), Detail: n.err.Error()}
		if f.query {
			v.Parameter = n.name
		} else {
			v.Pointer = "/" + n.name
		}
		invalid.violations = append(invalid.violations, v)
	}
	other := func(v violation) bool { return v.Code != errUnknownParameter.Code() }
	if !slices.ContainsFunc(invalid.violations, other) {
		invalid.fault = errUnknownParameter
	}
	return invalid
}

// together joins the refusals of a body and of its query, nil if there are none.
func together(body, query error) error {
	wrong, is := errors.AsType[*invalidFields](body)
	other, also := errors.AsType[*invalidFields](query)
	switch {
	case !is && body != nil, !also:
		return body
	case !is:
		return query
	}
	return &invalidFields{errValidation, append(wrong.violations, other.violations...), wrong.also}
}

// invalidFields refuses a request for its fields.
type invalidFields struct {
	fault      *fault.Fault
	violations []violation
	also       []string // sentences about other members
}

// Error names a bounded number of the fields.
func (e *invalidFields) Error() string {
	if e.fault != errValidation {
		return e.violations[0].Detail
	}
	var named []string
	for _, v := range e.violations[:min(len(e.violations), mostNamed)] {
		named = append(named, clipped(cmp.Or(strings.TrimPrefix(v.Pointer, "/"), v.Parameter)))
	}
	if more := len(e.violations) - mostNamed; more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return strings.Join(append([]string{"The request has invalid fields: " + strings.Join(named, ", ") + "."}, e.also...),
		" ")
}

// mostNamed is the number of fields that a sentence names.
const mostNamed = 10

// clipped returns a name for a sentence. A name that a client invented is quoted and cut.
func clipped(name string) string {
	if len(name) > 64 || strings.IndexFunc(name, func(r rune) bool { return r != '/' && notPlain(r) }) >= 0 {
		return fmt.Sprintf("%.64q", name)
	}
	return name
}

// Unwrap makes the error match its fault.
func (e *invalidFields) Unwrap() error { return e.fault }

// Members implements fault.Detailed.
func (e *invalidFields) Members() []fault.Member {
	return []fault.Member{{Name: "errors", Value: e.violations}}
}
