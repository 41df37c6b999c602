package memstore_test

import (
	"context"
	"errors"
	"testing"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

func TestStore(t *testing.T) {
	storetest.RunAll(t, storetest.Subject{
		Open:  func(storetest.T) ports.Store { return memstore.New() },
		Lacks: map[storetest.Capability]string{storetest.Durability: "it has its records in memory only"},
	})
}

// TestTxOutlivesItsUpdate goes beyond the port: a Tx that is used after its update refuses every write.
func TestTxOutlivesItsUpdate(t *testing.T) {
	store, ctx, admin := memstore.New(), t.Context(), fixture.Admin(1)
	kept := fixture.Trial(admin, 1)
	var late ports.Tx
	err := store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		late = tx
		return errors.Join(tx.Resellers.Insert(ctx, admin), tx.Lines.Insert(ctx, kept))
	})
	require.NoError(t, err)
	for doing, err := range map[string]error{
		"insert an account": late.Resellers.Insert(ctx, fixture.Admin(2)),
		"delete a line":     late.Lines.Delete(ctx, kept.Tombstone(1, fixture.Noon)),
		"store a key":       late.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "k"}),
		"append a movement": late.Ledger.Append(ctx, credit.Movement{Provenance: credit.Provenance{ID: 1}}),
	} {
		if err == nil {
			t.Errorf("%s after the end of the update: got no error", doing)
		}
	}
	err = store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Lines.Get(ctx, 1)
		return err
	})
	expect.Error(t, err, nil, "the line after a refused deletion")
}
