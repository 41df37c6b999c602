package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"resellerd/test/api"
)

// TestAnImportIsKilled with the service, in turns, and goes on by the same command: then every user of the panel has
// one line, with the password that it had, or one that was made once.
func TestAnImportIsKilled(t *testing.T) {
	const many = 2_000
	forEachStore(t, func(t *testing.T, s store) {
		file := filepath.Join(t.TempDir(), "panel.db")
		makeDatabase(t, file,
			fmt.Sprintf(`CREATE TABLE users (id, username, status, expire); CREATE TABLE proxies (user_id, type, settings);
			INSERT INTO users WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d) SELECT i, 'user-'||i, 'active', NULL FROM n;
			INSERT INTO proxies SELECT id, 'Trojan', '{"password":"pass-'||id||'"}' FROM users WHERE id %% 2`, many))
		srv := startServer(t, s, nil)
		srv.env["RESELLERD_ADDR"] = srv.Address // also of the processes after it
		admin := srv.Admin(t)
		admin.Master(t, "5")
		env := map[string]string{"RESELLERD_TOKEN": admin.Token}
		moves := func(wait func()) {
			p, err := launch(env, "import", "marzban", file, "--owner", "admin", "--url", "http://"+srv.Address)
			if err != nil {
				t.Fatal(err)
			}
			if wait != nil {
				wait()
				p.Kill()
			} else if status := p.Wait(); status != 0 {
				t.Errorf("it ended with %d:\n%s", status, p.Stderr)
			}
		}
		for n := range 6 {
			moves(func() {
				time.Sleep(time.Duration(rand.Int64N(int64(400 * time.Millisecond))))
				if n%3 == 2 && s.durable {
					srv.Kill()
					api.Client.CloseIdleConnections()
					srv.start(t)
				}
			})
		}
		// On a busy machine none of them may have come to decide anything: one more is killed once it has.
		var kept []byte
		moves(func() {
			for deadline := time.Now().Add(patience); len(kept) == 0; time.Sleep(time.Millisecond) {
				var err error
				if kept, err = os.ReadFile(file + ".import"); err != nil && time.Now().After(deadline) {
					t.Fatal(err)
				}
			}
		})
		for range 2 {
			moves(nil)
		}
		if again, err := os.ReadFile(file + ".import"); err != nil || string(again) != string(kept) {
			t.Errorf("what was decided once is decided anew: %v", err)
		}
		if n := len(admin.Walk(t, "/lines", 500, func() {})); n != many {
			t.Errorf("%d lines are there, want %d", n, many)
		}
		for _, n := range []int{1, many - 1} {
			found := admin.Get(t, api.Query("/lines", "external_id", fmt.Sprint("marzban-", n))).Is(200).IDs()
			admin.Get(t, api.Path("/lines", found[0])).Is(200).Has(fields{"username": fmt.Sprint("user-", n),
				"password": fmt.Sprint("pass-", n)})
		}
		srv.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true, "imported": many})
		srv.stop(t)
		if s.left != nil {
			srv.audit(t).well()
		}
	})
}
