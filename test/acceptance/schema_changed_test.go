package acceptance

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditReportsAChangedSchema changes the rules that protect the records, as a user with write access could. Each
// command names the change, an audit, a restore and a backup by their exit code, and the program does not serve.
func TestAuditReportsAChangedSchema(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	srv.Admin(t).Reseller(t, "5").Official(t)
	srv.stop(t)
	for changed, says := range map[string]string{
		"DROP TRIGGER movements_are_never_changed": "trigger movements_are_never_changed is missing",
		"DROP INDEX movements_target":              "index movements_target is missing",
		"CREATE TRIGGER undo AFTER UPDATE OF blocked ON accounts WHEN NEW.blocked = 1 BEGIN UPDATE accounts SET blocked = 0 WHERE id = NEW.id; END": "trigger undo, on accounts, does not belong to this program",
		// which no audit can read
		"ALTER TABLE accounts DROP COLUMN notes": "table accounts differs: it was made by CREATE TABLE accounts ( id INTEGER",
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (credits BETWEEN 0 AND 1000000000000000)', '') WHERE name = 'accounts'": "table accounts differs: it was made by CREATE TABLE accounts ( id INTEGER PRIMARY KEY",
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			copied := srv.in(t.TempDir())
			for name, content := range allIn(t, srv.dir) {
				write(t, filepath.Join(copied.dir, name), content)
			}
			onSQLite(t, copied.dir, changed)
			copied.audit(t).finds("schema: the " + says)
			folder := filepath.Join(t.TempDir(), "backups")
			restored := newServer(t, sqlite, copied.env)
			for _, c := range []struct {
				by   *server
				args []string
				want string
			}{
				{copied, []string{"backup", "--dir", folder}, "there is no new backup"},
				{restored, []string{"restore", database(copied.dir), "--store", "sqlite:" + database(restored.dir)},
					"nothing was restored"},
				{copied, []string{"copy", "--from", "sqlite:" + database(copied.dir), "--to", "sqlite:" +
					filepath.Join(folder, "copy.db")}, "nothing was copied"},
			} {
				status, stdout, stderr := c.by.command(t, c.args...)
				if status != 3 || !strings.Contains(stdout, "schema: ") || !strings.Contains(stdout, says) ||
					!strings.Contains(stdout, c.want) {
					t.Errorf("%s ended with status %d:\n%s%s", c.args[0], status, stdout, stderr)
				}
			}
			for _, args := range [][]string{{"serve"}, {"admin", "list"}} {
				status, stdout, stderr := copied.command(t, args...)
				if status != 1 || !strings.Contains(stderr, says) || !strings.Contains(stderr, "restore a backup") {
					t.Errorf("%s ended with status %d:\n%s%s", args[0], status, stdout, stderr)
				}
			}
		})
	}
}
