package subject

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"resellerd/test/bench/wire"
)

// kind is a kind of movement that is counted.
type kind int

const (
	none kind = iota
	activations
	extensions
	recharges
	kinds
)

// The name of each kind of movement in a statement, and the amount that it moves, in halves of a credit.
var (
	kindNames = [kinds]string{"", "activation", "extension", "recharge"}
	halves    = [kinds]int64{0, -2, -1, 2}
)

// tally counts the acknowledged commands of each owner.
type tally struct {
	acknowledged [kinds][]atomic.Int64
	unknown      *atomic.Int64 // commands without an answer
}

func newTally(owners int) tally {
	t := tally{unknown: new(atomic.Int64)}
	for k := range t.acknowledged {
		t.acknowledged[k] = make([]atomic.Int64, owners)
	}
	return t
}

func (t *tally) count(k kind, owner int) {
	if k != none {
		t.acknowledged[k][owner].Add(1)
	}
}

func (t *tally) unsure() { t.unknown.Add(1) }

var errDiffers = errors.New("the store does not match the acknowledged requests")

// Audit compares the acknowledged requests with the statement and the balance of each owner, reads the proof of the
// whole ledger, and has the program audit its store. It returns the program's findings.
func (s *Service) Audit() (verdict string, err error) {
	if n := s.tally.unknown.Load(); n > 0 {
		return "", fmt.Errorf("%w: %d commands have no answer", errDiffers, n)
	}
	_ = s.requests.Close() // since the start it has waited too long
	for i, owner := range s.owners {
		if err := s.auditOwner(i, owner); err != nil {
			return "", err
		}
	}
	if _, _, err := s.Prove(); err != nil {
		return "", err
	}
	p, err := s.Verify()
	return strings.TrimSpace(p.Said), err
}

// Database returns the file of the store.
func (s *Service) Database() string { return filepath.Join(s.Folder(), "resellerd.db") }

func (s *Service) auditOwner(index int, owner account) error {
	var found [kinds]int64
	for cursor := ""; ; {
		r, err := s.ask(s.requests,
			wire.Request{Method: "GET", Path: "/users/" + strconv.FormatInt(owner.id, 10) + "/ledger?limit=500" + cursor,
				Token: owner.token})
		if err != nil {
			return err
		}
		var page struct {
			Data []struct{ Kind string }
			Next *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(r.Body, &page); err != nil {
			return err
		}
		for _, m := range page.Data {
			for k, name := range kindNames {
				if name == m.Kind {
					found[k]++
				}
			}
		}
		if page.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Next
	}
	want := int64(2 * ownerCredits)
	for k := range kinds {
		if acknowledged := s.tally.acknowledged[k][index].Load(); found[k] != acknowledged {
			return fmt.Errorf("%w: of owner %d %d %ss were acknowledged, and its statement has %d", errDiffers, owner.id,
				acknowledged, kindNames[k], found[k])
		}
		want += found[k] * halves[k]
	}
	r, err := s.ask(s.requests, wire.Request{Method: "GET", Path: "/users/logged", Token: owner.token})
	if err != nil {
		return err
	}
	if has, ok := new(big.Rat).SetString(string(wire.Field(r.Body, "credits"))); !ok || has.Cmp(big.NewRat(want, 2)) != 0 {
		return fmt.Errorf("%w: owner %d has %s credits and should have %s", errDiffers, owner.id,
			wire.Field(r.Body, "credits"), big.NewRat(want, 2).FloatString(1))
	}
	return nil
}
