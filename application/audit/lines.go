package audit

import (
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
)

func (a *auditor) namedByLine(l *line.Line) {
	s := l.State()
	a.resellers.name(s.Owner.ID)
	if s.Charge != 0 && !a.charged.has(s.ID) {
		a.movements.name(s.Charge)
	}
}

// line checks that an official line was paid for by its owner, or that the journal records its import.
func (a *auditor) line(l *line.Line) {
	s := l.State()
	a.nameOf(lineKind, s.ID, s.Username)
	a.platformID(s)
	owner, is := a.resellers.get(s.Owner.ID)
	if is == auditing.Missing || is == auditing.There && !slices.Equal(owner.Position().Ancestors, s.Owner.Ancestors) {
		a.Find("line %d: its owner, account %d, is at another position than the line says", s.ID, s.Owner.ID)
	}
	if s.Origin == line.Imported {
		if a.imported++; !a.history.imported.has(s.ID) {
			a.Find("line %d: it is official as an imported one, and no entry of the journal records its import", s.ID)
		}
		return
	}
	if s.Trial || a.charged.has(s.ID) {
		return
	}
	m, is := a.movements.get(s.Charge)
	if is == auditing.Missing {
		a.Find("line %d: it is official, and movement %d, its charge, is missing", s.ID, s.Charge)
	}
	if is != auditing.There {
		return
	}
	if !isCharge(m, s) {
		a.Find("line %d: it is official, and movement %d is not its charge", s.ID, s.Charge)
	}
}

// isCharge reports whether the movement that a line names as its charge is its activation, paid for by its owner.
func isCharge(m credit.Movement, s line.State) bool {
	_, byOwner := m.Posting(s.Owner.ID)
	return byOwner && m.Line == s.ID && m.Operation == credit.Activation && m.Target == credit.Consumption
}

// lineOf checks that a line that was paid for is official by its one activation, or that it was deleted.
func (a *auditor) lineOf(m credit.Movement) {
	if m.Line == 0 {
		return
	}
	a.given(ports.LineIDs, m.Line, "movement %d: line %d, which it paid for, has an id that was not given yet",
		m.ID, m.Line)
	paid, is := a.lines.get(m.Line)
	switch is {
	case auditing.Missing:
		a.deleted(m)
		return
	case auditing.Damaged:
		return // another reference names it
	case auditing.There:
	}
	switch s := paid.State(); {
	case s.Trial:
		a.Find("line %d: it is a trial, and movement %d paid for it", m.Line, m.ID)
	case m.Operation == credit.Activation && s.Charge != m.ID:
		a.Find("line %d: movement %d activated it, and movement %d is named as its charge", m.Line, m.ID, s.Charge)
	case s.Charge == m.ID && isCharge(m, s):
		a.charged.add(s.ID) // so the line need not look it up
	}
}

// deleted checks that a line that was paid for and no longer exists has left a tombstone that names its charge.
func (a *auditor) deleted(m credit.Movement) {
	t, is := a.tombstones.get(m.Line)
	switch {
	case is == auditing.There && m.Operation == credit.Activation && t.Charge != m.ID:
		a.Find("tombstone %d: movement %d activated the line, and movement %d is named as its charge", m.Line, m.ID, t.Charge)
	case is == auditing.There && t.Charge == 0 && !a.history.imported.has(m.Line):
		a.Find("tombstone %d: its line was a trial, and movement %d paid for the line", m.Line, m.ID)
	case is == auditing.Missing:
		a.Find("movement %d: line %d, which it paid for, is missing and has left no tombstone", m.ID, m.Line)
	}
}

// nameGone refers to the tombstone of a line that does not exist; 0 is no line.
func (a *auditor) nameGone(line int64) {
	if _, is := a.lines.get(line); line != 0 && is == auditing.Missing {
		a.tombstones.name(line)
	}
}

func (a *auditor) namedByTombstone(t line.Tombstone) {
	a.lines.name(t.Line)
	a.resellers.name(t.Actor)
	if t.Charge != 0 {
		a.movements.name(t.Charge)
	}
}

// tombstone checks that its line is gone, and that the charge that it names was paid for that line. Whether the line
// had another charge is checked with the movements.
func (a *auditor) tombstone(t line.Tombstone) {
	if _, is := a.lines.get(t.Line); is != auditing.Missing {
		a.Find("tombstone %d: the line still exists", t.Line)
	}
	if _, is := a.resellers.get(t.Actor); is == auditing.Missing {
		a.Find("tombstone %d: account %d, which deleted the line, is missing", t.Line, t.Actor)
	}
	if t.Charge == 0 {
		return
	}
	m, is := a.movements.get(t.Charge)
	if is == auditing.Missing {
		a.Find("tombstone %d: movement %d, the charge of the line, is missing", t.Line, t.Charge)
	}
	if is == auditing.There && (m.Operation != credit.Activation || m.Line != t.Line) {
		a.Find("tombstone %d: movement %d is not the charge of the line", t.Line, t.Charge)
	}
}
