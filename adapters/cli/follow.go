package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/regularfile"
)

type entitlementsCommands struct {
	Follow followCommand `cmd:"" help:"Run a command for each change of a line, at least once and in order. After a crash it continues at its position."`
}

type followCommand struct {
	RemoteFlags
	Exec  string `required:"" placeholder:"COMMAND" help:"Command that the shell runs for each change. Its standard input has the change as one line of JSON."`
	State string `required:"" placeholder:"FILE" help:"File with the position. The follower creates a missing file, and then lists all lines first."`
}

// How long a follower waits.
const (
	leastIdle  = 250 * time.Millisecond // between two questions where nothing is new
	mostIdle   = 500 * time.Millisecond
	firstWait  = 500 * time.Millisecond // after a failure; the next one is twice as long
	mostWait   = time.Minute
	mostAsked  = 10 * time.Minute // of what Retry-After asks for
	leftBehind = 10 * time.Second // for the command of a follower that was killed
	reportsAll = 5 * time.Second  // between two reports while there is more
)

// A page has as many changes as the command takes in about pageTime, so that a kill repeats no more of them, and what
// changes meanwhile does not wait longer. Fewer than leastPage would have a sweep of all lines starve.
const (
	pageTime    = time.Second
	firstPage   = 100
	leastPage   = 10
	mostPage    = 5_000
	longestPage = 8 << 20 // bytes: the service makes pages of 1 MiB, and names damaged records besides
)

// Run runs the command.
func (c followCommand) Run(s *session) error {
	return s.asAccount(c.RemoteFlags, func(wrong *Misconfiguration) {
		for _, f := range []struct{ flag, given string }{{"--exec", c.Exec}, {"--state", c.State}} {
			if strings.TrimSpace(f.given) == "" {
				wrong.Add(f.flag, errors.New("this must not be empty"))
			}
		}
	}, func(ctx context.Context, service accountOverHTTP) error {
		state := followState{file: c.State, url: service.base.String()}
		if err := state.lock(ctx, leftBehind); err != nil {
			return unlessEnded(ctx, err)
		}
		defer state.unlock()
		at, err := state.read()
		if err != nil {
			return err
		}
		f := follower{session: s, service: service, state: state, command: c.Exec, limit: firstPage, leastIdle: leastIdle,
			firstWait: firstWait}
		return unlessEnded(ctx, f.follow(ctx, at))
	})
}

// unlessEnded returns nil where the process was asked to end: what it follows goes on another time.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// follower hands what changes in a service to a command.
type follower struct {
	*session
	service accountOverHTTP
	state   followState
	command string
	limit   int

	leastIdle, firstWait time.Duration

	applied  int64
	current  bool      // nothing was left once
	reported time.Time // when it last said how far it is
}

// Lines that tell the command of the listing around them, and not of a change.
const (
	startsOver = `{"start_over":true}`
	caughtUp   = `{"caught_up":true}`
)

// follow goes on from a place until ctx ends.
func (f *follower) follow(ctx context.Context, at followed) error {
	f.reported = time.Now()
	var restarts, empty backoff // since a page had a change, empty also since a page was the last one
	kept := at
	if at.Cursor == "" {
		f.say("all lines of %s are told, then what changes", f.service.base)
	} else {
		f.say("what has changed in %s since the last run is told", f.service.base)
	}
	for {
		page, err := f.page(ctx, at.Cursor)
		if err != nil {
			return err
		}
		if page.restart != "" { // its numbers are those of another store, such as one that was restored
			f.say("the service was restored from a backup, or is another one: all lines are told anew")
			at.Cursor = ""
		}
		if at.Cursor == "" {
			at.Listing = true
			if err := f.tell(ctx, []byte(startsOver)); err != nil {
				return err
			}
		}
		if at.Cursor = page.restart; at.Cursor != "" {
			if err := pause(ctx, restarts.next(f.leastIdle)); err != nil {
				return err
			}
			continue // it is kept with the first page
		}
		if len(page.Data) > 0 {
			restarts, empty = 0, 0
		}
		if err := f.apply(ctx, page.Data); err != nil {
			return err
		}
		if at.Listing && !page.More {
			if err := f.tell(ctx, []byte(caughtUp)); err != nil {
				return err
			}
			at.Listing = false
		}
		at.Cursor = page.Next
		if at != kept {
			if err := f.state.write(at); err != nil {
				return err
			}
			kept = at
		}
		f.report(page)
		switch {
		case !page.More:
			empty = 0
			err = pause(ctx, f.leastIdle+rand.N(mostIdle-leastIdle)) //nolint:gosec // it spreads requests
		case len(page.Data) == 0:
			err = pause(ctx, empty.next(f.leastIdle))
		}
		if err != nil {
			return err
		}
	}
}

