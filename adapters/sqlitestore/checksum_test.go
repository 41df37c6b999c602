package sqlitestore_test

import (
	"context"
	"testing"

	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestChecksumsNeverChange sums the checksums of fixed records. With another algorithm each stored record would be
// damaged.
func TestChecksumsNeverChange(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	put(t, s, fixture.Trial(master(2), 10))
	put(t, s, fixture.Trial(master(2), 11))
	putKey(t, s, 2)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Delete(ctx, line.Tombstone{Line: 11, Actor: 2, At: fixture.Noon})
	}))
	for table, want := range map[string]int{"accounts": -1_253_132_689, "lines": 806_069_052, "idempotency": 302_810_032,
		"tombstones": 2_083_563_449} {
		expect.DeepEqual(t, number(t, s, "SELECT sum(checksum) FROM "+table), want, "%v", table)
	}
	edit(t, s, "UPDATE idempotency SET status = 500") // which nothing else reads until a request repeats
	expect.DeepEqual(t, derived(t, s),
		[]string{"account 2: an answer under an idempotency key: a stored record is damaged: its checksum does not match its content"})
}
