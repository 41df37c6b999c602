// Package model implements the rules of the service for tests: the rights of each caller, the codes of refusals, the
// value of a price, the movements of credits. It is written from the contract and shares no code with the domain, so
// that tests can compare a service with it, operation by operation: see test/simulate and test/campaign.
//
// A method that is named after an operation decides it. It returns the code of the refusal, "" for none, and the effect
// of the operation on the world. The caller calls the effect once if the operation took place, and never after a
// refusal.
package model

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// World is all that the service should have recorded.
type World struct {
	TrialRuns time.Duration

	Resellers []*Reseller // in the order of their creation, the admin first
	Lines     []*Line     // in the order of their creation, deleted ones included
	Issued    decimal.Decimal
	Consumed  decimal.Decimal
	Movements []*Movement
	Journal   []*Event
	Epoch     string     // of the journal
	Webhooks  []*Webhook // in the order of their ids, removed ones included
	// Principals are all, in the order of their ids, revoked and removed ones included.
	Principals []*Principal

	// Books are the versions of price books, in the order of their numbers; nil: those of the platform but the first.
	Books map[*Reseller][]BookVersion

	Sessions     map[string]*Session
	ExpiringDays []int             // days before an expiry on which reminders of official lines are sent
	ClocksDiffer time.Duration     // two of them, at most
	reminding    map[int]time.Time // since when, by the days
	reminded     map[reminder]bool
}

// Reseller is a reseller or an admin.
type Reseller struct {
	ID            int64
	Parent        *Reseller // nil for an admin
	Admin, Master bool
	Blocked       bool // itself
	Block         Block
	Balance       decimal.Decimal
	Statement     []Entry // oldest first
	Low           Alert
	Name          string
	Password      string
	Contact       Contact
	Tokens        int // how often its token became another one
	Passwords     int // how often its password did
	Version       int64

	RechargedAt, CreatedAt, UpdatedAt time.Time
}

// Contact is the contact of a reseller.
type Contact struct{ Country, Whatsapp, Telegram, Email, Notes string }

// Line is a line.
type Line struct {
	ID       int64
	Owner    *Reseller
	Trial    bool
	Deleted  bool
	Expires  time.Time
	Dated    time.Time // when its expiry was set
	Plan     int64     // 0: none
	Day      int       // of the month, by which months count while it runs
	Name     string
	Password string
	Platform int64 // 0 for a trial
	Edited   bool
	Version  int64
	Known
	Suspension

	CreatedAt, UpdatedAt time.Time
}

// Key is the name, of ASCII, in the form that is compared.
func (l *Line) Key() string { return strings.ToLower(l.Name) }

// Known is the description of a line. Metadata are as Metadata writes them.
type Known struct{ Notes, Country, Whatsapp, Telegram, Email, ExternalID, Metadata string }

