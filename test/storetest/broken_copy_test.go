package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// taking is an importer some of whose methods are replaced.
type taking struct {
	ports.Importer
	copy   func(ctx context.Context, batch ports.Batch) error
	finish func(ctx context.Context) error
}

func (t taking) Copy(ctx context.Context, batch ports.Batch) error {
	if t.copy != nil {
		return t.copy(ctx, batch)
	}
	return t.Importer.Copy(ctx, batch)
}

func (t taking) Finish(ctx context.Context) error {
	if t.finish != nil {
		return t.finish(ctx)
	}
	return t.Importer.Finish(ctx)
}

// patchedImporter replaces the importer of every copy.
func patchedImporter(sound full, patch func(sound ports.Importer) ports.Importer) *wrapped {
	return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
		importer, err := sound.BeginCopy(ctx, origin, restart)
		if err != nil {
			return nil, err
		}
		return patch(importer), nil
	}}
}

// filteredCopy changes every batch.
func filteredCopy(change func(batch *ports.Batch)) func(full) full {
	return by(patchedImporter, func(sound ports.Importer) ports.Importer {
		return taking{Importer: sound, copy: func(ctx context.Context, batch ports.Batch) error {
			change(&batch)
			return sound.Copy(ctx, batch)
		}}
	})
}

// exporting is an export some of whose methods are replaced.
type exporting struct {
	ports.Records
	origin     func(ctx context.Context, sound ports.Records) (ports.Origin, error)
	unfinished func(ctx context.Context, sound ports.Records) (bool, error)
	keys       func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error)
}

func (e exporting) Origin(ctx context.Context) (ports.Origin, error) {
	if e.origin != nil {
		return e.origin(ctx, e.Records)
	}
	return e.Records.Origin(ctx)
}

func (e exporting) Unfinished(ctx context.Context) (bool, error) {
	if e.unfinished != nil {
		return e.unfinished(ctx, e.Records)
	}
	return e.Records.Unfinished(ctx)
}

func (e exporting) KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]ports.KeyRecord, error) {
	if e.keys != nil {
		return e.keys(ctx, reseller, key, limit, e.Records)
	}
	return e.Records.KeyRecords(ctx, reseller, key, limit)
}

func patchedExport(with exporting) func(full) full {
	return by(patchedRecords, func(r ports.Records) ports.Records {
		e := with
		e.Records = r
		return e
	})
}

func isUnfinished(ctx context.Context, store full) bool {
	is := false
	err := store.ViewRecords(ctx, func(ctx context.Context, r ports.Records) (err error) {
		is, err = r.Unfinished(ctx)
		return err
	})
	return err == nil && is
}

// replaced is a store that can become another one.
type replaced struct {
	full
	mu sync.Mutex
}

func (r *replaced) now() full {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

func (r *replaced) become(other full) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.full = other
}

func (r *replaced) whole() *wrapped {
	return &wrapped{
		full:        r.full,
		update:      func(ctx context.Context, do work) error { return r.now().Update(ctx, do) },
		view:        func(ctx context.Context, look look) error { return r.now().View(ctx, look) },
		viewRecords: func(ctx context.Context, look lookAtRecords) error { return r.now().ViewRecords(ctx, look) },
		nextID:      func(ctx context.Context, of ports.Sequence) (int64, error) { return r.now().NextID(ctx, of) },
		claimKey: func(ctx context.Context, fingerprint string) (string, error) {
			return r.now().ClaimKey(ctx, fingerprint)
		},
		dropExpired: func(ctx context.Context, now, latest time.Time, limit int) (int, error) {
			return r.now().DropExpired(ctx, now, latest, limit)
		},
	}
}

// copyingOver begins a copy in a new store where the sound one refuses it and over
// tells to.
func copyingOver(over func(ctx context.Context, r ports.Records, restart bool) bool) func(full) full {
	return func(sound full) full {
		r := &replaced{full: sound}
		w := r.whole()
		w.beginCopy = func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
			importer, err := r.now().BeginCopy(ctx, origin, restart)
			if !errors.Is(err, ports.ErrNotEmpty) {
				return importer, err
			}
			if !over(ctx, currentRecords(ctx, r.now()), restart) {
				return importer, err
			}
			r.become(memstore.New())
			return r.now().BeginCopy(ctx, origin, restart)
		}
		return w
	}
}

