package acceptance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/api"
	"resellerd/test/fixture"
)

// records are what a stopped server left, reached past the program.
type records interface {
	// read returns what stands in them.
	read(t *testing.T) stored
	// forge changes them, once what would keep a forger from it is gone. Each change has an effect.
	forge(t *testing.T, changes ...forgery)
	// copy puts a copy of them where a server in the folder finds it, and refresh
	// makes one as it was, of which no more than records were changed.
	copy(t *testing.T, dir string)
	refresh(t *testing.T, dir string)
	// whereabouts returns how a message names the place that they are in.
	whereabouts(t *testing.T) string
	// bytes returns all that is stored, by the names of its parts.
	bytes(t *testing.T) map[string][]byte
}

// stored is what tests want to know of stored records.
type stored struct {
	movements []credit.Movement // in the order of ids
	accounts  map[int64]storedAccount
	lines     map[int64]storedLine
}

type storedAccount struct {
	path    []int64
	admin   bool
	credits credit.Amount
	head    credit.Tip
}

type storedLine struct {
	owner              int64
	trial              bool
	platformID, charge int64 // 0 where there is none
}

func (s stored) movement(t *testing.T, id int64) credit.Movement {
	t.Helper()
	for _, m := range s.movements {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("there is no movement %d", id)
	return credit.Movement{}
}

// chain returns the movements of an account by its numbers.
func (s stored) chain(account int64) []credit.Movement {
	var chain []credit.Movement
	for _, m := range s.movements {
		if _, concerned := m.Posting(account); concerned {
			chain = append(chain, m)
		}
	}
	slices.SortFunc(chain, func(a, b credit.Movement) int {
		return cmp.Compare(entry(a, account).Seq, entry(b, account).Seq)
	})
	return chain
}

func entry(m credit.Movement, account int64) credit.Posting {
	e, _ := m.Posting(account)
	return e
}

// sideOf returns on which side of a movement an account's entry stands.
func sideOf(m credit.Movement, account int64) string {
	if m.Target == credit.Reseller(account) {
		return "target"
	}
	return "source"
}

// The kinds of records that are forged, by the names that all storages give them.
const (
	accountRecord  = "accounts"
	lineRecord     = "lines"
	movementRecord = "movements"
)

// tombstoneNamed names the record of a line that was deleted.
func tombstoneNamed(l line) string { return fmt.Sprintf("tombstone %d", l.ID) }

// forgery is what someone does to a record past the program, with all the skill
// that it takes: the record looks as if the program had written it so.
type forgery struct {
	kind string
	id   int64
	// changes by the names of fields; nil removes the record. The parts of the sides of movements, and of the ends of
	// chains, are named with a dot, as in source.balance. A value is of the domain, a path is the ids from the root down,
	// and nil takes the field away.
	changes map[string]any
	added   *credit.Movement
	// doubles lifts what keeps numbers of movements from standing twice.
	doubles bool
}

func change(kind string, id int64, changes map[string]any) forgery {
	return forgery{kind: kind, id: id, changes: changes}
}

func remove(kind string, id int64) forgery { return forgery{kind: kind, id: id} }

// add appends a movement from issuance to an account.
func add(m credit.Movement) forgery { return forgery{added: &m} }

// more returns an amount with so many ten-thousandths more.
func more(a credit.Amount, units int64) credit.Amount { return fixture.Units(a.Units() + units) }

// storedMovement puts together what a storage keeps of a movement.
func storedMovement(t *testing.T, v credit.Provenance, operation string, amount, line int64,
	source, target storedSide) credit.Movement {
	t.Helper()
	m := credit.Movement{Provenance: v, Line: line}
	m.At = v.At.UTC()
	var err error
	if m.Operation, err = credit.ParseOperation(operation); err != nil {
		t.Fatal(err)
	}
	m.Amount = fixture.Units(amount)
	m.Source, m.Target = source.party(t, &m), target.party(t, &m)
	return m
}

// storedSide is a side of a movement with the entry beside it; an account or a
// number of 0, and an empty system, are none.
type storedSide struct {
	system       string
	account, seq int64
	balance      int64 // in ten-thousandths
	link         []byte
}

func (s storedSide) party(t *testing.T, m *credit.Movement) credit.Party {
	t.Helper()
	if s.account != 0 {
		e := credit.Posting{Reseller: s.account, Balance: fixture.Units(s.balance),
			Tip: credit.Tip{Seq: s.seq, Hash: credit.Hash(s.link)}}
		m.Postings = append(m.Postings, e)
	}
	if s.system == "" {
		return credit.Reseller(s.account)
	}
	p, err := credit.ParseSystemParty(s.system)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// issue is a movement from issuance to an account, chained as the program does it.
func issue(t *testing.T, id int64, to api.Reseller, credits string, before credit.Tip,
	balance credit.Amount) (m credit.Movement, reached credit.Amount) {
	t.Helper()
	amount := fixture.Credits(credits)
	reached, _ = balance.Plus(amount)
	m, err := credit.Movement{
		Provenance: credit.Provenance{ID: id, Actor: 1, Request: "forged", Notes: "forged",
			At: time.UnixMilli(1_700_000_000_000).UTC()},
		Operation: credit.Recharge, Source: credit.Issuance, Target: credit.Reseller(to.ID), Amount: amount,
	}.Chain(credit.Posting{Reseller: to.ID, Balance: reached, Tip: before})
	if err != nil {
		t.Fatal(err)
	}
	return m, reached
}
