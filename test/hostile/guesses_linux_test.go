package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
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

// TestGuesses guesses passwords from many addresses while another client logs in. Passwords cost what they cost users.
func TestGuesses(t *testing.T) {
	guesses := campaign(t, 2_000, 10_000)
	const addresses = 50
	a := &attacked{Program: program.Start(t, nil)}
	admin := a.Service.Admin(t)
	honest := admin.Reseller(t, "0")
	a.neighbor = honest.Token
	var mu sync.Mutex
	statuses, granted := map[int]int{}, 0
	a.suffers(t, func() {
		ctx, cancel := context.WithCancel(t.Context())
		var beside, guessing sync.WaitGroup
		beside.Go(func() {
			client := clientFrom("127.0.5.1")
			defer client.CloseIdleConnections()
			for granted == 0 || ctx.Err() == nil {
				switch status, wait, err := login(t.Context(), client, a.Address, honest.Username, honest.Password); {
				case status == http.StatusTooManyRequests: // the hashers are busy
					time.Sleep(wait)
				case err != nil || status != http.StatusOK:
					t.Errorf("somebody else's login: status %d, %v", status, err)
				default:
					granted++
					pause(ctx, 200*time.Millisecond)
				}
			}
		})
		var next atomic.Int64
		for i := range addresses {
			guessing.Go(func() {
				client := clientFrom(fmt.Sprintf("127.0.2.%d", 1+i))
				defer client.CloseIdleConnections()
				for n := next.Add(1); n <= int64(guesses); n = next.Add(1) {
					name := []string{api.AdminName, fmt.Sprint("nobody-", n)}[n%2]
					status, _, err := login(t.Context(), client, a.Address, name, fmt.Sprint("guess ", n))
					expect.Error(t, err, nil)
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
	t.Logf("%d guesses from %d addresses, by status: %v; %d logins of another client were granted", guesses, addresses,
		statuses, granted)
	expect.Equal(t, statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests], guesses, "refused guesses")
}
