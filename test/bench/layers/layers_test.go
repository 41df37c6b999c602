package layers_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"resellerd/test/bench/layers"
)

const traces = `File: resellerd
Type: cpu
Time: 2026-11-22 06:15:00 UTC
Duration: 3.01s, Total samples = 1s (33.22%)
-----------+-------------------------------------------------------
     400ms   runtime.memmove
             modernc.org/sqlite/lib._sqlite3BtreeInsert
             modernc.org/sqlite.(*stmt).exec
             database/sql.(*Stmt).ExecContext
             resellerd/adapters/sqlitestore.(*transaction).exec
             resellerd/application.(*Service).ActivateLine
             net/http.(*conn).serve
-----------+-------------------------------------------------------
     300ms   internal/runtime/syscall.Syscall6
             modernc.org/libc.Xfdatasync
             modernc.org/sqlite/lib._walWriteToLog
             modernc.org/sqlite/lib._sqlite3PagerCommitPhaseOne
             database/sql.(*Stmt).ExecContext
-----------+-------------------------------------------------------
     100ms   runtime.mallocgc
             encoding/json.Marshal (inline)
             resellerd/adapters/httpapi.encode
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      50ms   runtime.scanobject
             runtime.gcBgMarkWorker.func2
             runtime.systemstack
-----------+-------------------------------------------------------
      50ms   runtime.futex
             runtime.schedule
-----------+-------------------------------------------------------
     0.1s   runtime.asyncPreempt
-----------+-------------------------------------------------------
`

func TestASampleBelongsToTheInnermostLayer(t *testing.T) {
	got, err := layers.Shares(traces)
	want := map[string]float64{
		"SQLite": 0.4, "commit: SQLite's log and fsync": 0.3, "decoding and encoding": 0.1, "garbage collector": 0.05, "scheduler": 0.05,
		"the rest of the runtime": 0.1,
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("the shares are %v, %v, want %v", got, err, want)
	}
	if _, err := layers.Shares("File: resellerd\n"); err == nil {
		t.Error("a profile without samples has shares")
	}
}

func TestTheTableAddsUp(t *testing.T) {
	var b strings.Builder
	err := layers.WriteTable(&b, []layers.Column{{"trial", 400 * time.Microsecond, map[string]float64{"SQLite": 0.75, "the rest of the runtime": 0.25}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| CPU of a request, µs | trial |\n|---|---:|\n", "| SQLite | 300 |\n", "| domain | 0 |\n", "| the rest of the runtime | 100 |\n", "| **all** | 400 |\n"} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("the table lacks %q:\n%s", row, b.String())
		}
	}
}
