package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/require"
)

const (
	oldKey    = "the service key from the beginning"
	newKey    = "the service key that comes after it"
	newestKey = "the service key when that has leaked"
)

// endRekey begins to replace the service key and kills that process once it prints its progress.
func (s *server) endRekey(t *testing.T, says string) {
	t.Helper()
	p, err := launch(s.env, "rekey")
	require.NoError(t, err)
	defer p.Kill()
	for !strings.Contains(p.Stderr.String(), says) {
		select {
		case <-p.Ended():
			t.Fatalf("it ended by itself, with status %d: %s%s", p.Status, p.Stdout, p.Stderr)
		case <-time.After(time.Millisecond):
		}
	}
}

func (s *server) rekeys(t *testing.T, flags ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := s.command(t, append([]string{"rekey"}, flags...)...)
	if status != 0 || !strings.Contains(stdout, "no longer needed") {
		t.Fatalf("status %d, printed %s%s", status, stdout, stderr)
	}
	for _, key := range []string{oldKey, newKey, newestKey} {
		if strings.Contains(stdout+stderr, key) {
			t.Error("it prints a service key")
		}
	}
	return stdout
}

// done is a request that was answered.
type done struct {
	key    string
	answer answer
}

// TestTheServiceKeyIsReplacedUnderLoad replaces the key on one process with the embedded store, and on two with
// MongoDB.
func TestTheServiceKeyIsReplacedUnderLoad(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		all := []*server{startServer(t, s, map[string]string{"RESELLERD_SECRET": oldKey})}
		if s.name == mongodb.name {
			all = append(all, all[0].in(all[0].dir))
			all[1].start(t)
		}
		one := all[0]
		give := func(keys map[string]string) {
			for _, srv := range all { // one after the other, as an operator does
				srv.stop(t)
				srv.env = changed(srv.env, keys)
				srv.start(t)
			}
		}
		seller := one.Admin(t).Master(t, "1000").Reseller(t, "500")
		create := func(on *server, key string) done {
			return done{key, seller.On(on.Service).Send(t, "POST", "/lines/test", nil, "Idempotency-Key", key).Is(
				http.StatusCreated)}
		}
		h := newHistory(t, one)
		var made []done
		for i := range 30 {
			made = append(made, create(one, fmt.Sprint("before-", i)))
		}
		give(map[string]string{"RESELLERD_SECRET": newKey, "RESELLERD_SECRET_PREVIOUS": oldKey})

		var load sync.WaitGroup
		var mu sync.Mutex
		var over atomic.Bool
		for i := range 4 {
			on := all[i%len(all)]
			load.Go(func() {
				for n := 0; !over.Load(); n++ {
					d := create(on, fmt.Sprintf("during-%d-%d", i, n))
					l := line{ID: d.answer.ID(), Username: d.answer.Text("username"), Password: d.answer.Text("password")}
					seller.On(all[(i+1)%len(all)].Service).Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
					mu.Lock()
					made = append(made, d)
					mu.Unlock()
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		one.endRekey(t, "waiting until")
		one.endRekey(t, "sealing the passwords")
		one.rekeys(t)
		over.Store(true)
		load.Wait()
		if t.Failed() {
			return
		}

		give(map[string]string{"RESELLERD_SECRET_PREVIOUS": ""})
		holds := func(seller api.Reseller) {
			for i, d := range made {
				there := seller.On(all[i%len(all)].Service)
				there.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", d.key).Same(d.answer)
				there.Get(t, api.Path("/lines", d.answer.ID())).Has(fields{"password": d.answer.Text("password")})
			}
			seller.Send(t, "POST", "/lines/test", `{"notes":"another request"}`, "Idempotency-Key", made[0].key).Refused(
				http.StatusUnprocessableEntity, "idempotency-key-reused")
		}
		if again := one.Login(t, seller.Username, seller.Password); again != seller.Token {
			t.Errorf("the token became %s and was %s", again, seller.Token)
		}
		holds(seller)

		give(map[string]string{"RESELLERD_SECRET": newestKey, "RESELLERD_SECRET_PREVIOUS": newKey})
		one.rekeys(t, "--leaked")
		give(map[string]string{"RESELLERD_SECRET_PREVIOUS": ""})
		seller.Send(t, "GET", "/users/logged", nil).Refused(http.StatusUnauthorized, "invalid-token")
		changed := seller.Login(t)
		if changed.Token == seller.Token {
			t.Error("the token is the one of the leaked key")
		}
		holds(changed)
		for _, srv := range all[1:] {
			srv.stop(t)
		}
		one.AdminToken = one.Login(t, api.AdminName, api.AdminPassword)
		h.peopleWorkOn(t, one)
		one.stopAndAudit(t)
	})
}

// TestTheKeyFileIsReplacedWithoutARestart renames the file beside the database, and nothing else.
func TestTheKeyFileIsReplacedWithoutARestart(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	seller := srv.Admin(t).Reseller(t, "5")
	trial := seller.Trial(t)
	status, stdout, stderr := srv.command(t, "rekey")
	if status != 1 || !strings.Contains(stderr, "give a new one") {
		t.Errorf("without a new key: status %d, printed %s%s", status, stdout, stderr)
	}
	file := database(srv.dir) + ".key"
	require.NoError(t, os.Rename(file, file+".previous"))
	srv.rekeys(t)
	require.NoError(t, os.Remove(file+".previous"))
	seller.Get(t, api.Path("/lines", trial.ID)).Has(fields{"password": trial.Password})
	later := seller.Trial(t)
	srv.restart(t)
	for _, l := range []line{trial, later} {
		seller.Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
	}
	srv.stopAndAudit(t)
}

// TestALeakedKeyIsRetainedForDamagedLines checks that a leaked key stays until damaged lines are repaired: the program
// can't find out whether they are sealed under it.
func TestALeakedKeyIsRetainedForDamagedLines(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, map[string]string{"RESELLERD_SECRET": oldKey})
	seller := srv.Admin(t).Reseller(t, "5")
	damaged, sound := seller.Official(t), seller.Official(t)
	srv.stop(t)
	onSQLite(t, srv.dir, fmt.Sprintf("UPDATE lines SET path = replace(path, '/%d/', '/999/') WHERE id = %d",
		seller.ID, damaged.ID))
	srv.env = changed(srv.env, map[string]string{"RESELLERD_SECRET": newKey, "RESELLERD_SECRET_PREVIOUS": oldKey})
	status, stdout, stderr := srv.command(t, "rekey", "--leaked")
	if status != 3 ||
		!strings.Contains(stdout, "1 records are damaged, and their sealed content was not tried: repair them and repeat") ||
		strings.Contains(stdout, "can't be opened under any key") ||
		!strings.Contains(stdout+stderr, fmt.Sprintf("line %d", damaged.ID)) {
		t.Errorf("status %d, printed %s%s", status, stdout, stderr)
	}
	onSQLite(t, srv.dir, fmt.Sprintf("UPDATE lines SET path = replace(path, '/999/', '/%d/') WHERE id = %d",
		seller.ID, damaged.ID))
	srv.env = changed(srv.env, map[string]string{"RESELLERD_SECRET_PREVIOUS": ""}) // as the output says
	if out := srv.rekeys(t, "--leaked"); !strings.Contains(out, "resealed: 1 passwords") {
		t.Errorf("repeated, it printed %s", out)
	}
	srv.start(t)
	seller = seller.Login(t)
	for _, l := range []line{damaged, sound} {
		seller.Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
	}
	srv.AdminToken = srv.Login(t, api.AdminName, api.AdminPassword)
	srv.stopAndAudit(t)
}

// TestAProcessWithoutTheNewKeyEnds checks that a process without the new key ends: it could not read the others'
// writes.
func TestAProcessWithoutTheNewKeyEnds(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		left := startServer(t, s, map[string]string{"RESELLERD_SECRET": oldKey})
		both := left.in(left.dir)
		both.env = changed(both.env, map[string]string{"RESELLERD_SECRET": newKey, "RESELLERD_SECRET_PREVIOUS": oldKey})
		both.endRekey(t, "waiting until")
		if status := left.Wait(); status != 1 || !strings.Contains(left.Stderr.String(), "set the right key") {
			t.Errorf("it ended with status %d and says %s", status, left.Stderr)
		}
		if message := fails(t, 1, left.env); !strings.Contains(message, "set the right key") {
			t.Errorf("its start says %s", message)
		}
		both.start(t)
		both.Admin(t).Reseller(t, "5").Official(t)
		both.stopAndAudit(t)
	})
}
