package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// login tries to log in from an address of this machine, and returns the status of the answer and how long it says to
// wait.
func login(ctx context.Context, client *http.Client, address, name, password string) (status int, wait time.Duration,
	err error) {
	body, err := json.Marshal(map[string]string{"username": name, "password": password})
	if err != nil {
		return 0, 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/auth/static-token",
		bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return response.StatusCode, time.Duration(seconds) * time.Second, err
}

func clientFrom(address string) *http.Client {
	dialer := from(address)
	return &http.Client{Timeout: patience,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, to)
		}}}
}

// TestGuesses guesses passwords from many addresses while others log in. Passwords cost what they cost users.
func TestGuesses(t *testing.T) {
	guesses := campaign(t, 2_000, 10_000)
	const addresses, others = 50, 3
	a := &attacked{Program: program.Start(t, nil), scheme: "http"}
	admin := a.Service.Admin(t)
	victim := admin.Reseller(t, "0")
	a.neighbor = admin.Reseller(t, "0").Token
	var honest []api.Reseller
	for range others {
		honest = append(honest, admin.Reseller(t, "0"))
	}
	var mu sync.Mutex
	statuses := map[int]int{}
	var granted []time.Duration
	var again atomic.Int64
	a.suffers(t, func() {
		ctx, cancel := context.WithCancel(t.Context())
		var beside, guessing sync.WaitGroup
		for i, r := range honest {
			beside.Go(func() {
				client := clientFrom(fmt.Sprintf("127.0.5.%d", 1+i))
				defer client.CloseIdleConnections()
				for ctx.Err() == nil {
					began := time.Now()
					for {
						status, wait, err := login(t.Context(), client, a.Address, r.Username, r.Password)
						if status == http.StatusTooManyRequests {
							again.Add(1)
							time.Sleep(wait)
							continue
						}
						if err != nil || status != http.StatusOK {
							t.Errorf("somebody else's login: status %d, %v", status, err)
						}
						break
					}
					mu.Lock()
					granted = append(granted, time.Since(began))
					mu.Unlock()
					pause(ctx, 200*time.Millisecond)
				}
			})
		}
		var next atomic.Int64
		for i := range addresses {
			guessing.Go(func() {
				client := clientFrom(fmt.Sprintf("127.0.2.%d", 1+i))
				defer client.CloseIdleConnections()
				for n := next.Add(1); n <= int64(guesses); n = next.Add(1) {
					name := []string{api.AdminName, victim.Username, fmt.Sprint("nobody-", n)}[n%3]
					status, _, err := login(t.Context(), client, a.Address, name, fmt.Sprint("guess ", n))
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					statuses[status]++
					mu.Unlock()
				}
			})
		}
		guessing.Wait()
		cancel()
		beside.Wait()
	})
	slices.Sort(granted)
	t.Logf("%d guesses from %d addresses, by status: %v; %d logins of others were granted, median %v, p99 %v, after %d refusals as busy",
		guesses, addresses, statuses, len(granted), at(granted, 50), at(granted, 99), again.Load())
	for status := range maps.Keys(statuses) {
		if status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
			t.Errorf("%d guesses were answered with status %d", statuses[status], status)
		}
	}
	if len(granted) < others {
		t.Errorf("%d logins of others were granted", len(granted))
	}
}
