package application

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Entitlement is what those who serve customers need to know of a line. It is its present state, so that applying it
// twice does no harm.
type Entitlement struct {
	Line    int64
	Deleted bool  // then Version is all that is left
	Version int64 // of the line: blocks above it do not change it

	Username   string
	Password   profile.Secret // zero: it is not for the caller
	Enabled    bool           // until it expires
	ExpiresAt  time.Time
	ExternalID string
	Metadata   line.Metadata

	after place
}

// EntitlementPage is a part of what a consumer is told. It always has a Next, from which a later page goes on.
type EntitlementPage struct {
	Page[Entitlement]

	More bool // there is more to be told by now
}

// ListEntitlements asks for what has changed in the caller's tree, itself included, since a place: from the beginning
// for all lines there are.
type ListEntitlements struct {
	After *string
	Limit int // a page has MostHeld at most
}

// Refused returns ErrBadCursor if After is no cursor of entitlements, as the use case does.
func (c ListEntitlements) Refused() error {
	_, err := c.after()
	return err
}

// Part returns the query for up to limit of the same items, after a cursor.
func (c ListEntitlements) Part(after *string, limit int) ListEntitlements {
	c.After, c.Limit = after, limit
	return c
}

func (c ListEntitlements) after() (*place, error) {
	if c.After == nil {
		return nil, nil
	}
	at, err := parsePlace(*c.After)
	return &at, err
}

// Each page is of one snapshot. It has the lines of the next entries of the journal, as they are by now, and then goes
// on with what is swept: all lines of a tree, by their ids. A consumer that begins sweeps all that it may see, from the
// journal's head on. A block that suspends lines, or its end, is one entry and sweeps the tree below it, so that
// changes of single lines come between the pages of the sweep.

// place is how far a consumer is.
type place struct {
	epoch  journal.Epoch
	seq    int64   // of the last entry whose line it was told of
	sweeps []sweep // under way, in their order
}

// sweep tells of all lines of a tree.
type sweep struct {
	root  int64 // its account, 0: all that the caller sees
	after int64 // lines up to this id were told of
}

// mostSweeps is how many sweeps are under way at most: beyond that, the sweep of everything begins again.
const mostSweeps = 16

const entitlementsName = "entitlements"

// String returns the place as consumers carry it.
func (p place) String() string {
	words := []string{entitlementsName, string(p.epoch), strconv.FormatInt(p.seq, 10)}
	for _, s := range p.sweeps {
		words = append(words, strconv.FormatInt(s.root, 10), strconv.FormatInt(s.after, 10))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(words, " ") + cursorEnd))
}

// parsePlace reads what String returns, and nothing else: otherwise it returns ErrBadCursor.
func parsePlace(cursor string) (p place, err error) {
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	words := strings.Split(strings.TrimSuffix(string(decoded), cursorEnd), " ")
	if err != nil || len(words) < 3 || len(words)%2 == 0 || len(words) > 3+2*mostSweeps {
		return place{}, ErrBadCursor
	}
	numbers := make([]int64, len(words)-2)
	for i, word := range words[2:] {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil || numbers[i] < 0 {
			return place{}, ErrBadCursor
		}
	}
	epoch, known := journal.ParseEpoch(words[1])
	p = place{epoch: epoch, seq: numbers[0]}
	for s := range slices.Chunk(numbers[1:], 2) {
		p.sweeps = append(p.sweeps, sweep{s[0], s[1]})
	}
	if !known || p.String() != cursor {
		return place{}, ErrBadCursor
	}
	return p, nil
}

// sweeping returns the place with the tree of an account to be swept, in place of an earlier sweep of it.
func (p place) sweeping(root int64) place {
	p.sweeps = slices.DeleteFunc(slices.Clone(p.sweeps), func(s sweep) bool { return s.root == root })
	if len(p.sweeps) == mostSweeps {
		root, p.sweeps = 0, nil
	}
	p.sweeps = append(p.sweeps, sweep{root: root})
	return p
}

// swept returns the place with lines up to an id told of in the sweep that is under way, the whole if it is done.
func (p place) swept(upTo int64, done bool) place {
	p.sweeps = slices.Clone(p.sweeps)
	if p.sweeps[0].after = upTo; done {
		p.sweeps = p.sweeps[1:]
	}
	return p
}

