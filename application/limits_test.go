package application_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// spender is a master that stores what costs no credits.
type spender struct {
	*harness
	application.Caller
	below int64 // a reseller
	line  int64 // an official one
	hook  int64 // a webhook, 0 until one is asked for

	member int64 // of its staff, if there is one
}

func newSpender(t *testing.T, bytes int) *spender {
	t.Helper()
	return newHarness(t, application.Policy{FreeBytesPerDay: bytes}).spender()
}

func (h *harness) spender() *spender {
	t := h.t
	t.Helper()
	_, by := h.create(h.admin, "master", "100", true)
	below, _ := h.create(by, "below", "1", false)
	l, err := h.activate(by, h.activation(h.trial(by).ID(), "official", "1"))
	check(t, err)
	return &spender{harness: h, Caller: by, below: below.ID(), line: l.ID()}
}

// anyWebhook makes a webhook once.
func (s *spender) anyWebhook() int64 {
	if s.hook == 0 {
		s.hook = s.webhook(s.Caller).ID
	}
	return s.hook
}

// keyed is the call of a turn, under a key of its own.
func (s *spender) keyed(turn int) application.Call {
	return application.Call{Caller: s.Caller, Request: "r", Key: fmt.Sprint("key ", turn), Content: []byte{'x'}}
}

func (s *spender) edit(password string) application.EditLine {
	return application.EditLine{ID: s.line, Username: fixture.Name("official"), Password: profile.NewSecret(password), Description: line.Description{Country: new(fixture.Text("PT"))}}
}

func (s *spender) contact(notes string) application.UpdateReseller {
	text := fixture.Text(notes)
	return application.UpdateReseller{ID: s.below, ContactChange: reseller.ContactChange{Notes: &text}}
}

var freeChanges = map[string]func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error){
	"a trial": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.CreateTrial(ctx, c, line.Description{Notes: new(fixture.Text(strings.Repeat("n", 60)))}, shown)
	},
	"another contact": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.ChangeContact(ctx, c, s.contact(fmt.Sprint(turn)), shown)
	},
	"an unblock of who is not blocked": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.Unblock(ctx, c, s.below, shown)
	},
	"credits to and fro": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		move := application.MoveCredits{ID: s.below, Credits: fixture.Credits("0.0001")}
		if turn%2 == 0 {
			return s.AddCredits(ctx, c, move, shown)
		}
		return s.ReclaimCredits(ctx, c, move, shown)
	},
	"an edit": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.EditLine(ctx, c, s.edit(fmt.Sprint("password ", turn)), shown)
	},
	"another alert": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.SetAlert(ctx, c, application.SetAlert{ID: s.Reseller(), Below: fixture.Credits([]string{"1000", "2000"}[turn%2])}, shown)
	},
	"a new reseller": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.CreateReseller(ctx, c, application.CreateReseller{Username: fixture.Name(fmt.Sprint("new", turn)), Password: profile.NewSecret("password")}, shown)
	},
	"an update": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.UpdateReseller(ctx, c, application.UpdateReseller{ID: s.below, Username: fixture.Name("below"), Password: profile.NewSecret("password-below"), ContactChange: reseller.ContactChange{Country: new(fixture.Text(fmt.Sprint(turn)))}}, shown)
	},
}

