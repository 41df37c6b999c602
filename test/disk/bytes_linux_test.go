package disk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/test/api"
	"resellerd/test/require"
)

// budgets have the mean of the bytes that a command writes to the file and to its WAL.
var budgets = []struct {
	operation string
	bytes     int
}{{"createTrial", 45_000}, {"activateLine", 51_600}, {"extendLine", 51_700}, {"addCredits", 34_700}}

// pages counts the bytes that are written, and the frames of the WAL by their page.
type pages struct {
	bytes int
	count map[uint32]int
}

func (p *pages) before(call) (int32, int) { return 0, 0 }

func (p *pages) after(c call) {
	const frameHeader = 24
	if c.kind != written {
		return
	}
	p.bytes += len(c.data)
	if strings.HasSuffix(c.name, "-wal") && len(c.data) == frameHeader {
		p.count[binary.BigEndian.Uint32(c.data)]++
	}
}

// TestCommandsWriteNoMoreThanTheirBudget sends 640 commands of each kind, one at a time, for a reseller below a master
// below the administrator. With -v it shows how many pages of each table and index a command writes.
func TestCommandsWriteNoMoreThanTheirBudget(t *testing.T) {
	t.Parallel()
	const commands = 640
	folder, err := lay(fast(t), nil)
	require.NoError(t, err)
	count := &pages{count: map[uint32]int{}}
	stop, err := watch(folder, count)
	require.NoError(t, err)
	defer stop()
	s, _, err := opened(t.Context(), folder)
	require.NoError(t, err)
	defer s.Close()
	o, err := newOffice(1)
	require.NoError(t, err)
	require.NoError(t, o.open(t.Context(), s))
	send := func(r request) {
		t.Helper()
		o.asked++
		o.now = o.now.Add(10 * time.Minute)
		r.key = fmt.Sprintf("key-%d", o.asked)
		a := o.send(t.Context(), r)
		if a.status/100 != 2 {
			t.Fatalf("%s: %d %s", r, a.status, a.body)
		}
		o.learn(r, a)
	}
	require.NoError(t, o.ids.fill(t.Context(), 3*commands))
	send(request{by: administrator, method: "POST", path: "/users",
		body: `{"username":"master","password":"password","is_master":1,"credits":"100000","country":"BR"}`})
	send(request{by: "master", method: "POST", path: "/users",
		body: `{"username":"shop","password":"password","is_master":0,"credits":"50000","country":"BR"}`})
	shop := o.resellers[len(o.resellers)-1]
	for _, budget := range budgets {
		row := api.RowOf(budget.operation)
		count.bytes = 0
		clear(count.count)
		for n := range commands {
			var line api.Line
			if n < len(o.lines) {
				line = o.lines[n]
			}
			r := o.example(row, shop, line, func(api.Fields) {})
			if r.by == administrator {
				r.by = "master"
			}
			send(r)
		}
		mean := count.bytes / commands
		t.Logf("%s: %d bytes, %.2f of its budget; pages:\n%s", budget.operation, mean,
			float64(mean)/float64(budget.bytes), count.tables(t, folder, commands))
		if mean > budget.bytes*103/100 {
			t.Errorf("%s: a command writes %d bytes on average, its budget is %d", budget.operation, mean, budget.bytes)
		}
	}
}

// tables returns how many pages of each table and index a command writes on average.
func (p *pages) tables(t *testing.T, folder string, commands int) string {
	t.Helper()
	r, err := newReader(folder)
	require.NoError(t, err)
	defer r.Close()
	sums := map[string]int{}
	require.NoError(t, sqlitex.ExecuteTransient(r.Conn, "SELECT name, pageno FROM dbstat",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			sums[s.ColumnText(0)] += p.count[uint32(s.ColumnInt(1))]
			return nil
		}}))
	var all strings.Builder
	most := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	for _, name := range most {
		if sums[name] > 0 {
			fmt.Fprintf(&all, "%7.2f  %s\n", float64(sums[name])/float64(commands), name)
		}
	}
	return all.String()
}
