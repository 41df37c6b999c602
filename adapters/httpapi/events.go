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
	"resellerd/domain/fault"
	"resellerd/domain/journal"
)

const (
	maxEventWait = 9 // seconds
	// gatherTime is for how long entries are gathered once one has come: a follower then asks the store some ten times
	// a second, and not once for each of a thousand commands. With many it is gatherShare of each, so that together they
	// ask some 250 times a second, and at most mostGathered.
	gatherTime   = 75 * time.Millisecond
	gatherShare  = 4 * time.Millisecond
	mostGathered = time.Second
	// answerTime is what is left of a request's time when a wait ends.
	answerTime = 900 * time.Millisecond
	// mostWaits is how many requests of an account may wait at once.
	mostWaits = 16
)

// Why a query for entries is refused.
var (
	errNotOrder     = fault.New(fault.Invalid, "bad-value", "This must be asc or desc.")
	errNotEventType = fault.New(fault.Invalid, "bad-value", "This must be the name of a type of entries, or the beginning of some, such as line.*.")
	errNotWait      = fault.New(fault.Invalid, "bad-value", "This must be a whole number of seconds from 0 to 9.")
	errWaitAsc      = fault.New(fault.Invalid, "bad-value", "Only a query in ascending order waits.")
)

var errTooManyWaiting = &refusal{
	http.StatusTooManyRequests, "too-many-waiting", "Too many requests wait", "As many requests of the account wait for entries as may at once: 16. A wait takes 9 seconds at most.",
}

func parseOrder(text string) (newest bool, err error) {
	if text != "asc" && text != "desc" {
		return false, errNotOrder
	}
	return text == "desc", nil
}

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
	command := application.ListEvents{
		Types: values(q, "type", parseEventTypes), Account: value(q, "account", parseID), Tree: value(q, "tree", parseID),
		Line: value(q, "line", parseID), Movement: value(q, "movement", parseID),
		Newest: valueOr(q, "order", false, parseOrder), After: q.cursor(), Limit: q.limit(),
	}
	wait := valueOr(q, "wait", 0, parseWait)
	if command.Newest && wait > 0 {
		q.refuse("wait", errWaitAsc)
	}
	q.refuse("cursor", command.Refused())
	if err := q.err(); err != nil {
		return err
	}
	if wait == 0 {
		_, err := a.sendEvents(ctx, c, command, true)
		return err
	}
	return a.followEvents(ctx, c, command, wait)
}

// followEvents is sendEvents once there are some, or at the end of the wait. Meanwhile nothing of the store and no page
// is held.
func (a *api) followEvents(ctx context.Context, c *gin.Context, command application.ListEvents, wait time.Duration) error {
	waiting, cancel := a.waiting(ctx, wait)
	defer cancel()
	for entered := false; ; {
		left, err := a.sendEvents(ctx, c, command, waiting.Err() != nil)
		if err != nil || left == nil {
			return err
		}
		if !entered {
			account := caller(c).Reseller()
			if !a.waits.enter(account) {
				return &overQuota{errTooManyWaiting, time.Second}
			}
			defer a.waits.leave(account)
			entered = true
			// The server's own deadline for reading a request would end the context of one that waits.
			if err := http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(2 * requestTimeout)); err != nil {
				return err
			}
		}
		command.After = &left.Next
		err = a.Service.AwaitEvents(waiting, left.Head)
		if err == nil {
			err = pause(waiting, a.waits.gather())
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: wait for entries: %w", application.ErrUnavailable, context.Cause(ctx))
		}
		if err != nil && waiting.Err() == nil {
			return err
		}
	}
}

// waiting returns the context of a wait, which leaves time to answer, and ends when the process is about to stop.
func (a *api) waiting(ctx context.Context, wait time.Duration) (waiting context.Context, cancel func()) {
	if ends, has := ctx.Deadline(); has {
		wait = min(wait, time.Until(ends)-answerTime)
	}
	waiting, timedOut := context.WithTimeout(ctx, wait)
	if a.Draining == nil {
		return waiting, timedOut
	}
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

// sendEvents answers with a page of the journal. Unless it is the last attempt, one that has nothing to tell is not
// sent but returned: it is empty, and nothing is left to be examined.
func (a *api) sendEvents(ctx context.Context, c *gin.Context, command application.ListEvents, last bool) (left *application.EventPage, err error) {
	under, err := a.answers.begin(ctx, caller(c).Reseller(), command.Limit, batchOf(command.Limit))
	if err != nil {
		return nil, err
	}
	defer under.release()
	var found application.EventPage // the last that was read
	made, err := readFeed(command.After, command.Limit, func(after *string, limit int) (application.Page[journal.Numbered], bool, error) {
		found, err = a.Service.ListEvents(ctx, callOf(c), command.Part(after, limit))
		return found.Page, found.More, err
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

// waits counts the requests that wait, by account and in all.
type waits struct {
	mu  sync.Mutex
	of  map[int64]int
	all int
}

func newWaits() *waits { return &waits{of: map[int64]int{}} }

// enter counts a request, if it may wait.
func (w *waits) enter(account int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[account] >= mostWaits {
		return false
	}
	w.of[account]++
	w.all++
	return true
}

func (w *waits) leave(account int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.of[account]--; w.of[account] == 0 {
		delete(w.of, account)
	}
}

// gather returns for how long entries are gathered while so many wait.
func (w *waits) gather() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(max(gatherTime, time.Duration(w.all)*gatherShare), mostGathered)
}

// eventRecord is an entry of the journal.
type eventRecord struct{ journal.Numbered }

func eventOf(n journal.Numbered) eventRecord { return eventRecord{n} }

// EncodeEvent returns an entry as lists have it, which is what the receivers of webhooks get.
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

// appendMovement appends null if there is none.
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

// appendValue appends what an entry shows.
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
