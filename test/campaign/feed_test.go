package campaign

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"resellerd/test/api"
)

// entry is one of the journal as GET /events shows it.
type entry struct {
	ID        string
	Seq       int64
	Type      string
	Timestamp time.Time
	Account   int64  // 0: none
	Line      int64  // 0: none
	Request   string `json:"request_id"`
	Movement  struct{ Amount units }
	Changes   map[string]any
	Data      map[string]any
	Reason    string // "": none
	text      []byte
}

func (s *site) entryOf(text []byte) (e entry) {
	s.decode(text, &e)
	e.text = text
	return e
}

func (s *site) decode(text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		s.fail("%v: %.300s", err, text)
	}
}

// feed reads the journal from the beginning on.
type feed struct {
	by      api.Caller
	query   url.Values
	gapless bool // it selects all entries
	entries []entry
	lost    bool // it saw an entry too early, late or twice, and reads no further
}

// newFeed returns a feed of all entries.
func newFeed(by api.Caller) *feed {
	return &feed{by: by, gapless: true, query: url.Values{"order": {"asc"}, "limit": {"500"}}}
}

// page takes a page, and reports whether there was an answer, and whether there are more.
func (f *feed) page(s *site, at *api.Service) (answered, more bool) {
	a, err := f.by.On(at).Try(s.t, "GET", "/events?"+f.query.Encode(), nil)
	if err != nil || a.Status != http.StatusOK {
		if err == nil && a.Status != http.StatusServiceUnavailable {
			s.fail("%s: %d %s", a.Request, a.Status, a.Body)
		}
		return false, false
	}
	var page struct {
		Data []json.RawMessage
		Next string `json:"next_cursor"`
		More bool   `json:"has_more"`
	}
	s.decode(a.Body, &page)
	for _, text := range page.Data {
		e := s.entryOf(text)
		if after := int64(len(f.entries)); f.gapless && e.Seq != after+1 {
			s.fail("%s shows entry %d after %d entries: %s", at.Address, e.Seq, after, text)
			f.lost = true
			return false, false
		}
		f.entries = append(f.entries, e)
	}
	f.query.Set("cursor", page.Next)
	return true, page.More
}

// read takes all entries that there are now, where a process answers.
func (f *feed) read(s *site, at *api.Service) {
	for more := true; more && !f.lost; {
		_, more = f.page(s, at)
	}
}

// unsent returns the lines that are left, expired before an instant, and have no entry of that. That none is sent
// twice, or early, is checked with the whole journal.
func (s *site) unsent(entries []entry, by time.Time) (lines []int64) {
	type expiry struct {
		line    int64
		expires string
	}
	sent, expiries := map[expiry]bool{}, map[int64]string{}
	for _, e := range entries {
		if e.Type == "line.expired" {
			sent[expiry{e.Line, fmt.Sprint(e.Data["expDate"])}] = true
		}
		if changed, is := e.Changes["expDate"].([]any); is && e.Line != 0 {
			expiries[e.Line] = fmt.Sprint(changed[1])
		}
		if e.Type == "line.deleted" {
			delete(expiries, e.Line)
		}
	}
	for line, expires := range expiries {
		if at, err := time.Parse(time.RFC3339, expires); err == nil && !at.After(by) && !sent[expiry{line, expires}] {
			lines = append(lines, line)
		}
	}
	return lines
}
