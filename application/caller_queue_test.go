package application

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/ports"
)

func TestACallerWaitsForItselfOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all callerQueue
		take := func(caller string) func() {
			t.Helper()
			done, err := all.take(t.Context(), caller)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		first := take("busy")
		taken := 0
		for range 5 {
			go func() {
				defer take("busy")()
				taken++
			}()
		}
		synctest.Wait()
		if taken != 0 {
			t.Errorf("%d requests of one caller went on beside its first", taken)
		}
		take("other")() // waits for nobody: it would hang, and the test with it

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := all.take(ctx, "busy"); !errors.Is(err, ports.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that ends with its context: got %v", err)
		}

		first()
		synctest.Wait()
		if taken != 5 {
			t.Errorf("%d of 5 that waited had their turn", taken)
		}
		if len(all.has) != 0 {
			t.Errorf("%d callers are remembered though nobody waits", len(all.has))
		}
	})
}
