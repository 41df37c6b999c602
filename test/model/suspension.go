package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Block is a reseller's own block. The zero value means not blocked.
type Block struct {
	Terms
	At time.Time // since when the reseller is blocked
}

// Terms are the effect of a block on the lines below the reseller, and the reason of the block.
type Terms struct {
	Suspends bool // lines are not served
	Reason   string
}

// Suspension is a line's suspension. The zero value means not suspended.
type Suspension struct {
	Suspended bool
	Reason    string
}

// Suspends reports whether the block of the reseller, or of one of its parents, suspends lines.
func (r *Reseller) Suspends() bool {
	return r.Block.Suspends || r.Parent != nil && r.Parent.Suspends()
}

// become blocks a reseller on terms, or lifts its block if there are none, and reports whether that changed
// anything. New terms of a block do not change its time.
func (r *Reseller) become(to *Terms, now time.Time) (changed bool) {
	was, is := r.Block, Block{}
	blocked := r.Blocked
	if r.Blocked = to != nil; to != nil {
		if is = (Block{*to, now}); blocked {
			is.At = was.At
		}
	}
	if r.Block = is; r.Blocked == blocked && is == was {
		return false
	}
	r.dated(now)
	return true
}

// Block decides that a reseller is blocked, also on other terms, or no longer, if there are none.
func (w *World) Block(by, target *Reseller, to *Terms, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.Sees(target), "not-found",
			!by.Sees(target) || !by.governs(target), "not-allowed",
		), func() {
			was, what := *target, "reseller.unblocked"
			if to != nil {
				what = "reseller.blocked"
			}
			if target.become(to, at.Now) {
				w.happened(did(by, what, at).ofReseller(&was, target, nil))
			}
		}
}

// OperatorBlocks has an operator block a reseller without suspending its lines, or lift its block. An existing block
// stays unchanged.
func (w *World) OperatorBlocks(target *Reseller, on bool, now time.Time) {
	if target.Blocked == on {
		return
	}
	was, what, to := *target, "operator.unblocked", (*Terms)(nil)
	if on {
		what, to = "operator.blocked", new(Terms)
	}
	target.become(to, now)
	w.happened(operated(what, Moment{Now: now}).ofReseller(&was, target, nil))
}

// Suspend decides that a line is suspended, also for another reason.
func (w *World) Suspend(by *Reseller, l *Line, reason string, at Moment) (refusal string, effect func()) {
	return w.suspension(by, l, "line.suspended", Suspension{true, reason}, at)
}

// Resume decides that a line is suspended no longer.
func (w *World) Resume(by *Reseller, l *Line, at Moment) (refusal string, effect func()) {
	return w.suspension(by, l, "line.resumed", Suspension{}, at)
}

func (w *World) suspension(by *Reseller, l *Line, what string, to Suspension,
	at Moment) (refusal string, effect func()) {
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.SeesLine(l), "not-found",
	), func() { w.change(by, l, what, at, func() { l.Suspension = to }) }
}

// Effective is the status of a line: the first that applies.
func (l *Line) Effective(now time.Time) string {
	return firstOf(l.Suspended, "suspended", l.Owner.Suspends(), "owner_blocked", !l.Running(now), "expired",
		true, "running")
}

// ServesCustomers reports whether a principal is a key that may read entitlements and nothing else, which a block of
// its account does not stop.
func (p *Principal) ServesCustomers() bool {
	return p != nil && !p.Staff && slices.Equal(p.Shown(), []string{"entitlements:read"})
}

// NotServed returns why a caller that serves customers gets no answer about them, "" where it gets one.
func (at Moment) NotServed(by *Reseller) string {
	return firstOf(by.Frozen() && !at.As.ServesCustomers(), "account-blocked")
}

