// Package hostile has clients attack the whole program that do what no honest client does. The README says how, and
// what is judged.
package hostile

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/test/api"
	"resellerd/test/program"
)

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

const (
	// mostMemory is what the program may take under an attack.
	mostMemory = 256 << 20
	// mostWait is what the slowest in a hundred of the others' requests may take under an attack.
	mostWait = 50 * time.Millisecond
	// patience bounds what an answer or an end may take. No test measures it.
	patience = 2 * time.Minute
)

// campaign skips a test that belongs to the campaign alone, and returns which of two lengths it has.
func campaign[Length any](t *testing.T, short, long Length) Length {
	t.Helper()
	switch os.Getenv("RESELLERD_TEST_HOSTILE") {
	case "":
		t.Skip("takes a minute or more: run make hostile, or make test-all for the short form")
	case "short":
		return short
	}
	return long
}

// judged reports whether times are.
func judged() bool { return os.Getenv("RESELLERD_TEST_HOSTILE") != "" }

// seeded returns random numbers of the campaign's seed, which it prints.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if given := os.Getenv("RESELLERD_TEST_HOSTILE_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// attacked is a program under attack, and somebody else who asks it.
type attacked struct {
	*program.Program
	scheme   string
	neighbor string // token of somebody else
	attacker string // token of who attacks
}

// attack starts a program; by TLS it speaks HTTP/2 as well. Settings change the defaults.
func attack(t *testing.T, encrypted bool, settings map[string]string) *attacked {
	t.Helper()
	a := &attacked{Program: program.Start(t, settings, program.CheapPasswords), scheme: "http"}
	admin := a.Service.Admin(t)
	a.attacker = admin.Reseller(t, "0").Token
	other := admin.Reseller(t, "0")
	for range 60 {
		other.Trial(t)
	}
	a.neighbor = other.Token
	if encrypted {
		a.encrypt(t)
	}
	a.afresh(t)
	return a
}

// encrypt has the program speak TLS from its next start on.
func (a *attacked) encrypt(t *testing.T) {
	t.Helper()
	certificate, key, _ := program.NewCertificate(t)
	a.Set(map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
	a.scheme = "https"
}

// afresh starts the program again, so that its peak of memory is measured from then on.
func (a *attacked) afresh(t *testing.T) {
	t.Helper()
	api.Client.CloseIdleConnections()
	a.Restart(t, true)
}

// from returns a dialer whose connections come from an address of this machine.
func from(address string) *net.Dialer {
	return &net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
}

// neighbours ask as the other account, some at a time, until each has asked so often and the channel is closed. It
// returns how long they waited, in order.
func (a *attacked) neighbours(t *testing.T, times int, until <-chan struct{}) []time.Duration {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		MaxIdleConnsPerHost: 4,
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // the certificate is this test's own
	}}
	defer client.CloseIdleConnections()
	ask := func(method, path string) error {
		r, err := http.NewRequest(method, a.scheme+"://"+a.Address+path, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+a.neighbor)
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode >= 300 {
			return fmt.Errorf("status %d", response.StatusCode)
		}
		return nil
	}
	requests := []struct{ method, path string }{{"GET", "/lines"}, {"GET", "/users/logged"}, {"POST", "/lines/test"},
		{"GET", "/lines?status=1&limit=10"}}
	var all sync.WaitGroup
	var mu sync.Mutex
	var waits []time.Duration
	for i := range 4 {
		all.Go(func() {
			for n := 0; ; n++ {
				if n >= times {
					select {
					case <-until:
						return
					default:
					}
				}
				request := requests[(i+n)%len(requests)]
				begin := time.Now()
				err := ask(request.method, request.path)
				mu.Lock()
				waits = append(waits, time.Since(begin))
				mu.Unlock()
				if err != nil {
					t.Errorf("another account is disturbed: %s %s: %v", request.method, request.path, err)
				}
				time.Sleep(5 * time.Millisecond) // a client, and no load
			}
		})
	}
	all.Wait()
	slices.Sort(waits)
	return waits
}

func at(waits []time.Duration, percent int) time.Duration {
	return waits[(len(waits)-1)*percent/100].Round(10 * time.Microsecond)
}

// suffers runs an attack beside another account, and reports what both cost. Of more than one step of it the others are
// looked at during the last alone.
func (a *attacked) suffers(t *testing.T, steps ...func()) {
	t.Helper()
	ended := make(chan struct{})
	close(ended)
	const times = 200
	_, before, known := a.Memory()
	quiet := a.neighbours(t, times, ended)
	last := len(steps) - 1
	for _, step := range steps[:last] {
		step()
	}
	cpu, _ := a.CPU()
	began := time.Now()
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		steps[last]()
	}()
	busy := a.neighbours(t, times, begun)
	took := time.Since(began)
	used, _ := a.CPU()
	_, after, _ := a.Memory()
	t.Logf("resident memory: %d MB, at most %d MB; the program's CPU: %d %% of a core for %s; others, without and with the attack: median %v and %v, p99 %v and %v, of %d and %d requests",
		before>>20, after>>20, 100*(used-cpu)/took, took.Round(time.Second), at(quiet, 50), at(busy, 50), at(quiet, 99),
		at(busy, 99), len(quiet), len(busy))
	if known && after > mostMemory {
		t.Errorf("the process took %d MB, want at most %d MB", after>>20, mostMemory>>20)
	}
	switch {
	case !judged():
	case at(quiet, 99) > mostWait/5:
		t.Logf("p99 is not judged: this machine is so busy that it is %v without an attack", at(quiet, 99))
	case at(busy, 99) > mostWait:
		t.Errorf("p99 of the others is %v, want at most %v", at(busy, 99), mostWait)
	}
}

// pause waits, as long as the context has not ended.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
