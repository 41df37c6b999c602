package memstore

import (
	"context"

	"resellerd/ports"
)

// View implements ports.Store.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, snapshot ports.Snapshot) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	r := s.committed.Load()
	return look(ctx, ports.Snapshot{
		Resellers: resellerReader{r},
		Lines:     lineReader{r},
		Ledger:    statements{r},
		Keys:      keyReader{r},
		Records:   recordReader{r},
	})
}
