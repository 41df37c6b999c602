package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/require"
)

// backedUp is a backup as the command reports it.
type backedUp struct {
	File    string   `json:"file"`
	KeyFile string   `json:"key_file"`
	Bytes   int64    `json:"bytes"`
	Removed []string `json:"removed"`
	Lines   int64    `json:"lines"`
}

// backup makes one into a folder, and expects that it is well.
func (s *server) backup(t *testing.T, folder string, flags ...string) (b backedUp) {
	t.Helper()
	status, stdout, stderr := s.command(t, append([]string{"backup", "--json", "--dir", folder}, flags...)...)
	if err := json.Unmarshal([]byte(stdout), &b); err != nil || status != 0 {
		t.Fatalf("the backup ended with status %d and printed\n%s%s", status, stdout, stderr)
	}
	if info, err := os.Stat(b.File); err != nil || info.Mode() != 0o600 || info.Size() != b.Bytes {
		t.Errorf("the backup: %v, %v; want a file of mode 0600 and %d bytes", info, err, b.Bytes)
	}
	return b
}

// restore makes a store of a backup in a folder of its own and returns a server for it that does not run yet.
func (s *server) restore(t *testing.T, backup string) *server {
	t.Helper()
	restored := newServer(t, sqlite, nil)
	status, stdout, stderr := restored.command(t, "restore", backup)
	if status != 0 ||
		!strings.HasPrefix(stdout, "restored to "+database(restored.dir)+", opened as the service does, and all well: ") {
		t.Fatalf("the restore ended with status %d and printed\n%s%s", status, stdout, stderr)
	}
	return restored
}

// filesIn returns the names of the files in a folder, in order.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(allIn(t, folder)))
}

// TestBackupsUnderLoadAreServed makes backups while lines are paid for, and serves the last of them. Users notice only
// that their sessions have ended, and followers of the journal that they have to start over.
func TestBackupsUnderLoadAreServed(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	h := newHistory(t, srv)
	seller := srv.Admin(t).Master(t, "1000")
	maps.DeleteFunc(h.before, func(what, _ string) bool { return strings.HasPrefix(what, "admin ") }) // who sees others
	stop, paid := make(chan struct{}), make(chan struct{}, 1000)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case paid <- struct{}{}:
					seller.Official(t)
				}
			}
		})
	}
	folder := filepath.Join(t.TempDir(), "backups")
	var backups []backedUp
	for range 2 {
		for range 8 {
			<-paid
		}
		backups = append(backups, srv.backup(t, folder, "--with-key"))
	}
	close(stop)
	writers.Wait()
	first, last := backups[0], backups[1]
	if last.Lines <= first.Lines || last.File <= first.File {
		t.Errorf("the first is %+v and the last %+v, want one of more lines and a later name", first, last)
	}
	cursor := srv.Admin(t).Get(t, "/events").Next() // at an entry whose number the restored store assigns again
	restored := srv.restore(t, last.File)
	restored.audit(t).well()
	if info, err := os.Stat(database(restored.dir)); err != nil || info.Mode() != 0o600 {
		t.Errorf("the store that was made: %v, %v", info, err)
	}
	restored.start(t)
	h.signedIn.On(restored.Service).Send(t, "GET", "/users/logged", nil).SessionEnded()
	gone := restored.Admin(t).Send(t, "GET", api.Query("/events", "cursor", cursor), nil).Refused(410, "cursor-unknown")
	restored.Admin(t).Get(t, api.Query("/events", "cursor", gone.Text("restart"), "limit", 1)).List()[0].Has(
		fields{"type": "journal.restored"})
	h.isOn(t, restored)
	restored.stopAndAudit(t)
	want := []string{}
	for _, b := range backups {
		want = append(want, filepath.Base(b.File), filepath.Base(b.KeyFile))
	}
	slices.Sort(want)
	if got := filesIn(t, folder); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
	srv.audit(t).well()
}

// TestBackupsAreMadeAndRemovedInTime has a backup of another store in the folder, and a file that is no backup.
func TestBackupsAreMadeAndRemovedInTime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	srv, other := startServer(t, sqlite, map[string]string{"RESELLERD_BACKUP_DIR": folder}), startServer(t, sqlite, nil)
	srv.Admin(t).Get(t, "/service").Has(fields{"last_backup_at": nil})
	theirs := filepath.Base(other.backup(t, folder, "--keep", "1").File)
	write(t, filepath.Join(folder, "resellerd.db"), "")
	p, err := launch(srv.env, "backup", "--dir", folder, "--every", "1s", "--keep", "2", "--with-key")
	require.NoError(t, err)
	defer p.Kill()
	eventually(t, "too few backups are made", func() bool { return strings.Count(p.Stdout.String(), "and all well") > 2 })
	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d: %s", status, p.Stderr)
	}
	backups := slices.DeleteFunc(filesIn(t, folder), func(name string) bool {
		return name == theirs || name == "resellerd.db"
	})
	if len(backups) != 4 || len(filesIn(t, folder)) != 6 || backups[1] != backups[0]+".key" ||
		backups[3] != backups[2]+".key" {
		t.Fatalf("the folder has %q, want two backups with their keys beside those of others", filesIn(t, folder))
	}
	told := srv.Admin(t).Get(t, "/service").Text("last_backup_at")
	if at, err := time.Parse(time.RFC3339, told); err != nil ||
		!strings.HasSuffix(backups[2], at.Format("-20060102T150405.000Z")+".db") { // names sort by time
		t.Errorf("the service shows %q, %v, and the newest is %s", told, err, backups[2])
	}
}

