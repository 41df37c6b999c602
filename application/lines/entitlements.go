package lines

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Entitlement is the state of a line for a service that admits customers. It is the present state, so a consumer may
// apply it twice.
type Entitlement struct {
	Line    int64
	Deleted bool  // only Line and Version are set
	Version int64 // of the line: blocks above it do not change it

	Username   string
	Password   profile.Secret // zero: the caller may not see it
	Enabled    bool           // until it expires
	ExpiresAt  time.Time
	ExternalID string
	Metadata   line.Metadata
	Plan       int64 // 0: none
	credit.Terms

	after EntitlementCursor
}

// EntitlementPage is a page of entitlements. It always has a Next, from which a later page continues.
type EntitlementPage struct {
	usecase.PageOf[Entitlement, EntitlementCursor]

	More bool // further entitlements are ready
}

// ListEntitlements selects the changes in the caller's tree, itself included, after a cursor. Without a cursor it
// selects all lines.
type ListEntitlements struct {
	After *EntitlementCursor
	Limit int // a page has MostHeld at most
}

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c ListEntitlements) PageAfter(after *EntitlementCursor, limit int) ListEntitlements {
	c.After, c.Limit = after, limit
	return c
}

// Each page shows one snapshot. It has the present state of the lines of the next entries of the journal. Then it
// continues a backfill: all lines of a tree, by their ids. A new consumer gets a backfill of all lines that it may see,
// and the entries after the journal's head at that time. A block that suspends lines, or its end, is one entry and
// starts a backfill of the tree below it. So changes of single lines come between the pages of the backfill.

// EntitlementCursor is the position of a consumer.
type EntitlementCursor struct {
	epoch     journal.Epoch
	seq       int64      // of the last entry that was handled
	backfills []backfill // in progress, in their order
}

// backfill lists all lines of a tree.
type backfill struct {
	root  int64 // its account, 0: everything that the caller sees
	after int64 // lines up to this id were listed
}

// maxBackfills is the limit of backfills in progress: beyond it, the backfill of everything starts again.
const maxBackfills = 16

const entitlementsName = "entitlements"

// String returns the cursor in the form for consumers.
func (p EntitlementCursor) String() string {
	words := []string{entitlementsName, string(p.epoch), strconv.FormatInt(p.seq, 10)}
	for _, s := range p.backfills {
		words = append(words, strconv.FormatInt(s.root, 10), strconv.FormatInt(s.after, 10))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(words, " ") + usecase.CursorEnd))
}

// ParseEntitlementCursor reads the text of String. Any other text is ErrBadCursor.
func ParseEntitlementCursor(cursor string) (p EntitlementCursor, err error) {
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	words := strings.Split(strings.TrimSuffix(string(decoded), usecase.CursorEnd), " ")
	if err != nil || len(words) < 3 || len(words)%2 == 0 || len(words) > 3+2*maxBackfills {
		return EntitlementCursor{}, usecase.ErrBadCursor
	}
	numbers := make([]int64, len(words)-2)
	for i, word := range words[2:] {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil || numbers[i] < 0 {
			return EntitlementCursor{}, usecase.ErrBadCursor
		}
	}
	epoch, known := journal.ParseEpoch(words[1])
	p = EntitlementCursor{epoch: epoch, seq: numbers[0]}
	for s := range slices.Chunk(numbers[1:], 2) {
		p.backfills = append(p.backfills, backfill{s[0], s[1]})
	}
	if !known || p.String() != cursor {
		return EntitlementCursor{}, usecase.ErrBadCursor
	}
	return p, nil
}

// withBackfill returns the cursor with a new backfill of the tree of an account, in place of an earlier one.
func (p EntitlementCursor) withBackfill(root int64) EntitlementCursor {
	p.backfills = slices.DeleteFunc(slices.Clone(p.backfills), func(s backfill) bool { return s.root == root })
	if len(p.backfills) == maxBackfills {
		root, p.backfills = 0, nil
	}
	p.backfills = append(p.backfills, backfill{root: root})
	return p
}

// advanced returns the cursor after the first backfill has listed lines up to an id, or without that backfill if it is
// done.
func (p EntitlementCursor) advanced(upTo int64, done bool) EntitlementCursor {
	p.backfills = slices.Clone(p.backfills)
	if p.backfills[0].after = upTo; done {
		p.backfills = p.backfills[1:]
	}
	return p
}

