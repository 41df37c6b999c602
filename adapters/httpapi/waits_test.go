package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"resellerd/domain/fault"
	"resellerd/test/expect"
)

// enters reports whether a request may wait, or what Retry-After says.
func enters(t *testing.T, w *waits, account int64, connection string) (leave func(), retry time.Duration) {
	t.Helper()
	_, leave, err := w.enter(account, connection)
	if later, is := errors.AsType[*fault.Later](err); is {
		return nil, later.Wait
	}
	must(t, err)
	return leave, 0
}

func TestRequestsOnAConnectionThatWaitAreBounded(t *testing.T) {
	w := newWaits()
	var leave func()
	for i := range int64(32) {
		leave, _ = enters(t, w, i/16, "a")
		if leave == nil {
			t.Fatalf("request %d may not wait", i)
		}
	}
	if leave, retry := enters(t, w, 7, "a"); leave != nil || retry != waitRetry {
		t.Errorf("one more on the connection may wait, or after %s", retry)
	}
	if leave, _ := enters(t, w, 7, "b"); leave == nil {
		t.Error("one on another connection may not wait")
	}
	for i := range int64(100) {
		if leave, _ := enters(t, w, 100+i, ""); leave == nil {
			t.Error("one of a trusted proxy may not wait")
		}
	}
	leave()
	if leave, _ := enters(t, w, 7, "a"); leave == nil {
		t.Error("one may not wait on the connection after another one has ended")
	}
}

// TestOtherAccountsMayWaitWhileManyWait has 40 accounts wait with as many requests as they may.
func TestOtherAccountsMayWaitWhileManyWait(t *testing.T) {
	w := newWaits()
	var all []func()
	for account := range int64(40) {
		for i := range 16 {
			if leave, _ := enters(t, w, account, fmt.Sprint(account, " ", i)); leave != nil {
				all = append(all, leave)
			}
		}
	}
	leave, _ := enters(t, w, 1000, "late")
	if leave == nil || len(all) >= waitsInAll {
		t.Errorf("%d requests wait, and no other account may", len(all))
	}
	for account := range int64(2 * waitsInAll) {
		if leave, retry := enters(t, w, 2000+account, ""); leave != nil {
			all = append(all, leave)
		} else if retry != waitRetryOfMany {
			t.Errorf("Retry-After is %s", retry)
		}
	}
	if all = append(all, leave); len(all) != waitsInAll {
		t.Errorf("%d requests wait", len(all))
	}
	for _, leave := range all {
		leave()
	}
	if w.all != 0 || len(w.accounts) != 0 || len(w.on) != 0 {
		t.Errorf("%d requests of %d accounts on %d connections are counted after all have ended", w.all,
			len(w.accounts), len(w.on))
	}
}

func TestAConnectionOfATrustedProxyIsNotCounted(t *testing.T) {
	a := &api{Options: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for peer, want := range map[string]string{"10.1.2.3:4567": "", "192.0.2.1:4567": "192.0.2.1:4567"} {
		r := httptest.NewRequest(http.MethodGet, "/events", nil)
		r.RemoteAddr = peer
		expect.Equal(t, a.connectionOf(r), want, "the connection of %s", peer)
	}
}
