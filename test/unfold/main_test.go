package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDocumentMatchesItsSource(t *testing.T) {
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
