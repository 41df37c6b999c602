package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// exact is what the program keeps and generators of clients can't follow: which of two shapes a record has, a field
// that is always null, credits that are a number or a string. openapi.json has it in its descriptions.
//
//go:embed exact.json
var exact []byte

// beyond is the form of exact.json. Places are JSON Pointers in fragments (RFC 6901, 6).
type beyond struct {
	About   []string                  `json:"about"`
	Closed  []string                  `json:"closed"`
	Formats map[string]map[string]any `json:"formats"`
	Also    map[string]map[string]any `json:"also"`
	Instead map[string]map[string]any `json:"instead"`
}

// exactly returns a published document with all that it leaves to its descriptions.
func exactly(published []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(published, &doc); err != nil {
		return nil, err
	}
	var more beyond
	if err := json.Unmarshal(exact, &more); err != nil {
		return nil, err
	}
	for _, name := range more.Closed {
		schema, _, err := at(doc, "#/components/schemas/"+name)
		if err != nil {
			return nil, err
		}
		schema["additionalProperties"] = false
	}
	schemas, _, err := at(doc, "#/components/schemas")
	if err != nil {
		return nil, err
	}
	for format, rule := range more.Formats {
		if !tighten(schemas, format, rule) {
			return nil, fmt.Errorf("no schema has the format %q", format)
		}
	}
	for pointer, rule := range more.Also {
		schema, put, err := at(doc, pointer)
		if err != nil {
			return nil, err
		}
		put(map[string]any{"allOf": []any{schema, rule}})
	}
	for pointer, rule := range more.Instead {
		_, put, err := at(doc, pointer)
		if err != nil {
			return nil, err
		}
		put(rule)
	}
	closeValues(doc)
	if err := nameCodes(doc); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// at finds the object at a place, and how to put another there.
func at(doc map[string]any, pointer string) (object map[string]any, put func(map[string]any), err error) {
	path, is := strings.CutPrefix(pointer, "#/")
	if !is {
		return nil, nil, fmt.Errorf("%q is no pointer into the document", pointer)
	}
	object = doc
	for step := range strings.SplitSeq(path, "/") {
		step, err := url.PathUnescape(step)
		if err != nil {
			return nil, nil, err
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		parent := object
		if object, is = parent[step].(map[string]any); !is {
			return nil, nil, fmt.Errorf("there is no object at %s", pointer)
		}
		put = func(other map[string]any) { parent[step] = other }
	}
	return object, put, nil
}

// tighten adds a rule to all schemas of a format below a value, and reports whether there is one.
func tighten(value any, format string, rule map[string]any) (found bool) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			found = tighten(inner, format, rule) || found
		}
		if v["format"] == format {
			for name, limit := range rule {
				v[name] = limit
			}
			return true
		}
	case []any:
		for _, inner := range v {
			found = tighten(inner, format, rule) || found
		}
	}
	return found
}

var quoted = regexp.MustCompile("`([^`]+)`")

// KnownValues returns the values that a description names of a text of which there may be more, none where it is no
// such text.
func KnownValues(description string) (values []string) {
	_, named, _ := strings.Cut(description, "Known values: ")
	for _, match := range quoted.FindAllStringSubmatch(named, -1) {
		values = append(values, match[1])
	}
	return values
}

// closeValues holds each text with known values to them.
func closeValues(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			closeValues(inner)
		}
		description, _ := v["description"].(string)
		if known := KnownValues(description); known != nil && v["type"] == "string" {
			var enum []any
			for _, one := range known {
				enum = append(enum, one)
			}
			if v["nullable"] == true {
				enum = append(enum, nil)
			}
			v["enum"] = enum
		}
	case []any:
		for _, inner := range v {
			closeValues(inner)
		}
	}
}

// nameCodes holds each refusal to its own status, and to the codes that its description names.
func nameCodes(doc map[string]any) error {
	known, _, err := at(doc, "#/components/schemas/ProblemCode")
	if err != nil {
		return err
	}
	codes, _ := known["enum"].([]any)
	paths, _, err := at(doc, "#/paths")
	if err != nil {
		return err
	}
	done := map[string]string{} // status by response
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for method, operation := range operations {
			o, _ := operation.(map[string]any)
			responses, _ := o["responses"].(map[string]any)
			for status, response := range responses {
				r, _ := response.(map[string]any)
				pointer, shared := r["$ref"].(string)
				if !shared {
					if status >= "400" {
						return fmt.Errorf("%s %s: the refusal %s is none of the components", method, path, status)
					}
					continue
				}
				if other, twice := done[pointer]; twice {
					if other != status {
						return fmt.Errorf("%s stands for %s and for %s", pointer, other, status)
					}
					continue
				}
				done[pointer] = status
				refusal, _, err := at(doc, pointer)
				if err != nil {
					return err
				}
				description, _ := refusal["description"].(string)
				var named []any
				for _, match := range quoted.FindAllStringSubmatch(description, -1) {
					if slices.Contains(codes, any(match[1])) {
						named = append(named, match[1])
					}
				}
				if len(named) == 0 {
					return fmt.Errorf("%s names no code in its description", pointer)
				}
				schema, put, err := at(doc, pointer+"/content/application~1problem+json/schema")
				if err != nil {
					return err
				}
				put(map[string]any{"allOf": []any{schema, map[string]any{"properties": map[string]any{
					"status": map[string]any{"enum": []any{json.Number(status)}},
					"code":   map[string]any{"enum": named},
				}}}})
			}
		}
	}
	return nil
}