// longChanges are those that take the most of a file for what is counted: with texts that fill a page by half.
var longChanges = map[string]func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error){
	"webhooks made and removed": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		all, err := s.WebhooksOf(ctx, call(s.Caller))
		check(s.t, err)
		if len(all) > 0 {
			return s.DeleteWebhook(ctx, c, all[0].ID, shown)
		}
		return s.CreateWebhook(ctx, c, hooked("https://a.example/"+strings.Repeat("a", 2000)), shown)
	},
	"another secret": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.RotateWebhook(ctx, c, application.Rotate{ID: s.webhookOf(turn), Overlap: time.Hour}, shown)
	},
	"a replay": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.ReplayWebhook(ctx, c, application.Replay{ID: s.webhookOf(turn)}, shown)
	},
	"a trial with a note": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		c.Key = ""
		return s.CreateTrial(ctx, c, line.Description{Notes: new(fixture.Text(strings.Repeat("n", 2000)))}, shown)
	},
	"a webhook with a long address": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		change := application.UpdateWebhook{ID: s.anyWebhook(), Change: webhook.Change{
			URL: new("https://a.example/" + strings.Repeat(fmt.Sprint(turn%10), 2000)), Description: new(strings.Repeat("n", 2000)), Types: slices.Repeat([]string{"operator.admin_unblocked"}, 50),
		}}
		return s.UpdateWebhook(ctx, c, change, func(application.Webhook) application.Receipt {
			return application.Receipt{Code: 200, Content: make([]byte, 6000)}
		})
	},
	"a webhook made and removed": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		var made application.Webhook
		create := application.CreateWebhook{URL: "https://a.example", Types: []string{"*"}, Scope: webhook.Own}
		if done, err := s.CreateWebhook(ctx, call(s.Caller), create, into(&made)); err != nil {
			return done, err
		}
		return s.DeleteWebhook(ctx, c, made.ID, shown)
	},
	"a webhook rotated": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.RotateWebhook(ctx, c, application.Rotate{ID: s.anyWebhook(), Overlap: time.Hour}, shown)
	},
	"a webhook tested": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.TestWebhook(ctx, c, s.anyWebhook(), shown)
	},
	"a webhook replayed": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.ReplayWebhook(ctx, c, application.Replay{ID: s.anyWebhook()}, shown)
	},
	"messages": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		long := strings.Repeat(fmt.Sprint(turn%10), message.MaxTemplate)
		texts := message.Texts{Server: "s", Apps: "a", Access: long, Reminder: long, Expired: long, Welcome: long}
		return s.SetMessages(ctx, c, application.SetMessages{ID: s.below, Texts: texts}, shown)
	},
	"messages and none": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.SetMessages(ctx, c, application.SetMessages{ID: s.below, Texts: message.Texts{Server: []string{"", "s"}[(turn+1)%2]}}, shown)
	},
	"an alert": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.SetAlert(ctx, c, application.SetAlert{ID: s.below, Below: fixture.Credits(fmt.Sprint(turn % 2 * 5))}, shown)
	},
	"credits with a note": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		c.Key = ""
		move := application.MoveCredits{ID: s.below, Credits: fixture.Credits("0.0001"), Notes: fixture.Text(strings.Repeat("n", 2000))}
		if turn%2 == 0 {
			return s.AddCredits(ctx, c, move, shown)
		}
		return s.ReclaimCredits(ctx, c, move, shown)
	},
	"a sign-in and its end, and a free change": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		begun, secret, err := s.SignIn(ctx, application.SignIn{
			Login:  application.Login{Username: fixture.Name("master"), Password: profile.NewSecret("password-master"), Client: "192.0.2.1"},
			Device: strings.Repeat("d", 200), Address: strings.Repeat("a", 45), Request: strings.Repeat("r", 128),
		})
		if err != nil {
			return application.Receipt{}, err
		}
		c.Caller, c.Address = s.by(browser{secret.Reveal(), begun.ID}), strings.Repeat("a", 45)
		return application.Receipt{}, errors.Join(s.SignOut(ctx, c), freeChange(ctx, s, turn))
	},
	"an answer kept under a long key": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		c.Key = strings.Repeat("k", 240) + c.Key
		return s.Unblock(ctx, c, s.below, func(application.Reseller) application.Receipt {
			return application.Receipt{Code: 200, Content: make([]byte, 1700)}
		})
	},
}

// freeChange is refused once the limit is reached, unlike what comes with it.
func freeChange(ctx context.Context, s *spender, turn int) error {
	_, err := s.ChangeContact(ctx, call(s.Caller), s.contact(fmt.Sprint(turn)), shown)
	return err
}

