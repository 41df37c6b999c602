package acceptance

import (
	"bytes"
	"testing"

	"resellerd/test/api"
)

// TestRevokeTokenAtOnce revokes one token 24 times at the same time: one does, and comes too late for the others.
func TestRevokeTokenAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		for _, key := range []string{"", "revoke"} {
			r := sharedServer(t, s).Admin(t).Reseller(t, "0")
			answers := make([]answer, 24)
			api.AtOnce(len(answers), func(i int) {
				answers[i] = r.Send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", key)
			})
			if got := api.Count(answers); got[200] != 1 || got[401] != 23 {
				t.Errorf("24 revocations of one token at once ended in %v, want one 200 and 23 of 401", got)
			}
			for _, a := range answers {
				if a.Status == 200 && key != "" {
					r = r.Login(t)
					if replay := r.Send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", key).Is(200).Replayed(true); !bytes.Equal(replay.Body, a.Body) {
						t.Errorf("the replay is %s, the answer was %s", replay.Body, a.Body)
					}
					r.Trial(t)
				}
			}
		}
	})
}
