// Package program builds the service and runs it as a process of its own, for campaigns that make it fail and check its
// cost: memory, goroutines, open files, its log.
package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"resellerd/test/api"
)

// Program is the service on SQLite. It may be stopped or killed and started again on its records.
type Program struct {
	*api.Service
	*Process

	Admin    string // address of the administrative listener
	Folder   string
	binary   string
	settings map[string]string
}

// New returns a program that does not run yet, with records in a folder of the test's own. Settings change the
// defaults; the binary is built with others, if any: see Binary.
func New(t testing.TB, settings map[string]string, built ...string) *Program {
	t.Helper()
	path, err := Binary(built...)
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Service: &api.Service{}, Folder: t.TempDir(), binary: path, settings: map[string]string{
		"RESELLERD_ADDR":           "127.0.0.1:0",
		"RESELLERD_ADMIN_ADDR":     "127.0.0.1:0",
		"RESELLERD_STORE":          "sqlite:resellerd.db",
		"RESELLERD_ADMIN_PASSWORD": api.AdminPassword,

		"RESELLERD_FREE_CHANGES_PER_DAY": "0", // an account makes more in an hour than people do in a day
	}}
	p.settings["HOME"] = p.Folder
	maps.Copy(p.settings, settings)
	t.Cleanup(func() {
		if p.Process != nil {
			p.Kill()
		}
	})
	return p
}

// Start is New and Launch.
func Start(t testing.TB, settings map[string]string, built ...string) *Program {
	t.Helper()
	p := New(t, settings, built...)
	p.Launch(t)
	return p
}

// Set changes settings from the next start on; an empty one takes a variable away.
func (p *Program) Set(settings map[string]string) { maps.Copy(p.settings, settings) }

// Become has the program be another binary from the next start on.
func (p *Program) Become(t testing.TB, built ...string) {
	t.Helper()
	path, err := Binary(built...)
	if err != nil {
		t.Fatal(err)
	}
	p.binary = path
}

func (p *Program) environment() (env []string) {
	for name, value := range p.settings {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Launch runs the program until it listens.
func (p *Program) Launch(t testing.TB) {
	t.Helper()
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Run is Launch for a start that may fail. The program is killed where it does not listen before ctx ends.
func (p *Program) Run(ctx context.Context) error {
	started, err := Serve(ctx, p.Folder, p.environment(), p.binary, "serve")
	if started != nil {
		p.Process = started
	}
	if err != nil {
		return err
	}
	if p.Address != started.ListensOn { // clients may be looking at it
		p.Address = started.ListensOn
	}
	_, after, _ := bytes.Cut(p.Log(), []byte(`"msg":"administrative listener","addr":"`)) // which starts before
	address, _, _ := bytes.Cut(after, []byte(`"`))
	p.Admin = string(address)
	return nil
}

// Restart ends the program in order, or as a power failure would, and runs it again.
func (p *Program) Restart(t testing.TB, inOrder bool) {
	t.Helper()
	if inOrder {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	} else {
		p.Kill()
	}
	p.Launch(t)
}

// Command runs another command of the program on its records, and returns what it printed.
func (p *Program) Command(args ...string) (string, error) {
	command := exec.Command(p.binary, args...)
	command.Env, command.Dir = p.environment(), p.Folder
	out, err := command.CombinedOutput()
	return string(out), err
}

// Verified expects that the program finds nothing wrong with its records, and returns its words.
func (p *Program) Verified(t testing.TB) string {
	t.Helper()
	said, err := p.Command("verify")
	if err != nil || !strings.HasPrefix(said, "all well: ") {
		t.Errorf("verify: %v: %s", err, said)
	}
	return strings.TrimSpace(said)
}

var figures = &http.Client{Timeout: Patience, Transport: &http.Transport{DisableKeepAlives: true}}

// Metrics returns the text of the program's figures.
func (p *Program) Metrics() ([]byte, error) {
	response, err := figures.Get("http://" + p.Admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// Figure returns a figure that has no labels.
func Figure(metrics []byte, name string) (float64, error) {
	for line := range bytes.Lines(metrics) {
		if value, is := bytes.CutPrefix(line, []byte(name+" ")); is {
			return strconv.ParseFloat(string(bytes.TrimSpace(value)), 64)
		}
	}
	return 0, fmt.Errorf("there is no figure %s", name)
}
