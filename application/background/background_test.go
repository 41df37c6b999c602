package background_test

import (
	"errors"
	"fmt"
	"testing"

	"resellerd/application"
	"resellerd/domain/lease"
	"resellerd/test/expect"
	"resellerd/test/kit"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// Of many processes at once that take a lease which nobody holds one has it.
func TestOneOfManyTakesAFreeLease(t *testing.T) {
	h := kit.New(t, application.Policy{})
	var took [8]bool
	require.NoError(t, errors.Join(storetest.AtOnce(len(took), func(i int) error {
		name := fmt.Sprint("process ", i)
		l, err := h.Leases.Change(t.Context(), func(l lease.Lease) (lease.Lease, bool) {
			if l.Holder != "" {
				return l, false
			}
			return l.Take(name), true
		})
		took[i] = l.Holder == name
		return err
	})...))
	n := 0
	for _, did := range took {
		if did {
			n++
		}
	}
	expect.Equal(t, n, 1, "took it")
	l, err := h.Leases.Get(t.Context())
	if require.NoError(t, err); l.Name != "background" || l.Holder == "" {
		t.Errorf("it is %+v", l)
	}
}
