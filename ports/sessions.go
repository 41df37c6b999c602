package ports

import (
	"context"
	"time"

	"resellerd/domain/session"
)

// Sessions keeps who is signed in with a browser. A store without them keeps none: the API is served
// without signing in, and the console says so. Sessions are apart from the records: no auditor reads them, and neither
// a copy nor a backup that is restored has any. It is safe for concurrent use.
//
// Its calls are transactions of their own, durable when they return, and wait for others like an Update. Whether a
// reseller is there they do not ask. An error that is not named here wraps ErrUnavailable, but for a session that was
// damaged.
//
//   - N1 A session survives unchanged, as it was kept.
//   - N2 What a call has done outlives the process.
//   - N3 After Close of the store every call fails with ErrUnavailable.
//   - N13 Where the store has a CopyTarget, too, it has no session once BeginCopy has returned.
type Sessions interface {
	SessionReader
	// BeginSession adds a session, whose id no other has. Of a reseller's sessions only the newest most are left, by
	// Created and, of the same instant, by id, of which the greater is the newer; the others end with this call.
	//
	//   - N4 The sessions that are left are the newest, also where several begin at once.
	//   - N5 Those of other resellers are left as they are.
	BeginSession(ctx context.Context, s session.Session, most int) error
	// UseSession keeps that a session was used at this instant.
	//
	//   - N7 One that is not there stays so: a use never brings an ended session back, and is no error.
	//   - N8 The last use that is kept never goes back.
	UseSession(ctx context.Context, id session.ID, used time.Time) error
	// SessionsOf returns the sessions of a reseller, the newest first.
	//
	//   - N9 They are all that are there, whether or not they are over, and no others.
	//
	// Those that were damaged it leaves out: nobody is signed in by them.
	SessionsOf(ctx context.Context, reseller int64) ([]session.Session, error)
	// EndSession removes a session of a reseller.
	//
	//   - N10 One that is not there, or is another reseller's, is fault.ErrNotFound and changes nothing; of two calls at
	//     once one removes it.
	EndSession(ctx context.Context, reseller int64, id session.ID) error
	// DropSessions removes sessions that are over, at a cost that grows with what it removes and not with what is kept.
	//
	//   - N11 Of the sessions that are not good at now it removes up to limit, and returns how many these are.
	//   - N12 Those that are good are left.
	//   - N17 Of the sessions that are good for longer than session.Idle from now, which a clock that was ahead has dated,
	//     up to limit are from then on as Session.Clamped makes them.
	DropSessions(ctx context.Context, now time.Time, limit int) (int, error)
}

// SessionReader looks for a session: by itself, in a View or in an Update.
type SessionReader interface {
	// Session returns a session, whether or not it is over.
	//
	//   - N6 One that is not there is fault.ErrNotFound, as one that was ended is from then on, for every process.
	//   - N14 So it is in a View and in an Update that begin once it was ended.
	Session(ctx context.Context, id session.ID) (session.Session, error)
}

// SessionKeeper reads and writes sessions in an Update, where its methods are part of what that does.
type SessionKeeper interface {
	SessionReader
	// SaveSession replaces a session that was got in this Update.
	//
	//   - N15 It replaces the session whole where the Update takes effect, and not at all where it does not.
	//   - N16 One that is not there is fault.ErrNotFound, and one that ends meanwhile stays ended.
	SaveSession(ctx context.Context, s session.Session) error
}