// webhookOf returns the webhook of a spender, which it makes in the first turn, with as much as its deliveries may keep.
func (s *spender) webhookOf(turn int) int64 {
	s.t.Helper()
	if turn > 0 {
		all, err := s.WebhooksOf(s.t.Context(), call(s.Caller))
		check(s.t, err)
		return all[0].ID
	}
	id := s.webhook(s.Caller).ID
	s.setProgress(id, func(p *webhook.Progress) {
		for i := range int64(webhook.MostWaiting) {
			p.Waiting = append(p.Waiting, webhook.Waiting{Seq: 1_000_000_000 + i, Attempts: 10, Began: s.now, Due: s.now})
		}
		for i := range webhook.MostKept {
			p.Attempts = append(p.Attempts, webhook.Attempt{
				Event: fmt.Sprint("evt_01234567_", 1_000_000_000+i), Number: 10, Status: 500, Took: 15000, Failure: webhook.ConnectionFailed, At: s.now, Next: s.now,
			})
		}
	})
	return id
}

// TestAFileGrowsByLessThanIsCounted has an account store as much as it may by each change, and looks at the file.
func TestAFileGrowsByLessThanIsCounted(t *testing.T) {
	t.Parallel()
	const most = 150_000
	size := func(t *testing.T, changed func(s *spender)) int64 {
		path := filepath.Join(t.TempDir(), "store.db")
		store, err := sqlitestore.Open(t.Context(), path)
		check(t, err)
		changed(newHarnessOn(t, application.Policy{FreeBytesPerDay: most}, store).spender())
		check(t, store.Close())
		file, err := os.Stat(path)
		check(t, err)
		return file.Size()
	}
	before := size(t, func(*spender) {})
	changes := maps.Clone(freeChanges)
	maps.Copy(changes, longChanges)
	for change, do := range changes {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			times := 0
			grown := size(t, func(s *spender) {
				var err error
				for ; err == nil; times++ {
					_, err = do(t.Context(), s, s.keyed(times), times)
				}
				wantFault(t, err, application.ErrTooManyBytesKept)
			}) - before
			if grown > most {
				t.Errorf("%d times: the file grew by %d bytes, and %d were counted", times-1, grown, most)
			}
		})
	}
}

func TestChangesThatCostNoCreditsAreLimited(t *testing.T) {
	const most = 50_000
	for change, do := range freeChanges {
		s, ctx := newSpender(t, most), t.Context()
		last, times := -1, 0
		var err error
		for ; err == nil && times < most/500; times++ {
			if _, err = do(ctx, s, s.keyed(times), times); err == nil {
				last = times
			}
		}
		var spent *application.TooManyBytesKept
		if !errors.As(err, &spent) || spent.Wait != 12*time.Hour-123*time.Millisecond || last < 5 {
			t.Fatalf("%s: %d times, and then %v", change, last+1, err)
		}
		if again, err := do(ctx, s, s.keyed(last), last); err != nil || !again.Replayed {
			t.Errorf("%s: a replay: %+v, %v", change, again, err)
		}
		_, err = do(ctx, s, s.keyed(times), times)
		wantFault(t, err, application.ErrTooManyBytesKept)
		s.now = s.now.Add(12 * time.Hour)
		if done, err := do(ctx, s, s.keyed(times), times); err != nil || done.Replayed {
			t.Errorf("%s: on the next day: %+v, %v", change, done, err)
		}
	}
}

