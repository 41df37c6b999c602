package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/ports/record"
)

// brokenWriter writes records in a way of its own where it has one.
type brokenWriter struct {
	record.Writer
	insert, save func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error
	remove       func(ctx context.Context, w record.Writer, of *record.Kind, key string) error
	get          func(ctx context.Context, w record.Writer, of *record.Kind, key string) (string, error)
}

func (b brokenWriter) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	if b.get != nil {
		return b.get(ctx, b.Writer, of, key)
	}
	return b.Writer.Get(ctx, of, key)
}

func (b brokenWriter) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	if b.insert != nil {
		return b.insert(ctx, b.Writer, of, r)
	}
	return b.Writer.Insert(ctx, of, r)
}

func (b brokenWriter) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	if b.save != nil {
		return b.save(ctx, b.Writer, of, r)
	}
	return b.Writer.Save(ctx, of, r)
}

func (b brokenWriter) Delete(ctx context.Context, of *record.Kind, key string) error {
	if b.remove != nil {
		return b.remove(ctx, b.Writer, of, key)
	}
	return b.Writer.Delete(ctx, of, key)
}

func writingRecords(b brokenWriter) func(full) full {
	return by(patchedTx, func(tx *ports.Tx) {
		writer := b // several update at once
		writer.Writer = tx.Records
		tx.Records = writer
	})
}

// savesWhatIsDeleted has each record deleted between the two halves of a save: a deletion waits until a save has begun,
// and the save for the deletion.
func savesWhatIsDeleted(upserts brokenWriter, caught string) broken {
	var saving, deleted gates
	meet := brokenWriter{
		save: func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
			saving.open(r.Key)
			deleted.wait(r.Key)
			return upserts.save(ctx, w, of, r)
		},
		remove: func(ctx context.Context, w record.Writer, of *record.Kind, key string) error {
			saving.wait(key)
			defer deleted.open(key)
			return w.Delete(ctx, of, key)
		},
	}
	return broken{
		how:      "saves what is not there any more",
		sabotage: func(sound full) full { return writingRecords(meet)(autocommit(sound)) },
		caught:   caughtBy(caught),
	}
}

// gates are closed until somebody opens them, each by its name.
type gates struct{ sync.Map }

func (g *gates) open(name string) { g.at(name).pass() }

func (g *gates) wait(name string) {
	select {
	case <-g.at(name).opened:
	case <-time.After(time.Second): // nobody comes
	}
}

func (g *gates) at(name string) gate {
	opened := make(chan struct{})
	at, _ := g.LoadOrStore(name, gate{opened, sync.OnceFunc(func() { close(opened) })})
	return at.(gate)
}

type gate struct {
	opened chan struct{}
	pass   func()
}

// brokenLister lists records in a way of its own.
type brokenLister struct {
	record.Lister
	list func(l record.Lister, ctx context.Context, r record.Range) ([]record.Found, error)
	get  func(payload string, err error) (string, error)
}

func (b brokenLister) List(ctx context.Context, r record.Range) ([]record.Found, error) {
	if b.list != nil {
		return b.list(b.Lister, ctx, r)
	}
	return b.Lister.List(ctx, r)
}

func (b brokenLister) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	payload, err := b.Lister.Get(ctx, of, key)
	if b.get != nil {
		return b.get(payload, err)
	}
	return payload, err
}

func readingRecords(b brokenLister) func(full) full {
	return by(patchedView, func(s *ports.Snapshot) {
		lister := b
		lister.Lister = s.Records
		s.Records = lister
	})
}

// archiveOfKinds shows an archive records of kinds in a way of its own.
type archiveOfKinds struct {
	ports.Records
	page func(after string, limit int, found []record.Found) []record.Found
}

func (a archiveOfKinds) OfKind(ctx context.Context, of *record.Kind, after string, limit int) ([]record.Found, error) {
	found, err := a.Records.OfKind(ctx, of, after, limit)
	return a.page(after, limit, found), err
}

// lacksField leaves a field out of what was written.
func lacksField(payload string) string {
	i := strings.LastIndex(payload, `,"`)
	return payload[:max(i, 0)] + "}"
}

