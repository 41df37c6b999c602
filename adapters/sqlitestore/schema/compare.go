package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
)

// presentDigest is the digest of Present's parts: by it an unchanged file is recognized at once.
const presentDigest = "0e6d1b7edf38ae44a2eec4730783a9dd3f6dc935dfe1027cf268134bfd9d960e"

// part is a table, an index, a trigger or a view.
type part struct{ kind, name, table, sql string }

// parts are the parts of a file, by kind and name.
type parts map[string]part

// partsOf reads the parts of a file. It leaves out the statistics of ANALYZE, which only guide the query planner.
// SQLite stores the text that made a part; comments and white space in it are ignored.
func partsOf(c *engine.Conn) (parts, error) {
	found := parts{}
	st, _, err := c.PrepareTransient(
		"SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]*'")
	if err != nil {
		return nil, err
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return found, errors.Join(err, st.Finalize())
		}
		p := part{st.ColumnText(0), st.ColumnText(1), st.ColumnText(2), canonical(st.ColumnText(3))}
		found[p.kind+" "+p.name] = p
	}
}

var comments = regexp.MustCompile(`--[^\n]*`)

// canonical returns a statement in one line, without comments.
func canonical(sql string) string {
	return strings.Join(strings.Fields(comments.ReplaceAllString(sql, "")), " ")
}

// digest identifies parts.
func (p parts) digest() string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(p)) {
		_, _ = fmt.Fprintf(sum, "%q\n", p[key]) // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// made returns the parts that the steps up to a version make.
func (s Schema) made(version int64) (made parts, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make schema %d to compare with: %w", version, err)
		}
	}()
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	c := &engine.Conn{Conn: conn}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := s.run(c, 0, version); err != nil {
		return nil, err
	}
	return partsOf(c)
}

// compare returns the differences between the file and the result of the steps up to its version.
func (s Schema) compare(c *engine.Conn, version int64) (differences []string, err error) {
	found, err := partsOf(c)
	if err != nil || found.digest() == s.digest {
		return nil, err
	}
	want, err := s.made(version)
	if err != nil {
		return nil, err
	}
	return found.differences(want), nil
}

// differences lists missing, different and unexpected parts. Indexes that are not unique belong to the operator.
func (p parts) differences(want parts) (said []string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		w := want[key]
		switch f, there := p[key]; {
		case !there:
			said = append(said, fmt.Sprintf("the %s %s is missing: it was made by %s", w.kind, w.name, w.sql))
		case f != w:
			said = append(said, fmt.Sprintf("the %s %s differs: it was made by %s", w.kind, w.name, w.sql))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		f := p[key]
		if _, is := want[key]; is || f.kind == "index" && f.sql != "" && !strings.HasPrefix(f.sql, "CREATE UNIQUE") {
			continue
		}
		said = append(said, fmt.Sprintf("the %s %s, on %s, does not belong to this program", f.kind, f.name, f.table))
	}
	return said
}

// Altered returns the error for a file with these differences.
func Altered(differences []string) error {
	return storekit.Altered(differences,
		"keep a copy of the file; then restore a backup, or correct the schema with sqlite3 while no process uses the file, "+
			"and run `resellerd audit`")
}
