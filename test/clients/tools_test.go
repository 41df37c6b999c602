package clients

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// required makes a missing tool a failure.
var required = os.Getenv("RESELLERD_TEST_CLIENTS_REQUIRED") != ""

// patience bounds a download, a generator, a compiler or a client.
const patience = 10 * time.Minute

// openapi-generator is one file from Maven Central.
const (
	generatorURL = "https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar"
	generatorSum = "41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae" // SHA-256
)

// needs skips a test whose tools are not installed.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if required {
				t.Fatalf("%s is not installed, and RESELLERD_TEST_CLIENTS_REQUIRED is set", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
}

// cached returns a folder of the user's cache that make has filled once for this content.
func cached(t *testing.T, name string, content []byte, fill func(dir string) error) string {
	t.Helper()
	caches, err := os.UserCacheDir()
	must(t, err)
	sum := sha256.Sum256(content)
	dir := filepath.Join(caches, "resellerd-test-clients", fmt.Sprintf("%s-%x", name, sum[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	filling, err := os.MkdirTemp(filepath.Dir(dir), "."+name+"-")
	must(t, err)
	defer os.RemoveAll(filling)
	if err := fill(filling); err != nil {
		t.Fatalf("download %s: %v", name, err)
	}
	_ = os.Rename(filling, dir) // unless another run was faster
	return dir
}

// node returns the folder of the packages of npm.
func node(t *testing.T) string {
	t.Helper()
	needs(t, "node", "npm")
	return filepath.Join(cached(t, "node", read(t, "package-lock.json"), func(dir string) error {
		put(t, dir, "package.json", "package-lock.json")
		_, err := try(dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		return err
	}), "node_modules")
}

// python returns the folder of the packages of pip, and the environment in which Python finds them.
func python(t *testing.T) (env []string) {
	t.Helper()
	needs(t, "python3")
	if _, err := try("", nil, "python3", "-m", "pip", "--version"); err != nil {
		if required {
			t.Fatal("python3 has no pip, and RESELLERD_TEST_CLIENTS_REQUIRED is set")
		}
		t.Skip("python3 has no pip")
	}
	version := run(t, "", nil, "python3", "-c", "import sys; print(sys.version_info[:2])")
	dir := cached(t, "python", append(read(t, "requirements.txt"), version...), func(dir string) error {
		file, err := filepath.Abs("requirements.txt")
		if err != nil {
			return err
		}
		_, err = try(dir, nil, "python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", dir, "-r", file)
		return err
	})
	// ruff, which puts what is generated in form
	path := filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return []string{"PYTHONPATH=" + dir, "PYTHONDONTWRITEBYTECODE=1", "PATH=" + path}
}

// generator returns the file of openapi-generator.
func generator(t *testing.T) string {
	t.Helper()
	needs(t, "java")
	return filepath.Join(cached(t, "openapi-generator", []byte(generatorSum), func(dir string) error {
		answer, err := http.Get(generatorURL)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		content, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != generatorSum {
			return fmt.Errorf("%s: its SHA-256 is %s", answer.Status, got)
		}
		return os.WriteFile(filepath.Join(dir, "cli.jar"), content, 0o644)
	}), "cli.jar")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a command and returns all that it prints.
func run(t *testing.T, dir string, env []string, name string, arguments ...string) string {
	t.Helper()
	printed, err := try(dir, env, name, arguments...)
	must(t, err)
	return printed
}

func try(dir string, env []string, name string, arguments ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	// env looks the program up in the PATH that it gets.
	command := exec.CommandContext(ctx, "env", append(append(append([]string{}, env...), name), arguments...)...)
	command.Dir = dir
	printed, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, printed)
	}
	return string(printed), nil
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return text
}
