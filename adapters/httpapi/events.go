package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/events"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
)

const (
	maxEventWait = 9 // seconds
	// gatherTime is how long a request gathers events after the first one. So a follower reads the store about ten
	// times a second, and not once for each of a thousand commands. Requests that gather at the same time read the
	// store gatherShare apart, about 250 in a second, but none gathers longer than mostGathered.
	gatherTime   = 75 * time.Millisecond
	gatherShare  = 4 * time.Millisecond
	mostGathered = time.Second
	// answerTime is the part of a request's time that remains for the answer after a wait.
	answerTime = 900 * time.Millisecond
	// The limits of requests that wait at the same time: waitsInAll in this process, since net/http, TLS and a
	// goroutine take about 40 KB for each; waitsOfConnection on one HTTP/2 connection; and mostWaits of an account, or
	// the freeShare-th part of the free ones if that is less. So an account without waits gets one while dozens of
	// others use their maximum.
	waitsInAll        = 512
	waitsOfConnection = 32
	mostWaits         = 16
	freeShare         = 8
	// endShare is how much earlier a wait ends for each other waiting request. So waits that begin at the same moment
	// end at different moments.
	endShare = 4 * time.Millisecond
	// waitRetry is the time in Retry-After, waitRetryOfMany if many others wait.
	waitRetry       = time.Second
	waitRetryOfMany = 5 * time.Second
)

// Refusals of a query for events.
var (
	errNotEventType = fault.New(fault.Invalid, "bad-value",
		"This must be an event type, or a prefix such as line.*.")
	errNotWait = fault.New(fault.Invalid, "bad-value", "This must be a whole number of seconds from 0 to 9.")
	errWaitAsc = fault.New(fault.Invalid, "bad-value", "Only a query in ascending order waits.")
)

var errTooManyWaiting = &refusal{
	http.StatusTooManyRequests, "too-many-waiting",
	"Too many requests wait for events. At most 16 of an account wait at once, or fewer while many wait, 32 on a connection, 512 in all. A wait takes 9 seconds at most.",
}

var parseOrder = oneOf(map[string]bool{"asc": false, "desc": true},
	fault.New(fault.Invalid, "bad-value", "This must be asc or desc."))

func parseEventTypes(text string) ([]journal.Type, error) {
	types, err := journal.ParseTypes(text)
	if err != nil {
		return nil, errNotEventType
	}
	return types, nil
}

func parseWait(text string) (time.Duration, error) {
	if len(text) != 1 || text[0] < '0' || text[0] > '0'+maxEventWait {
		return 0, errNotWait
	}
	return time.Duration(text[0]-'0') * time.Second, nil
}

func (a *api) listEvents(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := events.List{
		Types: values(q, "type", parseEventTypes), Account: value(q, "account", parseID), Tree: value(q, "tree", parseID),
		Line: value(q, "line", parseID), Movement: value(q, "movement", parseID),
		Newest: valueOr(q, "order", false, parseOrder),
	}
	after := q.cursor()
	command.Limit = q.limit()
	wait := valueOr(q, "wait", 0, parseWait)
	if command.Newest && wait > 0 {
		q.refuse("wait", errWaitAsc)
	}
	command.After = position(q, after, command.Cursor)
	if err := q.err(); err != nil {
		return err
	}
	if wait == 0 {
		_, err := a.sendEvents(ctx, c, command, true)
		return err
	}
	return a.followEvents(ctx, c, command, wait)
}

// followEvents is sendEvents when there are events, or at the end of the wait. While it waits, it holds nothing of the
// store and no page.
func (a *api) followEvents(ctx context.Context, c *gin.Context, command events.List,
	wait time.Duration) error {
	others, leave, err := a.waits.enter(caller(c).Reseller(), a.connectionOf(c.Request))
	if err != nil {
		return err
	}
	defer leave()
	waiting, cancel := a.waiting(ctx, wait, time.Duration(others)*endShare)
	defer cancel()
	left, err := a.sendEvents(ctx, c, command, waiting.Err() != nil)
	if err != nil || left == nil {
		return err
	}
	//nolint:contextcheck // its reader serves all waiting requests
	watch := a.Service.Events.Watch(callOf(c), command, *left)
	defer watch.Close()
	// The server's own deadline for reading a request would end the context of one that waits.
	if err := http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(2 * requestTimeout)); err != nil {
		return err
	}
	for left != nil {
		command.After = left.Next
		err := watch.Wait(waiting, left.Head)
		if err == nil {
			err = a.waits.gather(waiting)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: wait for entries: %w", application.ErrUnavailable, context.Cause(ctx))
		}
		if err != nil && waiting.Err() == nil {
			return err
		}
		if left, err = a.sendEvents(ctx, c, command, waiting.Err() != nil); err != nil {
			return err
		}
	}
	return nil
}

// connectionOf returns a name for the open connection of a request, "" for one of a trusted proxy, which has requests
// of many clients.
func (a *api) connectionOf(r *http.Request) string {
	if peer, is := parseAddress(r.RemoteAddr); !is || a.trusts(peer) {
		return ""
	}
	return r.RemoteAddr
}