// keepsEntries saves a record, and leaves the entries as they were.
func keepsEntries(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
	payload, err := w.Get(ctx, of, r.Key)
	if err != nil {
		return err
	}
	before, err := of.Examine(payload)
	r.Entries = before.Entries
	return errors.Join(err, w.Delete(ctx, of, r.Key), w.Insert(ctx, of, r))
}

// forgetsFields are stores that forget a field of records of a kind each, of every field but the key.
func forgetsFields(of *record.Kind) (all []broken) {
	for i := range reflect.TypeOf(of.Blank()).Elem().NumField() {
		without := func(s record.Stored) record.Stored {
			v, err := of.Read(s.Payload)
			if err != nil {
				panic(err)
			}
			reflect.ValueOf(v).Elem().Field(i).SetZero()
			return must1(of.Write(v))
		}
		if s := keyed(of, several(of, 2)[1].Key); without(s).Key != s.Key {
			continue
		}
		all = append(all, broken{
			how: "forgets the " + reflect.TypeOf(of.Blank()).Elem().Field(i).Name + " of records of the kind " + of.Name(),
			sabotage: writingRecords(
				brokenWriter{insert: func(ctx context.Context, w record.Writer, inserted *record.Kind, r record.Stored) error {
					if inserted == of {
						r = without(r)
					}
					return w.Insert(ctx, inserted, r)
				}}),
			caught: caughtBy("records-of-kinds-survive-unchanged", "records-of-kinds-survive-reopening"),
		})
	}
	return all
}