// TestWhereTheLimitOfFreeChangesStands asks as who has nothing left.
func TestWhereTheLimitOfFreeChangesStands(t *testing.T) {
	s, ctx := newSpender(t, 40_000), t.Context()
	trial := s.trial(s.Caller).ID()
	key, _ := s.aKey(s.Caller)
	member := s.aMember(s.Caller, "member")
	var err error
	for turn := 0; err == nil; turn++ {
		_, err = s.ChangeContact(ctx, s.keyed(turn), s.contact(strings.Repeat("n", turn)), shown)
	}
	wantFault(t, err, application.ErrTooManyBytesKept)

	// What costs credits goes on, what is refused before is refused so, and the balance comes later.
	_, err = s.activate(s.Caller, s.activation(trial, "another", "1"))
	check(t, err)
	_, err = s.ExtendLine(ctx, call(s.Caller), application.ExtendLine{ID: s.line, Price: fixture.Price("1")}, shown)
	check(t, err)
	// So does the end of a key that may have used it all up.
	for id, kind := range map[int64]principal.Kind{key: principal.Key, member: principal.Staff} {
		_, err = s.RemovePrincipal(ctx, call(s.Caller), application.RemovePrincipal{ID: id, Kind: kind}, shown)
		check(t, err)
	}
	_, err = s.DeleteLine(ctx, call(s.Caller), 999_999, shown)
	wantFault(t, err, fault.ErrNotFound)
	_, err = s.Block(ctx, call(s.Caller), application.BlockReseller{ID: s.Reseller()}, shown)
	wantFault(t, err, reseller.ErrNotAllowed)
	_, err = s.EditLine(ctx, call(s.Caller), application.EditLine{ID: s.line, Username: fixture.Name("another"), Password: profile.NewSecret("password")}, shown)
	wantFault(t, err, profile.ErrUsernameTaken)
	_, err = s.AddCredits(ctx, call(s.Caller), application.MoveCredits{ID: s.below, Credits: fixture.Credits("1000")}, shown)
	wantFault(t, err, application.ErrTooManyBytesKept)
	// Nor is a password hashed for what is refused.
	s.dependencies.Hasher = noHasher{}
	for _, name := range []string{"below", "new"} {
		_, create := s.CreateReseller(ctx, call(s.Caller), application.CreateReseller{Username: fixture.Name(name), Password: profile.NewSecret("password")}, shown)
		_, update := s.UpdateReseller(ctx, call(s.Caller), application.UpdateReseller{ID: s.Reseller(), Username: fixture.Name(name), Password: profile.NewSecret("password")}, shown)
		want := application.ErrTooManyBytesKept
		if name == "below" {
			want = profile.ErrUsernameTaken
		}
		wantFault(t, create, want)
		wantFault(t, update, want)
	}

	// Others have theirs, and an admin has no limit.
	other, _ := s.create(s.admin, "other", "0", false)
	for turn := range 30 {
		_, err := s.ChangeContact(ctx, call(s.admin), application.UpdateReseller{ID: other.ID(), ContactChange: s.contact(fmt.Sprint(turn)).ContactChange}, shown)
		check(t, err)
	}
	s.trial(s.login("below", "password-below"))
}

// emergencies are the operations that the limit of bytes never refuses.
var emergencies = map[string]func(ctx context.Context, s *spender, c application.Call, turn int) error{
	"a sign-in and its end": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		c.Caller = s.by(s.signIn("master"))
		return s.SignOut(ctx, c)
	},
	"a sign-in and the end of another session": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		other := s.signIn("master")
		c.Caller = s.by(s.signIn("master"))
		return s.EndSession(ctx, c, other.id)
	},
	"a token": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.RevokeToken(ctx, c, shown)
		s.Caller = s.login("master", "password-master")
		return err
	},
	"a password": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		passwords := []profile.Secret{profile.NewSecret("password-master"), profile.NewSecret("another password")}
		_, err := s.ChangePassword(ctx, c, application.ChangePassword{Present: passwords[turn%2], New: passwords[1-turn%2]}, shown)
		s.Caller = s.login("master", passwords[1-turn%2].Reveal())
		return err
	},
	"a second factor and its end": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		password := profile.NewSecret("password-master")
		c.Caller = s.by(s.signIn("master"))
		secret := s.confirmedFactor(c.Caller, password)
		s.now = s.now.Add(time.Minute)
		_, err := s.RemoveFactor(ctx, c, application.RemoveFactor{Password: password, Code: s.code(secret)}, shown)
		s.now = s.now.Add(time.Minute)
		return err
	},
	"a password of the staff": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		_, err := s.UpdatePrincipal(ctx, c, application.UpdatePrincipal{ID: s.member, Kind: principal.Staff, Password: new(profile.NewSecret(fmt.Sprint("password-", turn)))}, shown)
		return err
	},
	"a block": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		_, err := s.Block(ctx, c, application.BlockReseller{ID: s.below, Terms: reseller.Terms{Reason: fixture.Text(fmt.Sprint(turn))}}, shown)
		return err
	},
	"a suspension": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		_, err := s.SuspendLine(ctx, c, application.SuspendLine{ID: s.line, Reason: fixture.Text(fmt.Sprint(turn))}, shown)
		return err
	},
	"a webhook that is disabled": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		disable := application.UpdateWebhook{ID: s.hook, Change: webhook.Change{Enabled: new(false)}}
		_, err := s.UpdateWebhook(ctx, c, disable, shown)
		return err
	},
	"a factor of the staff": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.ResetStaffsFactor(ctx, c, s.member, shown)
		if errors.Is(err, secondfactor.ErrInactive) {
			return nil
		}
		return err
	},
	"a factor of who is below": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.ResetFactor(ctx, c, s.below, shown)
		if errors.Is(err, secondfactor.ErrInactive) {
			return nil
		}
		return err
	},
}

