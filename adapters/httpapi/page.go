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

// sendPage answers a list with records of what a use case lists, at most limit, or refuses all that is wrong with its
// query. Link has the next page, if any (RFC 8288).
func sendPage[C interface{ Refused() error }, I any, T appender](
	ctx context.Context, a *api, c *gin.Context, q *query, limit int,
	list func(context.Context, application.Call, C) (application.Page[I], error), command C, record func(I) T,
) error {
	q.refuse("cursor", command.Refused())
	if err := q.err(); err != nil {
		return err
	}
	held, err := a.answers.begin(ctx, caller(c).Reseller(), limit)
	if err != nil {
		return err
	}
	defer held.release()
	found, err := list(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	body, next := encodePage(found, record, maxPage)
	clear(found.Items) // until the client has read, only the body is held
	a.deliver(ctx, c, held, body, next, found.Damaged)
	return nil
}

// deliver sends the body of a page, with the cursor of the next one if there is one.
func (a *api) deliver(ctx context.Context, c *gin.Context, held *underWay, body []byte, next string, damaged []int64) {
	if len(damaged) > 0 {
		a.report(ctx, c, slog.LevelError, "damaged records were left out of a list: run 'resellerd audit'", slog.Any("damaged", damaged))
	}
	held.made(body)
	if next != "" {
		c.Header("Link", "<"+nextPage(c.Request.URL, next)+`>; rel="next"`)
	}
	send(c, jsonContent, http.StatusOK, body)
}

// longestEnd is more than what follows the last item of a page, without the ids of damaged records.
const longestEnd = 512

// encodePage writes {"data":[...],"next_cursor":...}, and "damaged":[...] if there are any, and returns it with the
// cursor of the next page. The page ends before an item that would make it longer than most bytes, but has at least
// one, if any.
func encodePage[I any, T appender](found application.Page[I], record func(I) T, most int) (body []byte, next string) {
	body, next, _ = encodeFeed(found, record, most, func(bool) string { return "" })
	return body, next
}

// encodeFeed is encodePage of a page that has a further member, which may depend on whether it was cut short of its
// items.
func encodeFeed[I any, T appender](
	found application.Page[I], record func(I) T, most int, member func(cut bool) string,
) (body []byte, next string, cut bool) {
	after := func(i int) string { // the cursor after an item
		if i == len(found.Items)-1 {
			return found.Next
		}
		return found.After(found.Items[i])
	}
	left := ""
	if len(found.Damaged) > 0 {
		left = `,"damaged":` + string(marshal(found.Damaged))
	}
	end := func(next string, cut bool) string {
		return string(appendNullable(nil, `],"next_cursor":`, next)) + member(cut) + left + "}\n"
	}
	buffer, _ := buffers.Get().(*[]byte)
	text := (*buffer)[:0]
	text = append(text, `{"data":[`...)
	next = found.Next
	for i, item := range found.Items {
		before := len(text)
		if i > 0 {
			text = append(text, ',')
		}
		text = record(item).appendJSON(text)
		if i > 0 && len(text) > most-longestEnd-len(left) && len(text)+len(end(after(i), false)) > most {
			text = text[:before]
			next, cut = after(i-1), true
			break
		}
	}
	text = append(text, end(next, cut)...)
	body = bytes.Clone(text)
	if cap(text) <= longestKept {
		*buffer = text
	}
	buffers.Put(buffer) // no earlier: other pages may be written into it from now on
	return body, next, cut
}

// longestKept is how long a page's buffer may be to be reused.
const longestKept = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// nextPage returns the path and query of a request with another cursor. All else stays as it was given, with bytes
// escaped that a URL may not have.
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
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=:@/?%", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		}
	}
	return b.String()
}
