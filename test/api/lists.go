package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Query appends parameters to a path, in pairs of name and value.
func Query(path string, pairs ...any) string {
	q := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		q.Set(pair[0].(string), fmt.Sprint(pair[1]))
	}
	return path + "?" + q.Encode()
}

// Selects expects that a list has exactly these ids, in this order, on one page.
func (c Caller) Selects(t *testing.T, path string, want ...int64) {
	t.Helper()
	a := c.Get(t, path)
	if got := a.IDs(); !slices.Equal(got, want) {
		t.Errorf("%s: ids %v, want %v", a.Request, got, want)
	}
	if next := a.Next(); next != "" {
		t.Errorf("%s: there is another page: %q", a.Request, next)
	}
}

// Walk goes through a list page by page and returns the ids of all pages in their
// order. Between two pages it calls meanwhile.
func (c Caller) Walk(t *testing.T, path string, limit int, meanwhile func()) (ids []int64) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	cursor := ""
	for pages := 0; ; pages++ {
		a := c.Get(t, fmt.Sprintf("%s%slimit=%d%s", path, separator, limit, cursor))
		found := a.IDs()
		if len(found) > limit {
			t.Errorf("%s: %d records", a.Request, len(found))
		}
		ids = append(ids, found...)
		if a.Next() == "" {
			return ids
		}
		if pages > 1000 {
			t.Fatalf("%s: the list has no end", path)
		}
		cursor = "&cursor=" + url.QueryEscape(a.Next())
		meanwhile()
	}
}
