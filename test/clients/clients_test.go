package clients

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const password = "the operator's password"

// service is the program, on a store in memory.
var service string

func TestMain(m *testing.M) {
	status, err := serve(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func serve(m *testing.M) (status int, err error) {
	serving := exec.Command(os.Getenv("RESELLERD_TEST_PROGRAM"), "serve")
	serving.Env = append(os.Environ(), "RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_STORE=memory:",
		"RESELLERD_ADMIN_PASSWORD="+password)
	log, err := serving.StderrPipe()
	if err == nil {
		err = serving.Start()
	}
	if err != nil {
		return 0, fmt.Errorf("RESELLERD_TEST_PROGRAM: %w: make test-clients builds it and says where it is", err)
	}
	defer func() {
		_ = serving.Process.Kill()
		_ = serving.Wait()
	}()
	listening := regexp.MustCompile(`"msg":"listening","addr":"([^"]+)"`)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := listening.FindSubmatch(lines.Bytes()); found != nil {
			service = "http://" + string(found[1])
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return m.Run(), nil
		}
	}
	return 0, errors.New("the program does not listen")
}

// document writes the document as the program serves it, and returns its file.
func document(t *testing.T) string {
	t.Helper()
	answer, err := http.Get(service + "/openapi.json")
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the document: %s, %v", answer.Status, err)
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	must(t, os.WriteFile(file, text, 0o644))
	return file
}

// later is a refusal as a later version of the service may answer it: no value of its texts is known.
const later = `{"type":"urn:resellerd:problem:later-code","title":"Later code","status":409,"detail":"Later.",` +
	`"instance":"/users/credits/7","code":"later-code","request_id":"x","required_scope":"later:scope","effective":"later",` +
	`"errors":[{"pointer":"/credits","code":"later-2","detail":"Later."}],"remedy":{"method":"POST","href":"/later"}}`

// large answers a top-up of an account with the id 2^40 and nearly the highest balance, to the last decimal place. It
// refuses one of account 7 as a later version may.
func large(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/users/credits/7" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("X-Request-Id", "x")
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, later)
			return
		}
		var sent struct{ Credits json.Number }
		err := json.NewDecoder(r.Body).Decode(&sent)
		exact := slices.Contains([]string{"999999999.9999", "9.999999999999E8", "9.999999999999e8"}, sent.Credits.String())
		if err != nil || r.Method != http.MethodPatch || r.URL.Path != "/users/credits/1099511627776" || !exact {
			t.Errorf("the client sent %s %s with %q (%v)", r.Method, r.URL, sent.Credits, err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "x")
		fmt.Fprint(w,
			`{"id":1099511627776,"username":"north","credits":99999999999.9999,"recharge":"2026-01-31T09:40:00.000Z",`+
				`"message":"999999999.9999 credits added to north."}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// life is the output of a client that goes through the life of a line, and short the output of one that does not.
const (
	life = `login 200
reseller 2
top-up 3.5
trial 1 true
activated 0
extended false true true
refused 402 insufficient-credits 1.5
statement extension=-2 activation=-1 recharge=1.5 opening=2
deleted 200
refused 404 not-found
later 409 later-code later:scope
exact 1099511627776 99999999999.9999
`
	short = `refused 401 invalid-credentials
later 409 later-code later:scope
exact 1099511627776 99999999999.9999
`
)

// prints runs a client and compares what it prints.
func prints(t *testing.T, want, dir string, env []string, command ...string) {
	t.Helper()
	command = append(command, service, large(t), "client-of-"+strings.ToLower(filepath.Base(t.Name())), password)
	if got := run(t, dir, env, command[0], command[1:]...); got != want {
		t.Errorf("the client printed\n%swant\n%s", got, want)
	}
}

// guide is the page that says how to generate a client.
const guide = "../../adapters/httpapi/docs/how-to/generate-a-client.md"

// documented returns the arguments that the guide has for a generator, with the document of this service.
func documented(t *testing.T, generator string) []string {
	t.Helper()
	for line := range strings.Lines(string(read(t, guide))) {
		if arguments, is := strings.CutPrefix(line, generator+" "); is {
			return strings.Fields(strings.ReplaceAll(arguments, "http://localhost:8080", service))
		}
	}
	t.Fatalf("%s has no line that begins with %s", guide, generator)
	return nil
}

// put copies files, such as programs that use a client and configurations that the guide names, to where the client is.
func put(t *testing.T, dir string, files ...string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for _, file := range files {
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), read(t, file), 0o644))
	}
}

func TestOapiCodegen(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go.mod", "go.sum", "testdata/oapi-codegen.yaml") // a module with the versions of this one
	must(t, os.Mkdir(filepath.Join(dir, "client"), 0o755))
	generator := filepath.Join(dir, "oapi-codegen")
	// This command lists its downloads.
	run(t, "", nil, "go", "build", "-o", generator, "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	silent(t, run(t, dir, nil, generator, documented(t, "go tool oapi-codegen")...))
	put(t, filepath.Join(dir, "main"), "testdata/oapi-codegen/main.go")
	put(t, filepath.Join(dir, "changes"), "testdata/oapi-codegen/changes.go")
	silent(t, run(t, dir, nil, "go", "vet", "./..."))
	prints(t, life, dir, nil, "go", "run", "./main")
	changes(t, dir, nil, nil, "go", "run", "./changes")
}

// colours end what Maven prints even where it prints nothing.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// silent expects that a tool has nothing to say.
func silent(t *testing.T, printed string) {
	t.Helper()
	if strings.TrimSpace(colours.ReplaceAllString(printed, "")) != "" {
		t.Errorf("the generator said:\n%s", printed)
	}
}

// reserved are the warnings of parameters of the interface that are words of Go or Python: they have other names there.
var reserved = []string{
	"[main] WARN  o.o.c.languages.AbstractGoCodegen - type (reserved word) cannot be used as parameter name. Renamed to type_",
	"[main] WARN  o.o.c.languages.AbstractGoCodegen - type (reserved word) cannot be used as model name. Renamed to model_type",
	"[main] WARN  o.o.c.l.AbstractPythonCodegen - From (reserved word) cannot be used as model name. Renamed to ModelFrom",
}

// generate runs openapi-generator as the guide says, with some of its options replaced. It expects no warning, except
// those for a minimal document.
func generate(t *testing.T, language, dir string, replaced ...string) {
	t.Helper()
	jar := generator(t)
	command := "generate -g " + language
	options := documented(t, "openapi-generator "+command)
	warnings := func(of, to string) (lines []string) {
		arguments := append([]string{"-jar", jar}, strings.Fields(command)...)
		for i, option := range options {
			switch {
			case i > 0 && options[i-1] == "-i":
				option = of
			case i > 0 && options[i-1] == "-o":
				option = to
			}
			arguments = append(arguments, strings.NewReplacer(replaced...).Replace(option))
		}
		for line := range strings.Lines(run(t, "", nil, "java", arguments...)) {
			if line = strings.TrimSpace(line); strings.Contains(line, " WARN ") || strings.Contains(line, " ERROR ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	control, err := filepath.Abs(filepath.Join("testdata", "control.json"))
	must(t, err)
	always := append(warnings(control, t.TempDir()), reserved...)
	for _, warning := range warnings(document(t), dir) {
		if !slices.Contains(always, warning) {
			t.Error(warning)
		}
	}
}

func TestOpenAPIGeneratorGo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go.mod", "go.sum") // a module with the versions of this one
	put(t, filepath.Join(dir, "main"), "testdata/openapi-generator-go/main.go")
	put(t, filepath.Join(dir, "changes"), "testdata/openapi-generator-go/changes.go")
	generate(t, "go", filepath.Join(dir, "client"))
	silent(t, run(t, dir, nil, "go", "vet", "./..."))
	prints(t, short, dir, nil, "go", "run", "./main")
	changes(t, dir, nil, nil, "go", "run", "./changes")
}

func TestOpenAPIGeneratorPython(t *testing.T) {
	env, dir := python(t), t.TempDir()
	generate(t, "python", dir)
	put(t, dir, "testdata/openapi-generator-python/main.py", "testdata/openapi-generator-python/changes.py")
	silent(t, run(t, dir, env, "python3", "-W", "error", "-m", "compileall", "-q", "client"))
	prints(t, short, dir, env, "python3", "main.py")
	changes(t, dir, env, nil, "python3", "changes.py")
}

func TestOpenAPIGeneratorTypeScriptFetch(t *testing.T) {
	packages, dir := node(t), t.TempDir()
	generate(t, "typescript-fetch", filepath.Join(dir, "client"))
	put(t, dir, "testdata/openapi-generator-typescript-fetch/main.ts",
		"testdata/openapi-generator-typescript-fetch/changes.ts")
	compileTypeScript(t, packages, dir, "CommonJS")
	prints(t, short, dir, nil, "node", filepath.Join("out", "main.js"))
	changes(t, dir, nil, nil, "node", filepath.Join("out", "changes.js"))
}

// TestOpenAPIGeneratorJava tests the library that sends null, and the default one, which does not.
func TestOpenAPIGeneratorJava(t *testing.T) {
	for library, kept := range map[string][]string{"native": nil,
		"okhttp-gson": {"spend_limit", "expires_at", "balance_low"}} {
		t.Run(library, func(t *testing.T) {
			needs(t, "java", "javac", "mvn")
			dir := t.TempDir()
			generate(t, "java", dir, "library=native", "library="+library)
			sources := filepath.Join(dir, "src", "main", "java")
			const programs = "testdata/openapi-generator-java/"
			put(t, sources, programs+"Main.java", programs+"Changes.java", programs+library+"/Library.java")
			caches, err := os.UserCacheDir()
			must(t, err)
			maven := []string{"mvn", "--quiet", "--batch-mode", "-Dmaven.repo.local=" +
				filepath.Join(caches, "resellerd-test-clients", "maven")}
			silent(t, run(t, dir, nil, maven[0], append(maven[1:], "compile")...))
			classes := filepath.Join(dir, "classpath")
			run(t, dir, nil, maven[0], append(maven[1:], "dependency:build-classpath", "-Dmdep.outputFile="+classes)...)
			path := filepath.Join("target", "classes") + string(os.PathListSeparator) +
				strings.TrimSpace(string(read(t, classes)))
			prints(t, short, dir, nil, "java", "-cp", path, "Main")
			changes(t, dir, nil, kept, "java", "-cp", path, "Changes")
		})
	}
}

func TestOpenAPIPythonClient(t *testing.T) {
	env, dir := python(t), t.TempDir()
	made := filepath.Join(dir, "made")
	put(t, dir, "testdata/openapi-python-client.yaml")
	arguments := append([]string{"-m", "openapi_python_client"}, documented(t, "openapi-python-client")...)
	printed := run(t, dir, env, "python3", append(arguments, "--output-path", made, "--fail-on-warning")...)
	if strings.TrimSpace(printed) != "Generating "+made {
		silent(t, printed)
	}
	put(t, made, "testdata/openapi-python-client/main.py", "testdata/openapi-python-client/changes.py")
	silent(t, run(t, made, env, "python3", "-W", "error", "-m", "compileall", "-q", "resellerd_client"))
	prints(t, life, made, env, "python3", "main.py")
	changes(t, made, env, nil, "python3", "changes.py")
}

func TestOpenAPITypeScript(t *testing.T) {
	packages, dir := node(t), t.TempDir()
	put(t, dir, "testdata/openapi-typescript/main.ts", "testdata/openapi-typescript/changes.ts")
	generator := filepath.Join(packages, "openapi-typescript", "bin", "cli.js")
	printed := run(t, dir, nil, "node", append([]string{generator}, documented(t, "npx openapi-typescript")...)...)
	for line := range strings.Lines(printed) { // its name and its files
		if !strings.HasPrefix(line, "✨") && !strings.HasPrefix(line, "🚀") {
			silent(t, line)
		}
	}
	compileTypeScript(t, packages, dir, "NodeNext")
	prints(t, life, dir, nil, "node", filepath.Join("out", "main.js"))
	changes(t, dir, nil, nil, "node", filepath.Join("out", "changes.js"))
}

// compileTypeScript compiles main.ts, changes.ts and their imports, strictly.
func compileTypeScript(t *testing.T, packages, dir, module string) {
	t.Helper()
	must(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	kind, resolution := "module", "NodeNext"
	if module == "CommonJS" {
		kind, resolution = "commonjs", "Node10"
	}
	for name, content := range map[string]any{
		"package.json": map[string]any{"type": kind},
		"tsconfig.json": map[string]any{"files": []string{"main.ts", "changes.ts", "process.d.ts"},
			"compilerOptions": map[string]any{
				"strict": true, "target": "ES2022", "lib": []string{"ES2022", "DOM", "DOM.Iterable"}, "types": []string{},
				"module": module, "moduleResolution": resolution, "outDir": "out",
			}},
	} {
		text, err := json.Marshal(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		must(t, err)
	}
	const globals = "declare const process: { argv: string[]; exit(status: number): never };\n"
	must(t, os.WriteFile(filepath.Join(dir, "process.d.ts"), []byte(globals), 0o644))
	silent(t, run(t, dir, nil, "node", filepath.Join(packages, "typescript", "bin", "tsc")))
}

func TestRedocly(t *testing.T) {
	packages := node(t)
	// Its own news go to standard error.
	command := exec.Command("node", filepath.Join(packages, "@redocly", "cli", "bin", "cli.js"), "lint", "--extends",
		"recommended", "--format", "json", document(t))
	command.Dir = t.TempDir() // if there is no configuration
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	printed, err := command.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	var report struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct{ RuleID, Message string }
	}
	if err := json.Unmarshal(printed, &report); err != nil {
		t.Fatalf("%v in\n%s", err, printed)
	}
	// Each path is in the interface, and an id is digits, so no path matches two of them.
	for _, p := range report.Problems {
		if p.RuleID != "no-ambiguous-paths" {
			t.Errorf("%s: %s", p.RuleID, p.Message)
		}
	}
	if report.Totals.Errors > 0 || report.Totals.Ignored > 0 {
		t.Errorf("in all: %+v", report.Totals)
	}
}

func TestSpectral(t *testing.T) {
	packages := node(t)
	rules, err := filepath.Abs(filepath.Join("testdata", "spectral.yaml"))
	must(t, err)
	printed, err := try("", nil, "node", filepath.Join(packages, "@stoplight", "spectral-cli", "dist", "index.js"),
		"lint", "--quiet", "--fail-severity", "hint", "--display-only-failures", "-r", rules, document(t))
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(printed, "No results with a severity of 'hint' or higher found!") {
		silent(t, printed)
	}
}
