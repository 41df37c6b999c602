package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Block is a reseller's own block. The zero value is none.
type Block struct {
	Terms
	At time.Time // since when it stands
}

// Terms are what a block means to the lines below it, and why it stands.
type Terms struct {
	Suspends bool // lines are not served
	Reason   string
}

// Suspension is that a line is not served. The zero value is none.
type Suspension struct {
	Suspended bool
	Reason    string
}

// Suspends reports whether the block of the reseller, or of one above it, suspends lines.
func (r *Reseller) Suspends() bool {
	return r.Block.Suspends || r.Parent != nil && r.Parent.Suspends()
}

// become blocks a reseller on terms, or lifts its block where there are none, and reports whether that changed
// anything. A block that stands on other terms stands since when it did.
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

// Block decides that a reseller is blocked, also on other terms, or no longer, where there are none.
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

// OperatorBlocks has an operator block a reseller, whose lines run, or lift its block. One that stands stays as it is.
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

// Effective is what a line amounts to: the first that holds.
func (l *Line) Effective(now time.Time) string {
	return firstOf(l.Suspended, "suspended", l.Owner.Suspends(), "owner_blocked", !l.Running(now), "expired",
		true, "running")
}

// ServesCustomers reports whether a principal is a key that may read entitlements and nothing else, which a block of
// its account does not stop.
func (p *Principal) ServesCustomers() bool {
	return p != nil && !p.Staff && slices.Equal(p.Shown(), []string{"entitlements:read"})
}

// NotServed says why somebody who serves customers is told nothing of them, "" where it is told.
func (at Moment) NotServed(by *Reseller) string {
	return firstOf(by.Frozen() && !at.As.ServesCustomers(), "account-blocked")
}

// LetIn decides whether the customer who has the line of a name is to be let in.
func (w *World) LetIn(by *Reseller, name string, at Moment) (refusal string, l *Line) {
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
	Metadata   string `json:"-"` // as Known has them
}

// Entitlement is what is told of a line that is there.
func (l *Line) Entitlement() Entitlement {
	return Entitlement{
		Line: l.ID, Version: l.Version, Name: l.Name, Password: l.Password, Enabled: !l.Suspended && !l.Owner.Suspends(),
		Expires: iso(l.Expires), ExternalID: l.ExternalID, Metadata: l.Metadata,
	}
}

// SeesServed reports whether the caller sees passwords of lines as it serves customers.
func (at Moment) SeesServed() bool { return at.As.ServesCustomers() || !at.lacks("lines:passwords") }

// Follower is somebody who follows the entitlements of an account, and what it has made of them.
type Follower struct {
	Of     *Reseller
	Cursor string // "" for the beginning
	Epoch  string // of the journal, in which it was made
	Lines  map[int64]Entitlement
}

// Apply has the follower do what the page after its cursor says. Who begins, also once more, begins with nothing: it is
// not told of lines that were gone by then.
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

// StartOver has the follower forget what it knows: its cursor is of another epoch, and what it was told may never have
// happened.
func (f *Follower) StartOver(at, epoch string) { f.Lines, f.Cursor, f.Epoch = nil, at, epoch }

// Told is what there is to be told of each line of a tree at a moment, of lines that are gone by then, too.
type Told map[int64]Entitlement

// Told is what somebody who follows the entitlements of an account should be told by now.
func (w *World) Told(of *Reseller) Told {
	all := Told{}
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

// PageAmiss says what is wrong with a page of that moment, "" for nothing: it tells only of these lines, and of each as
// it is.
func (s Told) PageAmiss(page []Entitlement) string {
	for _, e := range page {
		if is, there := s[e.Line]; !there {
			return fmt.Sprintf("nothing of line %d, not %+v", e.Line, e)
		} else if e != is {
			return fmt.Sprintf("%+v, not %+v", is, e)
		}
	}
	return ""
}

// Amiss says how what a follower has differs from what it was told whole, "" for not at all.
func (s Told) Amiss(f *Follower) string {
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