func brokenKinds() []broken {
	const survive, missing, with, taken = "records-of-kinds-survive-unchanged",
		"records-of-kinds-that-are-not-there-are-not-found", "records-of-kinds-are-written-with-their-update",
		"taken-keys-and-entries-are-refused"
	const replaced, same, lost, stays, lists = "saves-replace-records-of-kinds-whole",
		"of-records-that-take-the-same-one-is-kept", "no-update-of-a-record-is-lost", "a-record-that-is-deleted-stays-so",
		"lists-of-records-are-ranges"
	const reopened, processes, archive, copies = "records-of-kinds-survive-reopening", "processes-have-the-same-records",
		"archives-show-records-of-kinds", "copies-have-records-of-copied-kinds"
	const unique, uniqueBeside = "slots-and-names-are-one-records", "slots-and-names-in-two-processes-are-one-records"
	twice := func(index string) func(full) full {
		return writingRecords(
			brokenWriter{insert: func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
				r.Entries = slices.DeleteFunc(slices.Clone(r.Entries), func(e string) bool { return strings.HasPrefix(e, index) })
				return w.Insert(ctx, of, r)
			}})
	}
	upserts := brokenWriter{save: func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
		err := w.Save(ctx, of, r)
		if errors.Is(err, fault.ErrNotFound) {
			err = w.Insert(ctx, of, r)
		}
		return err
	}}
	var fields []broken
	for _, of := range []*record.Kind{ports.Sessions.Kind, ports.Principals.Kind, ports.NameClaims.Kind,
		ports.SecondFactors.Kind} {
		fields = append(fields, forgetsFields(of)...)
	}
	return append(fields, []broken{
		{how: "forgets a field of records",
			sabotage: writingRecords(
				brokenWriter{insert: func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
					r.Payload = lacksField(r.Payload)
					return w.Insert(ctx, of, r)
				}}), caught: caughtBy(survive)},
		{how: "has one record for the same key of all kinds",
			sabotage: writingRecords(
				brokenWriter{remove: func(ctx context.Context, w record.Writer, _ *record.Kind, key string) (err error) {
					for _, of := range ports.Kinds() {
						err = errors.Join(err, absent(w.Delete(ctx, of, key)))
					}
					return err
				}}), caught: caughtBy(survive)},
		{how: "finds what is not there",
			sabotage: readingRecords(brokenLister{get: func(payload string, err error) (string, error) {
				return payload, absent(err)
			}}), caught: caughtBy(missing)},
		{how: "saves what is not there", sabotage: writingRecords(upserts), caught: caughtBy(missing)},
		savesWhatIsDeleted(upserts, stays),
		savesWhatIsDeleted(upserts, "a-record-that-another-process-deletes-stays-so"),
		{how: "deletes what is not there", sabotage: answering(recordDelete, instead(fault.ErrNotFound, nil)),
			caught: caughtBy(missing)},
		{how: "writes records at once", sabotage: autocommit, caught: caughtBy(with)},
		{how: "takes a second entry", sabotage: twice("sample/name/"),
			caught: caughtBy(taken, same, "of-records-that-take-the-same-in-two-processes-one-is-kept")},
		{how: "takes a second webhook in a slot", sabotage: twice("webhook/account/"),
			caught: caughtBy(unique, uniqueBeside)},
		{how: "takes a second key in a slot", sabotage: twice("principal/account/"), caught: caughtBy(unique, uniqueBeside)},
		{how: "takes a second member of staff of a name", sabotage: twice("principal/name/"),
			caught: caughtBy(unique, uniqueBeside)},
		{how: "replaces a record that is inserted",
			sabotage: writingRecords(
				brokenWriter{insert: func(ctx context.Context, w record.Writer, of *record.Kind, r record.Stored) error {
					return errors.Join(absent(w.Delete(ctx, of, r.Key)), w.Insert(ctx, of, r))
				}}), caught: caughtBy(taken, unique, uniqueBeside)},
		{how: "keeps the entries of a record that is saved", sabotage: writingRecords(brokenWriter{save: keepsEntries}),
			caught: caughtBy(replaced, taken, unique, uniqueBeside)},
		{how: "saves nothing", sabotage: forgetting(recordSave), caught: caughtBy(replaced, with)},
		{how: "reads and writes in two transactions", sabotage: autocommit,
			caught: caughtBy(lost, "no-update-of-a-record-in-two-processes-is-lost")},
		{how: "takes what a newer version wrote for damaged",
			sabotage: readingRecords(brokenLister{get: func(payload string, err error) (string, error) {
				if strings.Contains(payload, `"newest"`) {
					err = record.ErrDamaged
				}
				return payload, err
			}}), caught: caughtBy("records-of-newer-versions-are-used-and-kept")},
		{how: "lists a record too many",
			sabotage: readingRecords(
				brokenLister{list: func(l record.Lister, ctx context.Context, r record.Range) ([]record.Found, error) {
					r.Limit++
					return l.List(ctx, r)
				}}), caught: caughtBy(lists)},
		{how: "lists in one direction",
			sabotage: readingRecords(
				brokenLister{list: func(l record.Lister, ctx context.Context, r record.Range) ([]record.Found, error) {
					r.Descending = false
					return l.List(ctx, r)
				}}), caught: caughtBy(lists)},
		{how: "lists the end of a range",
			sabotage: readingRecords(
				brokenLister{list: func(l record.Lister, ctx context.Context, r record.Range) ([]record.Found, error) {
					r.To += "\U0010ffff"
					return l.List(ctx, r)
				}}), caught: caughtBy(lists)},
		{how: "forgets records in the end", sabotage: process, reopen: func(old full) full {
			again := process(old)
			for _, of := range ports.Kinds() {
				for _, s := range several(of, 1) {
					_ = again.Update(context.Background(), deletesRecord(of, s.Key))
				}
			}
			return again
		}, caught: caughtBy(reopened)},
		{how: "shows another process what it knew first", sabotage: func(sound full) full { return sound },
			beside: func(open full) full {
				return readingRecords(brokenLister{get: func(string, error) (string, error) { return "", fault.ErrNotFound }})(
					process(open))
			}, caught: caughtBy(processes)},
		{how: "shows an archive a page too short", sabotage: by(patchedRecords, func(r ports.Records) ports.Records {
			return archiveOfKinds{r, func(_ string, _ int, found []record.Found) []record.Found {
				return found[:max(0, len(found)-1)]
			}}
		}), caught: caughtBy(archive)},
		{how: "copies no records of kinds", sabotage: func(sound full) full {
			return &wrapped{full: sound,
				beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
					i, err := sound.BeginCopy(ctx, origin, restart)
					return kindless{i}, err
				}}
		}, caught: caughtBy(copies)},
	}...)
}

// kindless is an importer that leaves records of kinds out.
type kindless struct{ ports.Importer }

func (k kindless) Copy(ctx context.Context, batch ports.Batch) error {
	batch.Kinds = nil
	return k.Importer.Copy(ctx, batch)
}
