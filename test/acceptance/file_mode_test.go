package acceptance

import (
	"os"
	"strings"
	"testing"
)

func TestADatabaseThatIsOpenToOthersIsWarnedOf(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	const advice = "run `chmod 600 "
	if log := srv.Stderr.String(); strings.Contains(log, advice) {
		t.Errorf("a database of mode 0600 is warned of: %s", log)
	}
	srv.stop(t)
	for _, mode := range []os.FileMode{0o644, 0o602} {
		if err := os.Chmod(database(srv.dir), mode); err != nil {
			t.Fatal(err)
		}
		srv.start(t)
		if log := srv.Stderr.String(); !strings.Contains(log, `"level":"WARN","msg":"the database `+database(srv.dir)+
			" is open to others") || !strings.Contains(log, advice+database(srv.dir)) {
			t.Errorf("a database of mode %04o is not warned of: %s", mode, log)
		}
		srv.stop(t)
	}
	if status, _, stderr := srv.command(t, "audit"); status != 0 || stderr != "" {
		t.Errorf("the audit ended with status %d and said %q, want 0 and nothing", status, stderr)
	}
}
