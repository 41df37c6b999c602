package deliveries

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"resellerd/test/api"
)

// entry is one of the journal as the feed has it.
type entry struct {
	ID        string
	Seq       int64
	Type      string
	Timestamp time.Time
	Account   int64 // 0: none
	Line      int64 // 0: none
	Changes   map[string]any
	Data      map[string]any
	Reason    string // "": none
	text      []byte
}

func parseEntry(t *testing.T, text []byte) (e entry) {
	t.Helper()
	if err := json.Unmarshal(text, &e); err != nil {
		t.Errorf("%v: %.300s", err, text)
	}
	e.text = text
	return e
}

// feed is a reader of GET /events from the beginning on.
type feed struct {
	by      api.Caller
	query   url.Values
	entries []entry
}

func newFeed(by api.Caller) *feed {
	return &feed{by: by, query: url.Values{"order": {"asc"}, "limit": {"500"}}}
}

// read takes what there is by now.
func (f *feed) read(t *testing.T, at *api.Service) {
	t.Helper()
	for more := true; more; {
		a := f.by.On(at).Get(t, "/events?"+f.query.Encode())
		if a.Status != http.StatusOK {
			return
		}
		var page struct {
			Data []json.RawMessage
			Next string `json:"next_cursor"`
			More bool   `json:"has_more"`
		}
		if err := json.Unmarshal(a.Body, &page); err != nil {
			t.Errorf("%s: %v", a.Request, err)
			return
		}
		for _, text := range page.Data {
			f.entries = append(f.entries, parseEntry(t, text))
		}
		f.query.Set("cursor", page.Next)
		more = page.More
	}
}

// told is a reminder.
type told struct {
	kind    string
	line    int64
	expDate string
	days    string // "" of line.expired
}

// reminders returns how often each reminder is in the journal.
func reminders(entries []entry) map[told]int {
	all := map[told]int{}
	for _, e := range entries {
		switch e.Type {
		case "line.expiring":
			all[told{e.Type, e.Line, e.Data["expDate"].(string), fmt.Sprint(e.Data["days"])}]++
		case "line.expired":
			all[told{e.Type, e.Line, e.Data["expDate"].(string), ""}]++
		}
	}
	return all
}

// expiries returns when each line that is left expires.
func expiries(entries []entry) map[int64]string {
	all := map[int64]string{}
	for _, e := range entries {
		if e.Type == "line.deleted" {
			delete(all, e.Line)
		} else if changed, is := e.Changes["expDate"].([]any); is && e.Line != 0 {
			all[e.Line] = changed[1].(string)
		}
	}
	return all
}

// untold returns the lines that are left, have ended by an instant, and were not told of.
func untold(t *testing.T, entries []entry, by time.Time) (lines []int64, ended int) {
	t.Helper()
	all := reminders(entries)
	for line, expDate := range expiries(entries) {
		if !instant(t, expDate).After(by) {
			if ended++; all[told{"line.expired", line, expDate, ""}] == 0 {
				lines = append(lines, line)
			}
		}
	}
	return lines, ended
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Error(err)
	}
	return at
}

// remindedOnce expects that nothing is told of twice, nor early, and that each line that has ended by an instant was
// told of.
func remindedOnce(t *testing.T, entries []entry, by time.Time) (counts string) {
	t.Helper()
	for r, times := range reminders(entries) {
		if times > 1 {
			t.Errorf("%+v is told %d times", r, times)
		}
	}
	left, ended := untold(t, entries, by)
	if len(left) > 0 {
		t.Errorf("nothing tells that %d lines have ended: %.300v", len(left), left)
	}
	kinds := map[float64]int{}
	for _, e := range entries {
		if e.Type != "line.expiring" && e.Type != "line.expired" {
			continue
		}
		days, _ := e.Data["days"].(float64)
		if kinds[days]++; e.Timestamp.Before(instant(t, e.Data["expDate"].(string)).Add(-time.Duration(days) * day)) {
			t.Errorf("it is told early: %s", e.text)
		}
	}
	return fmt.Sprintf("%d lines that are left have ended; reminders by days before: %v", ended, kinds)
}
