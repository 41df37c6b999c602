package archive

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// Entries implements ports.Records.
func (a audit) Entries(ctx context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error) {
	return audited(ctx, a, auditEntries, rows.Numbered, after, pageOf(after, limit))
}

// Head implements ports.Records.
func (a audit) Head(ctx context.Context) (journal.Head, error) { return rows.Head(ctx, a.Tx) }

// Figures implements ports.Records. It adds the figures of the latest entries, which are in no row yet.
func (a audit) Figures(ctx context.Context, account int64, day time.Time,
	limit int) (page []ports.DayFigures, err error) {
	after := rows.Counted{Account: account, Day: rows.DayOf(day)}
	_, listed, err := rows.Ends(ctx, a.Tx)
	if err != nil {
		return nil, err
	}
	var all []rows.Counted
	err = rows.Tail(ctx, a.Tx, listed.Seq, func(n *journal.Numbered) { all = rows.AppendCounted(all, n) })
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c rows.Counted) bool { return c.Compare(after) <= 0 })
	// SQLite takes a negative limit for none
	from := engine.Args{engine.Integer("account", account), engine.Integer("day", after.Day),
		engine.Integer("limit", max(limit, 0))}
	err = a.Rows(ctx, auditFigures, from, func(r *engine.Row) error {
		f, err := rows.Figures(r)
		all = append(all, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	for f := range rows.Sums(all) {
		if len(page) == limit {
			break
		}
		page = append(page, f.DayFigures())
	}
	return page, nil
}

// listed is an entry of the journal in a list.
type listed struct {
	storekit.EventList

	seq int64
}

// journalled reports whether the lists of the journal contain exactly the entries that they should, each once. It
// compares sums, as for lists of lines.
func (a audit) journalled(ctx context.Context) (bool, error) {
	var lists, due entrySum
	seed := maphash.MakeSeed()
	_, last, err := rows.Ends(ctx, a.Tx)
	if err != nil {
		return false, err
	}
	err = a.Rows(ctx, allEntries, nil, func(r *engine.Row) error {
		n, err := rows.Numbered(r)
		if err != nil {
			return errUnsound
		}
		for _, list := range listsOf(&n, last) {
			due.add(maphash.Comparable(seed, listed{list, n.Seq}))
		}
		return nil
	})
	if err == nil {
		err = a.Rows(ctx, listedEntries, nil, func(r *engine.Row) error {
			l := listedOf(r)
			lists.add(maphash.Comparable(seed, l))
			return r.Err()
		})
	}
	if errors.Is(err, errUnsound) {
		return false, nil
	}
	return lists == due, err
}

// listsOf returns the lists that contain an entry, none if it is after the last listed one.
func listsOf(n *journal.Numbered, last journal.Head) []storekit.EventList {
	if n.Seq > last.Seq {
		return nil
	}
	return rows.EventLists(&n.Entry)
}

func listedOf(r *engine.Row) listed {
	list, id := storekit.EventListOf(r.Integer()), r.Integer()
	return listed{storekit.EventList{Of: list, ID: id}, r.Integer()}
}

func (l listed) row() engine.Args {
	return engine.Args{engine.Integer("list", int(l.Of)), engine.Integer("id", l.ID), engine.Integer("seq", l.seq)}
}

// listDifferences returns the entries of the journal that a list lacks, and those that are in a wrong list. The lists
// of a damaged entry are unknown.
func (a audit) listDifferences(ctx context.Context) (lacking, strays []listed, err error) {
	_, last, err := rows.Ends(ctx, a.Tx)
	if err != nil {
		return nil, nil, err
	}
	err = a.Rows(ctx, allEntries, nil, func(r *engine.Row) error {
		n, err := rows.Numbered(r)
		if err != nil {
			return unlessDamaged(err)
		}
		for _, list := range listsOf(&n, last) {
			l := listed{list, n.Seq}
			err := a.Row(ctx, isListed, l.row(), func(*engine.Row) {})
			if errors.Is(err, fault.ErrNotFound) {
				lacking, err = append(lacking, l), nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = a.Rows(ctx, listedEntries, nil, func(r *engine.Row) error {
		l := listedOf(r)
		if r.Err() != nil {
			return r.Err()
		}
		n, err := engine.One(ctx, a.Tx, rows.GetEntry, engine.Args{engine.Integer("id", l.seq)}, rows.Numbered)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return unlessDamaged(err)
		}
		if err != nil || !slices.Contains(listsOf(&n, last), l.EventList) {
			strays = append(strays, l)
		}
		return nil
	})
	return lacking, strays, err
}

func unlessDamaged(err error) error {
	if errors.Is(err, storekit.ErrDamaged) {
		return nil
	}
	return err
}
