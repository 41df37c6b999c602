package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"resellerd/application"
)

// pageable is a query for a list that returns parts of it, one after the other.
type pageable[C any, P cursor] interface {
	PageAfter(after *P, limit int) C
}

// listed is a list whose cursors are positions in an order.
type listed[C any] interface {
	pageable[C, application.Cursor]
	Cursor(text string) (application.Cursor, error)
}

// cursor is a position in a list.
type cursor interface{ String() string }

// textOf returns a cursor as text, "" for none.
func textOf[P cursor](at *P) string {
	if at == nil {
		return ""
	}
	return (*at).String()
}

// sendPage answers with a page of records, at most limit, of the items that a use case lists, or refuses all faults of
// its query. At most held records are in memory at once. Member returns a further member of the answer, nil: none. Link
// has the next page, if any (RFC 8288).
func sendPage[C listed[C], I any, T appender](
	ctx context.Context, a *api, c *gin.Context, q *query, limit, held int,
	list func(context.Context, application.Call, C) (application.Page[I], error), command C,
	record func(I) T, member func() string,
) error {
	after := position(q, q.cursor(), command.Cursor)
	if err := q.err(); err != nil {
		return err
	}
	under, err := a.answers.begin(ctx, caller(c).Reseller(), limit, held)
	if err != nil {
		return err
	}
	defer under.release()
	read := func(after *application.Cursor, limit int) (application.Page[I], bool, error) {
		found, err := list(ctx, callOf(c), command.PageAfter(after, limit))
		return found, found.Next != nil, err
	}
	made, err := readPage(after, limit, maxPage, read, record, func(bool) string {
		if member == nil {
			return ""
		}
		return member()
	})
	if err != nil {
		return err
	}
	a.deliver(ctx, c, under, made)
	return nil
}

// deliver sends a page.
func (a *api) deliver(ctx context.Context, c *gin.Context, under *underWay, made page) {
	if len(made.damaged) > 0 {
		a.report(ctx, c, slog.LevelError, "damaged records were left out of a list: run 'resellerd audit'",
			slog.Any("damaged", made.damaged))
	}
	under.made(made.body)
	if made.next != "" {
		c.Header("Link", "<"+nextPage(c.Request.URL, made.next)+`>; rel="next"`)
	}
	send(c, jsonContent, http.StatusOK, made.body)
}

// page is the body of a list.
type page struct {
	body    []byte
	next    string // cursor of the next page, "" if there is none
	more    bool   // more items follow
	empty   bool   // it has neither items nor damaged ones
	damaged []int64
}

// longestEnd is more than the longest text after the last item of a page, without the ids of damaged records.
const longestEnd = 512

// readPage writes {"data":[...],"next_cursor":...}, a further member that may depend on whether more items follow, and
// "damaged":[...] if there are damaged records. The page ends before an item that would make it longer than most bytes,
// but has at least one item, if any.
//
// readPage reads batches of up to application.MostHeld records, each from its own snapshot. It writes and drops each
// batch before it reads the next, until the page is full or no records are left. The number of batches is at most that
// of a full page, however few records each has.
func readPage[I any, T appender, P cursor](
	after *P, limit, most int, read func(after *P, limit int) (found application.PageOf[I, P], more bool, err error),
	record func(I) T, member func(more bool) string,
) (made page, err error) {
	damaged := ""
	end := func(next string) string {
		return string(appendNullable(nil, `],"next_cursor":`, next)) + member(made.more) + damaged + "}\n"
	}
	buffer, _ := buffers.Get().(*[]byte)
	text := (*buffer)[:0]
	text = append(text, `{"data":[`...)
	empty := len(text)
	var next *P
	for begun := 0; ; {
		found, more, err := read(after, min(limit-begun, application.MostHeld))
		if err != nil {
			return page{}, err
		}
		if len(found.Damaged) > 0 {
			made.damaged = append(made.damaged, found.Damaged...)
			damaged = `,"damaged":` + string(marshal(made.damaged))
		}
		behind := func(i int) *P { // returns the cursor after an item
			switch i {
			case -1:
				return after
			case len(found.Items) - 1:
				return found.Next
			}
			return new(found.After(found.Items[i]))
		}
		next, made.more = found.Next, more
		for i, item := range found.Items {
			before := len(text)
			if before > empty {
				text = append(text, ',')
			}
			text = record(item).appendJSON(text)
			if before > empty && len(text) > most-longestEnd-len(damaged) && len(text)+len(end(textOf(behind(i)))) > most {
				text, next, made.more, more = text[:before], behind(i-1), true, false
				break
			}
		}
		clear(found.Items) // while the client reads, only the body is in memory
		begun += application.MostHeld
		if after = found.Next; !more || begun >= limit || len(text) > most-maxRecord {
			break
		}
	}
	made.empty = len(text) == empty && damaged == ""
	made.next = textOf(next)
	text = append(text, end(made.next)...)
	made.body = bytes.Clone(text)
	if cap(text) <= longestKept {
		*buffer = text
	}
	buffers.Put(buffer) // not earlier: from now on other pages may use it
	return made, nil
}

// readFeed is readPage of a feed, which always has a next cursor. has_more, and Link, say whether the client should
// continue at once.
func readFeed[I any, T appender, P cursor](
	after *P, limit int, read func(after *P, limit int) (found application.PageOf[I, P], more bool, err error),
	record func(I) T,
) (page, error) {
	made, err := readPage(after, limit, maxPage, read, record, func(more bool) string {
		return string(appendTruth(nil, `,"has_more":`, more))
	})
	if !made.more {
		made.next = "" // a client that follows links stops here
	}
	return made, err
}

// longestKept is the maximum size of a page's buffer that is reused.
const longestKept = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// nextPage returns the path and query of a request with another cursor. The rest is unchanged, but bytes that a URL may
// not have are escaped.
func nextPage(asked *url.URL, cursor string) string {
	const name = "cursor"
	var pairs []string
	replaced := false
	for pair := range strings.SplitSeq(asked.RawQuery, "&") {
		given, _, _ := strings.Cut(pair, "=")
		given, err := url.QueryUnescape(given)
		switch {
		case pair == "":
		case err != nil || given != name:
			pairs = append(pairs, escapeQuery(pair))
		case !replaced: // only the first counts
			replaced = true
			pairs = append(pairs, name+"="+url.QueryEscape(cursor))
		}
	}
	if !replaced {
		pairs = append(pairs, name+"="+url.QueryEscape(cursor))
	}
	return asked.EscapedPath() + "?" + strings.Join(pairs, "&")
}

// escapeQuery escapes the bytes that a query can't have (RFC 3986), such as those that would end a Link.
func escapeQuery(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-._~!$&'()*+,;=:@/?%", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		}
	}
	return b.String()
}
