package archive

import (
	"cmp"
	"context"
	"math"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// derived is a list with the statements that remove an entry from it and add one.
type derived struct {
	name        string
	remove, add *engine.Statement
	// changes returns the parameters of the entries to remove and to add.
	changes func(audit, context.Context) (removed, added []engine.Args, err error)
}

var derivedLists = []derived{
	selected("account_lists", "list, account", "due.value, a.id", "accounts AS a, json_each("+resellerLists+") AS due"),
	selected("line_ids", "scope, line", "due.value, l.id", linesDue),
	selected("line_expiries", "scope, expiry, line", "due.value, l.expires_at, l.id", linesDue),
	byRow("journal_lists", "list = :list AND id = :id AND seq = :seq", "list, id, seq", audit.listChanges),
	byRow("record_index", "entry = :entry", "entry, key", audit.indexChanges),
	byRow("journal_figures", "account = :account AND day = :day", rows.FiguresColumns, audit.figuresChanges),
}

const linesDue = "lines AS l, json_each(" + lineLists + ") AS due"

// selected is a list whose rows one query selects from the records.
func selected(table, columns, row, from string) derived {
	return derived{
		table,
		engine.Write("repair "+table+": remove", "DELETE FROM "+table+" WHERE NOT EXISTS (SELECT 1 FROM "+from+
			" WHERE ("+row+") = ("+columns+"))"),
		engine.Write("repair "+table+": add", "INSERT INTO "+table+" ("+columns+") SELECT "+row+" FROM "+from+
			" WHERE due.type = 'integer' ON CONFLICT DO NOTHING"),
		func(audit, context.Context) (removed, added []engine.Args, err error) {
			return []engine.Args{nil}, []engine.Args{nil}, nil // each statement once
		},
	}
}

// byRow is a list whose rows this program computes.
func byRow(table, row, columns string,
	changes func(audit, context.Context) (removed, added []engine.Args, err error)) derived {
	return derived{table, engine.Write("repair "+table+": remove", "DELETE FROM "+table+" WHERE "+row),
		engine.Write("repair "+table+": add", engine.InsertInto(table, columns)), changes}
}

// RepairLists implements ports.ListRepair in a transaction, which is undone if it fails.
func RepairLists(ctx context.Context, q *engine.Tx) (repaired []ports.RepairedList, err error) {
	for _, l := range derivedLists {
		removed, added, err1 := l.changes(audit{Tx: q, seen: newSeen()}, ctx)
		lost, err2 := runEach(ctx, q, l.remove, removed)
		entered, err3 := runEach(ctx, q, l.add, added)
		if err := cmp.Or(err1, err2, err3); err != nil {
			return nil, err
		}
		if lost+entered > 0 {
			repaired = append(repaired, ports.RepairedList{List: l.name, Added: entered, Removed: lost})
		}
	}
	return repaired, nil
}

// runEach runs a statement with each of these parameters, and returns how many rows it changed.
func runEach(ctx context.Context, q *engine.Tx, n *engine.Statement, all []engine.Args) (changed int64, err error) {
	for _, args := range all {
		rows, err := q.Exec(ctx, n, args)
		if err != nil {
			return 0, err
		}
		changed += rows
	}
	return changed, nil
}

func (a audit) listChanges(ctx context.Context) (removed, added []engine.Args, err error) {
	lacking, strays, err := a.listDifferences(ctx)
	for _, l := range strays {
		removed = append(removed, l.row())
	}
	for _, l := range lacking {
		added = append(added, l.row())
	}
	return removed, added, err
}

func (a audit) indexChanges(ctx context.Context) (removed, added []engine.Args, err error) {
	strays, missing, err := storekit.IndexRepairs(ctx, exporter{a.Tx})
	for _, entry := range strays {
		removed = append(removed, engine.Args{engine.Text("entry", entry)})
	}
	for entry, key := range missing {
		added = append(added, engine.Args{engine.Text("entry", entry), engine.Text("key", key)})
	}
	return removed, added, err
}

// figuresChanges returns nothing if the journal is damaged, because the right figures are then unknown.
func (a audit) figuresChanges(ctx context.Context) (removed, added []engine.Args, err error) {
	_, last, err := rows.Ends(ctx, a.Tx)
	if err != nil {
		return nil, nil, err
	}
	type place struct{ account, day int64 }
	due := map[place]journal.Figures{}
	err = storekit.EachEntry(ctx, a.Entries, last, func(n *journal.Numbered) {
		for _, c := range rows.AppendCounted(nil, n) {
			at := place{c.Account, c.Day}
			due[at] = due[at].Plus(c.Figures)
		}
	})
	if err != nil {
		return nil, nil, unlessDamaged(err)
	}
	all := engine.Args{engine.Integer("account", math.MinInt64), engine.Integer("day", 0), engine.Integer("limit", -1)}
	err = a.Rows(ctx, auditFigures, all, func(r *engine.Row) error {
		c, err := rows.Figures(r)
		at := place{c.Account, c.Day}
		if f, is := due[at]; is && f.Equal(c.Figures) {
			delete(due, at)
		} else {
			removed = append(removed, engine.Args{engine.Integer("account", c.Account), engine.Integer("day", c.Day)})
		}
		return err
	})
	for at, f := range due {
		row := rows.OfFigures(&rows.Counted{Account: at.account, Day: at.day, Figures: f})
		added = append(added, row[:])
	}
	return removed, added, err
}