// leavingOver puts back, when a copy is started over, a part of what it held.
func leavingOver(part func(all ports.Batch) ports.Batch) func(full) full {
	return func(sound full) full {
		return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
			var before ports.Batch
			if isUnfinished(ctx, sound) {
				found, err := contentsIn(ctx, currentRecords(ctx, sound))
				if err != nil {
					return nil, err
				}
				before = ports.Batch{
					Resellers: mapped(found.resellers, restored), Lines: mapped(found.lines, restoredLine),
					Tombstones: found.tombstones, Movements: found.movements, Keys: found.keys,
				}
			}
			importer, err := sound.BeginCopy(ctx, origin, restart)
			if err == nil {
				err = importer.Copy(ctx, part(before))
			}
			return importer, err
		}}
	}
}

func brokenCopies() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}

	const every, batched, live, names = "copies-hold-every-record", "copies-are-taken-in-one-batch", "copied-records-live-on", "copied-names-are-taken"
	add("forgets the last account of a batch", filteredCopy(func(b *ports.Batch) { b.Resellers = b.Resellers[:max(len(b.Resellers)-1, 0)] }), every, batched)
	add("forgets the last line of a batch", filteredCopy(func(b *ports.Batch) { b.Lines = b.Lines[:max(len(b.Lines)-1, 0)] }), every, batched)
	add("forgets the last tombstone of a batch", filteredCopy(func(b *ports.Batch) { b.Tombstones = b.Tombstones[:max(len(b.Tombstones)-1, 0)] }), every, batched)
	add("forgets the last movement of a batch", filteredCopy(func(b *ports.Batch) { b.Movements = b.Movements[:max(len(b.Movements)-1, 0)] }), every, batched)
	add("forgets the last key of a batch", filteredCopy(func(b *ports.Batch) { b.Keys = b.Keys[:max(len(b.Keys)-1, 0)] }), every, batched)
	add("forgets expired keys", filteredCopy(func(b *ports.Batch) {
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(k ports.KeyRecord) bool { return !k.Expires.After(noon) })
	}), every, batched)
	add("unblocks what it copies", filteredCopy(func(b *ports.Batch) {
		b.Resellers = slices.Clone(b.Resellers)
		for i, a := range b.Resellers {
			b.Resellers[i] = fixture.Changed(a, func(s *reseller.State) { s.Blocked = false })
		}
	}), every, batched)
	add("numbers lines anew", filteredCopy(func(b *ports.Batch) {
		b.Lines = slices.Clone(b.Lines)
		for i, l := range b.Lines {
			b.Lines[i] = fixture.ChangedLine(l, func(s *line.State) { s.ID += 5_000 })
		}
	}), every, batched)
	add("notes the time of the copy", filteredCopy(func(b *ports.Batch) {
		b.Lines = slices.Clone(b.Lines)
		for i, l := range b.Lines {
			b.Lines[i] = fixture.ChangedLine(l, func(s *line.State) { s.UpdatedAt = noon.Add(time.Hour) })
		}
	}), every, batched)
	add("copies one kind of a batch", filteredCopy(func(b *ports.Batch) {
		if len(b.Resellers) > 0 {
			b.Lines, b.Tombstones, b.Movements, b.Keys = nil, nil, nil, nil
		}
	}), batched)
	add("fails to copy nothing", by(patchedImporter, func(sound ports.Importer) ports.Importer {
		return taking{Importer: sound, copy: func(ctx context.Context, b ports.Batch) error {
			if len(b.Resellers)+len(b.Lines)+len(b.Movements)+len(b.Keys) == 0 {
				return errors.New("must provide at least one element")
			}
			return sound.Copy(ctx, b)
		}}
	}), batched)
	for operation, how := range map[string]string{
		resellerSave: "can't save an account that was copied", lineDelete: "can't delete a line that was copied", lineSave: "can't save a line that was copied",
	} {
		add(how, answering(operation, func(err error) error { return cmp.Or(err, errors.New("another version")) }), live)
	}
	add("does not list what is added to a copy", by(patchedView, func(s *ports.Snapshot) {
		s.Lines = lineListing{s.Lines, func(ctx context.Context, q ports.LineQuery, sound lineLister) (ports.LinePage, error) {
			page, err := sound(ctx, q)
			page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool { return l.State().Owner.ID > 100 })
			return page, err
		}}
	}), live)
	add("gives names of copied accounts again", answering(resellerInsert, instead(errTaken, nil)), names)
	add("gives names of copied lines again", answering(lineInsert, instead(errTaken, nil)), names)

	const own = "copied-records-stay-with-the-caller"
	var mu sync.Mutex
	sharing := func(how string, of func(kept *ports.Batch, r ports.Records) ports.Records) {
		add(how, func(sound full) full {
			kept := new(ports.Batch)
			w := patchedImporter(sound, func(sound ports.Importer) ports.Importer {
				return taking{Importer: sound, copy: func(ctx context.Context, b ports.Batch) error {
					mu.Lock()
					defer mu.Unlock()
					*kept = b
					return sound.Copy(ctx, b)
				}}
			})
			w.viewRecords = patchedRecords(sound, func(r ports.Records) ports.Records {
				mu.Lock()
				defer mu.Unlock()
				if kept.Keys != nil {
					r = of(kept, r)
				}
				return r
			}).viewRecords
			return w
		}, own)
	}
	sharing("keeps the slices of keys that were copied", func(kept *ports.Batch, r ports.Records) ports.Records {
		keys := slices.Clone(kept.Keys)
		return exporting{Records: r, keys: func(context.Context, int64, string, int, ports.Records) ([]ports.KeyRecord, error) { return keys, nil }}
	})
	sharing("keeps the slices of movements that were copied", func(kept *ports.Batch, r ports.Records) ports.Records {
		movements := make([]ports.Audited[credit.Movement], len(kept.Movements))
		for i, m := range kept.Movements {
			movements[i] = ports.Audited[credit.Movement]{ID: m.ID, Record: m}
		}
		return movementsAudited{r, movements}
	})

	const numbers, belongs, free = "copies-give-new-ids", "copies-belong-to-their-service-key", "copies-without-a-service-key-take-the-first"
	origin := func(how string, change func(o *ports.Origin), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, beginCopy: func(ctx context.Context, o ports.Origin, restart bool) (ports.Importer, error) {
				change(&o)
				return sound.BeginCopy(ctx, o, restart)
			}}
		}, checks...)
	}
	origin("starts ids of a copy anew", func(o *ports.Origin) { o.Next = firstIDs() }, numbers, "copies-are-started-over")
	origin("forgets since when deletions leave tombstones", func(o *ports.Origin) { o.TombstonesSince = time.Time{} },
		"copies-know-since-when-deletions-leave-tombstones", "unfinished-copies-stay-as-they-are")
	origin("leaves tombstones since whole seconds", func(o *ports.Origin) { o.TombstonesSince = o.TombstonesSince.Truncate(time.Second) },
		"copies-know-since-when-deletions-leave-tombstones")
	origin("goes on with the last id of the source", func(o *ports.Origin) {
		next := map[ports.Sequence]int64{}
		for of, id := range o.Next {
			next[of] = max(id-1, 1)
		}
		o.Next = next
	}, numbers)
	origin("takes ids of platforms for its own", func(o *ports.Origin) {
		next := firstIDs()
		for _, of := range []ports.Sequence{ports.ResellerIDs, ports.LineIDs, ports.MovementIDs} {
			next[of] = o.Next[of]
		}
		o.Next = next
	}, numbers)
	origin("forgets the service key", func(o *ports.Origin) { o.Fingerprint = "" }, belongs)
	origin("belongs to a service key of its own", func(o *ports.Origin) { o.Fingerprint = "own" }, belongs, free)
	origin("records that there is no service key", func(o *ports.Origin) { o.Fingerprint = cmp.Or(o.Fingerprint, "none") }, free)

	const refusing, excluding = "unfinished-copies-refuse-service-keys", "service-keys-and-copies-exclude-each-other"
	claiming := func(how string, claim func(ctx context.Context, fingerprint string, sound full) (string, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, claimKey: func(ctx context.Context, fingerprint string) (string, error) {
				return claim(ctx, fingerprint, sound)
			}}
		}, checks...)
	}
	claiming("gives the service key of an unfinished copy", func(ctx context.Context, fingerprint string, sound full) (string, error) {
		if isUnfinished(ctx, sound) {
			o, err := currentRecords(ctx, sound).Origin(ctx)
			return o.Fingerprint, err
		}
		return sound.ClaimKey(ctx, fingerprint)
	}, refusing)
	claiming("refuses a service key in a way of its own", func(ctx context.Context, fingerprint string, sound full) (string, error) {
		recorded, err := sound.ClaimKey(ctx, fingerprint)
		return recorded, instead(ports.ErrUnfinishedCopy, errors.New("unfinished"))(err)
	}, refusing)
	claiming("looks for an unfinished copy and then claims", func(ctx context.Context, fingerprint string, sound full) (string, error) {
		if isUnfinished(ctx, sound) {
			return "", ports.ErrUnfinishedCopy
		}
		time.Sleep(tick)
		recorded, err := sound.ClaimKey(ctx, fingerprint)
		if errors.Is(err, ports.ErrUnfinishedCopy) {
			return fingerprint, nil
		}
		return recorded, err
	}, excluding)
	add("is finished from the beginning", patchedExport(exporting{unfinished: func(context.Context, ports.Records) (bool, error) { return false, nil }}), refusing)
	add("is never finished", patchedExport(exporting{unfinished: func(context.Context, ports.Records) (bool, error) { return true, nil }}), refusing)
	add("finishes when it begins", func(sound full) full {
		return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
			importer, err := sound.BeginCopy(ctx, origin, restart)
			if err != nil {
				return nil, err
			}
			return taking{
				copy: func(ctx context.Context, b ports.Batch) error {
					return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
						for _, a := range b.Resellers {
							err = errors.Join(err, tx.Resellers.Insert(ctx, a))
						}
						return err
					})
				},
				finish: func(context.Context) error { return nil },
			}, importer.Finish(ctx)
		}}
	}, refusing)

	const one = "one-of-many-copies-begins"
	beginning := func(how string, begin func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
				return begin(ctx, origin, restart, sound)
			}}
		}, checks...)
	}
	beginning("looks for an unfinished copy and then begins", func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		if !restart && isUnfinished(ctx, sound) {
			return nil, ports.ErrUnfinishedCopy
		}
		time.Sleep(tick)
		return sound.BeginCopy(ctx, origin, true)
	}, one)
	beginning("begins no copy at all", func(context.Context, ports.Origin, bool, full) (ports.Importer, error) {
		return nil, ports.ErrUnfinishedCopy
	}, one)

	const never = "stores-are-never-copied-over"
	add("copies over anything with restart", copyingOver(func(_ context.Context, _ ports.Records, restart bool) bool { return restart }), never)
	add("copies over anything without restart", copyingOver(func(_ context.Context, _ ports.Records, restart bool) bool { return !restart }), never)
	add("takes a store without accounts for empty", copyingOver(func(ctx context.Context, r ports.Records, _ bool) bool {
		some, err := r.Resellers(ctx, 0, 1)
		return err == nil && len(some) == 0
	}), never)
	add("takes a store without a service key for empty", copyingOver(func(ctx context.Context, r ports.Records, _ bool) bool {
		o, err := r.Origin(ctx)
		return err == nil && o.Fingerprint == ""
	}), never)
	add("takes a store without a record for empty", copyingOver(func(ctx context.Context, r ports.Records, _ bool) bool {
		found, err := contentsIn(ctx, r)
		return err == nil && len(found.resellers)+len(found.lines)+len(found.movements)+len(found.keys) == 0
	}), never)
	add("takes a store that gave other ids for empty", copyingOver(func(ctx context.Context, r ports.Records, _ bool) bool {
		o, err := r.Origin(ctx)
		found, failed := contentsIn(ctx, r)
		return err == nil && failed == nil && o.Next[ports.ResellerIDs] == 1 && o.Fingerprint == "" && len(found.resellers)+len(found.keys) == 0
	}), never)
	beginning("takes any store for an unfinished copy", func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		importer, err := sound.BeginCopy(ctx, origin, restart)
		return importer, instead(ports.ErrNotEmpty, ports.ErrUnfinishedCopy)(err)
	}, never)

	const stay, over = "unfinished-copies-stay-as-they-are", "copies-are-started-over"
	beginning("starts over whatever it is told", func(ctx context.Context, origin ports.Origin, _ bool, sound full) (ports.Importer, error) {
		return sound.BeginCopy(ctx, origin, true)
	}, stay, one)
	beginning("starts over and says that it did not", func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		importer, err := sound.BeginCopy(ctx, origin, restart)
		if errors.Is(err, ports.ErrUnfinishedCopy) {
			_, failed := sound.BeginCopy(ctx, origin, true)
			err = errors.Join(err, failed)
		}
		return importer, err
	}, stay)
	beginning("never starts over", func(ctx context.Context, origin ports.Origin, _ bool, sound full) (ports.Importer, error) {
		return sound.BeginCopy(ctx, origin, false)
	}, over)
	beginning("restarts nothing but what was begun", func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		if restart && !isUnfinished(ctx, sound) {
			return nil, errors.New("there is no copy")
		}
		return sound.BeginCopy(ctx, origin, restart)
	}, over)
	for kind, part := range map[string]func(all ports.Batch) ports.Batch{
		"accounts":   func(all ports.Batch) ports.Batch { return ports.Batch{Resellers: all.Resellers} },
		"tombstones": func(all ports.Batch) ports.Batch { return ports.Batch{Tombstones: all.Tombstones} },
		"lines":      func(all ports.Batch) ports.Batch { return ports.Batch{Lines: all.Lines} },
		"movements":  func(all ports.Batch) ports.Batch { return ports.Batch{Movements: all.Movements} },
		"keys":       func(all ports.Batch) ports.Batch { return ports.Batch{Keys: all.Keys} },
	} {
		add("leaves "+kind+" where a copy starts over", leavingOver(part), over)
	}
	add("keeps the origin where a copy starts over", func(sound full) full {
		var first atomic.Pointer[ports.Origin]
		return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
			first.CompareAndSwap(nil, &origin)
			return sound.BeginCopy(ctx, *first.Load(), restart)
		}}
	}, over)

	const ends = "importers-end-with-their-copy"
	add("fills a copy from an importer of an earlier one", func(sound full) full {
		var latest atomic.Pointer[ports.Importer]
		return patchedImporter(sound, func(sound ports.Importer) ports.Importer {
			latest.Store(&sound)
			return taking{Importer: sound, copy: func(ctx context.Context, b ports.Batch) error { return (*latest.Load()).Copy(ctx, b) }}
		})
	}, ends)
	add("finishes a copy from an importer of an earlier one", func(sound full) full {
		var latest atomic.Pointer[ports.Importer]
		return patchedImporter(sound, func(sound ports.Importer) ports.Importer {
			latest.Store(&sound)
			return taking{Importer: sound, finish: func(ctx context.Context) error { return (*latest.Load()).Finish(ctx) }}
		})
	}, ends)
	silent := instead(ports.ErrCopyEnded, nil)
	add("says nothing of an importer that has ended", by(patchedImporter, func(sound ports.Importer) ports.Importer {
		return taking{
			copy:   func(ctx context.Context, b ports.Batch) error { return silent(sound.Copy(ctx, b)) },
			finish: func(ctx context.Context) error { return silent(sound.Finish(ctx)) },
		}
	}), ends)
	add("copies into what was finished", func(sound full) full {
		return patchedImporter(sound, func(importer ports.Importer) ports.Importer {
			done := false
			return taking{Importer: importer, copy: func(ctx context.Context, b ports.Batch) error {
				if !done {
					return importer.Copy(ctx, b)
				}
				return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) (err error) {
					for _, k := range b.Keys {
						err = errors.Join(err, tx.Keys.Put(ctx, k))
					}
					return err
				})
			}, finish: func(ctx context.Context) error {
				err := importer.Finish(ctx)
				done = done || err == nil
				return err
			}}
		})
	}, ends)

	add("reads what is newest in a view of a copy", func(sound full) full {
		return patchedRecords(sound, func(r ports.Records) ports.Records {
			return exporting{Records: r, keys: func(ctx context.Context, reseller int64, key string, limit int, _ ports.Records) ([]ports.KeyRecord, error) {
				return currentRecords(ctx, sound).KeyRecords(ctx, reseller, key, limit)
			}}
		})
	}, "views-of-copies-are-snapshots")

	const closed = "closed-copies-are-unavailable"
	worded := instead(ports.ErrUnavailable, errors.New("closed"))
	beginning("begins copies after its end", func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		importer, err := sound.BeginCopy(ctx, origin, restart)
		return importer, worded(err)
	}, closed)
	add("copies after its end", by(patchedImporter, func(sound ports.Importer) ports.Importer {
		return taking{Importer: sound, copy: func(ctx context.Context, b ports.Batch) error { return worded(sound.Copy(ctx, b)) }}
	}), closed)
	add("finishes after its end", by(patchedImporter, func(sound ports.Importer) ports.Importer {
		return taking{Importer: sound, finish: func(ctx context.Context) error { return worded(sound.Finish(ctx)) }}
	}), closed)

	const unfinishedAgain, finishedAgain = "unfinished-copies-survive-reopening", "finished-copies-survive-reopening"
	reopening := func(how string, change func(again *wrapped, empty full), checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: process, reopen: func(old full) full {
			again := reopened(old).(*wrapped)
			change(again, memstore.New())
			return again
		}})
	}
	reopening("forgets copied records with the process", func(again *wrapped, empty full) {
		again.view, again.viewRecords, again.update = empty.View, empty.ViewRecords, unhinted(empty)
	}, unfinishedAgain, finishedAgain)
	reopening("forgets the service key of a copy with the process", func(again *wrapped, empty full) { again.claimKey = empty.ClaimKey }, unfinishedAgain, finishedAgain)
	reopening("forgets the sequences of a copy with the process", func(again *wrapped, empty full) { again.nextID = empty.NextID }, finishedAgain)
	reopening("forgets with the process that a copy is there", func(again *wrapped, empty full) { again.beginCopy = empty.BeginCopy }, unfinishedAgain, finishedAgain)
	unfinished := func(is bool) func(again *wrapped, _ full) {
		return func(again *wrapped, _ full) {
			again.viewRecords = patchedExport(exporting{unfinished: func(context.Context, ports.Records) (bool, error) { return is, nil }})(again.full).(*wrapped).viewRecords
		}
	}
	reopening("forgets with the process that a copy is unfinished", unfinished(false), unfinishedAgain)
	reopening("forgets with the process that a copy is finished", unfinished(true), finishedAgain)
	return all
}

