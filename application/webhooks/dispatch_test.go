package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/events"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/journal"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// page is how many deliveries the tests request.
const page = 20

func nothingFlies(int64) bool { return false }

func dueOf(h *kit.Harness, id, examined int64) webhooks.Due {
	h.T.Helper()
	due, err := h.Deliveries.Due(h.T.Context(), id, examined, nothingFlies, page)
	require.NoError(h.T, err)
	return due
}

// seqs are the numbers of deliveries.
func seqs(of []webhooks.Delivery) (all []int64) {
	for _, d := range of {
		all = append(all, d.Seq)
	}
	return all
}

func recordDelivered(h *kit.Harness, d webhooks.Delivered) webhooks.Recorded {
	h.T.Helper()
	is, err := h.Deliveries.Record(h.T.Context(), "this", d)
	require.NoError(h.T, err)
	return is
}

// outcomesOf returns the outcomes of deliveries that all ended with the same status.
func outcomesOf(h *kit.Harness, id int64, due webhooks.Due, status int) webhooks.Delivered {
	done := webhooks.Delivered{Webhook: id, Cursor: due.Cursor, UpTo: due.UpTo, Requests: due.Requests, Began: h.Now,
		Dropped: due.Unreadable}
	for _, d := range due.Deliveries {
		o := webhook.Outcome{Seq: d.Seq, Event: d.ID, Number: d.Number, At: h.Now, Status: status}
		if status != 200 {
			o.Failure = webhook.NotAccepted
		}
		done.Outcomes = append(done.Outcomes, o)
	}
	return done
}

// delivering is a service whose process "this" delivers, with a webhook of a master for trials.
type delivering struct {
	*kit.Master
	hook int64
}

func newDelivering(t *testing.T) *delivering {
	t.Helper()
	d := &delivering{Master: kit.NewMaster(t, application.Policy{})}
	d.hook = makeWebhook(d.Harness, d.Caller, webhook.OwnAccount, "line.trial_created")
	recordDelivered(d.Harness, webhooks.Delivered{Webhook: d.hook, Requests: 1})
	return d
}

func makeWebhook(h *kit.Harness, by application.Caller, scope webhook.Scope, types ...string) int64 {
	h.T.Helper()
	return newWebhook(h, by, webhooks.Create{URL: "https://a.example/", Types: types, Scope: scope}).ID
}

// happens appends so many entries for the webhook, and returns their numbers.
func (d *delivering) happens(times int) (all []int64) {
	d.T.Helper()
	for range times {
		for _, n := range d.Appended(func() { d.Trial(d.Caller) }) {
			all = append(all, n.Seq)
		}
	}
	return all
}

func wantSeqs(t *testing.T, when string, got, want []int64) {
	t.Helper()
	expect.Elements(t, got, want, "%s", when)
}

