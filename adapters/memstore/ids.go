package memstore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"resellerd/ports"
)

// NextID implements ports.Store.
func (s *Store) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if err := s.users.Enter(ctx); err != nil {
		return 0, err
	}
	defer s.users.Leave()
	return s.ids.give(of)
}

// ids assigns ids. The zero value is ready for use.
type ids struct {
	mu   sync.Mutex
	last map[ports.Sequence]int64
}

func (i *ids) give(of ports.Sequence) (int64, error) {
	if !slices.Contains(ports.Sequences(), of) {
		return 0, fmt.Errorf("unknown sequence %q", of)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.last == nil {
		i.last = map[ports.Sequence]int64{}
	}
	i.last[of]++
	return i.last[of], nil
}

// next returns the next id of every sequence.
func (i *ids) next() map[ports.Sequence]int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	next := map[ports.Sequence]int64{}
	for _, of := range ports.Sequences() {
		next[of] = i.last[of] + 1
	}
	return next
}

// begin sets the next ids if no id was assigned yet, or if anyway is set. It reports whether it set them.
func (i *ids) begin(next map[ports.Sequence]int64, anyway bool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.last != nil && !anyway {
		return false
	}
	i.last = map[ports.Sequence]int64{}
	for of, id := range next {
		i.last[of] = id - 1
	}
	return true
}
