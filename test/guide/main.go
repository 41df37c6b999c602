// Command guide writes the guide for developers. It writes the reference pages of errors, events and scopes into the
// docs of a folder, from the tables of the code and the folder's openapi.json. Then it writes each page of the docs as
// HTML, which the service serves.
package main

import (
	"bytes"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
)

// The folders of the pages, below that of the HTTP interface: as Markdown and as HTML.
const (
	sources = "docs"
	served  = "pages/guide"
)

func main() {
	if err := write(os.Args[1], os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write reads the folder of the HTTP interface, and writes the guide to another one or to the same.
func write(from, to string) error {
	document, err := os.ReadFile(filepath.Join(from, "openapi.json"))
	if err != nil {
		return err
	}
	made, err := references(document)
	if err != nil {
		return err
	}
	markdown := map[string][]byte{}
	docs := os.DirFS(filepath.Join(from, sources))
	err = fs.WalkDir(docs, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		markdown[name], err = fs.ReadFile(docs, name)
		return err
	})
	for name, text := range made {
		markdown[name] = text
		err = errors.Join(err, save(filepath.Join(to, sources, name), text))
	}
	if err != nil {
		return err
	}
	pages, err := render(markdown)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(to, served)); err != nil {
		return err
	}
	for name, page := range pages {
		err = errors.Join(err, save(filepath.Join(to, served, name), page))
	}
	return err
}

// save writes a file, unless it has this content already.
func save(path string, content []byte) error {
	if is, err := os.ReadFile(path); err == nil && bytes.Equal(is, content) {
		return nil
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644))
}

// sorted returns the names of a map in their order.
func sorted[V any](of map[string]V) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
