package storetest

import (
	"context"
	"fmt"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// full is a store that supports audits, copies and rekeys.
type full interface {
	ports.Store
	ports.CopyTarget
	ports.Rekeyable
}

// call is a call of a method of a port on its way through a broken store.
type call struct {
	ctx    context.Context
	method string       // as in Lines.Get, after the interface and its method
	store  full         // the sound one
	tx     ports.Tx     // of an update
	work   *work        // of Store.Update
	look   look         // of Store.View
	args   []any        // pointers to the arguments, and then to the results
	sound  func() error // calls the sound method with the present arguments
	newest func() error // likewise, in a view of the present records
	on     func(tx ports.Tx) error
}

type look = func(ctx context.Context, s ports.Snapshot) error

// answer answers a call in a way of its own.
type answer func(c *call) error

// arg returns the first argument or result of a type.
func arg[V any](c *call) *V { return nthArg[V](c, 0) }

// nthArg returns one that has so many others of its type before it.
func nthArg[V any](c *call, n int) *V {
	for _, value := range c.args {
		if v, is := value.(*V); is {
			if n == 0 {
				return v
			}
			n--
		}
	}
	panic(fmt.Sprintf("%s has no such %T", c.method, *new(V)))
}

// meddled is a store that answers each call with the function with.
type meddled struct {
	full
	with answer
}

// lone is a call of a method of the store itself.
func (m meddled) lone(ctx context.Context, method string, do func(ctx context.Context) error, args ...any) error {
	c := &call{ctx: ctx, method: method, store: m.full, args: args}
	c.sound = func() error { return do(c.ctx) }
	return m.with(c)
}

// alone is such a call with a result.
func alone[R any](ctx context.Context, m meddled, method string, do func(ctx context.Context) (R, error),
	args ...any) (r R, err error) {
	err = m.lone(ctx, method, func(ctx context.Context) (err error) { r, err = do(ctx); return err }, append(args, &r)...)
	return r, err
}

func (m meddled) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	c := &call{ctx: ctx, method: "Store.Update", store: m.full, work: &do, args: []any{&hints}}
	c.sound = func() error {
		return m.full.Update(c.ctx, func(ctx context.Context, tx ports.Tx) error { return do(ctx, m.tx(tx)) }, hints...)
	}
	return m.with(c)
}

func (m meddled) View(ctx context.Context, look look) error {
	c := &call{ctx: ctx, method: "Store.View", store: m.full, look: look}
	c.sound = func() error {
		return m.full.View(c.ctx, func(ctx context.Context, s ports.Snapshot) error { return look(ctx, m.snapshot(s)) })
	}
	return m.with(c)
}

func (m meddled) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return m.lone(ctx, "Archive.ViewRecords", func(ctx context.Context) error {
		return m.full.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
			newest := func() ports.Records { return currentRecords(m.full) }
			return look(ctx, audited{Records: r, port: portOf(m, r, newest, itself[ports.Records])})
		})
	})
}

func (m meddled) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	return alone(ctx, m, "Store.NextID", func(ctx context.Context) (int64, error) {
		return m.full.NextID(ctx, of)
	}, &of)
}

func (m meddled) ClaimKey(ctx context.Context, fingerprint string) (string, error) {
	return alone(ctx, m, "Store.ClaimKey", func(ctx context.Context) (string, error) {
		return m.full.ClaimKey(ctx, fingerprint)
	}, &fingerprint)
}

func (m meddled) DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error) {
	return alone(ctx, m, "Store.DropExpired", func(ctx context.Context) (int, error) {
		return m.full.DropExpired(ctx, now, latest, limit)
	}, &now, &latest, &limit)
}

func (m meddled) AwaitEntry(ctx context.Context, after int64) error {
	return m.lone(ctx, "Store.AwaitEntry", func(ctx context.Context) error { return m.full.AwaitEntry(ctx, after) },
		&after)
}

func (m meddled) Ready(ctx context.Context) error { return m.lone(ctx, "Store.Ready", m.full.Ready) }

func (m meddled) Close() error {
	return m.lone(context.Background(), "Store.Close", func(context.Context) error { return m.full.Close() })
}

func (m meddled) ServiceKey(ctx context.Context) (ports.ServiceKey, error) {
	return alone(ctx, m, "Rekeyable.ServiceKey", func(ctx context.Context) (ports.ServiceKey, error) {
		return m.full.ServiceKey(ctx)
	})
}

