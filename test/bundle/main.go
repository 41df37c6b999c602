// Command bundle writes the files that the console serves. It uses esbuild, which is no part of the service. The
// modules become three files: the start with the sign-in, what is behind it, and what both share (chunk.js).
// The page of the parts is one file. Each has a source map. The styles become one file. All files are minified.
package main

import (
	"errors"
	"log"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := bundle(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// bundle writes the files that are served from a folder to another folder, which is beside it or replaces such a
// folder.
func bundle(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	served := filepath.Join(from, "..", "served") // the map names the sources from here
	common := api.BuildOptions{
		AbsWorkingDir: from, Outdir: served, Outbase: ".", Charset: api.CharsetUTF8, Format: api.FormatESModule,
		MinifyIdentifiers: true, MinifySyntax: true, MinifyWhitespace: true,
		Loader: map[string]api.Loader{".html": api.LoaderCopy, ".svg": api.LoaderCopy},
	}
	parts, styles, others := common, common, common
	parts.EntryPoints, parts.Bundle, parts.Sourcemap = []string{"parts.js"}, true, api.SourceMapLinked
	modules := parts
	modules.EntryPoints, modules.Splitting, modules.ChunkNames = []string{"app.js"}, true, "[name]"
	styles.EntryPoints, styles.Bundle = []string{"style.css"}, true
	others.EntryPoints = []string{"text/*.js", "begin.js", "index.html", "icon.svg"}
	for _, options := range []api.BuildOptions{modules, parts, styles, others} {
		built := api.Build(options)
		for _, text := range api.FormatMessages(append(built.Errors, built.Warnings...), api.FormatMessagesOptions{}) {
			err = errors.Join(err, errors.New(text))
		}
		for _, file := range built.OutputFiles {
			name, outside := filepath.Rel(served, file.Path)
			path := filepath.Join(to, name)
			err = errors.Join(err, outside, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, file.Contents, 0o644))
		}
	}
	return err
}