// Metadata writes metadata as JSON, in the order of their names, and none as "".
func Metadata(all iter.Seq2[string, string]) string {
	members := maps.Collect(all)
	if len(members) == 0 {
		return ""
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Movement is a transfer of credits. A nil source is issuance. A nil target is consumption where the movement has a
// line, and issuance where it has no line.
type Movement struct {
	ID       int64 // where the driver of the service knows it
	Kind     string
	From, To *Reseller
	Amount   decimal.Decimal
	Line     *Line
	By       *Reseller
	Notes    string
	After    []Balance // of the accounts that it changes
	Moment
}

// Entry is a movement in the statement of a reseller.
type Entry struct {
	*Movement
	Change  decimal.Decimal
	Balance decimal.Decimal // after it
}

// Moment is the time of an operation, and its request.
type Moment struct {
	Now     time.Time
	Request string
	Address string     // of the client
	Session bool       // the request has a session, and not a token
	As      *Principal // that acts for the account, nil: the account itself
}

const (
	mostDepth = 8
	day       = 24 * time.Hour
	mostYears = 10
)

// mostCredits is the highest balance of a reseller.
var mostCredits = decimal.New(1, 11)

// Depth is the number of a reseller's parents, up to the root.
func (r *Reseller) Depth() int {
	if r.Parent == nil {
		return 0
	}
	return r.Parent.Depth() + 1
}

// Within reports whether the reseller is top, or below it in the tree.
func (r *Reseller) Within(top *Reseller) bool {
	return r == top || r.Parent != nil && r.Parent.Within(top)
}

// Frozen reports whether the reseller, or one of its parents, is blocked.
func (r *Reseller) Frozen() bool { return r.Blocked || r.Parent != nil && r.Parent.Frozen() }

// Sees reports whether the reseller may see another.
func (r *Reseller) Sees(other *Reseller) bool {
	return other != nil && (r.Admin || other.Within(r))
}

// SeesLine reports whether the reseller may manage a line.
func (r *Reseller) SeesLine(l *Line) bool { return l != nil && !l.Deleted && r.Sees(l.Owner) }

func (r *Reseller) governs(other *Reseller) bool { return r.Master && !other.Admin && other != r }

// Covers reports whether the reseller can pay so much.
func (r *Reseller) Covers(amount decimal.Decimal) bool {
	return r.Admin || !r.Balance.LessThan(amount)
}

// Running reports whether the period has not ended.
func (l *Line) Running(now time.Time) bool { return now.Before(l.Expires) }

// Months adds calendar months: it goes back from the day wanted to one that the month has.
func Months(t time.Time, n, day int) time.Time {
	first := t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, 0)
	end := first.AddDate(0, 0, day-1)
	for end.Month() != first.Month() {
		end = end.AddDate(0, 0, -1)
	}
	return end
}

// firstOf returns the first refusal whose condition is true.
func firstOf(refusals ...any) string {
	for i := 0; i < len(refusals); i += 2 {
		if refusals[i].(bool) {
			return refusals[i+1].(string)
		}
	}
	return ""
}

// ResellerNamed returns the reseller with a name, in any case, nil where it is free.
func (w *World) ResellerNamed(name string) *Reseller {
	i := slices.IndexFunc(w.Resellers, func(r *Reseller) bool { return strings.EqualFold(r.Name, name) })
	if i < 0 {
		return nil
	}
	return w.Resellers[i]
}

// lineNamed returns the line that has a name, nil where it is free.
func (w *World) lineNamed(name string) *Line {
	i := slices.IndexFunc(w.Lines, func(l *Line) bool { return !l.Deleted && strings.EqualFold(l.Name, name) })
	if i < 0 {
		return nil
	}
	return w.Lines[i]
}

// NewReseller has the values of a new reseller.
type NewReseller struct {
	Name, Password string
	Master         bool
	Credits        decimal.Decimal
	Contact        Contact
}

// Create decides the creation of a reseller. Its effect needs the id that the service assigned.
func (w *World) Create(by *Reseller, n NewReseller, at Moment) (refusal string, effect func(id int64) *Reseller) {
	return firstOf(
			by.Frozen(), "account-blocked",
			n.Credits.IsPositive() && at.lacks("credits:move"), "insufficient-scope",
			!by.Master, "not-allowed",
			!Rights{Role: "manager"}.Within(at.As), "beyond-own-rights", // as the owner of the new account has
			w.ResellerNamed(n.Name) != nil, "username-taken",
			by.Depth() >= mostDepth, "tree-too-deep",
			!by.Covers(n.Credits), "insufficient-credits",
			w.StaffNamed(n.Name) != nil, "username-taken",
		), func(id int64) *Reseller {
			r := &Reseller{
				ID: id, Parent: by, Master: n.Master, Name: n.Name, Password: n.Password, Contact: n.Contact,
				RechargedAt: at.Now, CreatedAt: at.Now, UpdatedAt: at.Now,
			}
			r.Version = 1
			w.Resellers = append(w.Resellers, r)
			var opening *Movement
			if !n.Credits.IsZero() {
				opening = w.move(&Movement{Kind: "opening", From: by, To: r, Amount: n.Credits, By: by, Moment: at})
			}
			w.happened(did(by, "reseller.created", at).ofReseller(nil, r, opening))
			w.alert(at, by)
			return r
		}
}

// Change is a new text of a record, nil for one that stays.
type Change = *string

func change(text *string, to Change) {
	if to != nil {
		*text = *to
	}
}

// ResellerUpdate has the new values of a reseller. An empty name, or password, leaves it unchanged.
type ResellerUpdate struct {
	Name, Password string
	Contact        [5]Change // country, whatsapp, telegram, email, notes
}

func (u ResellerUpdate) become(target *Reseller) {
	k := &target.Contact
	for i, text := range []*string{&k.Country, &k.Whatsapp, &k.Telegram, &k.Email, &k.Notes} {
		change(text, u.Contact[i])
	}
}

// Update decides the update of a reseller. A password that is another one changes its token.
func (w *World) Update(by, target *Reseller, u ResellerUpdate, at Moment) (refusal string, effect func()) {
	holder := w.ResellerNamed(u.Name)
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.Sees(target), "not-found",
			// it would set the sign-in of its own account
			at.As != nil && (target == by || target != nil && target.Admin), "not-allowed",
			!Rights{Role: "manager"}.Within(at.As), "beyond-own-rights", // the rights that a sign-in to the account gives
			holder != nil && holder != target || w.StaffNamed(u.Name) != nil, "username-taken",
		), func() {
			was, e := *target, did(by, "reseller.updated", at)
			if u.Password != "" && target.Password != u.Password {
				target.Password = u.Password
				target.Tokens++
				target.Passwords++
			}
			target.Name = cmp.Or(u.Name, target.Name)
			u.become(target)
			if target.Name != was.Name || target.Password != was.Password || target.Contact != was.Contact {
				target.dated(at.Now)
				w.happened(e.ofReseller(&was, target, nil))
			}
		}
}