// report says how far it is: whenever nothing is left, and now and then before.
func (f *follower) report(page entitlementPage) {
	if len(page.Damaged) > 0 {
		f.say("%d damaged lines were left out: 'resellerd audit' says more", len(page.Damaged))
	}
	switch {
	case !page.More && (len(page.Data) > 0 || !f.current):
		f.current = true
		f.say("%d changes were told since the start, and none is left", f.applied)
	case page.More && time.Since(f.reported) >= reportsAll:
		f.say("%d changes were told since the start, and there are more", f.applied)
	default:
		return
	}
	f.reported = time.Now()
}

// entitlementPage is a page of changes.
type entitlementPage struct {
	Data    []json.RawMessage
	Next    string  `json:"next_cursor"`
	More    bool    `json:"has_more"`
	Damaged []int64 `json:"damaged"`

	restart string // the cursor to begin anew from, in place of all that
}

var errNoEntitlements = errors.New("the answer is no list of entitlements: is it the service, with its base path?")

// page asks for the changes after a cursor, "" for all lines, until there is an answer.
func (f *follower) page(ctx context.Context, cursor string) (entitlementPage, error) {
	at := f.service.base.JoinPath("entitlements")
	query := url.Values{"limit": {strconv.Itoa(f.limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	at.RawQuery = query.Encode()
	failing := retries{say: f.say, first: f.firstWait, until: "it succeeds", goesOn: "the service answers again"}
	for {
		page, after, err := f.ask(ctx, at)
		if err == nil {
			failing.end()
			return page, nil
		}
		if ctx.Err() != nil {
			return entitlementPage{}, ctx.Err()
		}
		if after == noWait {
			return entitlementPage{}, err
		}
		if err := failing.wait(ctx, err.Error(), after); err != nil {
			return entitlementPage{}, err
		}
	}
}

// noWait is how long to wait where asking again is of no use.
const noWait = -1

// ask asks once. With an error it returns after which time it may be of use to ask again at the earliest, or noWait.
func (f *follower) ask(ctx context.Context, at *url.URL) (page entitlementPage, after time.Duration, err error) {
	status, header, answer, err := f.service.exchange(ctx, http.MethodGet, at, nil, f.service.header(), longestPage)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = fmt.Errorf("%s: %w", f.service.base, failed.Err) // without the cursor, which says nothing to people
		}
		return entitlementPage{}, 0, err
	}
	if status == http.StatusOK {
		if err := json.Unmarshal(answer, &page); err != nil || page.Data == nil || page.Next == "" {
			return entitlementPage{}, noWait, errNoEntitlements
		}
		return page, 0, nil
	}
	if status == http.StatusGone {
		var problem struct{ Restart string }
		if json.Unmarshal(answer, &problem) == nil && problem.Restart != "" {
			return entitlementPage{restart: problem.Restart}, 0, nil
		}
	}
	shown := *at
	shown.RawQuery = ""
	err = refusal(&shown, status, answer)
	if !passes(status) {
		return entitlementPage{}, noWait, err
	}
	return entitlementPage{}, retryAfter(header), err
}

// passes reports whether a refusal of this status may not come again.
func passes(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests ||
		status == http.StatusRequestTimeout
}

// retryAfter returns how long an answer asks to wait, 0 where it doesn't say.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, mostAsked)
}

// apply tells of the changes of a page, and learns from it how many the next one is to have.
func (f *follower) apply(ctx context.Context, changes []json.RawMessage) error {
	began := time.Now()
	for _, change := range changes {
		if err := f.tell(ctx, change); err != nil {
			return err
		}
		f.applied++
	}
	if n := len(changes); n > 0 {
		each := max(time.Since(began)/time.Duration(n), time.Microsecond)
		f.limit = min(max(int(pageTime/each), leastPage), mostPage)
	}
	return nil
}