// A webhook gets exactly the entry that its owner reads in the journal: by account and tree, for each role.
func TestAWebhookGetsWhatItsOwnerReads(t *testing.T) {
	s := kit.NewMaster(t, application.Policy{})
	ctx := t.Context()
	seller, bySeller := s.Create(s.Caller, "seller", "5", false)
	hooks := map[string]struct {
		id      int64
		by      application.Caller
		account int64 // 0: the whole tree
		types   []journal.Type
	}{}
	for who, by := range map[string]application.Caller{"admin": s.Admin, "master": s.Caller, "seller": bySeller} {
		for _, scope := range []webhook.Scope{webhook.OwnAccount, webhook.Tree} {
			for _, types := range [][]string{{"*"}, {"reseller.*", "line.activated"}} {
				h := hooks[""]
				h.id, h.by = makeWebhook(s.Harness, by, scope, types...), by
				if scope == webhook.OwnAccount {
					h.account = by.Reseller()
				}
				if types[0] != "*" {
					h.types = append(kit.Must(journal.ParseTypes("reseller.*")), journal.LineActivated)
				}
				hooks[fmt.Sprint(who, "'s, ", scope, " ", types)] = h
			}
		}
	}
	begun := s.Recorded().Entries
	move := func(by application.Caller, id int64, credits string) {
		c := kit.Call(by)
		c.Address = "192.0.2.7"
		require.NoError(t, kit.ErrorOf(s.Credits.Add(ctx, c, resellers.Move{ID: id, Credits: fixture.Credits(credits)},
			kit.Shown)))
	}
	move(s.Admin, seller.ID(), "3")
	move(s.Caller, seller.ID(), "2")
	move(s.Admin, s.Reseller(), "1")
	require.NoError(t, kit.ErrorOf(s.Activate(s.Caller, s.Activation(s.Trial(bySeller).ID(), "sold", "1"))))
	require.NoError(t, kit.ErrorOf(s.Resellers.Block(ctx, kit.Call(s.Admin), resellers.Block{ID: s.Below}, kit.Shown)))
	require.NoError(t, s.Epochs.ServiceKeyReplaced(ctx))
	s.Trial(s.Admin)

	for what, h := range hooks {
		query := events.List{Types: h.types, Limit: 1000}
		if h.account != 0 {
			query.Account = &h.account
		}
		read, err := s.Events.List(ctx, kit.Call(h.by), query)
		require.NoError(t, err)
		var want []journal.Numbered
		for _, n := range read.Items {
			if n.Seq > progressOf(s.Harness, h.id).Cursor && n.Seq > begun[len(begun)-1].Seq {
				want = append(want, n)
			}
		}
		var got []journal.Numbered
		examined := begun[len(begun)-1].Seq
		require.NoError(t, handleRequests(s.Harness, h.id))
		for more := true; more; {
			due, err := s.Deliveries.Due(ctx, h.id, examined, nothingFlies, 6)
			require.NoError(t, err)
			for _, d := range due.Deliveries {
				if !d.New || d.Number != 1 || d.ID != d.Entry.ID() || d.Seq != d.Entry.Seq {
					t.Errorf("%s: it gets %+v", what, d)
				}
				got = append(got, d.Entry)
			}
			examined, more = due.UpTo, due.More
		}
		expect.DeepEqual(t, got, want, "%s: it gets", what)
		// The cached view decides in the same way, except that it may match more.
		l, err := s.Deliveries.Subscription(ctx, h.id)
		require.NoError(t, err)
		for _, n := range s.Recorded().Entries[len(begun):] {
			if is := slices.ContainsFunc(want, func(w journal.Numbered) bool {
				return w.Seq == n.Seq
			}); is != l.Matches(&n.Entry) {
				t.Errorf("%s: it is woken by %+v: %t, want %t", what, n.Entry, !is, is)
			}
		}
	}
}

// handleRequests records that the requests were handled.
func handleRequests(h *kit.Harness, id int64) error {
	return kit.ErrorOf(h.Deliveries.Record(h.T.Context(), "this",
		webhooks.Delivered{Webhook: id, Requests: progressOf(h, id).Requests}))
}

// An entry that failed is sent again when it is due, together with new ones, and with the next number.
func TestWaitingEntriesAreSentWhenDue(t *testing.T) {
	d := newDelivering(t)
	all := d.happens(6)
	is := recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, dueOf(d.Harness, d.hook, 0), 500))
	if is.Waiting != 6 || is.Next.Sub(d.Now) < 4*time.Second || is.Next.Sub(d.Now) > 6*time.Second {
		t.Errorf("after six failed: %+v", is)
	}
	none := dueOf(d.Harness, d.hook, 0)
	if len(none.Deliveries) != 0 || !none.Next.Equal(is.Next) || none.Waiting != 6 || none.More {
		t.Errorf("right after they failed: %+v", none)
	}
	d.Now = d.Now.Add(time.Hour)
	added := d.happens(2)
	due := dueOf(d.Harness, d.hook, 0)
	wantSeqs(t, "with new ones four come again", seqs(due.Deliveries), append(slices.Clone(all[:4]), added...))
	if again, fresh := due.Deliveries[0], due.Deliveries[4]; again.Number != 2 || again.New || fresh.Number != 1 ||
		!fresh.New || !due.More {
		t.Errorf("got %+v and %+v, more: %t", again, fresh, due.More)
	}
	if first := due.First(due.Deliveries); first == nil || first.Seq != added[0] {
		t.Errorf("the first new one is %+v, want %d", first, added[0])
	}
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 200))
	due = dueOf(d.Harness, d.hook, 0)
	wantSeqs(t, "without new ones the others do", seqs(due.Deliveries), all[4:])
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 200))
	if p := progressOf(d.Harness, d.hook); len(p.Waiting) != 0 || p.Cursor != added[1] ||
		due.First(due.Deliveries) != nil {
		t.Errorf("stored: %+v", p)
	}
}