func (m meddled) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	return m.lone(ctx, "Rekeyable.MoveKey", func(ctx context.Context) error { return m.full.MoveKey(ctx, from, to) },
		&from, &to)
}

func (m meddled) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (i ports.Importer, err error) {
	err = m.lone(ctx, "CopyTarget.BeginCopy", func(ctx context.Context) (err error) {
		i, err = m.full.BeginCopy(ctx, origin, restart)
		return err
	}, &origin, &restart, &i)
	return importer{i, m}, err
}

func (m meddled) Parts() (p ports.Parts) {
	p = ports.Parts{Archive: m, CopyTarget: m, Rekeyable: m, Observable: m.full.Parts().Observable}
	_ = m.lone(context.Background(), "Store.Parts", func(context.Context) error { return nil }, &p)
	return p
}

type importer struct {
	ports.Importer
	m meddled
}

func (i importer) Copy(ctx context.Context, batch ports.Batch) error {
	return i.m.lone(ctx, "Importer.Copy", func(ctx context.Context) error { return i.Importer.Copy(ctx, batch) }, &batch)
}

func (i importer) Finish(ctx context.Context) error {
	return i.m.lone(ctx, "Importer.Finish", i.Importer.Finish)
}

// port is a part of a Tx, a Snapshot or Records whose calls are answered by the store that is meddled with.
type port[P any] struct {
	m      meddled
	sound  P
	newest func() P
	of     func(tx ports.Tx) P // nil outside updates
	tx     ports.Tx
}

func portOf[S, P any](m meddled, s S, newest func() S, of func(S) P) port[P] {
	p := port[P]{m: m, sound: of(s), newest: func() P { return of(newest()) }}
	if tx, is := any(s).(ports.Tx); is {
		p.tx, p.of = tx, func(tx ports.Tx) P { return of(any(tx).(S)) }
	}
	return p
}

func (p port[P]) call(ctx context.Context, method string, on func(P) error, args ...any) error {
	return p.m.with(&call{
		ctx: ctx, method: method, store: p.m.full, tx: p.tx, args: args,
		sound: func() error { return on(p.sound) }, newest: func() error { return on(p.newest()) },
		on: func(tx ports.Tx) error { return on(p.of(tx)) },
	})
}

// calls is a call with a result.
func calls[P, R any](ctx context.Context, p port[P], method string, do func(P) (R, error),
	args ...any) (r R, err error) {
	err = p.call(ctx, method, func(on P) (err error) { r, err = do(on); return err }, append(args, &r)...)
	return r, err
}

// asks is a call with an argument and a result, and tells a call with an argument alone.
func asks[P, A, R any](ctx context.Context, p port[P], method string, do func(P, context.Context, A) (R, error),
	a A) (r R, err error) {
	err = p.call(ctx, method, func(on P) (err error) { r, err = do(on, ctx, a); return err }, &a, &r)
	return r, err
}

func tells[P, A any](ctx context.Context, p port[P], method string, do func(P, context.Context, A) error, a A) error {
	return p.call(ctx, method, func(on P) error { return do(on, ctx, a) }, &a)
}

func (m meddled) tx(tx ports.Tx) ports.Tx {
	none := func() ports.Tx { return tx }
	return ports.Tx{
		Resellers: resellers{portOf(m, tx, none, func(tx ports.Tx) ports.Resellers { return tx.Resellers })},
		Lines:     lines{portOf(m, tx, none, func(tx ports.Tx) ports.Lines { return tx.Lines })},
		Ledger:    ledger{portOf(m, tx, none, func(tx ports.Tx) ports.Ledger { return tx.Ledger })},
		Keys:      keysOf{portOf(m, tx, none, func(tx ports.Tx) ports.Keys { return tx.Keys })},
		Journal:   journalOf{portOf(m, tx, none, func(tx ports.Tx) ports.Journal { return tx.Journal })},
		Records:   writer{portOf(m, tx, none, func(tx ports.Tx) record.Writer { return tx.Records })},
	}
}

