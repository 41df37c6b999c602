// Package hostile attacks the whole program with hostile clients. The README lists the attacks and the checks.
package hostile

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

const (
	// mostMemory is the memory that the program may use under an attack.
	mostMemory = 256 << 20
	// mostWait is the time within which 99 of 100 requests of other clients have to be answered under an attack.
	mostWait = 50 * time.Millisecond
	// patience bounds what an answer or an end may take. No test measures it.
	patience = 2 * time.Minute
)

// campaign skips a test that belongs to the campaign alone, and returns how long it takes.
func campaign(t *testing.T) time.Duration {
	t.Helper()
	switch os.Getenv("RESELLERD_TEST_HOSTILE") {
	case "":
		t.Skip("takes a minute or more: run make hostile, or make test-all for the short form")
	case "short":
		return 20 * time.Second
	}
	return 2 * time.Minute
}

// attacked is a program under attack, and another client of it.
type attacked struct {
	*program.Program
	neighbor string // token of the other client
	attacker string // token of the attacker
}

// attack starts a program. Settings change the defaults.
func attack(t *testing.T, settings map[string]string) *attacked {
	t.Helper()
	a := &attacked{Program: program.Start(t, settings, program.CheapPasswords)}
	admin := a.Service.Admin(t)
	a.attacker = admin.Reseller(t, "0").Token
	other := admin.Reseller(t, "0")
	for range 60 {
		other.Trial(t)
	}
	a.neighbor = other.Token
	a.afresh(t)
	return a
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

// neighbours sends requests as the other account, some at a time, until each client has sent 200 and the channel is
// closed. It returns the time within which 99 of 100 were answered.
func (a *attacked) neighbours(t *testing.T, until <-chan struct{}) (p99 time.Duration) {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	defer client.CloseIdleConnections()
	requests := []struct{ method, path string }{{"GET", "/lines"}, {"GET", "/users/logged"}, {"POST", "/lines/test"},
		{"GET", "/lines?status=1&limit=10"}}
	ask := func(method, path string) time.Duration {
		r, err := http.NewRequest(method, "http://"+a.Address+path, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+a.neighbor)
		begin := time.Now()
		response, err := client.Do(r)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		if err != nil || response.StatusCode >= 300 {
			t.Errorf("another account is disturbed: %s %s: %v, %v", method, path, response, err)
		}
		return time.Since(begin)
	}
	over := func() bool {
		select {
		case <-until:
			return true
		default:
			return false
		}
	}
	var mu sync.Mutex
	var waits []time.Duration
	api.AtOnce(4, func(i int) {
		for n := 0; n < 200 || !over(); n++ {
			took := ask(requests[(i+n)%len(requests)].method, requests[(i+n)%len(requests)].path)
			mu.Lock()
			waits = append(waits, took)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond) // a client, and no load
		}
	})
	slices.Sort(waits)
	return waits[(len(waits)-1)*99/100]
}

// suffers runs an attack beside another account, and reports what both cost.
func (a *attacked) suffers(t *testing.T, attack func()) {
	t.Helper()
	ended, begun := make(chan struct{}), make(chan struct{})
	close(ended)
	quiet := a.neighbours(t, ended)
	go func() {
		defer close(begun)
		attack()
	}()
	busy := a.neighbours(t, begun)
	_, most, known := a.Memory()
	t.Logf("resident memory: at most %d MB; p99 of the others without and with the attack: %v and %v", most>>20, quiet, busy)
	if known && most > mostMemory {
		t.Errorf("the process took %d MB, want at most %d MB", most>>20, mostMemory>>20)
	}
	switch judged := os.Getenv("RESELLERD_TEST_HOSTILE") != ""; {
	case judged && quiet > mostWait/5:
		t.Log("p99 is not judged: this machine is busy without an attack")
	case judged && busy > mostWait:
		t.Errorf("p99 of the others is %v, want at most %v", busy, mostWait)
	}
}

// pause waits, as long as the context has not ended.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
