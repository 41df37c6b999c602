package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"resellerd/application/operate"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
)

type eventsCommand struct {
	StoreFlags
	Since   string   `placeholder:"TIME" help:"Only entries from this time on: a time, a day, or a duration before now."`
	Until   string   `placeholder:"TIME" help:"Only entries before this time."`
	Account string   `placeholder:"NAME|ID" help:"Only entries of this account."`
	Line    string   `placeholder:"ID" help:"Only entries of this line, which may be deleted."`
	Type    []string `sep:"none" placeholder:"TYPE" help:"Only entries of this type, such as line.activated, or of the types with this beginning, such as line.*. You can repeat it."`
	Format  string   `enum:"text,ndjson" default:"text" help:"text, one line for each entry, or ndjson, one object for each entry."`
}

// Run runs the command.
func (c eventsCommand) Run(s *session) error {
	var q operate.EventQuery
	prepare := func(wrong *Misconfiguration) Store {
		q = c.query(time.Now(), wrong)
		return s.Store(c.StoreFlags, false, s.stderr, wrong)
	}
	return perform(s, prepare, func(ctx context.Context, store Store) error {
		out := bufio.NewWriter(s.stdout)
		write := writeEvent
		if c.Format == "ndjson" {
			write = writeEventJSON
		}
		err := store.Events(ctx, q, func(finding string) {
			_, _ = fmt.Fprintf(s.stderr, "resellerd: %s: 'resellerd audit' says more\n", quotedIfOdd(finding))
		}, func(e operate.Event) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return write(out, e)
		})
		if errors.Is(err, fault.ErrNotFound) {
			err = fmt.Errorf("there is no account %s", c.Account)
		}
		return interrupted(ctx, errors.Join(err, out.Flush()))
	})
}

// query reads the flags.
func (c eventsCommand) query(now time.Time, wrong *Misconfiguration) (q operate.EventQuery) {
	var err error
	q.Since, err = parseInstant(c.Since, now)
	wrong.Add("--since", err)
	q.Until, err = parseInstant(c.Until, now)
	wrong.Add("--until", err)
	if q.Account.ID, err = parseNumber(c.Account); err != nil {
		q.Account.Name, err = profile.ParseUsername(c.Account)
		wrong.Add("--account", err)
	}
	q.Line, err = parseNumber(c.Line)
	wrong.Add("--line", err)
	for _, pattern := range c.Type {
		types, err := journal.ParseTypes(pattern)
		wrong.Add("--type", err)
		q.Types = append(q.Types, types...)
	}
	return q
}

// parseInstant reads a time (RFC 3339), a day of UTC, or a duration before now. "" is the zero time.
func parseInstant(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UTC(), nil
	}
	return time.Time{},
		fmt.Errorf(
			"%q is no time such as 2026-11-23T18:00:00Z, no day such as 2026-11-23, and no duration before now such as 24h",
			text)
}

// parseNumber reads an id, 0 for "".
func parseNumber(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%q is no id", text)
	}
	return id, nil
}

