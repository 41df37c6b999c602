package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// beginning is a store that begins copies in a way of its own.
func beginning(begin func(ctx context.Context, origin ports.Origin, restart bool,
	sound full) (ports.Importer, error)) func(full) full {
	return func(sound full) full {
		return &wrapped{full: sound,
			beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
				return begin(ctx, origin, restart, sound)
			}}
	}
}

// originating is a store that takes over another origin.
func originating(change func(o *ports.Origin)) func(full) full {
	return beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
		change(&origin)
		return sound.BeginCopy(ctx, origin, restart)
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
		return &wrapped{full: sound,
			beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
				var before ports.Batch
				if isUnfinished(ctx, sound) {
					found, err := contentsIn(ctx, currentRecords(ctx, sound))
					if err != nil {
						return nil, err
					}
					before = ports.Batch{
						Resellers: mapped(found.resellers, restored), Lines: mapped(found.lines, restoredLine),
						Tombstones: found.tombstones, Movements: found.movements, Keys: found.keys,
						Entries: found.entries,
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
	batches := func(how string, change func(b *ports.Batch), checks ...string) {
		all = append(all, ways{how: asks(change)}.of(copyBatch, checks...)...)
	}

	const every, batched, live, names = "copies-hold-every-record", "copies-are-taken-in-one-batch",
		"copied-records-live-on", "copied-names-are-taken"
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ports.Batch]()) {
		batches("forgets the last of "+f.Name, func(b *ports.Batch) {
			if of := reflect.ValueOf(b).Elem().FieldByIndex(f.Index); of.Len() > 0 {
				of.Set(of.Slice(0, of.Len()-1))
			}
		}, map[bool][]string{true: {"copies-have-records-of-copied-kinds"}, false: {every, batched}}[f.Name == "Kinds"]...)
	}
	batches("forgets expired keys", func(b *ports.Batch) {
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(k ports.KeyRecord) bool { return !k.Expires.After(noon) })
	}, every, batched)
	batches("unblocks what it copies", func(b *ports.Batch) {
		b.Resellers = mapped(b.Resellers, func(r *reseller.Reseller) *reseller.Reseller {
			return fixture.Changed(r, func(s *reseller.State) { s.Blocked, s.Block = false, reseller.Block{} })
		})
	}, every, batched)
	batches("notes the time of the copy", func(b *ports.Batch) {
		b.Lines = mapped(b.Lines, func(l *line.Line) *line.Line {
			return fixture.ChangedLine(l, func(s *line.State) { s.UpdatedAt = noon.Add(time.Hour) })
		})
	}, every, batched)
	batches("copies one kind of a batch", func(b *ports.Batch) {
		if len(b.Resellers) > 0 {
			b.Lines, b.Tombstones, b.Movements, b.Keys, b.Entries = nil, nil, nil, nil, nil
		}
	}, batched)
	all = append(all, ways{"fails for nothing": func(c *call) error {
		if b := valueOf[ports.Batch](c); len(b.Resellers)+len(b.Lines)+len(b.Movements)+len(b.Keys)+len(b.Entries) == 0 {
			return errors.New("must provide at least one element")
		}
		return c.sound()
	}}.of(copyBatch, batched)...)
	for _, operation := range []string{resellerSave, lineSave, lineDelete} {
		add("does not "+operation+" that was copied", answering(operation, func(err error) error {
			return cmp.Or(err, errors.New("another version"))
		}), live)
	}
	all = append(all, ways{"shows nothing that is added to a copy": answers(func(page *ports.LinePage) {
		page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool { return l.State().Owner.ID > 100 })
	})}.of(lineList, live)...)
	add("gives names of copied accounts again", answering(resellerInsert, instead(errTaken, nil)), names)
	add("gives names of copied lines again", answering(lineInsert, instead(errTaken, nil)), names)
	sharing := func(how string, shows func(c *call, copied ports.Batch)) {
		add(how, func(sound full) full {
			var copied ports.Batch
			return meddling(func(c *call) error {
				err := c.sound()
				if c.method == copyBatch {
					copied = *valueOf[ports.Batch](c)
				} else if copied.Keys != nil {
					shows(c, copied)
				}
				return err
			})(sound)
		}, "copied-records-stay-with-the-caller")
	}
	sharing("keeps the slices of keys that were copied", func(c *call, copied ports.Batch) {
		if c.method == auditedKeys {
			*valueOf[[]ports.KeyRecord](c) = slices.Clone(copied.Keys)
		}
	})
	sharing("keeps the slices of movements that were copied", func(c *call, copied ports.Batch) {
		if c.method == auditedMovements {
			*valueOf[[]ports.Audited[credit.Movement]](c) = mapped(copied.Movements,
				func(m credit.Movement) ports.Audited[credit.Movement] {
					return ports.Audited[credit.Movement]{ID: m.ID, Record: m}
				})
		}
	})

	sharing("keeps the slices of entries that were copied", func(c *call, copied ports.Batch) {
		if c.method == auditedEntries {
			*valueOf[[]ports.Audited[journal.Numbered]](c) = mapped(copied.Entries,
				func(n journal.Numbered) ports.Audited[journal.Numbered] {
					return ports.Audited[journal.Numbered]{ID: n.Seq, Record: n}
				})
		}
	})

	const numbers, belongs, free = "copies-give-new-ids", "copies-belong-to-their-service-key",
		"copies-without-a-service-key-take-the-first"
	add("starts ids of a copy from the first", originating(func(o *ports.Origin) { o.Next = firstIDs() }), numbers,
		"copies-are-started-over")
	add("goes on with the last ids of the source", originating(func(o *ports.Origin) {
		o.Next = maps.Clone(o.Next)
		for of, next := range o.Next {
			o.Next[of] = max(next-1, 1)
		}
	}), numbers)
	add("forgets the service key", originating(func(o *ports.Origin) { o.Fingerprint = "" }), belongs)
	add("belongs to a service key of its own", originating(func(o *ports.Origin) { o.Fingerprint = "own" }), belongs, free)

	const refusing, excluding = "unfinished-copies-refuse-service-keys", "service-keys-and-copies-exclude-each-other"
	claiming := func(how string, claim func(ctx context.Context, fingerprint string, sound full) (string, error),
		checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, claimKey: func(ctx context.Context, fingerprint string) (string, error) {
				return claim(ctx, fingerprint, sound)
			}}
		}, checks...)
	}
	claiming("gives the service key of an unfinished copy",
		func(ctx context.Context, fingerprint string, sound full) (string, error) {
			if isUnfinished(ctx, sound) {
				o, err := currentRecords(ctx, sound).Origin(ctx)
				return o.Fingerprint, err
			}
			return sound.ClaimKey(ctx, fingerprint)
		}, refusing)
	claiming("refuses a service key in a way of its own",
		func(ctx context.Context, fingerprint string, sound full) (string, error) {
			recorded, err := sound.ClaimKey(ctx, fingerprint)
			return recorded, instead(ports.ErrUnfinishedCopy, errors.New("unfinished"))(err)
		}, refusing)
	claiming("looks for an unfinished copy and then claims",
		func(ctx context.Context, fingerprint string, sound full) (string, error) {
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
	for _, is := range []bool{false, true} {
		all = append(all,
			ways{map[bool]string{true: "is never finished", false: "is finished from the beginning"}[is]: answers(
				func(unfinished *bool) { *unfinished = is })}.
				of(copyUnfinished, refusing)...)
	}

	const one = "one-of-many-copies-begins"
	add("looks for an unfinished copy and then begins",
		beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
			if !restart && isUnfinished(ctx, sound) {
				return nil, ports.ErrUnfinishedCopy
			}
			time.Sleep(tick)
			return sound.BeginCopy(ctx, origin, true)
		}), one)
	add("begins no copy at all", beginning(func(context.Context, ports.Origin, bool, full) (ports.Importer, error) {
		return nil, ports.ErrUnfinishedCopy
	}), one)

	const never = "stores-are-never-copied-over"
	for how, over := range map[string]func(ctx context.Context, r ports.Records, restart bool) bool{
		"whatever it holds, with restart":    func(_ context.Context, _ ports.Records, restart bool) bool { return restart },
		"whatever it holds, without restart": func(_ context.Context, _ ports.Records, restart bool) bool { return !restart },
		"without a service key": func(ctx context.Context, r ports.Records, _ bool) bool {
			o, err := r.Origin(ctx)
			return err == nil && o.Fingerprint == ""
		},
		"without a record": func(ctx context.Context, r ports.Records, _ bool) bool {
			found, err := contentsIn(ctx, r)
			return err == nil && len(found.resellers)+len(found.lines)+len(found.movements)+len(found.keys)+
				len(found.entries) == 0
		},
		"without anything but a journal": func(ctx context.Context, r ports.Records, _ bool) bool {
			found, err := contentsIn(ctx, r)
			return err == nil && len(found.entries) > 0 && len(found.resellers)+len(found.lines)+len(found.movements)+
				len(found.keys) == 0
		},
		"that gave other ids": func(ctx context.Context, r ports.Records, _ bool) bool {
			o, err := r.Origin(ctx)
			found, failed := contentsIn(ctx, r)
			return err == nil && failed == nil && o.Next[ports.ResellerIDs] == 1 && o.Fingerprint == "" && len(found.resellers)+
				len(found.keys) == 0
		},
	} {
		add("takes a store for empty "+how, copyingOver(over), never)
	}
	add("takes any store for an unfinished copy",
		beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
			importer, err := sound.BeginCopy(ctx, origin, restart)
			return importer, instead(ports.ErrNotEmpty, ports.ErrUnfinishedCopy)(err)
		}), never)

	const stay, over = "unfinished-copies-stay-as-they-are", "copies-are-started-over"
	add("starts over whatever it is told",
		beginning(func(ctx context.Context, origin ports.Origin, _ bool, sound full) (ports.Importer, error) {
			return sound.BeginCopy(ctx, origin, true)
		}), stay, one)
	add("starts over and says that it did not",
		beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
			importer, err := sound.BeginCopy(ctx, origin, restart)
			if errors.Is(err, ports.ErrUnfinishedCopy) {
				_, failed := sound.BeginCopy(ctx, origin, true)
				err = errors.Join(err, failed)
			}
			return importer, err
		}), stay)
	add("never starts over",
		beginning(func(ctx context.Context, origin ports.Origin, _ bool, sound full) (ports.Importer, error) {
			return sound.BeginCopy(ctx, origin, false)
		}), over)
	add("restarts nothing but what was begun",
		beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
			if restart && !isUnfinished(ctx, sound) {
				return nil, errors.New("there is no copy")
			}
			return sound.BeginCopy(ctx, origin, restart)
		}), over)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ports.Batch]()) {
		if f.Name == "Kinds" {
			continue // of which what begins a copy leaves all or nothing
		}
		add("leaves "+f.Name+" where a copy starts over", leavingOver(func(all ports.Batch) (part ports.Batch) {
			reflect.ValueOf(&part).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(all).FieldByIndex(f.Index))
			return part
		}), over)
	}
	add("keeps the origin where a copy starts over", func(sound full) full {
		var first atomic.Pointer[ports.Origin]
		return originating(func(o *ports.Origin) {
			was := *o
			first.CompareAndSwap(nil, &was)
			*o = *first.Load()
		})(sound)
	}, over)

	const ends = "importers-end-with-their-copy"
	for _, method := range []string{copyBatch, finishCopy} {
		add("lets an importer of an earlier copy "+method, func(sound full) full {
			var latest atomic.Pointer[ports.Importer]
			return beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
				importer, err := sound.BeginCopy(ctx, origin, restart)
				if err == nil {
					latest.Store(&importer)
				}
				return copying{importer, sound, func(c *call) error {
					switch {
					case c.method != method:
						return c.sound()
					case method == copyBatch:
						return (*latest.Load()).Copy(c.ctx, *valueOf[ports.Batch](c))
					}
					return (*latest.Load()).Finish(c.ctx)
				}}, err
			})(sound)
		}, ends)
		add("says nothing of an importer that has ended: "+method, answering(method, instead(ports.ErrCopyEnded, nil)), ends)
		add("has an error of its own after its end: "+method,
			answering(method, instead(ports.ErrUnavailable, errors.New("closed"))), "closed-copies-are-unavailable")
	}
	add("begins copies after its end",
		beginning(func(ctx context.Context, origin ports.Origin, restart bool, sound full) (ports.Importer, error) {
			importer, err := sound.BeginCopy(ctx, origin, restart)
			return importer, instead(ports.ErrUnavailable, errors.New("closed"))(err)
		}), "closed-copies-are-unavailable")
	all = append(all, ways{"reads what is newest in a view of a copy": func(c *call) error { return c.newest() }}.of(
		auditedKeys, "views-of-copies-are-snapshots")...)

	const unfinishedAgain, finishedAgain = "unfinished-copies-survive-reopening", "finished-copies-survive-reopening"
	reopening := func(how string, change func(again *wrapped, empty full), checks ...string) {
		all = append(all, broken{how: how + " with the process", caught: checks, sabotage: process,
			reopen: func(old full) full {
				again := reopened(old).(*wrapped)
				change(again, memstore.New())
				return again
			}})
	}
	reopening("forgets copied records", func(again *wrapped, empty full) {
		again.view, again.viewRecords, again.update = empty.View, empty.ViewRecords, unhinted(empty)
	}, unfinishedAgain, finishedAgain)
	reopening("forgets the service key of a copy", func(again *wrapped, empty full) { again.claimKey = empty.ClaimKey },
		unfinishedAgain, finishedAgain)
	reopening("forgets that a copy is there", func(again *wrapped, empty full) {
		again.beginCopy = empty.BeginCopy
	}, unfinishedAgain, finishedAgain)
	for _, is := range []bool{false, true} {
		all = append(all, broken{how: fmt.Sprintf("says with another process that a copy is unfinished: %t", is),
			sabotage: process,
			reopen: func(old full) full {
				return breaking(copyUnfinished, answers(func(unfinished *bool) { *unfinished = is }))(reopened(old))
			},
			caught: caughtBy(map[bool]string{false: unfinishedAgain, true: finishedAgain}[is])})
	}
	return all
}
