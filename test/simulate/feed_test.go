package simulate

import (
	"fmt"
	"net/http"
	"strconv"

	"resellerd/test/model"
)

// feed is the part of the journal that an account follows.
type feed struct {
	filter model.EventFilter
	query  string // that says the same
	at     place
}

// place is the position of a follower in a feed.
type place struct {
	cursor string // "" for the beginning
	epoch  string // that was in force when the cursor was made
	seen   int    // entries of those that the feed has
}

// listEvents follows the journal.
func (c *choice) listEvents() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 5, 50}) // all clients at once may have so much under way
	followed := c.feeds[by]
	if len(followed) == 0 || len(followed) < 3 && c.n(4) == 0 {
		filter, query := c.eventFilter()
		followed = append(followed, &feed{filter: filter, query: query})
		c.feeds[by] = followed
	}
	f := pick(c.a.random, followed)
	from := f.at
	path := fmt.Sprintf("/events?order=asc&limit=%d%s", limit, f.query)
	if from.cursor != "" {
		path += "&cursor=" + from.cursor
	}
	return c.ask(by, path, func(model.Moment) *outcome {
		if from.cursor != "" && from.epoch != c.world.Epoch {
			return c.restarted(by, f)
		}
		return c.following(by, f, from, limit)
	})
}

// eventFilter draws a filter of the journal.
func (c *choice) eventFilter() (f model.EventFilter, query string) {
	switch c.n(6) {
	case 0:
		f.Account = pick(c.a.random, c.world.Resellers)
		query = "&account=" + strconv.FormatInt(f.Account.ID, 10)
	case 1:
		f.Tree = pick(c.a.random, c.world.Resellers)
		query = "&tree=" + strconv.FormatInt(f.Tree.ID, 10)
	case 2:
		if len(c.world.Lines) > 0 {
			f.Line = pick(c.a.random, c.world.Lines).ID
			query = "&line=" + strconv.FormatInt(f.Line, 10)
		}
	}
	if c.n(3) == 0 {
		f.Types = pick(c.a.random, [][]string{{"line.*"}, {"session.started"}, {"reseller.credited", "reseller.reclaimed"},
			{"line.deleted", "journal.*"}, {"operator.*"}})
		for _, name := range f.Types {
			query += "&type=" + name
		}
	}
	return f, query
}

// eventsOf are the entries that an account sees. A filter by an account out of its sight selects none.
func (r *run) eventsOf(by *model.Reseller, f model.EventFilter) []*model.Event {
	if f.Account != nil && !by.Sees(f.Account) || f.Tree != nil && !by.Sees(f.Tree) {
		return nil
	}
	return r.world.Events(by, f)
}

// shownEvents returns what is wrong with the entries of an answer. It must have the first of the entries that are left.
// It may have fewer only where it reports more.
func shownEvents(by *model.Reseller, left []*model.Event, limit int, body fields) (shown int, wrong string) {
	data, _ := body["data"].([]any)
	switch more, is := body["has_more"].(bool); {
	case !is:
		return 0, "whether there is more"
	case len(data) > min(limit, len(left)):
		return 0, fmt.Sprintf("at most %d entries", min(limit, len(left)))
	case !more && len(data) < len(left):
		return 0, fmt.Sprintf("%d entries, or that there are more", len(left))
	}
	for i, got := range data {
		if want := spelled(left[i].Shown(by)); want != spelled(got) {
			return 0, want + ", not " + spelled(got)
		}
	}
	return len(data), ""
}

// following is the answer to an account that continues with a feed.
func (r *run) following(by *model.Reseller, f *feed, from place, limit int) *outcome {
	left, epoch := r.eventsOf(by, f.filter)[from.seen:], r.world.Epoch
	return &outcome{status: http.StatusOK, seen: func(body fields) string {
		shown, wrong := shownEvents(by, left, limit, body)
		cursor, is := body["next_cursor"].(string)
		if wrong == "" && !is {
			wrong = "a cursor"
		}
		// or another request got further
		if wrong == "" && (f.at == from || f.at.epoch == epoch && f.at.seen < from.seen+shown) {
			f.at = place{cursor, epoch, from.seen + shown}
		}
		return wrong
	}}
}

// restarted is the answer to a cursor of another epoch.
func (r *run) restarted(by *model.Reseller, f *feed) *outcome {
	o, epoch, before := refused("cursor-unknown"), r.world.Epoch, 0
	for _, e := range r.eventsOf(by, f.filter) {
		if e.Epoch != epoch {
			before++
		}
	}
	o.seen = func(body fields) string {
		cursor, is := body["restart"].(string)
		if !is {
			return "a cursor from which to go on"
		}
		f.at = place{cursor, epoch, before}
		return ""
	}
	return o
}