// sentences has the predicate of the sentence for each type of entry. The object follows.
var sentences = map[journal.Type]string{
	journal.ResellerCreated:   "created",
	journal.ResellerUpdated:   "changed",
	journal.ResellerCredited:  "added credits to",
	journal.ResellerReclaimed: "took credits back from",
	journal.ResellerBlocked:   "blocked",
	journal.ResellerUnblocked: "unblocked",
	journal.TrialCreated:      "created the trial",
	journal.LineActivated:     "activated",
	journal.LineExtended:      "extended",
	journal.PlanChanged:       "changed the plan of",
	journal.LineUpdated:       "changed",
	journal.LineSuspended:     "suspended",
	journal.LineResumed:       "resumed",
	journal.LineImported:      "imported",
	journal.LineReimported:    "imported again",
	journal.LineDeleted:       "deleted",
	journal.LineExpiring:      "sent a reminder of the expiry of",
	journal.LineExpired:       "reported the expiry of",
	journal.BulkFinished:      "ended a bulk job of",
	journal.PlanCreated:       "created a plan",
	journal.PlanUpdated:       "changed a plan",
	journal.PricesChanged:     "changed the prices of",
	journal.BalanceLow:        "reported the low balance of",
	journal.BalanceRecovered:  "reported the recovered balance of",
	journal.SessionStarted:    "signed in to",
	journal.SessionEnded:      "ended a session of",
	journal.TokenRevoked:      "revoked the token of",
	journal.PasswordChanged:   "changed the password of",
	journal.KeyCreated:        "created an API key of",
	journal.KeyUpdated:        "changed an API key of",
	journal.KeyRevoked:        "revoked an API key of",
	journal.StaffCreated:      "added a member to the staff of",
	journal.StaffUpdated:      "changed a member of the staff of",
	journal.StaffRemoved:      "removed a member from the staff of",
	journal.TOTPEnabled:       "turned on a second factor of",
	journal.TOTPDisabled:      "turned off a second factor of",
	journal.TOTPReset:         "removed a lost second factor of",
	journal.WebhookCreated:    "created a webhook of",
	journal.WebhookUpdated:    "changed a webhook of",
	journal.WebhookRotated:    "replaced the secret of a webhook of",
	journal.WebhookDisabled:   "disabled a webhook of",
	journal.WebhookRemoved:    "removed a webhook of",
	journal.Began:             "began the journal",
	journal.Restored:          "restored the store from a backup, and began another epoch of the journal",
	journal.AdminCreated:      "created the administrator",
	journal.PasswordReset:     "set a new password of",
	journal.AdminBlocked:      "blocked",
	journal.AdminUnblocked:    "unblocked",
	journal.KeyReplaced:       "replaced the service key",
}

// writeEvent writes an entry as a line of text: the time, the actor, the sentence, and the details in brackets.
func writeEvent(out io.Writer, e operate.Event) error {
	said, known := sentences[e.Type]
	if !known {
		said = e.Type.String()
	}
	if object := objectOf(e); object != "" {
		said += " " + object
	}
	if m := e.Movement; m != nil {
		moved := []string{fmt.Sprintf("%s credits from %s to %s", m.Amount, party(e, m.Source), party(e, m.Target))}
		for _, b := range m.Balances {
			moved = append(moved, fmt.Sprintf("%s then had %s", account(e, b.Reseller), b.Credits))
		}
		said += ": " + strings.Join(moved, ", ")
	}
	details := changesOf(e.Changes)
	if e.Reason != "" {
		details = append(details, "reason "+strconv.Quote(e.Reason))
	}
	for _, d := range e.Data {
		if d.Name != journal.Username {
			details = append(details, fmt.Sprintf("%s %s", d.Name, valueText(d.Value)))
		}
	}
	if e.Request != "" {
		details = append(details, "request "+strconv.Quote(e.Request))
	}
	_, err := fmt.Fprintf(out, "%s %s %s (%s)\n", stamp(e.At), actorOf(e), said,
		strings.Join(append(details, e.Type.String(), e.ID()), "; "))
	return err
}

// actorOf names the actor with its credential and address.
func actorOf(e operate.Event) string {
	if e.Actor.Kind == journal.BySystem && e.Actor.Account == 0 {
		return "the service"
	}
	who := "an operator"
	if e.Actor.Account != 0 {
		who = named(e.Actor.Name, e.Actor.Account)
	}
	switch e.Actor.Kind {
	case journal.ByOperator, journal.BySystem:
	case journal.ByKey:
		who = fmt.Sprintf("the API key %s of %s", named(strconv.Quote(e.Actor.Name), e.Actor.Principal),
			account(e, e.Actor.Account))
	case journal.ByStaff:
		who = fmt.Sprintf("%s of the staff of %s", named(e.Actor.Name, e.Actor.Principal), account(e, e.Actor.Account))
	default:
		who += " by " + e.Actor.Kind.String()
	}
	if e.Actor.Address != "" {
		who += " from " + e.Actor.Address
	}
	return who
}

// objectOf names the line or the account that an entry is about, with its name at that time, and the owner of a line.
func objectOf(e operate.Event) string {
	name := ""
	for _, d := range e.Data {
		if d.Name == journal.Username {
			name, _ = d.Value.Any().(string)
		}
	}
	switch {
	case e.Line != 0:
		return "line " + named(name, e.Line) + " of " + account(e, e.Account.ID)
	case e.Account.ID == 0:
		return ""
	case name == "":
		return account(e, e.Account.ID)
	}
	return named(name, e.Account.ID)
}

