// Command dist makes a release: for each platform an archive with the static binary, the licences of all its parts and
// what an operator needs beside it, a list of its parts (SBOM), and the checksums of all of them. The same commit gives
// the same bytes: nothing depends on the time, the machine, or where the checkout is, and uncommitted changes are
// refused.
//
// A binary may take 45 MB, stripped; it takes 37. Of these, 2.5 MB are unused: gin links quic-go, a server of HTTP/3
// that is never started, and go-toml; the validator links mimetype and go-urn for kinds of fields that no body has.
// Stubs, by replace in go.mod, would not reach modules that are built on this one.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platforms are those of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// enclosed are the files of the checkout in every archive, and those in Linux's only.
var (
	enclosed = []string{"LICENSE", "README.md", "CHANGELOG.md"}
	forLinux = []string{"bootstrap/deploy/resellerd.service", "bootstrap/deploy/resellerd-backup.service", "bootstrap/deploy/resellerd-backup.timer"}
)

func main() {
	out := flag.String("out", "bin/dist", "folder to write to; what is in it is removed")
	only := flag.String("only", strings.Join(platforms, ","), "platforms, separated by commas")
	version := flag.String("version", "", "version to stamp; without it, that of git")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *out, strings.Split(*only, ","), *version); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func run(ctx context.Context, stdout io.Writer, out string, platforms []string, version string) error {
	if err := allCommitted(ctx); err != nil {
		return err
	}
	if version == "" {
		described, err := git(ctx, "describe", "--tags", "--always")
		if err != nil {
			return err
		}
		version = strings.TrimPrefix(described, "v")
	}
	stamp, err := committed(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // it holds what is published
		return err
	}
	var made []string
	for _, platform := range platforms {
		files, err := release(ctx, out, platform, version, stamp)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		made = append(made, files...)
		for _, name := range files {
			if _, err := fmt.Fprintln(stdout, filepath.Join(out, name)); err != nil {
				return err
			}
		}
	}
	return writeSums(out, made)
}

// release makes the archive of one platform and its SBOM, and returns their names.
func release(ctx context.Context, out, platform, version string, stamp time.Time) ([]string, error) {
	system, architecture, _ := strings.Cut(platform, "/")
	name := fmt.Sprintf("resellerd-%s-%s-%s", version, system, architecture)
	binary := filepath.Join(out, name+".binary")
	if err := build(ctx, binary, system, architecture, version); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(binary) }()
	parts, err := partsOf(ctx, binary)
	if err != nil {
		return nil, err
	}
	executable := "resellerd"
	if system == "windows" {
		executable += ".exe"
	}
	files := []file{{name: executable, from: binary, mode: 0o755}}
	sources := enclosed
	if system == "linux" {
		sources = append(slices.Clone(enclosed), forLinux...)
	}
	for _, source := range sources {
		files = append(files, file{name: filepath.Base(source), from: source, mode: 0o644})
	}
	licences, err := licencesOf(parts)
	if err != nil {
		return nil, err
	}
	files = append(files, file{name: "THIRD_PARTY_LICENSES.txt", content: licences, mode: 0o644})

	archive := name + ".tar.gz"
	write := writeTar
	if system == "windows" {
		archive, write = name+".zip", writeZip
	}
	if err := create(filepath.Join(out, archive), func(w io.Writer) error { return write(w, name, files, stamp) }); err != nil {
		return nil, err
	}
	bill := name + ".cdx.json"
	if err := create(filepath.Join(out, bill), func(w io.Writer) error { return writeBill(w, version, stamp, parts) }); err != nil {
		return nil, err
	}
	return []string{archive, bill}, nil
}

func build(ctx context.Context, binary, system, architecture, version string) error {
	c := exec.CommandContext(ctx, goCommand(), "build", "-tags", "nomsgpack", "-trimpath", "-buildvcs=false", //nolint:gosec // the arguments are our own
		"-ldflags", "-s -w -buildid= -X resellerd/adapters/cli.released="+version, "-o", binary, "./bootstrap/resellerd")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=")
	c.Stderr = os.Stderr
	return c.Run()
}

// goCommand is the go command that runs this program.
func goCommand() string {
	if root := os.Getenv("GOROOT"); root != "" {
		return filepath.Join(root, "bin", "go")
	}
	return "go"
}

func git(ctx context.Context, arguments ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", arguments...) //nolint:gosec // the arguments are our own
	c.Stderr = os.Stderr
	said, err := c.Output()
	return strings.TrimSpace(string(said)), err
}

// allCommitted refuses a checkout with uncommitted changes, which would be in the release without a trace.
func allCommitted(ctx context.Context) error {
	changes, err := git(ctx, "status", "--porcelain", "--untracked-files=normal")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("a release is made of the last commit, and this checkout differs from it; commit, stash or remove:\n%s", changes)
	}
	return nil
}