// ListEntitlements returns a page of entitlements. API keys for entitlements alone also get those of a blocked account.
// The refusal is *CursorUnknown, whose cursor starts from the beginning.
func (s Service) ListEntitlements(ctx context.Context, call usecase.Call, c ListEntitlements) (EntitlementPage, error) {
	return usecase.Query(ctx, s.k, call, "list entitlements",
		func(ctx context.Context, in usecase.View) (EntitlementPage, error) {
			head, err := in.Journal.Head(ctx)
			if err != nil {
				return EntitlementPage{}, err
			}
			begins := EntitlementCursor{epoch: head.Epoch, seq: head.Seq, backfills: []backfill{{}}}
			after := cmp.Or(c.After, &begins)
			if after.epoch != head.Epoch {
				return EntitlementPage{}, &usecase.CursorUnknown{Restart: begins.String()}
			}
			t := entitlementReader{k: s.k, View: in, caller: call.Caller, at: *after, left: min(c.Limit, usecase.MostHeld)}
			if t.blocks, err = in.Resellers.AnySuspending(ctx); err != nil {
				return EntitlementPage{}, err
			}
			more, err := t.changes(ctx, head)
			if err != nil {
				return EntitlementPage{}, err
			}
			if err := t.continueBackfills(ctx); err != nil {
				return EntitlementPage{}, err
			}
			page := EntitlementPage{More: more || len(t.at.backfills) > 0}
			page.Items, page.Damaged, page.Next = t.found, t.damaged, &t.at
			page.After = func(e Entitlement) EntitlementCursor { return e.after }
			return page, nil
		})
}

// entitlementReader builds a page.
type entitlementReader struct {
	k *usecase.Kernel
	usecase.View
	caller  usecase.Caller
	at      EntitlementCursor
	found   []Entitlement
	damaged []int64
	blocks  bool // some block suspends lines
	left    int  // room in the page
}