// AuthorizeCustomer decides whether to authorize the customer whose line has a name.
func (w *World) AuthorizeCustomer(by *Reseller, name string, at Moment) (refusal string, l *Line) {
	l = w.lineNamed(name)
	return firstOf(
		at.NotServed(by) != "", at.NotServed(by),
		!by.SeesLine(l), "not-found",
		l != nil && l.Effective(at.Now) != "running", "line-not-served",
	), l
}

// Entitlement is the record of a line for a program that serves customers, as the API names it.
type Entitlement struct {
	Line       int64  `json:"line"`
	Version    int64  `json:"version"`
	Deleted    bool   `json:"deleted"` // then there is nothing else
	Name       string `json:"username"`
	Password   string `json:"password"`
	Enabled    bool   `json:"enabled"`
	Expires    string `json:"expDate"`
	ExternalID string `json:"external_id"`
	Plan       int64  `json:"plan"`
	Metadata   string `json:"-"` // as Known has them
}

// Entitlement is the record of a line that is not deleted.
func (l *Line) Entitlement() Entitlement {
	return Entitlement{
		Line: l.ID, Version: l.Version, Name: l.Name, Password: l.Password, Enabled: !l.Suspended && !l.Owner.Suspends(),
		Expires: iso(l.Expires), ExternalID: l.ExternalID, Metadata: l.Metadata, Plan: l.Plan,
	}
}

// SeesServed reports whether the caller sees the passwords of lines in the answers for programs that serve customers.
func (at Moment) SeesServed() bool { return at.As.ServesCustomers() || !at.lacks("lines:passwords") }

// Follower is a client that follows the entitlements of an account, and its copy of them.
type Follower struct {
	Of     *Reseller
	Cursor string // "" for the beginning
	Epoch  string // of the journal, in which it was made
	Lines  map[int64]Entitlement
}

// Apply applies the page after the follower's cursor to its copy. A follower that starts begins with an empty copy: its
// pages leave out lines that were deleted before.
func (f *Follower) Apply(page []Entitlement) {
	if f.Cursor == "" || f.Lines == nil {
		f.Lines = map[int64]Entitlement{}
	}
	for _, e := range page {
		if e.Deleted {
			delete(f.Lines, e.Line)
		} else {
			f.Lines[e.Line] = e
		}
	}
}

// StartOver has the follower drop its copy. Its cursor is from another epoch, and the restore may have undone the
// changes that it received.
func (f *Follower) StartOver(at, epoch string) { f.Lines, f.Cursor, f.Epoch = nil, at, epoch }

// Entitlements are the records of all lines of a tree at a moment, including deleted lines.
type Entitlements map[int64]Entitlement

// Entitlements returns the records that a follower of an account should have by now.
func (w *World) Entitlements(of *Reseller) Entitlements {
	all := Entitlements{}
	for _, l := range w.Lines {
		switch {
		case !of.Sees(l.Owner):
		case l.Deleted:
			all[l.ID] = Entitlement{Line: l.ID, Version: l.Version, Deleted: true}
		default:
			all[l.ID] = l.Entitlement()
		}
	}
	return all
}

// PageFault returns what is wrong with a page of that moment, "" for nothing: it may have only these lines, and each as
// it is.
func (s Entitlements) PageFault(page []Entitlement) string {
	for _, e := range page {
		if is, there := s[e.Line]; !there {
			return fmt.Sprintf("nothing of line %d, not %+v", e.Line, e)
		} else if e != is {
			return fmt.Sprintf("%+v, not %+v", is, e)
		}
	}
	return ""
}

// Differences returns how a follower's copy differs from these records, "" for not at all.
func (s Entitlements) Differences(f *Follower) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if is, has := f.Lines[id]; has == s[id].Deleted || has && is != s[id] {
			all = append(all, fmt.Sprintf("%+v, and the follower of account %d has (%t) %+v", s[id], f.Of.ID, has, is))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.Lines)) {
		if _, there := s[id]; !there {
			all = append(all, fmt.Sprintf("nothing of %+v", f.Lines[id]))
		}
	}
	return strings.Join(all, "\n")
}
