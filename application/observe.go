package application

import "context"

// follow tells the observer, where there is one, that a use case begins, and returns the context for all that belongs
// to it and what is called when it has ended.
func (s *Service) follow(ctx context.Context, useCase string) (inside context.Context, ended func()) {
	if s.dependencies.Observer == nil {
		return ctx, unfollowed
	}
	return s.dependencies.Observer.UseCase(ctx, useCase)
}

func unfollowed() {}