func (m meddled) snapshot(s ports.Snapshot) ports.Snapshot {
	now := func() ports.Snapshot { return current(m.full) }
	return ports.Snapshot{
		Resellers: viewed{portOf(m, s, now, func(s ports.Snapshot) ports.ResellerDirectory { return s.Resellers })},
		Lines:     viewedLines{portOf(m, s, now, func(s ports.Snapshot) ports.LineDirectory { return s.Lines })},
		Ledger:    statements{portOf(m, s, now, func(s ports.Snapshot) ports.Statements { return s.Ledger })},
		Keys:      viewedKeys{portOf(m, s, now, func(s ports.Snapshot) ports.KeyReader { return s.Keys })},
		Journal:   events{portOf(m, s, now, func(s ports.Snapshot) ports.Events { return s.Journal })},
		Records:   lister{portOf(m, s, now, func(s ports.Snapshot) record.Lister { return s.Records })},
	}
}

type (
	resellers   struct{ port[ports.Resellers] }
	lines       struct{ port[ports.Lines] }
	ledger      struct{ port[ports.Ledger] }
	keysOf      struct{ port[ports.Keys] }
	journalOf   struct{ port[ports.Journal] }
	writer      struct{ port[record.Writer] }
	viewed      struct{ port[ports.ResellerDirectory] }
	viewedLines struct{ port[ports.LineDirectory] }
	statements  struct{ port[ports.Statements] }
	viewedKeys  struct{ port[ports.KeyReader] }
	events      struct{ port[ports.Events] }
	lister      struct{ port[record.Lister] }
	audited     struct {
		ports.Records
		port[ports.Records]
	}
)

func (p resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return asks(ctx, p.port, "Resellers.Get", ports.Resellers.Get, id)
}
func (p resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return asks(ctx, p.port, "Resellers.FindByUsername", ports.Resellers.FindByUsername, name)
}
func (p resellers) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return asks(ctx, p.port, "Resellers.AnyBlocked", ports.Resellers.AnyBlocked, ids)
}
func (p resellers) Insert(ctx context.Context, r *reseller.Reseller) error {
	return tells(ctx, p.port, "Resellers.Insert", ports.Resellers.Insert, r)
}
func (p resellers) Save(ctx context.Context, r *reseller.Reseller) error {
	return tells(ctx, p.port, "Resellers.Save", ports.Resellers.Save, r)
}

func (p lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return asks(ctx, p.port, "Lines.Get", ports.Lines.Get, id)
}
func (p lines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return asks(ctx, p.port, "Lines.FindByUsername", ports.Lines.FindByUsername, name)
}
func (p lines) Insert(ctx context.Context, l *line.Line) error {
	return tells(ctx, p.port, "Lines.Insert", ports.Lines.Insert, l)
}
func (p lines) Save(ctx context.Context, l *line.Line) error {
	return tells(ctx, p.port, "Lines.Save", ports.Lines.Save, l)
}
func (p lines) Delete(ctx context.Context, t line.Tombstone) error {
	return tells(ctx, p.port, "Lines.Delete", ports.Lines.Delete, t)
}

func (p ledger) Append(ctx context.Context, m credit.Movement) error {
	return tells(ctx, p.port, "Ledger.Append", ports.Ledger.Append, m)
}
func (p ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return asks(ctx, p.port, "Ledger.Get", ports.Ledger.Get, id)
}

func (p keysOf) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return calls(ctx, p.port, "Keys.Get", func(on ports.Keys) (ports.KeyRecord, error) {
		return on.Get(ctx, reseller, key)
	}, &reseller, &key)
}
func (p keysOf) Put(ctx context.Context, r ports.KeyRecord) error {
	return tells(ctx, p.port, "Keys.Put", ports.Keys.Put, r)
}

func (p journalOf) Append(ctx context.Context, e journal.Entry) error {
	return tells(ctx, p.port, "Journal.Append", ports.Journal.Append, e)
}
func (p journalOf) Begin(ctx context.Context, from journal.Epoch, to journal.Epoch, e journal.Entry) error {
	return p.call(ctx, "Journal.Begin", func(on ports.Journal) error { return on.Begin(ctx, from, to, e) }, &from, &to, &e)
}
func (p journalOf) Epoch(ctx context.Context) (journal.Epoch, error) {
	return calls(ctx, p.port, "Journal.Epoch", func(on ports.Journal) (journal.Epoch, error) { return on.Epoch(ctx) })
}