// committed is the time of the commit, which is the date of all files. SOURCE_DATE_EPOCH comes first.
func committed(ctx context.Context) (time.Time, error) {
	text, err := os.Getenv("SOURCE_DATE_EPOCH"), error(nil)
	if text == "" {
		text, err = git(ctx, "log", "-1", "--format=%ct")
	}
	if err != nil {
		return time.Time{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(text, &seconds); err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit is %q: %w", text, err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// part is a module of the binary, and where its source is.
type part struct{ path, version, sum, folder string }

// partsOf returns the modules that a binary names, after Go's own library.
func partsOf(ctx context.Context, binary string) ([]part, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	folders, err := moduleFolders(ctx)
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, goCommand(), "env", "GOROOT").Output() //nolint:gosec // the arguments are our own
	if err != nil {
		return nil, err
	}
	parts := []part{{path: "std", version: info.GoVersion, folder: strings.TrimSpace(string(root))}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, part{m.Path, m.Version, m.Sum, folders[m.Path]})
	}
	slices.SortFunc(parts[1:], func(a, b part) int { return cmp.Compare(a.path, b.path) })
	return parts, nil
}

func moduleFolders(ctx context.Context) (map[string]string, error) {
	c := exec.CommandContext(ctx, goCommand(), "list", "-m", "-json", "all") //nolint:gosec // the arguments are our own
	c.Stderr = os.Stderr
	said, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for d := json.NewDecoder(said); ; {
		var module struct{ Path, Dir string }
		if err := d.Decode(&module); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		folders[module.Path] = module.Dir
	}
	return folders, c.Wait()
}

// vendored are the works in the binary that are no modules: the script that fetched each has its version.
var vendored = []struct{ npm, name, script, variable, licence string }{
	{"redoc", "Redoc, in the pages of the API", "adapters/httpapi/pages/redoc/vendor.sh", "version", "adapters/httpapi/pages/redoc/LICENSE.txt"},
	{"preact", "Preact, in the console", "adapters/console/vendor.sh", "preact", "adapters/console/LICENSE.preact.txt"},
	{"htm", "htm, in the console", "adapters/console/vendor.sh", "htm", "adapters/console/LICENSE.htm.txt"},
}

// licencesOf returns the texts of all licences. A part without one ends the release.
func licencesOf(parts []part) ([]byte, error) {
	var all strings.Builder
	all.WriteString("resellerd contains the following works, under the licences that follow their names.\n")
	add := func(name string, texts []string) error {
		fmt.Fprintf(&all, "\n%s\n%s\n", strings.Repeat("=", 80), name)
		for _, path := range texts {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "%s\n%s: \n\n%s\n", strings.Repeat("-", 80), filepath.Base(path), strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
		return nil
	}
	for _, p := range parts {
		texts, err := licenceFiles(p.folder)
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s %s has no licence in %q", p.path, p.version, p.folder)
		}
		if err := add(p.path+" "+p.version, texts); err != nil {
			return nil, err
		}
	}
	for _, v := range vendored {
		if err := add(v.name, []string{v.licence}); err != nil {
			return nil, err
		}
	}
	return []byte(all.String()), nil
}

// fetchedVersion returns the version of a vendored work that a script fetches, from its variable.
func fetchedVersion(script, variable string) (string, error) {
	text, err := os.ReadFile(script)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if version, found := strings.CutPrefix(strings.TrimSpace(line), variable+"="); found {
			return version, nil
		}
	}
	return "", fmt.Errorf("%s has no %s", script, variable)
}

// licenceFiles returns the licence files at the top of a module.
func licenceFiles(folder string) (found []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, word := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"} {
			if strings.HasPrefix(name, word) && e.Type().IsRegular() {
				found = append(found, filepath.Join(folder, e.Name()))
				break
			}
		}
	}
	return found, nil
}

// writeBill writes the software bill of materials in the form of CycloneDX 1.6.
func writeBill(w io.Writer, version string, stamp time.Time, parts []part) error {
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		Purl    string `json:"purl"`
	}
	type dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
	program := component{"application", "resellerd", "resellerd", version, "pkg:golang/resellerd@" + version}
	var components []component
	whole := dependency{Ref: program.Ref}
	for _, p := range parts {
		purl := "pkg:golang/" + p.path + "@" + p.version
		components = append(components, component{"library", purl, p.path, p.version, purl})
		whole.DependsOn = append(whole.DependsOn, purl)
	}
	for _, v := range vendored {
		version, err := fetchedVersion(v.script, v.variable)
		if err != nil {
			return err
		}
		purl := "pkg:npm/" + v.npm + "@" + version
		components = append(components, component{"library", purl, v.npm, version, purl})
		whole.DependsOn = append(whole.DependsOn, purl)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{
			"timestamp": stamp.Format(time.RFC3339),
			"component": program,
		},
		"components":   components,
		"dependencies": []dependency{whole},
	})
}

// writeSums writes the checksums as sha256sum -c reads them.
func writeSums(out string, names []string) error {
	slices.Sort(names)
	return create(filepath.Join(out, "SHA256SUMS"), func(w io.Writer) error {
		for _, name := range names {
			content, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(content), name); err != nil {
				return err
			}
		}
		return nil
	})
}

func create(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}