// tell runs the command on a line until it succeeds. One that runs is not ended with ctx.
func (f *follower) tell(ctx context.Context, text []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return errNoEntitlements
	}
	line.WriteByte('\n')
	failing := retries{say: f.say, first: f.firstWait, until: "it succeeds", goesOn: "the command succeeds again"}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		command := f.state.shell(context.WithoutCancel(ctx), f.command)
		command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(line.Bytes()), plain(f.stdout), plain(f.stderr)
		command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, tokenVariable+"=") })
		err := command.Run()
		if err == nil {
			failing.end()
			return nil
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return err // there is no shell
		}
		if err := failing.wait(ctx, fmt.Sprintf("the command failed on %s (%s)", quotedIfOdd(nameOf(text)), err),
			0); err != nil {
			return err
		}
	}
}

// nameOf names what a line is about without its password.
func nameOf(text []byte) string {
	var change struct{ Line int64 }
	if json.Unmarshal(text, &change) == nil && change.Line > 0 {
		return fmt.Sprintf("line %d", change.Line)
	}
	return string(text)
}

// backoff is the longest that the last of several waits could be, 0 before the first.
type backoff time.Duration

// next returns how long to wait: at first up to first, then up to twice as long as the last time, but not over
// mostWait.
func (b *backoff) next(first time.Duration) time.Duration {
	last := min(max(2*time.Duration(*b), first), mostWait)
	*b = backoff(last)
	return last/2 + rand.N(last/2+1) //nolint:gosec // it spreads requests
}

// retries waits longer and longer between attempts at one thing, and says once that it fails.
type retries struct {
	say    func(format string, args ...any)
	first  time.Duration // the first wait
	until  string        // how long it is tried
	goesOn string        // what is said once it no longer fails
	last   backoff
}

// wait waits until the next attempt: at least so long.
func (r *retries) wait(ctx context.Context, why string, least time.Duration) error {
	if r.last == 0 {
		r.say("%s: it is tried again until %s", why, r.until)
	}
	return pause(ctx, max(r.last.next(r.first), least))
}

func (r *retries) end() {
	if r.last > 0 {
		r.say("%s", r.goesOn)
	}
}

// pause returns after a time, with an error where ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}

// followed is how far a follower is.
type followed struct {
	URL     string `json:"url"`               // of the service that the cursor is of
	Cursor  string `json:"cursor"`            // after which nothing was applied yet; "" is the beginning
	Listing bool   `json:"listing,omitempty"` // it has not been told all lines since it started over
}

// followState is the file that keeps it. Only who holds its lock, which the command inherits, may use it: a command
// that a killed follower left behind ends before the next one runs.
type followState struct {
	file, url string
	held      *os.File
}

// mostState is more than a state has.
const mostState = 1 << 20

// read returns what was kept, or the beginning.
func (s followState) read() (followed, error) {
	text, err := regularfile.Read(s.file, mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return followed{}, nil
	}
	var at followed
	if err == nil && (json.Unmarshal(text, &at) != nil || at.Cursor == "" || at.URL == "") {
		err = fmt.Errorf("%s is not what this command keeps: give it another file, or remove this one to begin anew", s.file)
	}
	if err == nil && strings.TrimRight(at.URL, "/") != s.url { // people may have written it
		err = fmt.Errorf(
			"%s is about the service at %s: give each service a file of its own, or write the new address there if the service has moved", s.file, at.URL)
	}
	at.URL = ""
	return at, err
}

// write keeps it.
func (s followState) write(at followed) error {
	at.URL = s.url
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return keep(s.file, text)
}

// keep writes a line to a file that only its owner may read, so that a crash leaves this or what was there before.
func keep(file string, line []byte) error {
	draft, err := os.OpenFile(file+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = draft.Write(append(line, '\n'))
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), file)
}

// lock waits for the lock, but not longer than so.
func (s *followState) lock(ctx context.Context, most time.Duration) error {
	for late := time.Now().Add(most); ; {
		held, err := lockFile(s.file + ".lock")
		if err == nil {
			s.held = held
			return nil
		}
		if !errors.Is(err, errLocked) {
			return err
		}
		if time.Now().After(late) {
			return fmt.Errorf("%s is in use: another follower, or a command that one left behind, still runs", s.file)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func (s *followState) unlock() { _ = s.held.Close() }

// errLocked says that another process has a lock.
var errLocked = errors.New("it is locked")
