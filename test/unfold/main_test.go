package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentIsWhatItsSourceUnfoldsTo(t *testing.T) {
	folder := filepath.Join("..", "..", "adapters", "httpapi")
	want, err := unfolded(folder)
	if err != nil {
		t.Fatal(err)
	}
	is, err := os.ReadFile(filepath.Join(folder, "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(is) != want {
		t.Error("openapi.json is not what openapi.yaml says: run make interface")
	}
}

func TestWhatASourceMeans(t *testing.T) {
	for source, want := range map[string]string{
		"one: {<<: *a, y: 3, z: 4}":                   `{"one": {"x": "1", "y": 3, "z": 4}}`, // in its place
		"one: {<<: *a, x: *absent}":                   `{"one": {"y": 2}}`,
		"one: *a\n404: [*b, 0.5, null]":               `{"one": {"x": "1", "y": 2}, "404": [true, 0.5, null]}`,
		"one: {500: 1, <<: {403: 2, 404: 3}, 402: 4}": `{"one": {"402": 4, "403": 2, "404": 3, "500": 1}}`,
		"optional: []\nproperties: *a":                `{"required": ["x", "y"], "properties": {"x": "1", "y": 2}}`,
		"optional: [x]\nproperties: *a":               `{"required": ["y"], "properties": {"x": "1", "y": 2}}`,
		"one: >-\n  words <b>\n  and\n\n\n  words\n":  `{"one": "words <b> and\n\nwords"}`,
		"one: " + strings.Repeat("x", width):          "{\n  \"one\": \"" + strings.Repeat("x", width) + "\"\n}",
		"one: [" + strings.Repeat("12345, ", 40) + "6]": "{\n  \"one\": [\n    " + strings.Repeat("12345, ", 15) +
			"12345,\n    12",
		"one: *unknown":       "",
		"one: {x: 3, <<: *a}": "", // a name that stands twice
		"one: [":              "",
	} {
		folder := t.TempDir()
		text := "shared:\n  absent: &absent {}\n  a: &a {x: \"1\", y: 2}\n  b: &b true\n" + source
		if err := os.WriteFile(filepath.Join(folder, "openapi.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := unfolded(folder)
		if (err != nil) != (want == "") || err == nil && !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s (%v), want %s", source, got, err, want)
		}
	}
}