func (p writer) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	return calls(ctx, p.port, "Writer.Get", func(on record.Writer) (string, error) { return on.Get(ctx, of, key) }, &key)
}
func (p writer) Insert(ctx context.Context, of *record.Kind, s record.Stored) error {
	return p.call(ctx, "Writer.Insert", func(on record.Writer) error { return on.Insert(ctx, of, s) }, &s)
}
func (p writer) Save(ctx context.Context, of *record.Kind, s record.Stored) error {
	return p.call(ctx, "Writer.Save", func(on record.Writer) error { return on.Save(ctx, of, s) }, &s)
}
func (p writer) Delete(ctx context.Context, of *record.Kind, key string) error {
	return p.call(ctx, "Writer.Delete", func(on record.Writer) error { return on.Delete(ctx, of, key) }, &key)
}

func (p viewed) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return asks(ctx, p.port, "ResellerDirectory.Get", ports.ResellerDirectory.Get, id)
}
func (p viewed) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return asks(ctx, p.port, "ResellerDirectory.FindByUsername", ports.ResellerDirectory.FindByUsername, name)
}
func (p viewed) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return asks(ctx, p.port, "ResellerDirectory.AnyBlocked", ports.ResellerDirectory.AnyBlocked, ids)
}
func (p viewed) Empty(ctx context.Context) (bool, error) {
	return calls(ctx, p.port, "ResellerDirectory.Empty", func(on ports.ResellerDirectory) (bool, error) {
		return on.Empty(ctx)
	})
}
func (p viewed) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return asks(ctx, p.port, "ResellerDirectory.Blocked", ports.ResellerDirectory.Blocked, ids)
}
func (p viewed) Suspending(ctx context.Context, ids []int64) ([]int64, error) {
	return asks(ctx, p.port, "ResellerDirectory.Suspending", ports.ResellerDirectory.Suspending, ids)
}
func (p viewed) AnySuspending(ctx context.Context) (bool, error) {
	return calls(ctx, p.port, "ResellerDirectory.AnySuspending", func(on ports.ResellerDirectory) (bool, error) {
		return on.AnySuspending(ctx)
	})
}
func (p viewed) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return asks(ctx, p.port, "ResellerDirectory.List", ports.ResellerDirectory.List, q)
}

func (p viewedLines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return asks(ctx, p.port, "LineDirectory.Get", ports.LineDirectory.Get, id)
}
func (p viewedLines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return asks(ctx, p.port, "LineDirectory.List", ports.LineDirectory.List, q)
}
func (p viewedLines) Count(ctx context.Context, q ports.LineQuery, examined int) (r int, more bool, err error) {
	err = p.call(ctx, "LineDirectory.Count", func(on ports.LineDirectory) (err error) {
		r, more, err = on.Count(ctx, q, examined)
		return err
	}, &q, &examined, &r, &more)
	return r, more, err
}
func (p viewedLines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return asks(ctx, p.port, "LineDirectory.FindByUsername", ports.LineDirectory.FindByUsername, name)
}
func (p viewedLines) FindByExternalID(ctx context.Context, owner int64, id profile.Text) (int64, error) {
	return calls(ctx, p.port, "LineDirectory.FindByExternalID", func(on ports.LineDirectory) (int64, error) {
		return on.FindByExternalID(ctx, owner, id)
	}, &owner, &id)
}
func (p viewedLines) Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error) {
	return asks(ctx, p.port, "LineDirectory.Usernames", ports.LineDirectory.Usernames, ids)
}

func (p statements) Statement(ctx context.Context, reseller int64, before int64, limit int) ([]credit.Movement, error) {
	return calls(ctx, p.port, "Statements.Statement", func(on ports.Statements) ([]credit.Movement, error) {
		return on.Statement(ctx, reseller, before, limit)
	}, &reseller, &before, &limit)
}
func (p statements) Totals(ctx context.Context) (credit.Totals, error) {
	return calls(ctx, p.port, "Statements.Totals", func(on ports.Statements) (credit.Totals, error) {
		return on.Totals(ctx)
	})
}

func (p viewedKeys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return calls(ctx, p.port, "KeyReader.Get", func(on ports.KeyReader) (ports.KeyRecord, error) {
		return on.Get(ctx, reseller, key)
	}, &reseller, &key)
}

