package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/adapters/spelling"
	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/line"
)

// The lengths of pages.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// Refusals of query values.
var (
	errNotEncoded = fault.New(fault.Invalid, "bad-value",
		"This is not encoded correctly: escape percent signs and semicolons.")
	errTwoValues = fault.New(fault.Invalid, "bad-value", "This is given more than once, with different values.")
	errNotID     = fault.New(fault.Invalid, "bad-value", "This must be an id: digits without sign or leading zero.")
	errNotTruth  = fault.New(fault.Invalid, "bad-value", "This must be true or false.")
	errNotEffect = fault.New(fault.Invalid, "bad-value", "This must be suspended, owner_blocked, expired or running.")
	errNotPlus   = errNotTime.WithDetail("%s In a query a plus sign is written as %%2B.", errNotTime.Error())
	errNotTime   = fault.New(fault.Invalid, "bad-time", "This must be a time such as 2026-01-31T00:00:00Z (RFC 3339).")
)

// errUnknownParameter refuses a request whose only faults are unknown parameters.
var errUnknownParameter = fault.New(fault.Invalid, "unknown-parameter",
	"The request has query parameters that this operation does not have.")

// unknownParameter is errUnknownParameter of one parameter, with the known ones.
type unknownParameter struct {
	name  string
	known []string
}

func (e *unknownParameter) Error() string {
	if len(e.known) == 0 {
		return fmt.Sprintf("%.64q is unknown: this operation takes no query parameters.", e.name)
	}
	meant := spelling.Suggest(e.name, e.known)
	if meant != "" {
		meant = fmt.Sprintf(" %q is probably meant.", meant)
	}
	return fmt.Sprintf("%.64q is not a parameter of this operation.%s Its parameters are: %s.", e.name, meant,
		strings.Join(e.known, ", "))
}

func (*unknownParameter) Unwrap() error { return errUnknownParameter }

// query reads the values of a query string. It refuses parameters that the operation does not read, and a parameter
// with different values: otherwise the answer would not be what the client expects.
type query struct {
	form
	values url.Values
	known  []string // the parameters that the operation reads
}

func queryOf(c *gin.Context) *query {
	q := &query{form: form{query: true}, values: c.Request.URL.Query()}
	for pair := range strings.SplitSeq(c.Request.URL.RawQuery, "&") {
		if _, err := url.ParseQuery(pair); err != nil {
			name, _, _ := strings.Cut(pair, "=")
			q.refuse(cmp.Or(name, pair), errNotEncoded)
		}
	}
	delete(q.values, "") // "?=1" names nothing
	return q
}

// noQuery refuses the query of an operation without parameters, unless it ignores the query.
func noQuery(c *gin.Context) error {
	if c.Request.URL.RawQuery == "" || requestOf(c).lenient {
		return nil
	}
	return queryOf(c).err()
}

// lenient makes a handler that ignores the query and misspelt members, as the operations of the contract do: existing
// clients continue to work.
func lenient(h handler) handler {
	return func(ctx context.Context, c *gin.Context) error {
		requestOf(c).lenient = true
		return h(ctx, c)
	}
}

// mostUnknown is the number of unknown parameters that an answer names.
const mostUnknown = 10

// err refuses the query. Call it after all parameters of the operation were read.
func (q *query) err() error {
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(q.values)), func(name string) bool {
		return slices.Contains(q.known, name)
	})
	for _, name := range unknown[:min(len(unknown), mostUnknown)] {
		q.refuse(name, &unknownParameter{name, q.known})
	}
	return q.form.err()
}

// given returns the values of a parameter, and notes that the operation reads it.
func (q *query) given(name string) []string {
	if !slices.Contains(q.known, name) {
		q.known = append(q.known, name)
	}
	return q.values[name]
}

// value returns nil for a parameter that is absent or invalid. It may be repeated with the same value.
func value[T any](q *query, name string, parse func(string) (T, error)) *T {
	given := q.given(name)
	if q.refuses(name) || len(given) == 0 {
		return nil
	}
	if slices.ContainsFunc(given, func(other string) bool { return other != given[0] }) {
		q.refuse(name, errTwoValues)
		return nil
	}
	v, err := parse(given[0])
	if err != nil {
		q.refuse(name, err)
		return nil
	}
	return &v
}

// values returns the union of the values of a repeated parameter, nil if it is absent or one is invalid.
func values[T comparable](q *query, name string, parse func(string) ([]T, error)) (all []T) {
	for _, text := range q.given(name) {
		some, err := parse(text)
		q.refuse(name, err)
		for _, one := range some {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// valueOr is value with a default for an absent parameter.
func valueOr[T any](q *query, name string, otherwise T, parse func(string) (T, error)) T {
	if v := value(q, name, parse); v != nil {
		return *v
	}
	return otherwise
}

// cursor returns the text of the cursor, which position parses.
func (q *query) cursor() *string {
	return value(q, "cursor", func(text string) (string, error) { return text, nil })
}

// position parses a cursor. It returns nil without a cursor.
func position[P cursor](q *query, text *string, parse func(string) (P, error)) *P {
	if text == nil {
		return nil
	}
	at, err := parse(*text)
	q.refuse("cursor", err)
	return &at
}

func (q *query) limit() int { return valueOr(q, "limit", defaultLimit, limitUpTo(maxLimit)) }

// part returns the limit of a page, and the number of its records that are in memory at once. A search is one batch,
// which examines as much as a page may.
func (q *query) part(searches bool) (limit, held int) {
	limit = q.limit()
	if searches {
		return batchOf(limit), application.MostHeld
	}
	return limit, batchOf(limit)
}

// limitUpTo returns a parser of whole numbers from 1 to most.
func limitUpTo(most int) func(text string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most || strconv.Itoa(n) != text {
			return 0, fault.New(fault.Invalid, "bad-value", fmt.Sprintf("This must be a whole number from 1 to %d.", most))
		}
		return n, nil
	}
}

// parseID reads digits without sign or leading zero.
func parseID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != text {
		return 0, errNotID
	}
	return id, nil
}

// parseTime reads an instant and truncates it to milliseconds, the precision of records.
func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if _, plus := time.Parse(time.RFC3339Nano, strings.Replace(text, " ", "+", 1)); err != nil && plus == nil {
		return time.Time{}, errNotPlus
	}
	if err != nil {
		return time.Time{}, errNotTime
	}
	return t.UTC().Truncate(time.Millisecond), nil
}

func parseEffect(text string) (line.Effect, error) {
	if e := line.Effect(text); slices.Contains(line.Effects(), e) {
		return e, nil
	}
	return "", errNotEffect
}

// oneOf returns a parser of the texts of a table, which refuses all others.
func oneOf[T any](values map[string]T, refused error) func(text string) (T, error) {
	return func(text string) (T, error) {
		value, is := values[text]
		if !is {
			return value, refused
		}
		return value, nil
	}
}

var (
	parseFlag = oneOf(map[string]bool{"0": false, "1": true},
		fault.New(fault.Invalid, "bad-value", "This must be 0 or 1."))
	parseTruth = oneOf(map[string]bool{"false": false, "true": true}, errNotTruth)

	parseLineOrder = oneOf(map[string]application.Order{
		"id": application.LinesByID, "newest": application.NewestLines, "username": application.LinesByName,
		"expiry": application.LinesByExpiry, "latest_expiry": application.LatestExpiry,
	}, fault.New(fault.Invalid, "bad-value", "This must be id, expiry, latest_expiry, newest or username."))
)
