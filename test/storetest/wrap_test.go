package storetest

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// full is a store that can be audited, copied and given another service key.
type full interface {
	ports.Store
	ports.CopyTarget
	ports.Rekeyable
}

// wrapped is a store some of whose methods are replaced.
type wrapped struct {
	full
	update      func(ctx context.Context, do work) error
	view        func(ctx context.Context, look look) error
	viewRecords func(ctx context.Context, look lookAtRecords) error
	nextID      func(ctx context.Context, of ports.Sequence) (int64, error)
	claimKey    func(ctx context.Context, fingerprint string) (string, error)
	dropExpired func(ctx context.Context, now, latest time.Time, limit int) (int, error)
	awaitEntry  func(ctx context.Context, after int64) error
	beginCopy   func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error)
	serviceKey  func(ctx context.Context) (ports.ServiceKey, error)
	moveKey     func(ctx context.Context, from, to ports.ServiceKey) error
	ready       func(ctx context.Context) error
	parts       func() ports.Parts
	close       func() error

	// answer may answer a call of one of the methods itself, with an error or nil.
	answer func(ctx context.Context, method string) (answered bool, err error)
}

// methods are those that answer is told of.
var methods = []string{"update", "view", "next id", "claim key", "drop expired", "ready"}

func (w *wrapped) answers(ctx context.Context, method string) (answered bool, err error) {
	if w.answer == nil {
		return false, nil
	}
	return w.answer(ctx, method)
}

type (
	look          = func(ctx context.Context, s ports.Snapshot) error
	lookAtRecords = func(ctx context.Context, r ports.Records) error
)

func (w *wrapped) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	if answered, err := w.answers(ctx, "update"); answered {
		return err
	}
	if w.update != nil {
		return w.update(ctx, do)
	}
	return w.full.Update(ctx, do, hints...)
}

// unhinted is a store's Update without hints.
func unhinted(s ports.Store) func(ctx context.Context, do work) error {
	return func(ctx context.Context, do work) error { return s.Update(ctx, do) }
}

func (w *wrapped) View(ctx context.Context, look look) error {
	if answered, err := w.answers(ctx, "view"); answered {
		return err
	}
	if w.view != nil {
		return w.view(ctx, look)
	}
	return w.full.View(ctx, look)
}

func (w *wrapped) ViewRecords(ctx context.Context, look lookAtRecords) error {
	if w.viewRecords != nil {
		return w.viewRecords(ctx, look)
	}
	return w.full.ViewRecords(ctx, look)
}

func (w *wrapped) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if answered, err := w.answers(ctx, "next id"); answered {
		return 1, err
	}
	if w.nextID != nil {
		return w.nextID(ctx, of)
	}
	return w.full.NextID(ctx, of)
}

func (w *wrapped) ClaimKey(ctx context.Context, fingerprint string) (string, error) {
	if answered, err := w.answers(ctx, "claim key"); answered {
		return fingerprint, err
	}
	if w.claimKey != nil {
		return w.claimKey(ctx, fingerprint)
	}
	return w.full.ClaimKey(ctx, fingerprint)
}

func (w *wrapped) DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error) {
	if answered, err := w.answers(ctx, "drop expired"); answered {
		return 0, err
	}
	if w.dropExpired != nil {
		return w.dropExpired(ctx, now, latest, limit)
	}
	return w.full.DropExpired(ctx, now, latest, limit)
}

func (w *wrapped) AwaitEntry(ctx context.Context, after int64) error {
	if w.awaitEntry != nil {
		return w.awaitEntry(ctx, after)
	}
	return w.full.AwaitEntry(ctx, after)
}

func (w *wrapped) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
	if w.beginCopy != nil {
		return w.beginCopy(ctx, origin, restart)
	}
	return w.full.BeginCopy(ctx, origin, restart)
}

func (w *wrapped) ServiceKey(ctx context.Context) (ports.ServiceKey, error) {
	if w.serviceKey != nil {
		return w.serviceKey(ctx)
	}
	return w.full.ServiceKey(ctx)
}

func (w *wrapped) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	if w.moveKey != nil {
		return w.moveKey(ctx, from, to)
	}
	return w.full.MoveKey(ctx, from, to)
}

func (w *wrapped) Ready(ctx context.Context) error {
	if answered, err := w.answers(ctx, "ready"); answered {
		return err
	}
	if w.ready != nil {
		return w.ready(ctx)
	}
	return w.full.Ready(ctx)
}

func (w *wrapped) Parts() ports.Parts {
	if w.parts != nil {
		return w.parts()
	}
	return ports.Parts{Archive: w, CopyTarget: w, Rekeyable: w, Observable: w.full.Parts().Observable}
}

func (w *wrapped) Close() error {
	if w.close != nil {
		return w.close()
	}
	return w.full.Close()
}

// The operations of a Tx, as a via is told of them.
const (
	resellerGet     = "get an account"
	resellerFind    = "find an account"
	resellerBlocked = "any blocked"
	resellerInsert  = "insert an account"
	resellerSave    = "save an account"
	lineGet         = "get a line"
	lineFind        = "find a line"
	lineInsert      = "insert a line"
	lineSave        = "save a line"
	lineDelete      = "delete a line"
	movementAppend  = "append a movement"
	movementGet     = "get a movement"
	keyGet          = "get a key"
	keyPut          = "put a key"
	entryAppend     = "append an entry"
	epochBegin      = "begin an epoch"
	epochRead       = "read the epoch"
	recordGet       = "get a record"
	recordInsert    = "insert a record"
	recordSave      = "save a record"
	recordDelete    = "delete a record"
)

