package storetest

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
)

// full is a store that can be audited, copied and given another service key, and keeps sessions.
type full interface {
	ports.Store
	ports.CopyTarget
	ports.Rekeyable
	ports.Sessions
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
	beginCopy   func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error)
	serviceKey  func(ctx context.Context) (ports.ServiceKey, error)
	moveKey     func(ctx context.Context, from, to ports.ServiceKey) error
	ready       func(ctx context.Context) error
	parts       func() ports.Parts
	close       func() error

	beginSession func(ctx context.Context, s session.Session, most int) error
	session      func(ctx context.Context, id session.ID) (session.Session, error)
	useSession   func(ctx context.Context, id session.ID, used time.Time) error
	sessionsOf   func(ctx context.Context, reseller int64) ([]session.Session, error)
	endSession   func(ctx context.Context, reseller int64, id session.ID) error
	dropSessions func(ctx context.Context, now time.Time, limit int) (int, error)

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

func (w *wrapped) BeginSession(ctx context.Context, s session.Session, most int) error {
	if w.beginSession != nil {
		return w.beginSession(ctx, s, most)
	}
	return w.full.BeginSession(ctx, s, most)
}

func (w *wrapped) Session(ctx context.Context, id session.ID) (session.Session, error) {
	if w.session != nil {
		return w.session(ctx, id)
	}
	return w.full.Session(ctx, id)
}

func (w *wrapped) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	if w.useSession != nil {
		return w.useSession(ctx, id, used)
	}
	return w.full.UseSession(ctx, id, used)
}

func (w *wrapped) SessionsOf(ctx context.Context, reseller int64) ([]session.Session, error) {
	if w.sessionsOf != nil {
		return w.sessionsOf(ctx, reseller)
	}
	return w.full.SessionsOf(ctx, reseller)
}

func (w *wrapped) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	if w.endSession != nil {
		return w.endSession(ctx, reseller, id)
	}
	return w.full.EndSession(ctx, reseller, id)
}

func (w *wrapped) DropSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	if w.dropSessions != nil {
		return w.dropSessions(ctx, now, limit)
	}
	return w.full.DropSessions(ctx, now, limit)
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
	return ports.Parts{Archive: w, CopyTarget: w, Rekeyable: w, Sessions: w, Observable: w.full.Parts().Observable}
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
	sessionGet      = "get a session"
	sessionSave     = "save a session"
)

// writes are those of every store.
var writes = []string{resellerInsert, resellerSave, lineInsert, lineSave, lineDelete, movementAppend, keyPut}

// via runs an operation of a Tx on whichever Tx it likes, or not at all.
type via func(operation string, on func(tx ports.Tx) error) error

func (v via) tx() ports.Tx {
	return ports.Tx{Resellers: viaResellers{v}, Lines: viaLines{v}, Ledger: viaLedger{v}, Keys: viaKeys{v}, Sessions: viaSessions{v}}
}

type viaResellers struct{ via }

func (v viaResellers) Get(ctx context.Context, id int64) (a *reseller.Reseller, err error) {
	err = v.via(resellerGet, func(tx ports.Tx) (err error) { a, err = tx.Resellers.Get(ctx, id); return err })
	return a, err
}

func (v viaResellers) FindByUsername(ctx context.Context, name profile.Username) (a *reseller.Reseller, err error) {
	err = v.via(resellerFind, func(tx ports.Tx) (err error) { a, err = tx.Resellers.FindByUsername(ctx, name); return err })
	return a, err
}

func (v viaResellers) AnyBlocked(ctx context.Context, ids []int64) (blocked bool, err error) {
	err = v.via(resellerBlocked, func(tx ports.Tx) (err error) { blocked, err = tx.Resellers.AnyBlocked(ctx, ids); return err })
	return blocked, err
}

func (v viaResellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	return v.via(resellerInsert, func(tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) })
}

func (v viaResellers) Save(ctx context.Context, a *reseller.Reseller) error {
	return v.via(resellerSave, func(tx ports.Tx) error { return tx.Resellers.Save(ctx, a) })
}

type viaLines struct{ via }

func (v viaLines) Get(ctx context.Context, id int64) (l *line.Line, err error) {
	err = v.via(lineGet, func(tx ports.Tx) (err error) { l, err = tx.Lines.Get(ctx, id); return err })
	return l, err
}

func (v viaLines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = v.via(lineFind, func(tx ports.Tx) (err error) { id, err = tx.Lines.FindByUsername(ctx, name); return err })
	return id, err
}