// changes adds the lines of the next entries of the journal, and starts the backfills that these entries require. It
// reports whether entries are left.
func (t *entitlementReader) changes(ctx context.Context, head journal.Head) (more bool, err error) {
	most := t.left
	if len(t.at.backfills) > 0 {
		most = (t.left + 1) / 2 // a backfill continues, however much changes
	}
	above, upTo, err := t.above(ctx, max(head.Seq, t.at.seq))
	if err != nil {
		return false, err
	}
	page, err := t.Journal.List(ctx, ports.EventQuery{Of: ports.EventScope{Tree: t.Actor.VisibleRoot()}, Types: entitling,
		After: t.at.seq, Limit: most})
	if err != nil {
		return false, err
	}
	if page.Next != 0 {
		upTo = min(upTo, page.Next)
	}
	above = slices.DeleteFunc(above, func(seq int64) bool { return seq > upTo })
	for _, seq := range page.Damaged { // their subject is unknown
		if seq <= upTo {
			above = append(above, seq)
		}
	}
	if len(above) > 0 {
		t.at = t.at.withBackfill(0)
	}
	told := map[int64]bool{}
	for i, n := range page.Entries {
		if n.Seq > upTo {
			break
		}
		page.Entries[i] = journal.Numbered{} // so that it is not held until the page is complete
		if t.Actor.VisibleRoot() != 0 && t.Actor.Sees(n.Account) != nil {
			continue
		}
		switch {
		case n.Line == 0 && n.Changed(journal.LinesSuspended):
			t.at = t.at.withBackfill(n.Account.ID)
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

// entitling are the types of entries that change entitlements.
var entitling = append([]journal.Type{
	journal.TrialCreated, journal.LineActivated, journal.LineExtended, journal.LineUpdated, journal.LineDeleted,
	journal.PlanChanged, journal.LineSuspended, journal.LineResumed,
	journal.LineImported, journal.LineReimported,
}, blocking...)

// blocking are those among them that concern all lines below an account.
var blocking = []journal.Type{journal.ResellerBlocked, journal.ResellerUnblocked, journal.AdminBlocked,
	journal.AdminUnblocked}

// above returns the numbers of the entries, up to upTo, by which a block of a parent of the caller suspended its lines,
// or stopped suspending them. It also returns the number up to which it has looked.
func (t *entitlementReader) above(ctx context.Context, upTo int64) (found []int64, looked int64, err error) {
	looked = upTo
	if t.Actor.VisibleRoot() == 0 {
		return nil, looked, nil
	}
	for _, id := range t.Actor.Position().Ancestors {
		page, err := t.Journal.List(ctx, ports.EventQuery{
			Of: ports.EventScope{Account: id}, Types: blocking, After: t.at.seq, Before: upTo + 1, Limit: usecase.MostHeld,
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

// line adds the present state of an entry's line. It returns false for a deleted line until the entry of its deletion.
func (t *entitlementReader) line(ctx context.Context, n journal.Numbered) (told bool, err error) {
	l, err := t.Lines.Get(ctx, n.Line)
	switch {
	case err == nil:
		return true, t.add(ctx, []*line.Line{l}, func(*line.Line) EntitlementCursor { return t.at })
	case !usecase.IsNotFound(err):
		return false, err
	case n.Type == journal.LineDeleted:
		t.found = append(t.found, Entitlement{Line: n.Line, Deleted: true, Version: n.Version, after: t.at})
		t.left--
		return true, nil
	}
	return false, nil
}

// continueBackfills continues the backfills while there is room in the page.
func (t *entitlementReader) continueBackfills(ctx context.Context) error {
	for t.left > 0 && len(t.at.backfills) > 0 {
		now := t.at.backfills[0]
		q := ports.LineQuery{Scope: ports.Scope{Reseller: now.root, Tree: true}, After: ports.LineCursor{ID: now.after},
			Limit: t.left}
		if now.root == 0 {
			q.Scope.Reseller = t.Actor.VisibleRoot()
		} else if _, err := usecase.VisibleReseller(ctx, t.Resellers, t.Actor, now.root); err != nil {
			if usecase.IsNotFound(err) { // the cursor belongs to another caller
				err = usecase.ErrBadCursor
			}
			return err
		}
		page, err := t.Lines.List(ctx, q)
		if err != nil {
			return err
		}
		t.damaged = append(t.damaged, page.Damaged...)
		here := t.at
		err = t.add(ctx, page.Lines, func(l *line.Line) EntitlementCursor {
			return here.advanced(l.ID(), page.Next == nil && l == page.Lines[len(page.Lines)-1])
		})
		if err != nil {
			return err
		}
		if page.Next == nil {
			t.at = here.advanced(0, true)
		} else {
			t.at = here.advanced(page.Next.ID, false)
		}
	}
	return nil
}

// add adds lines, each with the cursor after it.
func (t *entitlementReader) add(ctx context.Context, lines []*line.Line,
	after func(l *line.Line) EntitlementCursor) error {
	blocked, err := OwnersBlocked(ctx, t.Resellers, t.blocks, lines)
	if err != nil {
		return err
	}
	for _, l := range lines {
		t.left--
		shown, err := reveal(t.k, l, t.Now)
		if err != nil { // sealed under another key
			t.damaged = append(t.damaged, l.ID())
			continue
		}
		s := l.Shown()
		e := Entitlement{
			Line: s.ID, Version: s.Version, Username: s.Username.String(), Password: shown.servedBy(t.caller).Password,
			Enabled: l.Effect(blocked(l.Owner()), t.Now).Enabled(), ExpiresAt: s.ExpiresAt,
			ExternalID: s.ExternalID.String(), Metadata: s.Metadata, Plan: s.Plan, Terms: s.Terms, after: after(l),
		}
		t.found = append(t.found, e)
	}
	return nil
}

// NotServed reports that a customer is not authorized, and the reason.
type NotServed struct{ Effect line.Effect }

// ErrNotServed is the fault of NotServed.
var ErrNotServed = fault.New(fault.Forbidden, "line-not-served",
	"The line is suspended, blocked or expired: its customer is not authorized.")

// Error names which of the three reasons applies.
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

// AuthorizeCustomer returns the line with the customer's user name, with its password if the caller may see it. The
// caller compares the password. Refusals: fault.ErrNotFound, *NotServed.
func (s Service) AuthorizeCustomer(ctx context.Context, call usecase.Call, name profile.Username) (Line, error) {
	return usecase.Query(ctx, s.k, call, "authorize customer", func(ctx context.Context, in usecase.View) (Line, error) {
		found, err := lineNamed(ctx, in.Lines, name)
		if err != nil {
			return Line{}, err
		}
		if err := in.Actor.Sees(found.Owner()); err != nil {
			return Line{}, err
		}
		blocks, err := in.Resellers.AnySuspending(ctx)
		if err != nil {
			return Line{}, err
		}
		blocked, err := OwnersBlocked(ctx, in.Resellers, blocks, []*line.Line{found})
		if err != nil {
			return Line{}, err
		}
		if effect := found.Effect(blocked(found.Owner()), in.Now); effect != line.Running {
			return Line{}, &NotServed{effect}
		}
		shown, err := reveal(s.k, found, in.Now)
		return shown.servedBy(call.Caller), err
	})
}

// servedBy returns a line as a caller that serves customers may see it: an API key for that alone sees passwords.
func (l Line) servedBy(c usecase.Caller) Line {
	if p := c.Principal(); p != nil && p.ServesCustomers() {
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
