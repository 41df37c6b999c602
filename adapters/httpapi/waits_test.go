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

// enters reports whether a request may wait, or returns the time in Retry-After.
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
	after := func(account int64, connection string) time.Duration {
		_, retry := enters(t, w, account, connection)
		return retry
	}
	var leave func()
	for i := range int64(32) {
		leave, _ = enters(t, w, i/16, "a")
		if leave == nil {
			t.Fatalf("request %d may not wait", i)
		}
	}
	expect.Equal(t, after(7, "a"), waitRetry, "one more on the connection waits after")
	expect.Equal(t, after(7, "b"), 0, "one on another connection waits after")
	leave()
	expect.Equal(t, after(7, "a"), 0, "one waits on the connection, where another one has ended, after")
}

// TestOtherAccountsMayWaitWhileManyWait has 40 accounts wait with their maximum of requests.
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
	all = append(all, leave)
	expect.Equal(t, len(all), waitsInAll, "requests that wait")
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