func (v viaLines) Insert(ctx context.Context, l *line.Line) error {
	return v.via(lineInsert, func(tx ports.Tx) error { return tx.Lines.Insert(ctx, l) })
}

func (v viaLines) Save(ctx context.Context, l *line.Line) error {
	return v.via(lineSave, func(tx ports.Tx) error { return tx.Lines.Save(ctx, l) })
}

func (v viaLines) Delete(ctx context.Context, t line.Tombstone) error {
	return v.via(lineDelete, func(tx ports.Tx) error { return tx.Lines.Delete(ctx, t) })
}

type viaLedger struct{ via }

func (v viaLedger) Append(ctx context.Context, m credit.Movement) error {
	return v.via(movementAppend, func(tx ports.Tx) error { return tx.Ledger.Append(ctx, m) })
}

func (v viaLedger) Get(ctx context.Context, id int64) (m credit.Movement, err error) {
	err = v.via(movementGet, func(tx ports.Tx) (err error) { m, err = tx.Ledger.Get(ctx, id); return err })
	return m, err
}

type viaKeys struct{ via }

func (v viaKeys) Get(ctx context.Context, reseller int64, key string) (r ports.KeyRecord, err error) {
	err = v.via(keyGet, func(tx ports.Tx) (err error) { r, err = tx.Keys.Get(ctx, reseller, key); return err })
	return r, err
}

func (v viaKeys) Put(ctx context.Context, r ports.KeyRecord) error {
	return v.via(keyPut, func(tx ports.Tx) error { return tx.Keys.Put(ctx, r) })
}

type viaSessions struct{ via }

func (v viaSessions) Session(ctx context.Context, id session.ID) (s session.Session, err error) {
	err = v.via(sessionGet, func(tx ports.Tx) (err error) { s, err = tx.Sessions.Session(ctx, id); return err })
	return s, err
}

func (v viaSessions) SaveSession(ctx context.Context, s session.Session) error {
	return v.via(sessionSave, func(tx ports.Tx) error { return tx.Sessions.SaveSession(ctx, s) })
}

// filter changes what passes between the suite and a store. A nil function
// changes nothing; the others may return an error instead.
type filter struct {
	name         func(profile.Username) profile.Username // searched, inserted and saved
	reseller     func(reseller.State) reseller.State     // read
	saved        func(old, s reseller.State) reseller.State
	line         func(line.State) line.State // read
	lineSaved    func(old, s line.State) line.State
	tombstone    func(line.Tombstone) line.Tombstone   // read
	movement     func(credit.Movement) credit.Movement // read
	key          func(ports.KeyRecord) ports.KeyRecord // read
	put          func(old, r ports.KeyRecord)          // told of what takes the place of another one
	keyAsked     func(reseller int64, key string) (int64, string)
	viewReseller func(reseller.State) reseller.State // read in a View only

	listedReseller  func(reseller.State) reseller.State // read in a list only, or else as reseller
	viewLine        func(line.State) line.State         // read in a View only
	listedLine      func(line.State) line.State         // read in a list only, or else as line
	stated          func(credit.Movement) credit.Movement
	auditedReseller func(reseller.State) reseller.State   // read in a page of an audit only, or else as reseller
	auditedLine     func(line.State) line.State           // likewise
	audited         func(credit.Movement) credit.Movement // likewise
	namedReseller   func(reseller.State) reseller.State   // named to an audit only, or else as reseller
	namedLine       func(line.State) line.State           // likewise
	named           func(credit.Movement) credit.Movement // likewise
	exported        func(ports.KeyRecord) ports.KeyRecord // read in an export
}

func (f filter) over(inner full) full {
	return &wrapped{
		full: inner,
		update: func(ctx context.Context, do work) error {
			return inner.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				return do(ctx, ports.Tx{
					Resellers: filteredResellers{filteredReader{tx.Resellers, f, f.reseller}, tx.Resellers},
					Lines:     filteredLines{tx.Lines, f},
					Ledger:    filteredLedger{tx.Ledger, f},
					Keys:      filteredKeys{filteredKeyReader{tx.Keys, f}, tx.Keys},
					Sessions:  tx.Sessions,
				})
			})
		},
		view: func(ctx context.Context, look look) error {
			read := f.reseller
			if f.viewReseller != nil {
				read = f.viewReseller
			}
			return inner.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
				readLine := f.line
				if f.viewLine != nil {
					readLine = f.viewLine
				}
				return look(ctx, ports.Snapshot{
					Resellers: filteredDirectory{filteredReader{s.Resellers, f, read}, s.Resellers},
					Lines:     filteredLineDirectory{s.Lines, f, readLine},
					Ledger:    filteredStatements{s.Ledger, f},
					Keys:      filteredKeyReader{s.Keys, f},
					Sessions:  s.Sessions,
				})
			})
		},
		viewRecords: func(ctx context.Context, look lookAtRecords) error {
			return inner.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error { return look(ctx, filteredAudit{r, f}) })
		},
	}
}

