package api

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// exact has the rules that the program follows and generators of clients can't: which of two shapes a record has, a
// field that is always null, credits that are a number or a string. openapi.json has them in its descriptions.
//
//go:embed exact.json
var exact []byte

// beyond is the form of exact.json. Its keys are JSON Pointers in fragments (RFC 6901, 6).
type beyond struct {
	Closed  []string                  `json:"closed"`
	Formats map[string]map[string]any `json:"formats"`
	Also    map[string]map[string]any `json:"also"`
	Instead map[string]map[string]any `json:"instead"`
}

// exactly returns a published document with all that it leaves to its descriptions.
func exactly(published []byte) ([]byte, error) {
	var doc map[string]any
	var more beyond
	if err := errors.Join(json.Unmarshal(published, &doc), json.Unmarshal(exact, &more)); err != nil {
		return nil, err
	}
	schemas, err := at(doc, "#/components/schemas", nil)
	if err != nil {
		return nil, err
	}
	for _, name := range more.Closed {
		schemas[name].(map[string]any)["additionalProperties"] = false
	}
	each(schemas, func(schema map[string]any) {
		format, _ := schema["format"].(string)
		maps.Copy(schema, more.Formats[format])
	})
	for pointer, rule := range more.Also {
		_, wrong := at(doc, pointer, func(schema any) any { return map[string]any{"allOf": []any{schema, rule}} })
		err = errors.Join(err, wrong)
	}
	for pointer, rule := range more.Instead {
		_, wrong := at(doc, pointer, func(any) any { return rule })
		err = errors.Join(err, wrong)
	}
	each(doc, closeValues)
	if err = errors.Join(err, nameCodes(doc)); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// at finds the object that a pointer names, and replaces it with the result of becomes.
func at(doc map[string]any, pointer string, becomes func(any) any) (object map[string]any, err error) {
	var parent map[string]any
	var name string
	object = doc
	for name = range strings.SplitSeq(strings.TrimPrefix(pointer, "#/"), "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		parent = object
		if object, _ = parent[name].(map[string]any); object == nil {
			return nil, fmt.Errorf("there is no object at %s", pointer)
		}
	}
	if becomes != nil {
		parent[name] = becomes(object)
	}
	return object, nil
}

// each calls do with every object of a value.
func each(value any, do func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			each(inner, do)
		}
		do(v)
	case []any:
		for _, inner := range v {
			each(inner, do)
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// KnownValues returns the known values that a description lists for a text. It returns none where the description lists
// none. The text may have more values.
func KnownValues(description string) (values []string) {
	_, named, _ := strings.Cut(description, "Known values: ")
	for _, match := range quoted.FindAllStringSubmatch(named, -1) {
		values = append(values, match[1])
	}
	return values
}

// closeValues restricts a text with known values to them.
func closeValues(schema map[string]any) {
	description, _ := schema["description"].(string)
	known := KnownValues(description)
	if known == nil || schema["type"] != "string" {
		return
	}
	var enum []any
	for _, one := range known {
		enum = append(enum, one)
	}
	if schema["nullable"] == true {
		enum = append(enum, nil)
	}
	schema["enum"] = enum
}

// nameCodes restricts each refusal to the codes in its description.
func nameCodes(doc map[string]any) error {
	known, err := at(doc, "#/components/schemas/ProblemCode", nil)
	if err != nil {
		return err
	}
	codes, _ := known["enum"].([]any)
	refusals, err := at(doc, "#/components/responses", nil)
	for name, refusal := range refusals {
		r, _ := refusal.(map[string]any)
		description, _ := r["description"].(string)
		var named []any
		for _, match := range quoted.FindAllStringSubmatch(description, -1) {
			if slices.Contains(codes, any(match[1])) {
				named = append(named, match[1])
			}
		}
		if len(named) == 0 {
			return fmt.Errorf("%s names no code in its description", name)
		}
		_, wrong := at(r, "#/content/application~1problem+json/schema", func(schema any) any {
			return map[string]any{"allOf": []any{schema, map[string]any{"properties": map[string]any{
				"code": map[string]any{"enum": named},
			}}}}
		})
		err = errors.Join(err, wrong)
	}
	return err
}
