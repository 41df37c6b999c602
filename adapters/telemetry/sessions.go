package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"resellerd/domain/session"
	"resellerd/ports"
)

// observedSessions is an observed store that keeps sessions.
type observedSessions struct {
	*observed

	sessions ports.Sessions
}

func (s *observedSessions) command(ctx context.Context, do func(ctx context.Context) error) error {
	began := time.Now()
	ctx, span := s.telemetry.begin(ctx, "store session", trace.SpanKindClient)
	err := do(ctx)
	s.ended("session", began, span, err)
	return err
}

// BeginSession implements ports.Sessions.
func (s *observedSessions) BeginSession(ctx context.Context, begun session.Session, most int) error {
	return s.command(ctx, func(ctx context.Context) error { return s.sessions.BeginSession(ctx, begun, most) })
}

// Session implements ports.Sessions.
func (s *observedSessions) Session(ctx context.Context, id session.ID) (found session.Session, err error) {
	err = s.command(ctx, func(ctx context.Context) error {
		found, err = s.sessions.Session(ctx, id)
		return err
	})
	return found, err
}

// UseSession implements ports.Sessions.
func (s *observedSessions) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	return s.command(ctx, func(ctx context.Context) error { return s.sessions.UseSession(ctx, id, used) })
}

// SessionsOf implements ports.Sessions.
func (s *observedSessions) SessionsOf(ctx context.Context, reseller int64) (found []session.Session, err error) {
	err = s.command(ctx, func(ctx context.Context) error {
		found, err = s.sessions.SessionsOf(ctx, reseller)
		return err
	})
	return found, err
}

// EndSession implements ports.Sessions.
func (s *observedSessions) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	return s.command(ctx, func(ctx context.Context) error { return s.sessions.EndSession(ctx, reseller, id) })
}

// DropSessions implements ports.Sessions.
func (s *observedSessions) DropSessions(ctx context.Context, now time.Time, limit int) (dropped int, err error) {
	err = s.command(ctx, func(ctx context.Context) error {
		dropped, err = s.sessions.DropSessions(ctx, now, limit)
		return err
	})
	return dropped, err
}