// TestEmergencyOperationsAreNeverRefused repeats each one after its caller has stored all that it may.
func TestEmergencyOperationsAreNeverRefused(t *testing.T) {
	s, ctx := newSpender(t, 60_000), t.Context()
	s.member = s.aMember(s.Caller, "member")
	key, _ := s.aKey(s.Caller)
	s.anyWebhook()
	trial := s.trial(s.Caller).ID()
	s.confirmedFactor(s.by(s.signIn("member")), profile.NewSecret("password-member"))
	s.confirmedFactor(s.by(s.signIn("below")), profile.NewSecret("password-below"))
	var err error
	for turn := 0; err == nil; turn++ {
		err = freeChange(ctx, s, turn)
	}
	wantFault(t, err, application.ErrTooManyBytesKept)
	for what, do := range emergencies {
		for turn := range 4 {
			if err := do(ctx, s, call(s.Caller), turn); err != nil {
				t.Errorf("%s, %d. time: %v", what, turn+1, err)
			}
		}
	}
	_, line := s.DeleteLine(ctx, call(s.Caller), trial, shown)
	_, hook := s.DeleteWebhook(ctx, call(s.Caller), s.hook, shown)
	_, revoked := s.RemovePrincipal(ctx, call(s.Caller), application.RemovePrincipal{ID: key, Kind: principal.Key}, shown)
	_, removed := s.RemovePrincipal(ctx, call(s.Caller), application.RemovePrincipal{ID: s.member, Kind: principal.Staff}, shown)
	check(t, errors.Join(line, hook, revoked, removed))
	change := application.UpdateWebhook{ID: s.hook, Change: webhook.Change{Enabled: new(false), Description: new("x")}}
	if change.OnlyDisables() {
		t.Error("a webhook's text is stored without a limit")
	}
	wantFault(t, freeChange(ctx, s, -1), application.ErrTooManyBytesKept)
}

// TestEmergencyOperationsCount as what a caller has stored.
func TestEmergencyOperationsCount(t *testing.T) {
	s, ctx := newSpender(t, 40_000), t.Context()
	for turn := range 40 {
		check(t, emergencies["a suspension"](ctx, s, call(s.Caller), turn))
	}
	wantFault(t, freeChange(ctx, s, 0), application.ErrTooManyBytesKept)
}

// TestEachPrincipalHasFreeBytesOfItsOwn has a key use up what it may store: its owner, the staff and other keys go on.
func TestEachPrincipalHasFreeBytesOfItsOwn(t *testing.T) {
	s, ctx := newSpender(t, 40_000), t.Context()
	_, key := s.aKey(s.Caller, principal.LinesWrite)
	_, other := s.aKey(s.Caller, principal.LinesWrite)
	s.aMember(s.Caller, "member", principal.LinesWrite)
	member := s.by(s.signIn("member"))
	trial := func(by application.Caller) error {
		_, err := s.CreateTrial(ctx, call(by), line.Description{Notes: new(fixture.Text(strings.Repeat("n", 2000)))}, shown)
		return err
	}
	for _, by := range []application.Caller{key, member, other, s.Caller} {
		var err error
		for times := 0; err == nil; times++ {
			if err = trial(by); times == 0 {
				check(t, err)
			}
		}
		wantFault(t, err, application.ErrTooManyBytesKept)
	}
	wantFault(t, trial(s.by(s.signIn("master"))), application.ErrTooManyBytesKept) // by token or session, it is the owner
}

