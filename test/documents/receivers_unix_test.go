//go:build unix

package documents

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// These documents show how to receive webhooks, in Python and in Go.
const (
	webhookTutorial = guide + "tutorial/3-first-webhook.md"
	webhookGuide    = guide + "how-to/receive-webhooks.md"
)

// receivers are the documents that show a receiver, by its language.
var receivers = map[string]string{"go": webhookGuide, "python": webhookTutorial}

// receiver is a program of these documents, as it runs.
type receiver struct {
	t      *testing.T
	url    string
	prints chan string // each line
}

// shown returns the receiver of a language, which is the only block of that language in its document.
func shown(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout(t), receivers[language]))
	require.NoError(t, err)
	found := ""
	for _, b := range Parse(receivers[language], string(text)).Blocks {
		if b.Language == language {
			found += b.Text
		}
	}
	return found
}

// receive runs the receiver of a language once its webhook is made.
func receive(t *testing.T, language string, hook func(url string) (secret string)) *receiver {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "receiver."+map[string]string{"go": "go", "python": "py"}[language])
	require.NoError(t, os.WriteFile(file, []byte(shown(t, language)), 0o600))
	command := exec.Command(filepath.Join(folder, "receiver"))
	if language == "go" {
		build := exec.Command("go", "build", "-ldflags=-w", "-o", command.Path, file)
		build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	} else {
		command = exec.Command(require.Tool(t, "python3"), "-W", "error", file)
	}
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	r := &receiver{t, "http://" + address + "/hooks/resellerd", make(chan string, 100)}
	command.Env = append(os.Environ(), "WEBHOOK_SECRET="+hook(r.url), "PORT="+port)
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	require.NoError(t, err)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			r.prints <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for until := time.Now().Add(program.Patience); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return r
		}
		if time.Now().After(until) {
			t.Fatal("the receiver does not listen")
		}
	}
}

// told expects that the next printed entry is of a type, and returns its body.
func (r *receiver) told(kind string) (body string) {
	r.t.Helper()
	select {
	case body = <-r.prints:
	case <-time.After(program.Patience):
		r.t.Fatalf("the receiver did not print a %s", kind)
	}
	var entry struct{ Type string }
	if err := json.Unmarshal([]byte(body), &entry); err != nil || entry.Type != kind {
		r.t.Fatalf("the receiver printed %s, want a %s", body, kind)
	}
	return body
}

// send sends what may or may not be signed, and returns the status.
func (r *receiver) send(id, body, signature string, at time.Time) int {
	r.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.url, strings.NewReader(body))
	require.NoError(r.t, err)
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	if signature != "" {
		request.Header.Set("webhook-signature", signature)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(r.t, err)
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// TestReceivers runs each receiver of the document against the program. A receiver accepts the program's deliveries. It
// refuses a body without a valid signature, an old timestamp and a repeated id.
func TestReceivers(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"go", "python"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			srv := program.Start(t, map[string]string{"RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8"})
			admin := srv.Service.Admin(t)
			var webhook int64
			secret := ""
			r := receive(t, language, func(url string) string {
				made := admin.MakeWebhook(t, api.Fields{"url": url, "types": []string{"line.*"}})
				webhook, secret = made.ID(), made.Text("secret")
				return secret
			})
			admin.Send(t, "POST", api.Path("/webhooks", webhook, "/test"), nil).Is(202)
			r.told("webhook.test")
			admin.Trial(t)
			body := r.told("line.trial_created")
			admin.Send(t, "POST", api.Path("/webhooks", webhook, "/rotate"), nil).Is(200) // both secrets sign
			l := admin.Trial(t)
			r.told("line.trial_created")

			signer, err := standardwebhooks.NewWebhook(secret)
			require.NoError(t, err)
			now := time.Now()
			by := func(id string, at time.Time) string {
				signature, err := signer.Sign(id, at, []byte(body))
				require.NoError(t, err)
				return signature
			}
			good := by("evt_00000000_1", now)
			other := "A"
			if strings.HasPrefix(good, "v1,A") {
				other = "B"
			}
			for name, status := range map[string]int{
				"no signature":              r.send("evt_00000000_1", body, "", now),
				"another signature":         r.send("evt_00000000_1", body, "v1,"+other+good[4:], now),
				"that of another body":      r.send("evt_00000000_1", body+" ", good, now),
				"that of another id":        r.send("evt_00000000_2", body, good, now),
				"that of another timestamp": r.send("evt_00000000_1", body, good, now.Add(time.Second)),
				"an old one": r.send("evt_00000000_1", body, by("evt_00000000_1", now.Add(-6*time.Minute)),
					now.Add(-6*time.Minute)),
				"one of the future": r.send("evt_00000000_1", body, by("evt_00000000_1", now.Add(6*time.Minute)),
					now.Add(6*time.Minute)),
			} {
				if status != http.StatusUnauthorized {
					t.Errorf("%s is answered %d", name, status)
				}
			}
			for range 2 {
				if status := r.send("evt_00000000_1", body, "v1,x "+good, now); status != http.StatusNoContent {
					t.Errorf("a valid signature beside another is answered %d", status)
				}
			}
			r.told("line.trial_created") // once
			admin.Send(t, "DELETE", api.Path("/lines", l.ID), nil).Is(200)
			r.told("line.deleted")
		})
	}
}