// A delivery is not signed with the previous secret alone.
func TestUnreadableSecretSignsNothing(t *testing.T) {
	d := newDelivering(t)
	require.NoError(t, kit.ErrorOf(d.Webhooks.Rotate(t.Context(), kit.Call(d.Caller),
		webhooks.Rotate{ID: d.hook, Overlap: time.Hour}, kit.Shown)))
	d.happens(1)
	require.NoError(t, d.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		w, err := ports.Webhooks.In(tx.Records).Get(ctx, d.hook)
		w.Secret = []byte("of another key")
		return errors.Join(err, ports.Webhooks.In(tx.Records).Save(ctx, w))
	}))
	if due, err := d.Deliveries.Due(t.Context(), d.hook, 0, nothingFlies, page); err == nil {
		t.Errorf("%d deliveries are due", len(due.Deliveries))
	}
}

// The cursor stays where the replay moved it, although entries were in flight.
func TestReplayDuringDeliveryIsNotUndone(t *testing.T) {
	d := newDelivering(t)
	all := d.happens(10)
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, dueOf(d.Harness, d.hook, 0), 200))
	more := d.happens(3)
	due := dueOf(d.Harness, d.hook, 0)
	replay := func(after int64) {
		t.Helper()
		require.NoError(t, kit.ErrorOf(d.Webhooks.Replay(t.Context(), kit.Call(d.Caller),
			webhooks.Replay{ID: d.hook, After: after}, kit.Shown)))
	}
	replay(all[6])
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 200))
	p := progressOf(d.Harness, d.hook)
	expect.Equal(t, p.Cursor, all[6], "after the replay the cursor is at")
	expect.Equal(t, p.Requests == p.RequestsHandled, false, "after the replay all requests are handled")
	asked, err := d.Deliveries.Requested(t.Context(), 10)
	require.NoError(t, err)
	expect.Elements(t, asked, []int64{d.hook}, "webhooks with requests")
	again := dueOf(d.Harness, d.hook, more[2]) // as far as the journal was examined before it
	wantSeqs(t, "from there on", seqs(again.Deliveries), append(slices.Clone(all[7:]), more...))
	expect.Equal(t, again.Unhandled, true, "a request is pending")
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, again, 200))
	expect.Elements(t, kit.Must(d.Deliveries.Requested(t.Context(), 10)), nil, "webhooks with requests")

	// Entries that were sent before the replay, and recorded after it, are sent again as well.
	late := d.happens(2)
	due = dueOf(d.Harness, d.hook, 0)
	replay(late[0])
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 200))
	again = dueOf(d.Harness, d.hook, late[1])
	wantSeqs(t, "after a replay from ahead of the cursor", seqs(again.Deliveries), late)
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, again, 200))

}

func (d *delivering) enable(enabled bool) {
	d.T.Helper()
	require.NoError(d.T, kit.ErrorOf(d.Webhooks.Update(d.T.Context(), kit.Call(d.Caller),
		webhooks.Update{ID: d.hook, Change: webhook.Change{Enabled: &enabled}}, kit.Shown)))
}