// ListEntitlements returns a page of what a consumer is to be told. Of a blocked account it tells keys that may do
// nothing else. The refusal is *CursorUnknown, from whose cursor all begins anew.
func (s Lines) ListEntitlements(ctx context.Context, call Call, c ListEntitlements) (EntitlementPage, error) {
	after, err := c.after()
	if err != nil {
		return EntitlementPage{}, err
	}
	return query(ctx, s.kernel, call, "list entitlements", func(ctx context.Context, in reading) (EntitlementPage, error) {
		head, err := in.Journal.Head(ctx)
		if err != nil {
			return EntitlementPage{}, err
		}
		begins := place{epoch: head.Epoch, seq: head.Seq, sweeps: []sweep{{}}}
		switch {
		case after == nil:
			after = &begins
		case after.epoch != head.Epoch:
			return EntitlementPage{}, &CursorUnknown{Restart: begins.String()}
		}
		t := telling{kernel: s.kernel, reading: in, caller: call.Caller, at: *after, left: min(c.Limit, MostHeld)}
		if t.blocks, err = in.Resellers.AnySuspending(ctx); err != nil {
			return EntitlementPage{}, err
		}
		more, err := t.changes(ctx, head)
		if err != nil {
			return EntitlementPage{}, err
		}
		if err := t.sweep(ctx); err != nil {
			return EntitlementPage{}, err
		}
		page := EntitlementPage{More: more || len(t.at.sweeps) > 0}
		page.Items, page.Damaged, page.Next = t.told, t.damaged, t.at.String()
		page.After = func(e Entitlement) string { return e.after.String() }
		return page, nil
	})
}

// telling makes a page.
type telling struct {
	*kernel
	reading
	caller  Caller
	at      place
	told    []Entitlement
	damaged []int64
	blocks  bool // there are some that suspend lines
	left    int  // how many more may be told
}

// changes tells of lines that the next entries of the journal are about, and begins the sweeps that they call for. It
// reports whether entries are left.
func (t *telling) changes(ctx context.Context, head journal.Head) (more bool, err error) {
	most := t.left
	if len(t.at.sweeps) > 0 {
		most = (t.left + 1) / 2 // a sweep goes on, however much changes
	}
	above, upTo, err := t.above(ctx, max(head.Seq, t.at.seq))
	if err != nil {
		return false, err
	}
	page, err := t.Journal.List(ctx, ports.EventQuery{Of: ports.EventScope{Tree: t.actor.Sight()}, Types: entitling,
		After: t.at.seq, Limit: most})
	if err != nil {
		return false, err
	}
	if page.Next != 0 {
		upTo = min(upTo, page.Next)
	}
	above = slices.DeleteFunc(above, func(seq int64) bool { return seq > upTo })
	for _, seq := range page.Damaged { // what it was about is unknown
		if seq <= upTo {
			above = append(above, seq)
		}
	}
	if len(above) > 0 {
		t.at = t.at.sweeping(0)
	}
	told := map[int64]bool{}
	for i, n := range page.Entries {
		if n.Seq > upTo {
			break
		}
		page.Entries[i] = journal.Numbered{} // it is not held once its entitlement is made
		if t.actor.Sight() != 0 && t.actor.Sees(n.Account) != nil {
			continue
		}
		switch {
		case n.Line == 0 && n.Changed(journal.LinesSuspended):
			t.at = t.at.sweeping(n.Account.ID)
		case n.Line != 0 && !told[n.Line]:
			t.at.seq = n.Seq
			if told[n.Line], err = t.line(ctx, n); err != nil {
				return false, err
			}
		}
	}
	t.at.seq = upTo
	return upTo < head.Seq, nil
}

// entitling are the types of entries that change what a consumer is to know.
var entitling = append([]journal.Type{
	journal.TrialCreated, journal.LineActivated, journal.LineExtended, journal.LineUpdated, journal.LineDeleted,
	journal.LineSuspended, journal.LineResumed,
	journal.LineImported, journal.LineReimported,
}, blocking...)

// blocking are those of them that concern all lines below an account.
var blocking = []journal.Type{journal.ResellerBlocked, journal.ResellerUnblocked, journal.AdminBlocked,
	journal.AdminUnblocked}

// above returns the numbers of the entries, up to one, by which a block above the caller suspended its lines, or let
// them go on. It also returns up to which number it has looked.
func (t *telling) above(ctx context.Context, upTo int64) (found []int64, looked int64, err error) {
	looked = upTo
	if t.actor.Sight() == 0 {
		return nil, looked, nil
	}
	for _, id := range t.actor.Position().Ancestors {
		page, err := t.Journal.List(ctx, ports.EventQuery{
			Of: ports.EventScope{Account: id}, Types: blocking, After: t.at.seq, Before: upTo + 1, Limit: MostHeld,
		})
		if err != nil {
			return nil, 0, err
		}
		for _, n := range page.Entries {
			if n.Account.ID == id && n.Changed(journal.LinesSuspended) {
				found = append(found, n.Seq)
			}
		}
		found = append(found, page.Damaged...)
		if page.Next != 0 {
			looked = min(looked, page.Next)
		}
	}
	return found, looked, nil
}

// line tells of a line that an entry is about, as it is by now. It reports false of one that is gone until the entry of
// its deletion.
func (t *telling) line(ctx context.Context, n journal.Numbered) (told bool, err error) {
	l, err := t.Lines.Get(ctx, n.Line)
	switch {
	case err == nil:
		return true, t.tell(ctx, []*line.Line{l}, func(*line.Line) place { return t.at })
	case !isNotFound(err):
		return false, err
	case n.Type == journal.LineDeleted:
		t.told = append(t.told, Entitlement{Line: n.Line, Deleted: true, Version: n.Version, after: t.at})
		t.left--
		return true, nil
	}
	return false, nil
}

