package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
)

// part is a table, an index, a trigger or a view. Every file has come to its version by the same migrations, so that
// its parts have the same text as in a new one.
type part struct{ kind, name, table, sql string }

// parts are those of a file, by kind and name.
type parts map[string]part

// partsOf reads the parts of the file. The statistics of ANALYZE are left out: they only guide the query planner.
func partsOf(c *engine.Conn) (parts, error) {
	found := parts{}
	st, _, err := c.PrepareTransient("SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]*'")
	if err != nil {
		return nil, err
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return found, errors.Join(err, st.Finalize())
		}
		p := part{st.ColumnText(0), st.ColumnText(1), st.ColumnText(2), st.ColumnText(3)}
		found[p.kind+" "+strings.ToLower(p.name)] = p
	}
}

// digest identifies parts by their exact text.
func (p parts) digest() string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(p)) {
		_, _ = fmt.Fprintf(sum, "%q\n", []string{key, p[key].table, p[key].sql}) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// made are the parts that migrations make, by the version of the last of them.
type made struct {
	sync.Mutex
	of map[int64]parts
}

// parts returns those of a version.
func (s Schema) parts(version int64) (parts, error) {
	s.made.Lock()
	defer s.made.Unlock()
	if p, is := s.made.of[version]; is {
		return p, nil
	}
	p, err := inMemory(s, version, partsOf)
	if err == nil {
		s.made.of[version] = p
	}
	return p, err
}

// columns returns the columns of each table of a version.
func (s Schema) columns(version int64) (map[string][]string, error) {
	return inMemory(s, version, columnsOf)
}

// inMemory reads an empty store of a version.
func inMemory[T any](s Schema, version int64, read func(*engine.Conn) (T, error)) (found T, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make schema %d to compare with: %w", version, err)
		}
	}()
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return found, err
	}
	c := &engine.Conn{Conn: conn}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := addFunctions(c); err != nil {
		return found, err
	}
	if err := c.Run("BEGIN"); err != nil {
		return found, err
	}
	if err := s.make(c, version); err != nil {
		return found, err
	}
	return read(c)
}

// Builds up to schema 6 chose a migration before they locked the file. Only the fourth does not fail when it runs
// again. After the sixth it removes what that one has added to idempotency records: their checksums.
const (
	ranAgain       = 4
	addedChecksums = 6

	sessionsAreAKind = 8 // before, they have a table, which readers ignore: it may be damaged, or missing

	addChecksum = `ALTER TABLE idempotency ADD COLUMN checksum INTEGER;
		UPDATE idempotency SET checksum = resellerd_checksum(account, key, request, status, body, expires)`
)