// writes are those of every store.
var writes = []string{resellerInsert, resellerSave, lineInsert, lineSave, lineDelete, movementAppend, keyPut,
	entryAppend}

// via runs an operation of a Tx on whichever Tx it likes, or not at all.
type via func(operation string, on func(tx ports.Tx) error, values ...any) error

func (v via) tx() ports.Tx {
	return ports.Tx{Resellers: viaResellers{v}, Lines: viaLines{v}, Ledger: viaLedger{v}, Keys: viaKeys{v},
		Journal: viaJournal{v}, Records: viaRecords{v}}
}

type viaResellers struct{ via }

func (v viaResellers) Get(ctx context.Context, id int64) (a *reseller.Reseller, err error) {
	err = v.via(resellerGet, func(tx ports.Tx) (err error) { a, err = tx.Resellers.Get(ctx, id); return err }, &id, &a)
	return a, err
}

func (v viaResellers) FindByUsername(ctx context.Context, name profile.Username) (a *reseller.Reseller, err error) {
	err = v.via(resellerFind, func(tx ports.Tx) (err error) {
		a, err = tx.Resellers.FindByUsername(ctx, name)
		return err
	}, &name, &a)
	return a, err
}

func (v viaResellers) AnyBlocked(ctx context.Context, ids []int64) (blocked bool, err error) {
	err = v.via(resellerBlocked, func(tx ports.Tx) (err error) {
		blocked, err = tx.Resellers.AnyBlocked(ctx, ids)
		return err
	}, &ids, &blocked)
	return blocked, err
}

func (v viaResellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	return v.via(resellerInsert, func(tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) }, &a)
}

func (v viaResellers) Save(ctx context.Context, a *reseller.Reseller) error {
	return v.via(resellerSave, func(tx ports.Tx) error { return tx.Resellers.Save(ctx, a) }, &a)
}

type viaLines struct{ via }

func (v viaLines) Get(ctx context.Context, id int64) (l *line.Line, err error) {
	err = v.via(lineGet, func(tx ports.Tx) (err error) { l, err = tx.Lines.Get(ctx, id); return err }, &id, &l)
	return l, err
}

func (v viaLines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = v.via(lineFind, func(tx ports.Tx) (err error) {
		id, err = tx.Lines.FindByUsername(ctx, name)
		return err
	}, &name, &id)
	return id, err
}

func (v viaLines) Insert(ctx context.Context, l *line.Line) error {
	return v.via(lineInsert, func(tx ports.Tx) error { return tx.Lines.Insert(ctx, l) }, &l)
}

func (v viaLines) Save(ctx context.Context, l *line.Line) error {
	return v.via(lineSave, func(tx ports.Tx) error { return tx.Lines.Save(ctx, l) }, &l)
}

func (v viaLines) Delete(ctx context.Context, t line.Tombstone) error {
	return v.via(lineDelete, func(tx ports.Tx) error { return tx.Lines.Delete(ctx, t) }, &t)
}

type viaLedger struct{ via }

func (v viaLedger) Append(ctx context.Context, m credit.Movement) error {
	return v.via(movementAppend, func(tx ports.Tx) error { return tx.Ledger.Append(ctx, m) }, &m)
}

func (v viaLedger) Get(ctx context.Context, id int64) (m credit.Movement, err error) {
	err = v.via(movementGet, func(tx ports.Tx) (err error) { m, err = tx.Ledger.Get(ctx, id); return err }, &id, &m)
	return m, err
}

type viaKeys struct{ via }

func (v viaKeys) Get(ctx context.Context, reseller int64, key string) (r ports.KeyRecord, err error) {
	err = v.via(keyGet, func(tx ports.Tx) (err error) {
		r, err = tx.Keys.Get(ctx, reseller, key)
		return err
	}, &reseller, &key, &r)
	return r, err
}

func (v viaKeys) Put(ctx context.Context, r ports.KeyRecord) error {
	return v.via(keyPut, func(tx ports.Tx) error { return tx.Keys.Put(ctx, r) }, &r)
}

type viaJournal struct{ via }

func (v viaJournal) Append(ctx context.Context, e journal.Entry) error {
	return v.via(entryAppend, func(tx ports.Tx) error { return tx.Journal.Append(ctx, e) }, &e)
}

func (v viaJournal) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	return v.via(epochBegin, func(tx ports.Tx) error { return tx.Journal.Begin(ctx, from, to, e) }, &from, &to, &e)
}

func (v viaJournal) Epoch(ctx context.Context) (epoch journal.Epoch, err error) {
	err = v.via(epochRead, func(tx ports.Tx) (err error) { epoch, err = tx.Journal.Epoch(ctx); return err }, &epoch)
	return epoch, err
}

type viaRecords struct{ via }

func (v viaRecords) Get(ctx context.Context, of *record.Kind, key string) (payload string, err error) {
	err = v.via(recordGet, func(tx ports.Tx) (err error) { payload, err = tx.Records.Get(ctx, of, key); return err }, &key)
	return payload, err
}

func (v viaRecords) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	return v.via(recordInsert, func(tx ports.Tx) error { return tx.Records.Insert(ctx, of, r) }, &r)
}

func (v viaRecords) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	return v.via(recordSave, func(tx ports.Tx) error { return tx.Records.Save(ctx, of, r) }, &r)
}

func (v viaRecords) Delete(ctx context.Context, of *record.Kind, key string) error {
	return v.via(recordDelete, func(tx ports.Tx) error { return tx.Records.Delete(ctx, of, key) }, &key)
}