// sweep goes on with the sweeps while there is room.
func (t *telling) sweep(ctx context.Context) error {
	for t.left > 0 && len(t.at.sweeps) > 0 {
		now := t.at.sweeps[0]
		q := ports.LineQuery{Scope: ports.Scope{Reseller: now.root, Tree: true}, After: ports.LineCursor{ID: now.after},
			Limit: t.left}
		if now.root == 0 {
			q.Scope.Reseller = t.actor.Sight()
		} else if _, err := seenReseller(ctx, t.Resellers, t.actor, now.root); err != nil {
			if isNotFound(err) { // the cursor is not of this caller
				err = ErrBadCursor
			}
			return err
		}
		page, err := t.Lines.List(ctx, q)
		if err != nil {
			return err
		}
		t.damaged = append(t.damaged, page.Damaged...)
		here := t.at
		err = t.tell(ctx, page.Lines, func(l *line.Line) place {
			return here.swept(l.ID(), page.Next == nil && l == page.Lines[len(page.Lines)-1])
		})
		if err != nil {
			return err
		}
		if page.Next == nil {
			t.at = here.swept(0, true)
		} else {
			t.at = here.swept(page.Next.ID, false)
		}
	}
	return nil
}

// tell tells of lines, each with the place after it.
func (t *telling) tell(ctx context.Context, lines []*line.Line, after func(l *line.Line) place) error {
	blocked, err := ownersBlocked(ctx, t.Resellers, t.blocks, lines)
	if err != nil {
		return err
	}
	for _, l := range lines {
		t.left--
		shown, err := t.reveal(l, t.now)
		if err != nil { // sealed under another key
			t.damaged = append(t.damaged, l.ID())
			continue
		}
		s := l.Shown()
		e := Entitlement{
			Line: s.ID, Version: s.Version, Username: s.Username.String(), Password: shown.servedBy(t.caller).Password,
			Enabled: l.Effect(blocked(l.Owner()), t.now).Enabled(), ExpiresAt: s.ExpiresAt,
			ExternalID: s.ExternalID.String(), Metadata: s.Metadata, after: after(l),
		}
		t.told = append(t.told, e)
	}
	return nil
}

// NotServed says that a customer is not authorized, and why.
type NotServed struct{ Effect line.Effect }

// ErrNotServed is the fault of NotServed.
var ErrNotServed = fault.New(fault.Forbidden, "line-not-served",
	"The line is suspended, blocked or expired: its customer is not authorized.")

// Error says which of the three reasons it is.
func (e *NotServed) Error() string {
	switch e.Effect {
	case line.Suspended:
		return "The line is suspended: its customer is not authorized."
	case line.Expired:
		return "The line has expired: its customer is not authorized."
	case line.OwnerBlocked:
		return "The account that owns the line, or one above it, is blocked with its lines: its customer is not authorized."
	case line.Running:
	}
	return ErrNotServed.Error()
}

// Unwrap makes it match its fault.
func (*NotServed) Unwrap() error { return ErrNotServed }

// Members implements fault.Detailed.
func (e *NotServed) Members() []fault.Member {
	return []fault.Member{{Name: "effective", Value: e.Effect}}
}

// LetIn returns the line by whose name a customer asks to be let in, with its password, if the caller sees that, to
// compare. Refusals: fault.ErrNotFound, *NotServed.
func (s Lines) LetIn(ctx context.Context, call Call, name profile.Username) (Line, error) {
	return query(ctx, s.kernel, call, "let in", func(ctx context.Context, in reading) (Line, error) {
		found, err := lineNamed(ctx, in.Lines, name)
		if err != nil {
			return Line{}, err
		}
		if err := in.actor.Sees(found.Owner()); err != nil {
			return Line{}, err
		}
		blocks, err := in.Resellers.AnySuspending(ctx)
		if err != nil {
			return Line{}, err
		}
		blocked, err := ownersBlocked(ctx, in.Resellers, blocks, []*line.Line{found})
		if err != nil {
			return Line{}, err
		}
		if effect := found.Effect(blocked(found.Owner()), in.now); effect != line.Running {
			return Line{}, &NotServed{effect}
		}
		shown, err := s.reveal(found, in.now)
		return shown.servedBy(call.Caller), err
	})
}

// servedBy returns a line as a caller that serves customers may see it: a key for that alone sees passwords.
func (l Line) servedBy(c Caller) Line {
	if p := c.principal(); p != nil && p.ServesCustomers() {
		return l
	}
	return l.shownTo(c)
}

// lineNamed returns the line that has a name, or fault.ErrNotFound.
func lineNamed(ctx context.Context, lines ports.LineDirectory, name profile.Username) (*line.Line, error) {
	id, err := lines.FindByUsername(ctx, name)
	if err != nil {
		return nil, err
	}
	return lines.Get(ctx, id)
}

// servesCustomers reports whether the caller is a key that may ask for entitlements alone, and asks for these: it is
// told of a block of its account, rather than refused by it.
func (c Caller) servesCustomers() bool {
	p := c.principal()
	return c.ByKey() && p != nil && p.ServesCustomers() && c.acting.scope == principal.EntitlementsRead
}