func apply[V any](change func(V) V, v V) V {
	if change == nil {
		return v
	}
	return change(v)
}

type filteredReader struct {
	ports.ResellerReader
	f    filter
	read func(reseller.State) reseller.State
}

func (r filteredReader) back(a *reseller.Reseller, err error) (*reseller.Reseller, error) {
	if err != nil {
		return nil, err
	}
	return reseller.Restore(apply(r.read, a.State()))
}

func (r filteredReader) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return r.back(r.ResellerReader.Get(ctx, id))
}

func (r filteredReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return r.back(r.ResellerReader.FindByUsername(ctx, apply(r.f.name, name)))
}

type filteredDirectory struct {
	filteredReader
	directory ports.ResellerDirectory
}

func (d filteredDirectory) Empty(ctx context.Context) (bool, error) { return d.directory.Empty(ctx) }

func (d filteredDirectory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return d.directory.Blocked(ctx, ids)
}

func (d filteredDirectory) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	page, err := d.directory.List(ctx, q)
	for i, a := range page.Resellers {
		if page.Resellers[i], err = reseller.Restore(apply(either(d.f.listedReseller, d.read), a.State())); err != nil {
			return ports.ResellerPage{}, err
		}
	}
	return page, err
}

// either returns the first change that there is.
func either[V any](changes ...func(V) V) func(V) V {
	for _, change := range changes {
		if change != nil {
			return change
		}
	}
	return nil
}

type filteredLineDirectory struct {
	ports.LineDirectory
	f    filter
	read func(line.State) line.State
}

func (d filteredLineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	got, err := d.LineDirectory.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(apply(d.read, got.State()))
}

func (d filteredLineDirectory) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	page, err := d.LineDirectory.List(ctx, q)
	for i, l := range page.Lines {
		if page.Lines[i], err = line.Restore(apply(either(d.f.listedLine, d.read), l.State())); err != nil {
			return ports.LinePage{}, err
		}
	}
	return page, err
}

type filteredStatements struct {
	ports.Statements
	f filter
}

func (s filteredStatements) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	movements, err := s.Statements.Statement(ctx, reseller, before, limit)
	for i, m := range movements {
		movements[i] = apply(either(s.f.stated, s.f.movement), m)
	}
	return movements, err
}

type filteredAudit struct {
	ports.Records
	f filter
}

func (a filteredAudit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	page, err := a.Records.Resellers(ctx, after, limit)
	for i, found := range page {
		page[i] = seenReseller(found, either(a.f.auditedReseller, a.f.reseller))
	}
	return page, err
}

func (a filteredAudit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	page, err := a.Records.Lines(ctx, after, limit)
	for i, found := range page {
		page[i] = seenLine(found, either(a.f.auditedLine, a.f.line))
	}
	return page, err
}

func (a filteredAudit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	page, err := a.Records.Movements(ctx, after, limit)
	for i, found := range page {
		page[i].Record = apply(either(a.f.audited, a.f.movement), found.Record)
	}
	return page, err
}

func (a filteredAudit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	all, err := a.Records.ResellersByID(ctx, ids)
	for id, found := range all {
		all[id] = seenReseller(found, either(a.f.namedReseller, a.f.reseller))
	}
	return all, err
}

func (a filteredAudit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	all, err := a.Records.LinesByID(ctx, ids)
	for id, found := range all {
		all[id] = seenLine(found, either(a.f.namedLine, a.f.line))
	}
	return all, err
}

func (a filteredAudit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	page, err := a.Records.Tombstones(ctx, after, limit)
	for i, found := range page {
		page[i].Record = apply(a.f.tombstone, found.Record)
	}
	return page, err
}

func (a filteredAudit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	all, err := a.Records.TombstonesByLine(ctx, lines)
	for id, found := range all {
		found.Record = apply(a.f.tombstone, found.Record)
		all[id] = found
	}
	return all, err
}

