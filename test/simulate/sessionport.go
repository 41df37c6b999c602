package simulate

import (
	"context"
	"time"

	"resellerd/domain/session"
	"resellerd/ports"
)

// witness is told of each call of ports.Sessions, in the moment in which it is made: before the caller knows.
type witness interface {
	// begun is told of a session that a call has kept.
	begun(s session.Session)
	// looked is told that a session was looked up.
	looked(id session.ID)
	// using is told that somebody asks to keep a use; used that it is kept, and useKnown that the caller is told so.
	using(id session.ID, at time.Time)
	used(id session.ID, at time.Time)
	useKnown(at time.Time)
	// listed is told that the sessions of a reseller were read.
	listed(reseller int64)
	// ended is told what a call to end a session came to.
	ended(reseller int64, id session.ID, err error)
	// forgotten is told how many sessions were removed that were over.
	forgotten(now time.Time, dropped int)
}

// unwatched is a witness who says nothing.
type unwatched struct{}

func (unwatched) begun(session.Session)          {}
func (unwatched) looked(session.ID)              {}
func (unwatched) using(session.ID, time.Time)    {}
func (unwatched) used(session.ID, time.Time)     {}
func (unwatched) useKnown(time.Time)             {}
func (unwatched) listed(int64)                   {}
func (unwatched) ended(int64, session.ID, error) {}
func (unwatched) forgotten(time.Time, int)       {}

// sessionPort is a ports.Sessions that fails as the hooks of its port decide. Each call is a transaction of its own, and
// waits for the turn of those that write.
type sessionPort struct {
	kept    ports.Sessions
	port    *port
	witness witness
}

var _ ports.Sessions = (*sessionPort)(nil)

// alone makes a call that writes.
func (p *sessionPort) alone(ctx context.Context, name string, do func() error) error {
	err := p.port.tried(ctx, call{name: name, effect: true}, func() error {
		if !p.port.hooks.enter(ctx) {
			return unavailable("wait for the turn to update")
		}
		defer p.port.hooks.leave()
		return do()
	})
	if err == nil {
		// Where the process dies now, its client is not told of what is kept.
		p.port.hooks.called(ctx, call{name: "return of " + name})
	}
	return err
}

// BeginSession implements ports.Sessions.
func (p *sessionPort) BeginSession(ctx context.Context, s session.Session, most int) error {
	return p.port.out(p.alone(ctx, "BeginSession", func() error {
		err := p.kept.BeginSession(ctx, s, most)
		if err == nil {
			p.witness.begun(s)
		}
		return err
	}))
}

// Session implements ports.Sessions.
func (p *sessionPort) Session(ctx context.Context, id session.ID) (found session.Session, err error) {
	err = p.port.simple(ctx, call{name: "Session"}, func() error {
		found, err = p.kept.Session(ctx, id)
		p.witness.looked(id)
		return err
	})
	return found, err
}

// UseSession implements ports.Sessions. Who asks goes on where it fails, so that no answer has to say so.
func (p *sessionPort) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	p.witness.using(id, used)
	err := p.alone(ctx, "UseSession", func() error {
		err := p.kept.UseSession(ctx, id, used)
		if err == nil {
			p.witness.used(id, used)
		}
		return err
	})
	if err == nil {
		p.witness.useKnown(used)
	}
	return err
}

// SessionsOf implements ports.Sessions.
func (p *sessionPort) SessionsOf(ctx context.Context, reseller int64) (all []session.Session, err error) {
	err = p.port.simple(ctx, call{name: "SessionsOf"}, func() error {
		all, err = p.kept.SessionsOf(ctx, reseller)
		p.witness.listed(reseller)
		return err
	})
	return all, err
}

// EndSession implements ports.Sessions.
func (p *sessionPort) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	return p.port.out(p.alone(ctx, "EndSession", func() error {
		err := p.kept.EndSession(ctx, reseller, id)
		p.witness.ended(reseller, id, err)
		return err
	}))
}

// DropSessions implements ports.Sessions.
func (p *sessionPort) DropSessions(ctx context.Context, now time.Time, limit int) (dropped int, err error) {
	err = p.port.out(p.alone(ctx, "DropSessions", func() error {
		dropped, err = p.kept.DropSessions(ctx, now, limit)
		if err == nil {
			p.witness.forgotten(now, dropped)
		}
		return err
	}))
	return dropped, err
}