// movementsAudited shows the very movements that somebody holds.
type movementsAudited struct {
	ports.Records
	held []ports.Audited[credit.Movement]
}

func (m movementsAudited) Movements(context.Context, int64, int) ([]ports.Audited[credit.Movement], error) {
	return m.held, nil
}

func utf16Of(text string) []uint16 { return utf16.Encode([]rune(text)) }

func brokenExports() (all []broken) {
	keys := func(how string, page func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error)) {
		all = append(all, broken{how: how, caught: caughtBy("exports-show-every-key"), sabotage: patchedExport(exporting{keys: page})})
	}
	whole := func(ctx context.Context, sound ports.Records) ([]ports.KeyRecord, error) {
		return sound.KeyRecords(ctx, 0, "", 100_000)
	}
	keys("exports from the beginning on every page", func(ctx context.Context, _ int64, _ string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		return sound.KeyRecords(ctx, 0, "", limit)
	})
	keys("exports one key too many", func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		return sound.KeyRecords(ctx, reseller, key, limit+1)
	})
	keys("exports full pages only", func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		page, err := sound.KeyRecords(ctx, reseller, key, limit)
		if len(page) < limit {
			return nil, err
		}
		return page, err
	})
	keys("exports the next account's keys only", func(ctx context.Context, reseller int64, _ string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		return sound.KeyRecords(ctx, reseller, "\U0010ffff", limit)
	})
	keys("exports keys after this one of every account", func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		page, err := whole(ctx, sound)
		page = slices.DeleteFunc(page, func(k ports.KeyRecord) bool { return k.Reseller < reseller || k.Key <= key })
		return page[:min(limit, len(page))], err
	})
	keys("needs the key that it exports after", func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		page, err := whole(ctx, sound)
		at := slices.IndexFunc(page, func(k ports.KeyRecord) bool { return k.Reseller == reseller && k.Key == key })
		if at < 0 && reseller > 0 {
			return nil, err
		}
		page = page[at+1:]
		return page[:min(limit, len(page))], err
	})
	keys("exports no expired keys", func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
		page, err := whole(ctx, sound)
		page = slices.DeleteFunc(page, func(k ports.KeyRecord) bool {
			return compareKeys(k, ports.KeyRecord{Reseller: reseller, Key: key}) <= 0 || !k.Expires.After(noon)
		})
		return page[:min(limit, len(page))], err
	})
	ordered := func(how string, order func(a, b ports.KeyRecord) int) {
		keys(how, func(ctx context.Context, reseller int64, key string, limit int, sound ports.Records) ([]ports.KeyRecord, error) {
			page, err := whole(ctx, sound)
			slices.SortFunc(page, order)
			page = slices.DeleteFunc(page, func(k ports.KeyRecord) bool { return order(k, ports.KeyRecord{Reseller: reseller, Key: key}) <= 0 })
			return page[:min(limit, len(page))], err
		})
	}
	ordered("exports in the order of keys", func(a, b ports.KeyRecord) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Reseller, b.Reseller))
	})
	ordered("exports keys without their case", func(a, b ports.KeyRecord) int {
		return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), strings.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key)))
	})
	ordered("exports keys in the order of UTF-16", func(a, b ports.KeyRecord) int {
		return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), slices.Compare(utf16Of(a.Key), utf16Of(b.Key)))
	})
	ordered("exports the newest account first", func(a, b ports.KeyRecord) int {
		return cmp.Or(cmp.Compare(b.Reseller, a.Reseller), strings.Compare(a.Key, b.Key))
	})

	origin := func(how string, change func(o *ports.Origin)) {
		all = append(all, broken{how: how, caught: caughtBy("exports-tell-the-origin"), sabotage: patchedExport(exporting{origin: func(ctx context.Context, sound ports.Records) (ports.Origin, error) {
			o, err := sound.Origin(ctx)
			change(&o)
			return o, err
		}})})
	}
	origin("tells the last id for the next", func(o *ports.Origin) {
		for of := range o.Next {
			o.Next[of]--
		}
	})
	origin("tells the next ids of an empty store", func(o *ports.Origin) { o.Next = firstIDs() })
	origin("tells of no platform", func(o *ports.Origin) { delete(o.Next, ports.PlatformIDs) })
	origin("tells no service key", func(o *ports.Origin) { o.Fingerprint = "" })
	origin("tells a service key that nobody claimed", func(o *ports.Origin) { o.Fingerprint = cmp.Or(o.Fingerprint, "none") })
	return append(all, broken{how: "claims a service key to tell it", caught: caughtBy("exports-tell-the-origin"), sabotage: func(sound full) full {
		return patchedRecords(sound, func(r ports.Records) ports.Records {
			return exporting{Records: r, origin: func(ctx context.Context, export ports.Records) (ports.Origin, error) {
				o, err := export.Origin(ctx)
				_, failed := sound.ClaimKey(ctx, "told")
				return o, errors.Join(err, failed)
			}}
		})
	}})
}