func (a filteredAudit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return filteredMovements(ctx, a, a.Records.MovementsByID, ids)
}

func (a filteredAudit) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return filteredMovements(ctx, a, a.Records.MovementsByPosting, numbers)
}

func (a filteredAudit) KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]ports.KeyRecord, error) {
	page, err := a.Records.KeyRecords(ctx, reseller, key, limit)
	for i, r := range page {
		page[i] = apply(a.f.exported, r)
	}
	return page, err
}

func filteredMovements[K comparable](ctx context.Context, a filteredAudit, read lookup[K, credit.Movement], keys []K) (map[K]ports.Audited[credit.Movement], error) {
	all, err := read(ctx, keys)
	for key, found := range all {
		found.Record = apply(either(a.f.named, a.f.movement), found.Record)
		all[key] = found
	}
	return all, err
}

func seenReseller(found ports.Audited[*reseller.Reseller], change func(reseller.State) reseller.State) ports.Audited[*reseller.Reseller] {
	found.Record, found.Damage = reseller.Restore(apply(change, found.Record.State()))
	return found
}

func seenLine(found ports.Audited[*line.Line], change func(line.State) line.State) ports.Audited[*line.Line] {
	found.Record, found.Damage = line.Restore(apply(change, found.Record.State()))
	return found
}

type filteredResellers struct {
	filteredReader
	resellers ports.Resellers
}

// send inserts or saves with to what the filter makes of a reseller.
func (a filteredResellers) send(ctx context.Context, sent *reseller.Reseller, to func(context.Context, *reseller.Reseller) error) error {
	s := sent.State()
	s.Username = apply(a.f.name, s.Username)
	if old, err := a.resellers.Get(ctx, s.ID); err == nil && a.f.saved != nil {
		s = a.f.saved(old.State(), s)
	}
	sent, err := reseller.Restore(s)
	if err != nil {
		return err
	}
	return to(ctx, sent)
}

func (a filteredResellers) Insert(ctx context.Context, added *reseller.Reseller) error {
	return a.send(ctx, added, a.resellers.Insert)
}

func (a filteredResellers) Save(ctx context.Context, changed *reseller.Reseller) error {
	return a.send(ctx, changed, a.resellers.Save)
}

type filteredLines struct {
	ports.Lines
	f filter
}

func (l filteredLines) Get(ctx context.Context, id int64) (*line.Line, error) {
	got, err := l.Lines.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(apply(l.f.line, got.State()))
}

func (l filteredLines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return l.Lines.FindByUsername(ctx, apply(l.f.name, name))
}

func (l filteredLines) send(ctx context.Context, sent *line.Line, to func(context.Context, *line.Line) error) error {
	s := sent.State()
	s.Username = apply(l.f.name, s.Username)
	if old, err := l.Lines.Get(ctx, s.ID); err == nil && l.f.lineSaved != nil {
		s = l.f.lineSaved(old.State(), s)
	}
	sent, err := line.Restore(s)
	if err != nil {
		return err
	}
	return to(ctx, sent)
}

func (l filteredLines) Insert(ctx context.Context, added *line.Line) error {
	return l.send(ctx, added, l.Lines.Insert)
}

func (l filteredLines) Save(ctx context.Context, changed *line.Line) error {
	return l.send(ctx, changed, l.Lines.Save)
}

type filteredLedger struct {
	ports.Ledger
	f filter
}

func (l filteredLedger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	m, err := l.Ledger.Get(ctx, id)
	return apply(l.f.movement, m), err
}

type filteredKeyReader struct {
	ports.KeyReader
	f filter
}

func (k filteredKeyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	kept, keptAs := reseller, key
	if k.f.keyAsked != nil {
		kept, keptAs = k.f.keyAsked(reseller, key)
	}
	r, err := k.KeyReader.Get(ctx, kept, keptAs)
	r.Reseller, r.Key = reseller, key
	return apply(k.f.key, r), err
}

type filteredKeys struct {
	filteredKeyReader
	keys ports.Keys
}

func (k filteredKeys) Put(ctx context.Context, r ports.KeyRecord) error {
	if k.f.keyAsked != nil {
		r.Reseller, r.Key = k.f.keyAsked(r.Reseller, r.Key)
	}
	if k.f.put != nil {
		if old, err := k.keys.Get(ctx, r.Reseller, r.Key); err == nil {
			k.f.put(old, r)
		}
	}
	return k.keys.Put(ctx, r)
}
