package sqlitestore

import (
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"

	"resellerd/domain/line"
)

// mostRemembered bounds how many lines are remembered, of about half a KiB each: up to
// twice as many.
const mostRemembered = 4_096

// remembered has lines as views have read them. Each view finds in its own snapshot how
// often a record was changed, and its checksum: as long as these are the same the record
// is, whoever else writes, and the rest of it is not read again. To read the columns of a
// page and to make lines of them costs more than to find the records.
type remembered struct {
	mu             sync.Mutex
	recent, before map[int64]readLine // what is asked for again is kept, the rest goes sooner or later
}

// readLine is a line and what tells that it is still the same.
type readLine struct {
	changes, checksum int64
	*line.State
}

func newRemembered() *remembered { return &remembered{recent: map[int64]readLine{}} }

// The last columns of lineRecord are what tells.
var (
	changesOfLine  = strings.Count(lineRecord, ",")
	checksumOfLine = changesOfLine - 1
)

// line returns the line of a row of lineRecord.
func (m *remembered) line(r *row) (*line.Line, error) {
	if m == nil || r.st.ColumnType(checksumOfLine) != sqlite.TypeInteger || r.st.ColumnType(changesOfLine) != sqlite.TypeInteger {
		return lineOfRow(r)
	}
	id, found := r.st.ColumnInt64(0), readLine{changes: r.st.ColumnInt64(changesOfLine), checksum: r.st.ColumnInt64(checksumOfLine)}
	if same := m.same(id, found); same != nil {
		return line.Restore(*same) // which shares nothing with it
	}
	l, err := lineOfRow(r)
	if err == nil {
		s := l.State()
		found.State = &s
		m.keep(id, found)
	}
	return l, err
}

// same returns the line of an id where it is remembered as it was found, else nil.
func (m *remembered) same(id int64, found readLine) *line.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, recent := m.recent[id]
	if !recent {
		known = m.before[id]
	}
	if known.State == nil || known.changes != found.changes || known.checksum != found.checksum {
		return nil
	}
	if !recent {
		m.put(id, known)
	}
	return known.State
}

func (m *remembered) keep(id int64, found readLine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(id, found)
}

func (m *remembered) put(id int64, found readLine) {
	if len(m.recent) >= mostRemembered {
		m.recent, m.before = map[int64]readLine{}, m.recent
	}
	m.recent[id] = found
}