// ChangePassword decides the change of one's own password. One that is another one changes the token.
func (w *World) ChangePassword(by *Reseller, present, next string, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", at.Person(by).Password() != present, "invalid-credentials"), func() {
		if next != present && at.As != nil {
			at.As.Password = next
			at.As.Passwords++
			e := did(by, "password.changed", at).ofPrincipal(by, at.As)
			e.Changes["password"] = true
			w.happened(e)
		} else if next != present {
			was := *by
			by.Password = next
			by.Tokens++
			by.Passwords++
			by.dated(at.Now)
			w.happened(did(by, "password.changed", at).ofReseller(&was, by, nil))
		}
	}
}

// Transfer is credits to be moved to a reseller, or back from it.
type Transfer struct {
	Amount decimal.Decimal
	Notes  string
}

// Fund decides the adding of credits.
func (w *World) Fund(by, target *Reseller, t Transfer, at Moment) (refusal string, effect func()) {
	refusal, moved := w.transfer(by, target, by, target, "recharge", "reseller.credited", t, at)
	return refusal, func() {
		moved()
		target.RechargedAt = at.Now
	}
}

// Reclaim decides the taking back of credits.
func (w *World) Reclaim(by, target *Reseller, t Transfer, at Moment) (refusal string, effect func()) {
	return w.transfer(by, target, target, by, "reclaim", "reseller.reclaimed", t, at)
}

func (w *World) transfer(by, target, from, to *Reseller, kind, what string, t Transfer,
	at Moment) (refusal string, effect func()) {
	effect = func() {
		was := *target
		if kind != "reclaim" {
			at.spends(t.Amount)
		}
		m := w.move(&Movement{Kind: kind, From: from, To: to, Amount: t.Amount, By: by, Notes: t.Notes, Moment: at})
		w.happened(did(by, what, at).ofReseller(&was, target, m))
		w.alert(at, by, target)
	}
	if target == nil {
		return firstOf(by.Frozen(), "account-blocked", true, "not-found"), effect
	}
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.Sees(target), "not-found",
		!by.governs(target), "not-allowed",
		!to.Admin && to.Balance.Add(t.Amount).GreaterThan(mostCredits), "balance-limit",
		kind != "reclaim" && at.Over(t.Amount), "spend-limit-reached",
		!from.Covers(t.Amount), "insufficient-credits",
	), effect
}