// waiting returns the context of a wait, which leaves time to answer, and ends when the process is about to stop. It
// ends earlier by the given time, but by at most half of the wait.
func (a *api) waiting(ctx context.Context, wait, earlier time.Duration) (waiting context.Context, cancel func()) {
	wait -= min(earlier, wait/2)
	if ends, has := ctx.Deadline(); has {
		wait = min(wait, time.Until(ends)-answerTime)
	}
	waiting, timedOut := context.WithTimeout(ctx, wait)
	stop := context.AfterFunc(a.Draining, timedOut)
	return waiting, func() {
		stop()
		timedOut()
	}
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendEvents answers with a page of the journal. Except in the last attempt, it does not send an empty page after which
// nothing is left to examine, but returns it.
func (a *api) sendEvents(ctx context.Context, c *gin.Context, command events.List,
	last bool) (left *events.Page, err error) {
	under, err := a.answers.begin(ctx, caller(c).Reseller(), command.Limit, batchOf(command.Limit))
	if err != nil {
		return nil, err
	}
	defer under.release()
	var found events.Page // the last one read
	made, err := readFeed(command.After, command.Limit,
		func(after *application.EventCursor, limit int) (
			application.PageOf[journal.Numbered, application.EventCursor], bool, error) {
			found, err = a.Service.Events.List(ctx, callOf(c), command.PageAfter(after, limit))
			return found.PageOf, found.More, err
		}, eventOf)
	switch {
	case err != nil:
		return nil, err
	case !last && made.empty && !found.More:
		return &found, nil
	}
	a.deliver(ctx, c, under, made)
	return nil, nil
}

// waits counts the waiting requests: by account, by connection and in total.
type waits struct {
	mu         sync.Mutex
	accounts   map[int64]int
	on         map[string]int // by connection
	all        int
	gatherings int // requests that gather events
}

func newWaits() *waits { return &waits{accounts: map[int64]int{}, on: map[string]int{}} }

// enter counts a request until leave, if it may wait, and returns the number of other waiting requests. The connection
// "" has no limit.
func (w *waits) enter(account int64, connection string) (others int, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	free := waitsInAll - w.all
	most := min(mostWaits, (free+freeShare-1)/freeShare)
	switch {
	case w.accounts[account] >= mostWaits, w.on[connection] >= waitsOfConnection:
		return 0, nil, fault.After(waitRetry, errTooManyWaiting)
	case w.accounts[account] >= most:
		return 0, nil, fault.After(waitRetryOfMany, errTooManyWaiting)
	}
	w.count(account, connection, 1)
	return w.all - 1, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.count(account, connection, -1)
	}, nil
}

func (w *waits) count(account int64, connection string, by int) {
	w.all += by
	if w.accounts[account] += by; w.accounts[account] == 0 {
		delete(w.accounts, account)
	}
	if connection == "" {
		return
	}
	if w.on[connection] += by; w.on[connection] == 0 {
		delete(w.on, connection)
	}
}

// gather waits for further events that come soon, or returns the error of ctx.
func (w *waits) gather(ctx context.Context) error {
	w.mu.Lock()
	turn := time.Duration(w.gatherings) * gatherShare
	w.gatherings++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gatherings--
	}()
	return pause(ctx, gatherTime+turn%(mostGathered-gatherTime))
}

// eventRecord is an event of the journal.
type eventRecord struct{ journal.Numbered }

func eventOf(n journal.Numbered) eventRecord { return eventRecord{n} }

// EncodeEvent returns an event in the form of lists, which is also the body for receivers of webhooks.
func EncodeEvent(n journal.Numbered) []byte { return eventOf(n).appendJSON(nil) }

func (r eventRecord) appendJSON(b []byte) []byte {
	b = appendText(b, `{"id":`, r.ID())
	b = appendNumber(b, `,"seq":`, r.Seq)
	b = appendText(b, `,"type":`, r.Type.String())
	b = appendTime(b, `,"timestamp":`, r.At)
	b = appendNullableID(b, `,"account":`, r.Account.ID)
	b = appendNullableID(b, `,"line":`, r.Line)
	b = appendNullableID(b, `,"actor":{"account":`, r.Actor.Account)
	b = appendText(b, `,"kind":`, r.Actor.Kind.String())
	b = appendNullableID(b, `,"id":`, r.Actor.Principal)
	b = appendText(b, `,"name":`, r.Actor.Name)
	b = appendNullable(b, `,"address":`, r.Actor.Address)
	b = appendNullable(b, `},"request_id":`, r.Request)
	b = appendMovement(b, `,"movement":`, r.Movement)
	b = append(b, `,"changes":{`...)
	for i, change := range r.Changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, "", change.Field), ':')
		if !change.Shown {
			b = append(b, "true"...)
			continue
		}
		b = append(appendValue(append(b, '['), change.Before), ',')
		b = append(appendValue(b, change.After), ']')
	}
	b = appendNullable(b, `},"reason":`, r.Reason)
	b = appendNullableID(b, `,"version":`, r.Version)
	b = append(b, `,"data":{`...)
	for i, datum := range r.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(appendText(b, "", datum.Name), ':'), datum.Value)
	}
	return append(b, "}}"...)
}

// appendMovement appends null for no movement.
func appendMovement(b []byte, before string, m *journal.Movement) []byte {
	if m == nil {
		return append(append(b, before...), "null"...)
	}
	b = append(b, before...)
	b = appendNumber(b, `{"id":`, m.ID)
	b = appendText(b, `,"kind":`, m.Operation.String())
	b = appendText(b, `,"amount":`, m.Amount.String())
	b = appendText(b, `,"from":`, m.Source.Name())
	b = appendText(b, `,"to":`, m.Target.Name())
	b = append(b, `,"balances":{`...)
	for i, balance := range m.Balances {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, `"`, balance.Reseller)
		b = appendText(b, `":`, balance.Credits.String())
	}
	return append(b, "}}"...)
}

// appendValue appends a value of an event.
func appendValue(b []byte, v journal.Value) []byte {
	switch v := v.Any().(type) {
	case string:
		return appendText(b, "", v)
	case int64:
		return appendNumber(b, "", v)
	case time.Time:
		return appendTime(b, "", v)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}
