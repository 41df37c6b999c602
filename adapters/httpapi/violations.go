package httpapi

import (
	"errors"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

var errValidation = fault.New(fault.Invalid, "validation-failed", "The request has invalid fields.")

// violation is an invalid value: of the member at Pointer, or of the query parameter Parameter.
type violation struct {
	Pointer   string `json:"pointer,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

// form collects every invalid field of a body, or value of a query, the first fault of each.
type form struct {
	query  bool
	order  []string
	faults map[string]error // nil if there is none
}

func (f *form) refuse(name string, err error) {
	if err == nil || f.faults[name] != nil {
		return
	}
	if f.faults == nil {
		f.faults = map[string]error{}
	}
	f.faults[name] = err
}

// err returns nil, or a refusal that names every invalid field. A price that is not sold has a code of its own if
// nothing else is wrong.
func (f *form) err() error {
	if len(f.faults) == 0 {
		return nil
	}
	invalid := &invalidFields{fault: errValidation}
	for _, name := range f.order {
		err := f.faults[name]
		if err == nil {
			continue
		}
		var known *fault.Fault
		if !errors.As(err, &known) {
			return err
		}
		if errors.Is(err, credit.ErrUnknownPrice) {
			invalid.prices = credit.Prices()
		}
		v := violation{Code: known.Code(), Detail: err.Error()}
		if f.query {
			v.Parameter = name
		} else {
			v.Pointer = "/" + name
		}
		invalid.violations = append(invalid.violations, v)
	}
	if invalid.prices != nil && len(invalid.violations) == 1 {
		invalid.fault = credit.ErrUnknownPrice
	}
	return invalid
}

// invalidFields refuses a request for its fields.
type invalidFields struct {
	fault      *fault.Fault
	violations []violation
	prices     []credit.Price // if a price is not sold
}

func (e *invalidFields) Error() string { return e.fault.Error() }
func (e *invalidFields) Unwrap() error { return e.fault }