// move enters a movement into the books, and returns it.
func (w *World) move(m *Movement) *Movement {
	w.Movements = append(w.Movements, m)
	if m.From.Admin {
		w.Issued = w.Issued.Add(m.Amount)
	} else {
		m.From.Balance = m.From.Balance.Sub(m.Amount)
	}
	// The statement of an admin has the payments for its own lines, and nothing else.
	if !m.From.Admin || m.To == nil {
		m.From.enter(m, m.Amount.Neg())
	}
	switch {
	case m.To == nil:
		w.Consumed = w.Consumed.Add(m.Amount)
	case m.To.Admin:
		w.Issued = w.Issued.Sub(m.Amount)
	default:
		m.To.Balance = m.To.Balance.Add(m.Amount)
		m.To.enter(m, m.Amount)
	}
	return m
}

func (r *Reseller) enter(m *Movement, change decimal.Decimal) {
	r.Statement = append(r.Statement, Entry{m, change, r.Balance})
	m.After = append(m.After, Balance{r, r.Balance})
	r.dated(m.Now)
}

// dated counts a change of the reseller.
func (r *Reseller) dated(now time.Time) {
	r.UpdatedAt = now
	r.Version++
}

// ChangeContact decides a change of a reseller's contact. With a name or a password it is an update.
func (w *World) ChangeContact(by, target *Reseller, u ResellerUpdate, at Moment) (refusal string, effect func()) {
	if u.Name+u.Password != "" {
		return w.Update(by, target, u, at)
	}
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.Sees(target), "not-found",
		), func() {
			was := *target
			if u.become(target); target.Contact != was.Contact {
				target.dated(at.Now)
				w.happened(did(by, "reseller.updated", at).ofReseller(&was, target, nil))
			}
		}
}

// Revoke decides that the caller's token is changed.
func (w *World) Revoke(by *Reseller, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked"), func() {
		was := *by
		by.Tokens++
		by.dated(at.Now)
		w.happened(did(by, "token.revoked", at).ofReseller(&was, by, nil))
	}
}

// NewTrial has the values of a trial that the service generated.
type NewTrial struct {
	ID             int64
	Name, Password string
}

// Trial decides the issue of a trial, with its description besides its country.
func (w *World) Trial(by *Reseller, d Description, at Moment) (refusal string, effect func(NewTrial) *Line) {
	return firstOf(
			by.Frozen(), "account-blocked",
			w.externalIDTaken(&Line{Owner: by}, d), "external-id-taken",
		), func(n NewTrial) *Line {
			l := &Line{
				ID: n.ID, Owner: by, Trial: true, Expires: at.Now.Add(w.TrialRuns), Name: n.Name, Password: n.Password,
				Known: Known{Country: by.Contact.Country}, CreatedAt: at.Now, UpdatedAt: at.Now, Version: 1,
				Dated: at.Now,
			}
			l.become(d)
			w.Lines = append(w.Lines, l)
			w.happened(did(by, "line.trial_created", at).ofLine(nil, l, nil))
			return l
		}
}

// LineDetails are the values that activating and editing set. An empty name, or password, leaves it unchanged.
type LineDetails struct {
	Name, Password string
	Description
}

// Description is a change of a line's description.
type Description struct {
	Notes, Country, Whatsapp, Telegram, Email, ExternalID, Metadata Change
}

func (k *Known) become(d Description) {
	change(&k.Notes, d.Notes)
	change(&k.Country, d.Country)
	change(&k.Whatsapp, d.Whatsapp)
	change(&k.Telegram, d.Telegram)
	change(&k.Email, d.Email)
	change(&k.ExternalID, d.ExternalID)
	change(&k.Metadata, d.Metadata)
}

// change makes a change, which counts where the line is another one then.
func (w *World) change(by *Reseller, l *Line, what string, at Moment, change func()) {
	was := *l
	if change(); *l != was {
		l.dated(at.Now)
		w.happened(did(by, what, at).ofLine(&was, l, nil))
	}
}

// dated counts a change of the line.
func (l *Line) dated(now time.Time) {
	l.UpdatedAt = now
	l.Version++
}

func (l *Line) set(d LineDetails) {
	l.Name, l.Password = cmp.Or(d.Name, l.Name), cmp.Or(d.Password, l.Password)
	l.become(d.Description)
}