// uncommitted is a store whose updates fail when they are committed.
type uncommitted struct {
	ports.Store
	fails bool
}

func (f *uncommitted) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	return f.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		err := work(ctx, tx)
		if err == nil && f.fails {
			err = application.ErrUnavailable
		}
		return err
	}, hints...)
}

func TestWhatIsNotKeptCountsForNothing(t *testing.T) {
	s, ctx := newSpender(t, 20_000), t.Context()
	store := &uncommitted{s.dependencies.Store, true}
	s.dependencies.Store = store
	s.Service = application.New(s.dependencies, application.Policy{TrialDuration: time.Hour, FreeBytesPerDay: 20_000})
	for turn := range 100 {
		_, err := s.ChangeContact(ctx, s.keyed(turn), s.contact(fmt.Sprint(turn)), shown)
		wantFault(t, err, application.ErrUnavailable)
	}
	store.fails = false
	_, err := s.ChangeContact(ctx, s.keyed(0), s.contact("kept"), shown)
	check(t, err)
}

// saving counts what is saved.
type saving struct {
	ports.Store
	saved int
}

type savedResellers struct {
	ports.Resellers
	of *saving
}

type savedLines struct {
	ports.Lines
	of *saving
}

func (s *saving) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		s.saved = 0
		tx.Resellers, tx.Lines = savedResellers{tx.Resellers, s}, savedLines{tx.Lines, s}
		return work(ctx, tx)
	}, hints...)
}

func (s savedResellers) Save(ctx context.Context, r *reseller.Reseller) error {
	s.of.saved++
	return s.Resellers.Save(ctx, r)
}

func (s savedLines) Save(ctx context.Context, l *line.Line) error {
	s.of.saved++
	return s.Lines.Save(ctx, l)
}

// TestWhoChangesNothingHasNothingWritten makes each change twice: only the first has something to save.
func TestWhoChangesNothingHasNothingWritten(t *testing.T) {
	s, ctx := newSpender(t, 0), t.Context()
	store := &saving{Store: s.dependencies.Store}
	s.dependencies.Store = store
	s.Service = application.New(s.dependencies, application.Policy{})
	whatsapp, notes := fixture.Text("+55"), fixture.Text("a note")
	for change, do := range map[string]func() (application.Receipt, error){
		"a block": func() (application.Receipt, error) {
			return s.Block(ctx, call(s.Caller), application.BlockReseller{ID: s.below}, shown)
		},
		"a contact": func() (application.Receipt, error) {
			return s.ChangeContact(ctx, call(s.Caller), s.contact("x"), shown)
		},
		"an update": func() (application.Receipt, error) {
			return s.UpdateReseller(ctx, call(s.Caller), application.UpdateReseller{
				ID: s.Reseller(), Username: fixture.Name("Master"), Password: profile.NewSecret("password-master"), ContactChange: reseller.ContactChange{Country: new(fixture.Text("PT")), Whatsapp: &whatsapp, Notes: &notes},
			}, shown)
		},
		"an alert": func() (application.Receipt, error) {
			return s.SetAlert(ctx, call(s.Caller), application.SetAlert{ID: s.below, Below: fixture.Credits("0.5")}, shown)
		},
		"an edit":            func() (application.Receipt, error) { return s.EditLine(ctx, call(s.Caller), s.edit("7788"), shown) },
		"an edit's password": func() (application.Receipt, error) { return s.EditLine(ctx, call(s.Caller), s.edit("8877"), shown) },
	} {
		for i, want := range []int{1, 0} {
			s.now = s.now.Add(time.Hour)
			_, err := do()
			check(t, err)
			if store.saved != want {
				t.Errorf("%s, %d. time: %d records are saved, want %d", change, i+1, store.saved, want)
			}
		}
	}
	_, err := s.Unblock(ctx, call(s.Caller), s.below, shown)
	if check(t, err); store.saved != 1 {
		t.Error("an unblock of who is blocked saves nothing")
	}
}
