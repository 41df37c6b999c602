package browser

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const adminPassword = "correct-horse-9"

// long is the form of the tests that takes hours: every language, both stores, a million lines.
var long = os.Getenv("RESELLERD_TEST_CONSOLE") == "long"

// patience is how long the program, or all steps in one tab, may take before a test fails.
var patience = 5 * time.Minute

// soon is how long one step of a page may take before a test reports the missing condition.
var soon = time.Minute

var (
	program  string // the binary
	chromium string // the browser's path
)

// running is done when all tests have ended.
var running, end = context.WithCancel(context.Background())

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run skips all tests if there is no Chromium, unless RESELLERD_TEST_BROWSER_REQUIRED says that there is.
func run(m *testing.M) int {
	var err error
	if chromium, err = exec.LookPath(cmp.Or(os.Getenv("RESELLERD_TEST_BROWSER"), "chromium")); err != nil {
		if os.Getenv("RESELLERD_TEST_BROWSER_REQUIRED") != "" {
			fmt.Fprintln(os.Stderr, "no browser to test with:", err)
			return 1
		}
		fmt.Println("SKIPPED: no browser to test with:", err)
		return 0
	}
	if long {
		patience, soon = 6*time.Hour, 2*time.Minute
	}
	if program = os.Getenv("RESELLERD_TEST_PROGRAM"); program == "" {
		fmt.Fprintln(os.Stderr, "RESELLERD_TEST_PROGRAM names no program: make test-browser builds it and says where it is")
		return 1
	}
	defer end()
	return m.Run()
}

// serve starts the program in memory and returns its address, http://127.0.0.1:PORT and the base path.
func serve(t *testing.T, basePath string) string {
	t.Helper()
	return serveOn(t, "memory:", adminPassword, "RESELLERD_BASE_PATH="+basePath)
}

// toHere allows webhooks to this machine.
const toHere = "RESELLERD_WEBHOOK_ALLOW=127.0.0.0/8"

// serveOn starts the program on a store, with these additional settings.
func serveOn(t *testing.T, store, password string, settings ...string) string {
	t.Helper()
	p := exec.Command(program, "serve")
	p.Env = append([]string{
		"HOME=" + t.TempDir(), "RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_STORE=" + store,
		"RESELLERD_ADMIN_PASSWORD=" + password,
	}, settings...)
	basePath := ""
	for _, s := range settings {
		if path, is := strings.CutPrefix(s, "RESELLERD_BASE_PATH="); is {
			basePath = path
		}
	}
	return started(t, p) + basePath
}

// started returns the address of a program, once it listens.
func started(t *testing.T, p *exec.Cmd) string {
	t.Helper()
	log, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			var line struct{ Msg, Addr string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				listening <- line.Addr
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.Process.Signal(os.Interrupt)
		<-read
		if err := p.Wait(); err != nil {
			t.Errorf("the program: %v", err)
		}
	})
	select {
	case address := <-listening:
		return "http://" + address
	case <-read:
	case <-time.After(patience):
	}
	t.Fatal("the program does not listen")
	return ""
}