// Waiting entries that can't be read, or that the owner may no longer see, are abandoned.
func TestUnreadableEntriesAreAbandoned(t *testing.T) {
	d := newDelivering(t)
	foreign := d.Appended(func() { d.Trial(d.Admin) })[0].Seq
	setProgress(d.Harness, d.hook, func(p *webhook.Progress) {
		for _, seq := range []int64{foreign, 1_000_000} {
			p.Waiting = append(p.Waiting, webhook.Waiting{Seq: seq, Attempts: 1, Began: d.Now, Due: d.Now})
		}
	})
	due := dueOf(d.Harness, d.hook, 0)
	wantSeqs(t, "of these", due.Unreadable, []int64{foreign, 1_000_000})
	expect.Equal(t, len(due.Deliveries), 0, "there come %+v", due.Deliveries)
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 200))
	expect.Equal(t, len(progressOf(d.Harness, d.hook).Waiting), 0, "there wait")
}

// Entries in flight, and interrupted ones, wait: the cursor passes them only as waiting entries.
func TestAttemptsInFlightWait(t *testing.T) {
	d := newDelivering(t)
	all := d.happens(3)
	due := dueOf(d.Harness, d.hook, 0)
	done := outcomesOf(d.Harness, d.hook, due, 200)
	done.Outcomes, done.UnderWay, done.Interrupted = done.Outcomes[:1], due.Deliveries[1:2], due.Deliveries[2:]
	is := recordDelivered(d.Harness, done)
	want := []webhook.Waiting{{Seq: all[1], Attempts: 1, Began: d.Now, Due: d.Now.Add(20 * time.Second)},
		{Seq: all[2], Began: d.Now, Due: d.Now}}
	if p := progressOf(d.Harness, d.hook); !slices.Equal(p.Waiting, want) || p.Cursor != all[2] || is.Waiting != 2 ||
		!is.Next.Equal(d.Now) {
		t.Errorf("stored: %+v, next %+v, want %+v", p, is, want)
	}
	d.Now = d.Now.Add(20 * time.Second)
	again := dueOf(d.Harness, d.hook, 0)
	if wantSeqs(t, "later", seqs(again.Deliveries), []int64{all[2], all[1]}); again.Deliveries[0].Number != 1 ||
		again.Deliveries[1].Number != 2 {
		t.Errorf("they come as %+v", again.Deliveries)
	}
}

// A receiver that answers 410 has its webhook disabled together with the outcome of the attempt. One entry records it.
func TestAWebhookIsDisabledWithItsEntry(t *testing.T) {
	d := newDelivering(t)
	d.happens(2)
	due := dueOf(d.Harness, d.hook, 0)
	store := &kit.Store{Store: d.Dependencies.Store, Fails: true}
	before := stateOf(d.Harness, d.hook)
	if added := d.Appended(func() {
		_, err := d.On(store, application.Policy{}).Deliveries.Record(t.Context(), "this", outcomesOf(d.Harness, d.hook, due, 410))
		expect.Error(t, err, application.ErrUnavailable)
	}); len(added) != 0 || stateOf(d.Harness, d.hook) != before {
		t.Errorf("what was not committed left %+v, %s", added, stateOf(d.Harness, d.hook))
	}
	added := d.Appended(func() {
		is := recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 410))
		expect.Equal(t, is.Disabled, webhook.Gone, "it is disabled for")
		expect.Equal(t, is.Waiting, 2, "there wait")
	})
	want := journal.Entry{
		Type: journal.WebhookDisabled, At: d.Now, Account: d.Recorded().Resellers[d.Reseller()].Position,
		Actor:   journal.Actor{Kind: journal.BySystem},
		Changes: []journal.Change{{Field: "enabled"}}, Reason: "gone",
		Data: []journal.Datum{{Name: "webhook", Value: journal.Number(d.hook)}},
	}
	if len(added) != 1 || !reflect.DeepEqual(added[0].Entry, want) {
		t.Errorf("got %+v, want %+v", added, want)
	}
	w, err := d.Webhooks.Get(t.Context(), kit.Call(d.Caller), d.hook)
	if require.NoError(t, err); w.Enabled || w.Disabled != webhook.Gone {
		t.Errorf("it is enabled: %t, disabled for %q", w.Enabled, w.Disabled)
	}
	again := d.Appended(func() { recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 410)) })
	expect.Equal(t, len(again), 0, "once more it has %+v", again)
	d.enable(true)
	d.enable(false)
	again = d.Appended(func() { recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 410)) })
	expect.Equal(t, len(again), 0, "of one that its owner has disabled there is %+v", again)
	expect.Equal(t, kit.Must(d.Webhooks.Get(t.Context(), kit.Call(d.Caller), d.hook)).Disabled, webhook.Requested, "why")
}