func account(e operate.Event, id int64) string { return named(e.Names[id], id) }

// named returns a name with an id, since names can change.
func named(name string, id int64) string {
	if name == "" {
		return fmt.Sprintf("account %d", id)
	}
	return fmt.Sprintf("%s (%d)", name, id)
}

func party(e operate.Event, p credit.Party) string {
	if id := p.ResellerID(); id != 0 {
		return account(e, id)
	}
	return p.System()
}

// changesOf lists the values of shown fields, and the names of the others.
func changesOf(changes []journal.Change) (listed []string) {
	hidden := ""
	for _, c := range changes {
		switch {
		case !c.Shown:
			hidden += ", " + c.Field
		case c.Before == journal.Value{}:
			listed = append(listed, fmt.Sprintf("%s %s", c.Field, valueText(c.After)))
		default:
			listed = append(listed, fmt.Sprintf("%s %s to %s", c.Field, valueText(c.Before), valueText(c.After)))
		}
	}
	if hidden != "" {
		listed = append(listed, "another "+hidden[2:])
	}
	return listed
}

func valueText(v journal.Value) string {
	switch v := v.Any().(type) {
	case nil:
		return "none"
	case time.Time:
		return stamp(v)
	case string:
		return quotedUnlessWord(v)
	default:
		return fmt.Sprint(v)
	}
}

// quotedUnlessWord returns a text that can't be mistaken for the words around it.
func quotedUnlessWord(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:@+/", r)
	}) {
		return strconv.Quote(text)
	}
	return text
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// eventRecord is an entry as GET /events shows it to an administrator.
type eventRecord struct {
	ID        string          `json:"id"`
	Seq       int64           `json:"seq"`
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Account   *int64          `json:"account"`
	Line      *int64          `json:"line"`
	Actor     actorRecord     `json:"actor"`
	Request   *string         `json:"request_id"`
	Movement  *movementRecord `json:"movement"`
	Changes   map[string]any  `json:"changes"`
	Reason    *string         `json:"reason"`
	Version   *int64          `json:"version"`
	Data      map[string]any  `json:"data"`
}

type actorRecord struct {
	Account *int64  `json:"account"`
	Kind    string  `json:"kind"`
	ID      *int64  `json:"id"`
	Name    string  `json:"name"`
	Address *string `json:"address"`
}

type movementRecord struct {
	ID       int64            `json:"id"`
	Kind     string           `json:"kind"`
	Amount   string           `json:"amount"`
	From     string           `json:"from"`
	To       string           `json:"to"`
	Balances map[int64]string `json:"balances"`
}

// writeEventJSON writes an entry as an object on a line.
func writeEventJSON(out io.Writer, e operate.Event) error {
	r := eventRecord{
		ID: e.ID(), Seq: e.Seq, Type: e.Type.String(), Timestamp: stamp(e.At), Account: unlessZero(e.Account.ID),
		Line: unlessZero(e.Line),
		Actor: actorRecord{unlessZero(e.Actor.Account), e.Actor.Kind.String(), unlessZero(e.Actor.Principal), e.Actor.Name,
			unlessZero(e.Actor.Address)},
		Request: unlessZero(e.Request), Changes: map[string]any{}, Reason: unlessZero(e.Reason),
		Version: unlessZero(e.Version), Data: map[string]any{},
	}
	if m := e.Movement; m != nil {
		r.Movement = &movementRecord{m.ID, m.Operation.String(), m.Amount.String(), m.Source.Name(), m.Target.Name(),
			map[int64]string{}}
		for _, b := range m.Balances {
			r.Movement.Balances[b.Reseller] = b.Credits.String()
		}
	}
	for _, c := range e.Changes {
		if r.Changes[c.Field] = true; c.Shown {
			r.Changes[c.Field] = [2]any{jsonValue(c.Before), jsonValue(c.After)}
		}
	}
	for _, d := range e.Data {
		r.Data[d.Name] = jsonValue(d.Value)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

func jsonValue(v journal.Value) any {
	if at, is := v.Any().(time.Time); is {
		return stamp(at)
	}
	return v.Any()
}

func unlessZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