func (p events) Head(ctx context.Context) (journal.Head, error) {
	return calls(ctx, p.port, "Events.Head", func(on ports.Events) (journal.Head, error) { return on.Head(ctx) })
}
func (p events) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	return asks(ctx, p.port, "Events.List", ports.Events.List, q)
}
func (p events) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	return asks(ctx, p.port, "Events.OfMovements", ports.Events.OfMovements, ids)
}
func (p events) Figures(ctx context.Context,
	accounts []int64, from time.Time, to time.Time) ([]ports.DayFigures, error) {
	return calls(ctx, p.port, "Events.Figures", func(on ports.Events) ([]ports.DayFigures, error) {
		return on.Figures(ctx, accounts, from, to)
	}, &accounts, &from, &to)
}

func (p lister) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	return calls(ctx, p.port, "Lister.Get", func(on record.Lister) (string, error) { return on.Get(ctx, of, key) }, &key)
}
func (p lister) List(ctx context.Context, r record.Range) ([]record.Found, error) {
	return asks(ctx, p.port, "Lister.List", record.Lister.List, r)
}

// paged is a call for a page of records.
func paged[R any](ctx context.Context, p port[ports.Records], method string, page func(r ports.Records,
	ctx context.Context, after int64, limit int) ([]ports.Audited[R], error), after int64, limit int) (
	found []ports.Audited[R], err error) {
	err = p.call(ctx, method, func(r ports.Records) (err error) { found, err = page(r, ctx, after, limit); return err },
		&after, &limit, &found)
	return found, err
}

func (p audited) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return paged(ctx, p.port, "Records.Resellers", ports.Records.Resellers, after, limit)
}
func (p audited) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return paged(ctx, p.port, "Records.Lines", ports.Records.Lines, after, limit)
}
func (p audited) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return paged(ctx, p.port, "Records.Tombstones", ports.Records.Tombstones, after, limit)
}
func (p audited) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return paged(ctx, p.port, "Records.Movements", ports.Records.Movements, after, limit)
}
func (p audited) Entries(ctx context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error) {
	return paged(ctx, p.port, "Records.Entries", ports.Records.Entries, after, limit)
}
func (p audited) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return asks(ctx, p.port, "Records.ResellersByID", ports.Records.ResellersByID, ids)
}
func (p audited) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return asks(ctx, p.port, "Records.LinesByID", ports.Records.LinesByID, ids)
}
func (p audited) TombstonesByLine(ctx context.Context, ids []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return asks(ctx, p.port, "Records.TombstonesByLine", ports.Records.TombstonesByLine, ids)
}
func (p audited) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return asks(ctx, p.port, "Records.MovementsByID", ports.Records.MovementsByID, ids)
}
func (p audited) MovementsByPosting(ctx context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return asks(ctx, p.port, "Records.MovementsByPosting", ports.Records.MovementsByPosting, numbers)
}
func (p audited) Derived(ctx context.Context, report func(string)) error {
	return tells(ctx, p.port, "Records.Derived", ports.Records.Derived, report)
}
func (p audited) Totals(ctx context.Context) (credit.Totals, error) {
	return calls(ctx, p.port, "Records.Totals", func(on ports.Records) (credit.Totals, error) { return on.Totals(ctx) })
}
func (p audited) Origin(ctx context.Context) (ports.Origin, error) {
	return calls(ctx, p.port, "Records.Origin", func(on ports.Records) (ports.Origin, error) { return on.Origin(ctx) })
}
func (p audited) Unfinished(ctx context.Context) (bool, error) {
	return calls(ctx, p.port, "Records.Unfinished", func(on ports.Records) (bool, error) { return on.Unfinished(ctx) })
}
func (p audited) KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]ports.KeyRecord, error) {
	return calls(ctx, p.port, "Records.KeyRecords", func(on ports.Records) ([]ports.KeyRecord, error) {
		return on.KeyRecords(ctx, reseller, key, limit)
	}, &reseller, &key, &limit)
}
func (p audited) Head(ctx context.Context) (journal.Head, error) {
	return calls(ctx, p.port, "Records.Head", func(on ports.Records) (journal.Head, error) { return on.Head(ctx) })
}
func (p audited) Figures(ctx context.Context, account int64, day time.Time, limit int) ([]ports.DayFigures, error) {
	return calls(ctx, p.port, "Records.Figures", func(on ports.Records) ([]ports.DayFigures, error) {
		return on.Figures(ctx, account, day, limit)
	}, &account, &day, &limit)
}
func (p audited) OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error) {
	return calls(ctx, p.port, "Records.OfKind", func(on ports.Records) ([]record.Found, error) {
		return on.OfKind(ctx, of, after, limit)
	}, &after, &limit)
}