func TestWebhooksAreDisabledByARestore(t *testing.T) {
	s := kit.NewMaster(t, application.Policy{})
	for range 9 {
		makeWebhook(s.Harness, s.Admin, webhook.OwnAccount, webhook.Any)
		makeWebhook(s.Harness, s.Caller, webhook.OwnAccount, webhook.Any)
	}
	off := makeWebhook(s.Harness, s.Admin, webhook.OwnAccount, webhook.Any)
	require.NoError(t, kit.ErrorOf(s.Webhooks.Update(t.Context(), kit.Call(s.Admin),
		webhooks.Update{ID: off, Change: webhook.Change{Enabled: new(false)}}, kit.Shown)))
	for _, want := range []int{18, 0} {
		added := s.Appended(func() {
			n, err := s.Webhooks.DisableAll(t.Context(), webhook.Restored)
			require.NoError(t, err)
			expect.Equal(t, n, want, "are disabled")
		})
		if len(added) != want || want > 0 && (added[0].Type != journal.WebhookDisabled || added[0].Reason != "restored") {
			t.Errorf("it has %d entries, want %d: %+v", len(added), want, added)
		}
	}
	for id, w := range s.Recorded().Webhooks {
		if want := map[bool]webhook.Reason{true: webhook.Requested, false: webhook.Restored}[id == off]; w.Enabled ||
			w.Disabled != want {
			t.Errorf("webhook %d is enabled: %t, disabled for %q, want %q", id, w.Enabled, w.Disabled, want)
		}
	}
}

// A test is sent first, once, as an entry of the account that no other account sees.
func TestATestComesFirst(t *testing.T) {
	d := newDelivering(t)
	all := d.happens(2)
	require.NoError(t, kit.ErrorOf(d.Webhooks.Test(t.Context(), kit.Call(d.Caller), d.hook, kit.Shown)))
	asked := d.Now
	d.Now = d.Now.Add(time.Minute)
	due := dueOf(d.Harness, d.hook, 0)
	wantSeqs(t, "with a test", seqs(due.Deliveries), append([]int64{0}, all...))
	test := due.Deliveries[0]
	want := journal.Entry{
		Type: journal.WebhookTest, At: asked, Account: d.Recorded().Resellers[d.Reseller()].Position,
		Actor: journal.Actor{Kind: journal.BySystem},
		Data:  []journal.Datum{{Name: "test", Value: journal.Number(1)}, {Name: "webhook", Value: journal.Number(d.hook)}},
	}
	if test.ID != fmt.Sprintf("test_%d_1", d.hook) || test.New ||
		!reflect.DeepEqual(test.Entry, journal.Numbered{Entry: want}) {
		t.Errorf("got %+v, want %+v", test, want)
	}
	flying, err := d.Deliveries.Due(t.Context(), d.hook, 0, func(seq int64) bool { return seq == 0 }, page)
	require.NoError(t, err)
	wantSeqs(t, "while it is under way", seqs(flying.Deliveries), all)
	recordDelivered(d.Harness, outcomesOf(d.Harness, d.hook, due, 500))
	p := progressOf(d.Harness, d.hook)
	expect.Equal(t, p.TestRequested, time.Time{}, "the time of the requested test")
	expect.Equal(t, len(p.Waiting), 2, "there wait")
}

func TestOnlyTheHolderOfTheLeaseRecordsDeliveries(t *testing.T) {
	d := newDelivering(t)
	before := stateOf(d.Harness, d.hook)
	for _, by := range []string{"another", ""} {
		_, err := d.Deliveries.Record(t.Context(), by, webhooks.Delivered{Webhook: d.hook, UpTo: 9, Requests: 9})
		expect.Error(t, err, application.ErrNotHeld, "%q records", by)
		expect.Equal(t, stateOf(d.Harness, d.hook), before, "%q changes it", by)
	}
}
