package subject

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // which moves the sequences on

	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

const (
	fillBatch = 1_000  // records in a transaction
	known     = 20_000 // filled lines that requests choose from, spread over all
)

// Fill ends the program, adds official lines to the owners in turn and recharges to the first of them, and starts the
// program again. It uses the rules of the domain, so that an audit finds nothing, and the store itself: over HTTP a
// million lines would take half an hour.
func (s *Service) Fill(ctx context.Context, lines, recharges int) error {
	if err := s.Stop(); err != nil {
		return err
	}
	if err := s.fill(ctx, lines, recharges); err != nil {
		return fmt.Errorf("fill %s: %w", s.Database(), err)
	}
	return s.start()
}

// filling is a store that is filled.
type filling struct {
	*sqlitestore.Store

	keyring              *servicekey.Keyring
	owners               []account
	lastLine, lastCharge int64
	made                 []clientLine
	every                int64 // of the lines, one is known
}

func (s *Service) fill(ctx context.Context, lines, recharges int) (err error) {
	secret, err := servicekey.LoadOrCreate(s.Database()+".key", false)
	if err != nil {
		return err
	}
	keyring, err := servicekey.New(secret)
	if err != nil {
		return err
	}
	store, err := sqlitestore.Open(ctx, s.Database())
	if err != nil {
		return err
	}
	f := &filling{Store: store, keyring: keyring, owners: s.owners, every: max(1, int64(lines/known))}
	err = f.start(ctx)
	batch := max(1, min(fillBatch, lines/len(s.owners))) // of one owner
	for first := 0; err == nil && first < lines; first += batch {
		err = f.addLines(ctx, first/batch%len(s.owners), min(batch, lines-first))
	}
	for first := 0; err == nil && first < recharges; first += fillBatch {
		err = f.addRecharges(ctx, s.admin.id, min(fillBatch, recharges-first))
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	s.official = append(s.official, f.made...)
	return f.moveSequences(ctx, s.Database())
}

// start finds the free ids: it takes one of each, and assigns the following ones.
func (f *filling) start(ctx context.Context) (err error) {
	if f.lastLine, err = f.NextID(ctx, ports.LineIDs); err != nil {
		return err
	}
	f.lastCharge, err = f.NextID(ctx, ports.MovementIDs)
	return err
}

func (f *filling) provenance(actor int64) credit.Provenance {
	f.lastCharge++
	return credit.Provenance{ID: f.lastCharge, Actor: actor, Request: "bench",
		At: time.Now().UTC().Truncate(time.Millisecond)}
}

// addLines adds lines of one owner.
func (f *filling) addLines(ctx context.Context, owner, n int) error {
	return f.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		payer, err := tx.Resellers.Get(ctx, f.owners[owner].id)
		if err != nil {
			return err
		}
		for range n {
			if err := f.addLine(ctx, tx, payer, owner); err != nil {
				return err
			}
		}
		return tx.Resellers.Save(ctx, payer)
	})
}

func (f *filling) addLine(ctx context.Context, tx ports.Tx, payer *reseller.Reseller, owner int) error {
	f.lastLine++
	// The multiplication is one to one, and scatters names as random ones are.
	made := clientLine{f.lastLine, owner, strconv.FormatUint(uint64(f.lastLine)*0x9E3779B97F4A7C15, 36), "b8n1c5z6h2j4"}
	name, err := profile.ParseUsername(made.name)
	if err != nil {
		return err
	}
	p := f.provenance(payer.ID())
	password, err := f.keyring.Seal([]byte(made.password), fmt.Sprintf("line/[%d]", made.id))
	if err != nil {
		return err
	}
	l, err := line.Restore(line.State{
		ID: made.id, Owner: payer.Position(), Username: name, Password: password, Trial: true, ExpiresAt: p.At,
		CreatedAt: p.At, UpdatedAt: p.At,
	})
	if err != nil {
		return err
	}
	price := credit.Prices()[f.lastLine%3] // of different periods, so that expiries are spread
	details := line.Details{Username: name, Password: password,
		Description: line.Description{Country: new(profile.RestoreText("BR"))}}
	m, err := l.Activate(payer, price, details, made.id, p)
	if err != nil {
		return err
	}
	if f.lastLine%f.every == 0 {
		f.made = append(f.made, made)
	}
	return errors.Join(tx.Lines.Insert(ctx, l), tx.Ledger.Append(ctx, m))
}

func (f *filling) addRecharges(ctx context.Context, admin int64, n int) error {
	least, err := credit.FromUnits(1)
	if err != nil {
		return err
	}
	return f.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		issuer, err := tx.Resellers.Get(ctx, admin)
		if err != nil {
			return err
		}
		owner, err := tx.Resellers.Get(ctx, f.owners[0].id)
		if err != nil {
			return err
		}
		for range n {
			m, err := issuer.Fund(owner, least, f.provenance(admin))
			if err != nil {
				return err
			}
			if err := tx.Ledger.Append(ctx, m); err != nil {
				return err
			}
		}
		return errors.Join(tx.Resellers.Save(ctx, issuer), tx.Resellers.Save(ctx, owner))
	})
}

// moveSequences moves the sequences behind the ids that were assigned here: one by one, the store would take most of
// the time for them.
func (f *filling) moveSequences(ctx context.Context, database string) error {
	db, err := sql.Open("sqlite", database)
	if err != nil {
		return err
	}
	defer db.Close()
	for of, last := range map[ports.Sequence]int64{ports.LineIDs: f.lastLine, ports.MovementIDs: f.lastCharge,
		ports.PlatformIDs: f.lastLine} {
		_, err := db.ExecContext(ctx,
			`INSERT INTO sequences (name, next) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next = max(next, excluded.next)`,
			of.String(), last+1)
		if err != nil {
			return err
		}
	}
	return nil
}