// compare says how the file differs from what the migrations up to a version make, and whether the fourth ran again,
// which is not counted as a difference.
func (s Schema) compare(c *engine.Conn, version int64, reads bool) (differences []string, again bool, err error) {
	found, err := partsOf(c)
	if err != nil {
		return nil, false, err
	}
	known, err := s.Versions()
	if err == nil && version == slices.Max(known) && s.digest == found.digest() {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	want, err := s.parts(version)
	if err != nil {
		return nil, false, err
	}
	if reads && version < sessionsAreAKind {
		found, want = found.withoutSessions(), want.withoutSessions()
	}
	if differences = found.differences(want); len(differences) == 0 || version < addedChecksums {
		return differences, false, nil
	}
	before, err := s.parts(ranAgain)
	if err != nil {
		return nil, false, err
	}
	const answered = "table idempotency"
	if !found[answered].same(before[answered]) {
		return differences, false, nil
	}
	found[answered] = want[answered]
	return found.differences(want), true, nil
}

// Differences says how a file that is only read differs from what the migrations up to its version make.
func (s Schema) Differences(c *engine.Conn) (differences []string, err error) {
	version, err := versionOf(c)
	if err == nil {
		differences, _, err = s.compare(c, version, true)
	}
	return differences, err
}

// withoutSessions are all parts but the table of sessions and its indexes.
func (p parts) withoutSessions() parts {
	left := maps.Clone(p)
	maps.DeleteFunc(left, func(_ string, of part) bool { return of.table == "sessions" && of.kind != "trigger" })
	return left
}

// repair restores what a migration that ran again has removed, or refuses a file with any other difference.
func (s Schema) repair(c *engine.Conn, version int64) error {
	differences, again, err := s.compare(c, version, false)
	if err == nil {
		err = Altered(differences)
	}
	if err != nil || !again {
		return err
	}
	return RunAll(c, addChecksum)
}

// Altered refuses a file with these differences.
func Altered(differences []string) error {
	return storekit.Altered(differences, "keep a copy of the file; then restore a backup, or put the schema right with sqlite3 while nobody uses the file, "+
		"and run `resellerd audit`")
}

// differences lists what is missing, different or unexpected. Indexes that are not unique are the operator's.
func (p parts) differences(want parts) (said []string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		w := want[key]
		f, there := p[key]
		switch {
		case there && f.same(w):
		case there && w.kind == "table":
			said = append(said, "the table "+w.name+" is another: "+strings.Join(tableDifferences(f.sql, w.sql), ", "))
		case there:
			said = append(said, fmt.Sprintf("the %s %s is another: it was made by %s", w.kind, w.name, w.oneLine()))
		case w.kind == "table" || w.sql == "":
			said = append(said, fmt.Sprintf("the %s %s is missing", w.kind, w.name))
		default:
			said = append(said, fmt.Sprintf("the %s %s is missing: it was made by %s", w.kind, w.name, w.oneLine()))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		f := p[key]
		if _, is := want[key]; is || f.kind == "index" && !slices.Contains(tokens(f.sql), "unique") {
			continue
		}
		said = append(said, fmt.Sprintf("the %s %s, on %s, is none of this program's", f.kind, f.name, f.table))
	}
	return said
}

// oneLine is the text that makes a part.
func (p part) oneLine() string { return strings.Join(strings.Fields(p.sql), " ") }

func (p part) same(as part) bool {
	return p.kind == as.kind && strings.EqualFold(p.name, as.name) && strings.EqualFold(p.table, as.table) && slices.Equal(tokens(p.sql), tokens(as.sql))
}

// tableDifferences says which columns and rules two tables do not share.
func tableDifferences(found, want string) (said []string) {
	has, wants := rulesOf(found), rulesOf(want)
	for _, rule := range wants {
		if !slices.Contains(has, rule) {
			said = append(said, "it lacks `"+rule+"`")
		}
	}
	for _, rule := range has {
		if !slices.Contains(wants, rule) {
			said = append(said, "it has `"+rule+"`")
		}
	}
	if len(said) == 0 {
		said = append(said, "its columns are in another order, or there twice")
	}
	return said
}

// rulesOf are the columns of a table, its constraints and its options.
func rulesOf(table string) (rules []string) {
	var rule strings.Builder
	end := func() {
		if rule.Len() > 0 {
			rules = append(rules, rule.String())
		}
		rule.Reset()
	}
	depth := 0
	for _, token := range tokens(table) {
		switch {
		case token == "(" && depth == 0, token == ")" && depth == 1, token == "," && depth <= 1:
			end()
		default:
			if word := rule.String(); word != "" && !strings.HasSuffix(word, "(") && token != ")" && token != "," {
				rule.WriteByte(' ')
			}
			rule.WriteString(token)
		}
		switch token {
		case "(":
			depth++
		case ")":
			depth--
		}
	}
	end()
	return rules
}

// tokens are the words, names, texts and signs of a statement, without comments and white space. Words and names are in
// lower case, and names without quotes: other tools write them differently.
func tokens(sql string) (found []string) {
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "--"):
			i += until(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			i += until(rest, "*/", 2)
		case c == '\'' || c == '"' || c == '`' || c == '[':
			n := quoted(rest)
			if token := rest[:n]; c == '\'' {
				found = append(found, token)
			} else {
				found = append(found, strings.ToLower(strings.Trim(token, "\"`[]")))
			}
			i += n
		case inWord(c):
			n := 1
			for n < len(rest) && inWord(rest[n]) {
				n++
			}
			found = append(found, strings.ToLower(rest[:n]))
			i += n
		case strings.ContainsRune(" \t\r\n\f", rune(c)):
			i++
		default:
			n := 1
			if len(rest) > 1 && slices.Contains([]string{"<>", "<=", ">=", "!=", "==", "||", "->"}, rest[:2]) {
				n = 2
			}
			found = append(found, rest[:n])
			i += n
		}
	}
	return found
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// until is the length of a text up to its end mark, which is not looked for in its first bytes.
func until(text, end string, first int) int {
	if at := strings.Index(text[first:], end); at >= 0 {
		return first + at + len(end)
	}
	return len(text)
}

// quoted is the length of the quoted part that a text begins with. A doubled quote does not end it.
func quoted(text string) int {
	end := text[:1]
	if end == "[" {
		return until(text, "]", 1)
	}
	n := until(text, end, 1)
	for n < len(text) && text[n:n+1] == end {
		n += until(text[n:], end, 1)
	}
	return n
}
