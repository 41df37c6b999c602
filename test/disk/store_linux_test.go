package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/application/audit"
)

// database is the name of the store's file in each folder.
const database = "resellerd.db"

// lay writes files into a new folder below a parent.
func lay(parent string, files map[string][]byte) (folder string, err error) {
	if folder, err = os.MkdirTemp(parent, "disk-*"); err != nil {
		return "", err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return "", errors.Join(err, os.RemoveAll(folder))
		}
	}
	return folder, nil
}

// reader is a connection that looks into the file of a store past the store.
type reader struct{ *sqlite.Conn }

func newReader(folder string) (reader, error) {
	c, err := sqlite.OpenConn("file:"+filepath.Join(folder, database)+"?mode=ro", sqlite.OpenReadOnly|sqlite.OpenURI)
	return reader{c}, err
}

var digestSeed = maphash.MakeSeed()

// state is the digest of all records of a store, derived records and the schema included.
type state uint64

// state returns that of now.
func (r reader) state() (state, error) {
	var tables []string
	var all maphash.Hash
	all.SetSeed(digestSeed)
	err := sqlitex.ExecuteTransient(r.Conn,
		"SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY name",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if s.ColumnText(0) == "table" {
				tables = append(tables, s.ColumnText(1))
			}
			_, err := fmt.Fprintln(&all, s.ColumnText(1), s.ColumnText(2))
			return err
		}})
	if err != nil {
		return 0, err
	}
	if err := r.rows("PRAGMA user_version", func(row string) { all.WriteString(row) }); err != nil {
		return 0, err
	}
	for _, table := range tables {
		var sum uint64 // in no order
		if err := r.rows("SELECT * FROM "+table, func(row string) { sum += maphash.String(digestSeed, row) }); err != nil {
			return 0, err
		}
		_, _ = fmt.Fprintln(&all, table, sum)
	}
	return state(all.Sum64()), nil
}

// rows calls each with every row of a query, as one text.
func (r reader) rows(query string, each func(row string)) error {
	var row bytes.Buffer
	var value []byte
	return sqlitex.ExecuteTransient(r.Conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		row.Reset()
		for i := range s.ColumnCount() {
			value = append(value[:0], make([]byte, s.ColumnLen(i))...)
			s.ColumnBytes(i, value)
			_, _ = fmt.Fprintf(&row, "%d %d %s|", s.ColumnType(i), len(value), value)
		}
		each(row.String())
		return nil
	}})
}

// audited returns the findings of an audit, none where all is well.
func audited(ctx context.Context, folder string) (findings []string, err error) {
	a, err := archive.Open(filepath.Join(folder, database))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	v, err := audit.Run(ctx, a, audit.Options{Report: func(f string) { findings = append(findings, f) }})
	if err == nil && !v.Balanced() {
		findings = append(findings, "the totals do not agree")
	}
	return findings, err
}

// opened opens the store of a folder and returns its state.
func opened(ctx context.Context, folder string) (s *sqlitestore.Store, found state, err error) {
	s, err = sqlitestore.Open(ctx, filepath.Join(folder, database))
	if err != nil {
		return nil, 0, err
	}
	r, err := newReader(folder)
	if err == nil {
		found, err = r.state()
		err = errors.Join(err, r.Close())
	}
	if err != nil {
		return nil, 0, errors.Join(err, s.Close())
	}
	return s, found, nil
}

// stateOf opens a store on files, closes it, and returns the state that was found.
func stateOf(ctx context.Context, parent string, files map[string][]byte) (found state, err error) {
	folder, err := lay(parent, files)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, found, err := opened(ctx, folder)
	if err == nil {
		err = s.Close()
	}
	return found, err
}