// externalIDTaken reports whether another line of the same owner has the external id that a line is to have.
func (w *World) externalIDTaken(l *Line, d Description) bool {
	return l != nil && d.ExternalID != nil && *d.ExternalID != "" && slices.ContainsFunc(w.Lines, func(other *Line) bool {
		return other != l && !other.Deleted && other.Owner == l.Owner && other.ExternalID == *d.ExternalID
	})
}

func (w *World) lineNameTaken(l *Line, name string) bool {
	holder := w.lineNamed(name)
	return holder != nil && holder != l
}

// Activate decides the activation of a trial, which its owner pays for.
func (w *World) Activate(by *Reseller, l *Line, asked Asked, d LineDetails,
	at Moment) (refusal string, effect func(platform int64)) {
	p, unsold := w.price(l, asked, at.Now)
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.SeesLine(l), "not-found",
			l != nil && !l.Trial, "line-not-trial",
			w.lineNameTaken(l, d.Name), "username-taken",
			unsold != "", unsold,
			at.Over(p.Amount()), "spend-limit-reached",
			l != nil && !l.Owner.Covers(p.Amount()), "insufficient-credits",
			w.externalIDTaken(l, d.Description), "external-id-taken",
		), func(platform int64) {
			was := *l
			l.set(d)
			l.Trial, l.Platform = false, platform
			l.Expires, l.Day = p.After(at.Now, at.Now.Day())
			l.Plan = p.Plan
			l.dated(at.Now)
			l.Dated = at.Now
			at.spends(p.Amount())
			m := w.move(&Movement{Kind: "activation", From: l.Owner, Amount: p.Amount(), Line: l, By: by, Moment: at})
			w.happened(did(by, "line.activated", at).ofLine(&was, l, m).at(p))
			w.alert(at, l.Owner)
		}
}

// Extend decides an extension, which the line's owner pays for.
func (w *World) Extend(by *Reseller, l *Line, asked Asked, at Moment) (refusal string, effect func()) {
	if l == nil {
		return firstOf(by.Frozen(), "account-blocked", true, "not-found"), nil
	}
	from, day := l.Expires, l.Day
	if !l.Running(at.Now) {
		from, day = at.Now, at.Now.Day()
	}
	p, unsold := w.price(l, asked, at.Now)
	until, day := p.After(from, day)
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.SeesLine(l), "not-found",
			l.Trial, "line-is-trial",
			unsold != "", unsold,
			until.After(Months(at.Now, 12*mostYears, at.Now.Day())), "period-too-long",
			at.Over(p.Amount()), "spend-limit-reached",
			!l.Owner.Covers(p.Amount()), "insufficient-credits",
		), func() {
			was := *l
			l.Expires, l.Day, l.Plan = until, day, p.Plan
			l.dated(at.Now)
			l.Dated = at.Now
			at.spends(p.Amount())
			m := w.move(&Movement{Kind: "extension", From: l.Owner, Amount: p.Amount(), Line: l, By: by, Moment: at})
			w.happened(did(by, "line.extended", at).ofLine(&was, l, m).at(p))
			w.alert(at, l.Owner)
		}
}

// Edit decides a change of an official line.
func (w *World) Edit(by *Reseller, l *Line, d LineDetails, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.SeesLine(l), "not-found",
			l != nil && l.Trial, "line-is-trial",
			w.lineNameTaken(l, d.Name), "username-taken",
			w.externalIDTaken(l, d.Description), "external-id-taken",
		), func() {
			w.change(by, l, "line.updated", at, func() {
				l.set(d)
				l.Edited = true
			})
		}
}

// Describe decides a change of the description of any line. With a name or a password it is an edit.
func (w *World) Describe(by *Reseller, l *Line, d LineDetails, at Moment) (refusal string, effect func()) {
	if d.Name+d.Password != "" {
		return w.Edit(by, l, d, at)
	}
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.SeesLine(l), "not-found",
		w.externalIDTaken(l, d.Description), "external-id-taken",
	), func() { w.change(by, l, "line.updated", at, func() { l.become(d.Description) }) }
}

// Delete decides the deletion of a line.
func (w *World) Delete(by *Reseller, l *Line, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.SeesLine(l), "not-found",
		), func() {
			was := *l
			l.Deleted = true
			l.Version++
			w.happened(did(by, "line.deleted", at).ofLine(&was, l, nil))
		}
}