func TestBackupsThatCannotBeMadeAreRefused(t *testing.T) {
	t.Parallel()
	srv := newServer(t, sqlite, nil)
	folder := filepath.Join(t.TempDir(), "backups")
	backup := func(want int, says string, args ...string) {
		t.Helper()
		status, stdout, stderr := srv.command(t, append([]string{"backup", "--dir", folder}, args...)...)
		if status != want || !strings.Contains(stdout+stderr, says) || strings.Contains(stderr, "hidden") {
			t.Errorf("%q: status %d, want %d, and %q in\n%s%s", args, status, want, says, stdout, stderr)
		}
	}
	backup(1, database(srv.dir))
	srv.start(t)
	backup(2, `RESELLERD_COPY_FROM="$RESELLERD_STORE" resellerd copy --to sqlite:backup.db`, "--store",
		"mongodb://user:hidden@a,b/resellerd?replicaSet=rs")
	backup(2, "memory: ends with the process", "--store", "memory:")
	backup(2, "--every", "--every", "10ms")
	backup(2, "--keep", "--keep", "-1")
	backup(2, "RESELLERD_SECRET", "--with-key", "--secret-file", "/nowhere")
	wrong := filepath.Join(srv.dir, "wrong.key")
	write(t, wrong, "the service key of somebody else\n")
	backup(1, "this service key has the fingerprint", "--with-key", "--secret-file", wrong)
	maria := srv.Admin(t).Reseller(t, "5")
	srv.stop(t)
	onSQLite(t, srv.dir, fmt.Sprintf("UPDATE accounts SET username_key = 'another' WHERE id = %d", maria.ID))
	backup(3, "1 findings in 2 accounts, 0 lines, 1 movements and 3 entries of the journal: there is no new backup")
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func TestARestoreOverwritesNothing(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	srv.Admin(t).Official(t)
	folder := t.TempDir()
	withKey, without := srv.backup(t, folder, "--with-key"), srv.backup(t, folder)
	if status, _, stderr := srv.command(t, "restore", withKey.File); status != 4 ||
		!strings.Contains(stderr, "nothing is overwritten") {
		t.Errorf("onto a store that is served: status %d, %q", status, stderr)
	}
	srv.stop(t)
	secret, err := os.ReadFile(withKey.KeyFile)
	require.NoError(t, err)
	damaged := filepath.Join(t.TempDir(), "resellerd.db")
	content, err := os.ReadFile(without.File)
	require.NoError(t, err)
	write(t, damaged, string(content))
	write(t, damaged+".key", string(secret))
	onSQLite(t, filepath.Dir(damaged), "UPDATE lines SET owner = 99")
	text := filepath.Join(t.TempDir(), "text")
	write(t, text, "this is no store, but long enough to be looked at as if it were one")

	for _, c := range []struct {
		name   string
		there  map[string]string // beside where the store would be
		env    map[string]string
		from   string
		status int
		says   string
	}{
		{"something is there", map[string]string{"": "x"}, nil, withKey.File, 4, "nothing is overwritten"},
		{"another key is there", map[string]string{".key": strings.Repeat("y", 64)}, nil, withKey.File, 1,
			"and the store belongs to the one with"},
		{"no key is there", nil, nil, without.File, 1, "this store needs the key with the fingerprint"},
		{"nothing is there", nil, nil, filepath.Join(folder, "nowhere.db"), 1, "no such file"},
		{"it is no store", nil, nil, text, 1, "not a store of this program"},
		{"it has findings", nil, nil, damaged, 3, "of the backup: nothing was restored"},
		{"the target is on MongoDB", nil, map[string]string{"RESELLERD_STORE": "mongodb://a,b/db?replicaSet=rs"},
			withKey.File, 2, "resellerd copy --from sqlite:" + withKey.File},
	} {
		target := newServer(t, sqlite, c.env)
		for suffix, content := range c.there {
			write(t, database(target.dir)+suffix, content)
		}
		before := fmt.Sprint(allIn(t, target.dir))
		status, stdout, stderr := target.command(t, "restore", c.from)
		if status != c.status || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: status %d, want %d, and %q in\n%s%s", c.name, status, c.status, c.says, stdout, stderr)
		}
		if after := fmt.Sprint(allIn(t, target.dir)); after != before {
			t.Errorf("%s: the folder had %s and has %s", c.name, before, after)
		}
	}

	// Each way to have the key. One that is set is not written anywhere.
	for name, way := range map[string]func(target *server){
		"beside the store":  func(target *server) { write(t, database(target.dir)+".key", string(secret)) },
		"in a setting":      func(target *server) { target.env["RESELLERD_SECRET"] = strings.TrimSpace(string(secret)) },
		"in a file of them": func(target *server) { target.env["RESELLERD_SECRET_FILE"] = withKey.KeyFile },
	} {
		target := newServer(t, sqlite, nil)
		way(target)
		before := len(filesIn(t, target.dir))
		if status, stdout, stderr := target.command(t, "restore", without.File); status != 0 ||
			strings.Contains(stdout, ".key") {
			t.Errorf("%s: status %d, %s%s", name, status, stdout, stderr)
		}
		if made := len(filesIn(t, target.dir)) - before; made != 1 {
			t.Errorf("%s: %d files were made: %q", name, made, filesIn(t, target.dir))
		}
	}
}
