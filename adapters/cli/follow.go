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

// Waits of a follower.
const (
	leastIdle  = 250 * time.Millisecond // between two requests without new changes
	mostIdle   = 500 * time.Millisecond
	firstWait  = 500 * time.Millisecond // after a failure; the next wait is twice as long
	mostWait   = time.Minute
	mostAsked  = 10 * time.Minute // limit of Retry-After
	leftBehind = 10 * time.Second // for the command of a killed follower
	reportsAll = 5 * time.Second  // between two reports while there are more changes
)

// The command takes about pageTime for a page. So a kill repeats at most a page, and new changes wait no longer. With
// fewer than leastPage changes a page, new changes could prevent a listing of all lines from ending.
const (
	pageTime    = time.Second
	firstPage   = 100
	leastPage   = 10
	mostPage    = 5_000
	longestPage = 8 << 20 // bytes: a page of the service has 1 MiB, and the ids of damaged records
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

// unlessEnded returns nil for the error of an ended ctx: the next run continues.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// follower runs a command for each change in a service.
type follower struct {
	*session
	service accountOverHTTP
	state   followState
	command string
	limit   int

	leastIdle, firstWait time.Duration

	applied  int64
	current  bool      // it has caught up once
	reported time.Time // time of the last report
}

// Lines at the start and the end of a listing of all lines. They report no change.
const (
	startsOver = `{"start_over":true}`
	caughtUp   = `{"caught_up":true}`
)

// follow continues at a position until ctx ends.
func (f *follower) follow(ctx context.Context, at followed) error {
	f.reported = time.Now()
	var restarts, empty backoff // a page with a change resets both, the last page resets empty
	stored := at
	if at.Cursor == "" {
		f.say("the command gets all lines of %s, then each change", f.service.base)
	} else {
		f.say("the command gets each change in %s since the last run", f.service.base)
	}
	for {
		page, err := f.page(ctx, at.Cursor)
		if err != nil {
			return err
		}
		if page.restart != "" { // the cursor belongs to another store, such as one before a restore
			f.say("the service was restored from a backup, or is another service: the command gets all lines again")
			at.Cursor = ""
		}
		if at.Cursor == "" {
			at.Listing = true
			if err := f.deliver(ctx, []byte(startsOver)); err != nil {
				return err
			}
		}
		if at.Cursor = page.restart; at.Cursor != "" {
			if err := pause(ctx, restarts.next(f.leastIdle)); err != nil {
				return err
			}
			continue // the state file gets the cursor after the first page
		}
		if len(page.Data) > 0 {
			restarts, empty = 0, 0
		}
		if err := f.apply(ctx, page.Data); err != nil {
			return err
		}
		if at.Listing && !page.More {
			if err := f.deliver(ctx, []byte(caughtUp)); err != nil {
				return err
			}
			at.Listing = false
		}
		at.Cursor = page.Next
		if at != stored {
			if err := f.state.write(at); err != nil {
				return err
			}
			stored = at
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

// report reports the progress: when the follower has caught up, and before that each reportsAll.
func (f *follower) report(page entitlementPage) {
	if len(page.Damaged) > 0 {
		f.say("the service left out %d damaged lines: run 'resellerd audit'", len(page.Damaged))
	}
	switch {
	case !page.More && (len(page.Data) > 0 || !f.current):
		f.current = true
		f.say("the command has applied %d changes since the start: it is up to date", f.applied)
	case page.More && time.Since(f.reported) >= reportsAll:
		f.say("the command has applied %d changes since the start: there are more", f.applied)
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

	restart string // cursor to start over with; the other fields are then empty
}

var errNoEntitlements = errors.New("the answer is no list of entitlements: is it the service, with its base path?")

// page requests the changes after a cursor, "" for all lines, until the service answers.
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

// noWait is the wait before a retry that can't succeed.
const noWait = -1

// ask sends one request. With an error it returns the shortest useful wait before a retry, or noWait.
func (f *follower) ask(ctx context.Context, at *url.URL) (page entitlementPage, after time.Duration, err error) {
	status, header, answer, err := f.service.exchange(ctx, http.MethodGet, at, nil, f.service.header(), longestPage)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = fmt.Errorf("%s: %w", f.service.base, failed.Err) // without the cursor, which no operator needs
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

// passes reports whether a retry after an answer with this status may succeed.
func passes(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests ||
		status == http.StatusRequestTimeout
}

// retryAfter returns the wait that an answer requests, 0 without a valid Retry-After.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, mostAsked)
}

// apply delivers the changes of a page, and sets the length of the next page by their time.
func (f *follower) apply(ctx context.Context, changes []json.RawMessage) error {
	began := time.Now()
	for _, change := range changes {
		if err := f.deliver(ctx, change); err != nil {
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

// deliver runs the command on a line until the command succeeds. The end of ctx does not end a running command.
func (f *follower) deliver(ctx context.Context, text []byte) error {
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

// nameOf returns the object of a line of input, without its password.
func nameOf(text []byte) string {
	var change struct{ Line int64 }
	if json.Unmarshal(text, &change) == nil && change.Line > 0 {
		return fmt.Sprintf("line %d", change.Line)
	}
	return string(text)
}

// backoff is the upper bound of the last of several waits, 0 before the first.
type backoff time.Duration

// next returns a random wait. Its upper bound is first at first, then doubles up to mostWait.
func (b *backoff) next(first time.Duration) time.Duration {
	last := min(max(2*time.Duration(*b), first), mostWait)
	*b = backoff(last)
	return last/2 + rand.N(last/2+1) //nolint:gosec // it spreads requests
}

// retries waits longer and longer between attempts of one operation, and reports the first failure.
type retries struct {
	say    func(format string, args ...any)
	first  time.Duration // the first wait
	until  string        // the condition that ends the attempts
	goesOn string        // the message after a success
	last   backoff
}

// wait waits until the next attempt: for at least least.
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

// pause waits for d. It returns early with an error if ctx ends.
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

// followed is the position of a follower.
type followed struct {
	URL     string `json:"url"`               // of the service to which the cursor belongs
	Cursor  string `json:"cursor"`            // last applied page; "" is the beginning
	Listing bool   `json:"listing,omitempty"` // a listing of all lines has started and not ended
}

// followState is the state file. A follower uses it only with its lock. The command inherits the lock, so the command
// of a killed follower ends before the next command runs.
type followState struct {
	file, url string
	held      *os.File
}

// mostState is larger than any state file.
const mostState = 1 << 20

// read returns the stored position, or the beginning without a file.
func (s followState) read() (followed, error) {
	text, err := regularfile.Read(s.file, mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return followed{}, nil
	}
	var at followed
	if err == nil && (json.Unmarshal(text, &at) != nil || at.Cursor == "" || at.URL == "") {
		err = fmt.Errorf("%s is not a state file of this command: name another file, or remove this file to start over", s.file)
	}
	if err == nil && strings.TrimRight(at.URL, "/") != s.url { // operators may edit the file
		err = fmt.Errorf(
			"%s belongs to the service at %s: use one file for each service, or if the service has moved, write its new address into the file", s.file, at.URL)
	}
	at.URL = ""
	return at, err
}

// write stores the position.
func (s followState) write(at followed) error {
	at.URL = s.url
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return keep(s.file, text)
}

// keep replaces a file, which only its owner may read, with a line. A crash leaves the old content or the new.
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

// lock takes the lock, and waits for it up to most.
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

// errLocked is the error for a lock that another process holds.
var errLocked = errors.New("it is locked")
