package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
	"resellerd/application/jobs"
	"resellerd/application/lines"
	"resellerd/domain/bulk"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// Refusals of a bulk job.
var (
	errAction    = fault.New(fault.Invalid, "bad-value", "This must be extend, suspend, resume, delete or details.")
	errSelection = fault.New(fault.Invalid, "bad-value",
		"This must have either filter, which may be empty and then selects every line, or ids.")
	errIDs     = fault.New(fault.Invalid, "bad-value", "This must be an array of 1 to 500 ids.")
	errFilter  = fault.New(fault.Invalid, "unknown-filter", "No filter of lines has this name.")
	errOneLine = fault.New(fault.Invalid, "bad-value",
		"A bulk job can't set names or passwords: PATCH /lines/{id}/details sets them for one line.")
	errNotLineID = fault.New(fault.Invalid, "bad-value", "This must be an array of ids.")
	errCount     = fault.New(fault.Invalid, "bad-value", "This must be a whole number from 0 to 1000000.")
)

type (
	action struct {
		text
		parsed[bulk.Action]
	}
	lineIDs struct {
		member
		parsed[[]int64]
		elements []jsontext.Value
	}
	count struct {
		number
		parsed[int]
	}
	// ofOneLine is a member that a bulk job refuses, whatever its type.
	ofOneLine struct{ member }
	// filter is a JSON object with the names of the query of GET /lines.
	filter struct {
		member
		parsed[lines.List]
		values map[string]jsontext.Value
	}
)

func (m *action) parse() error {
	a := bulk.Action(m.literal)
	if !slices.Contains(bulk.Actions(), a) {
		return errAction
	}
	return m.set(a, nil)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *lineIDs) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return m.readInto(&m.elements, jsontext.KindBeginArray, d)
}

func (*ofOneLine) typed() bool   { return true }
func (*ofOneLine) wants() string { return "nothing" }

func (m *lineIDs) typed() bool { return m.kind == jsontext.KindBeginArray }
func (*lineIDs) wants() string { return "an array of ids" }

func (m *lineIDs) parse() error {
	if len(m.elements) == 0 || len(m.elements) > bulk.MaxIDs {
		return errIDs
	}
	for _, e := range m.elements {
		id, err := parseSomeID(string(e))
		if err != nil {
			return errNotLineID.WithDetail(
				"Each id must be a number of digits, without quotes, sign or leading zero; one is %s.", kinds[e.Kind()])
		}
		m.value = append(m.value, id)
	}
	return nil
}

// parseSomeID is parseID without 0, which is the id of nothing.
func parseSomeID(text string) (int64, error) {
	id, err := parseID(text)
	if err == nil && id == 0 {
		err = errNotID
	}
	return id, err
}

func (m *count) parse() error {
	n, err := m.whole(bulk.MaxLines)
	if err != nil {
		return errCount
	}
	return m.set(int(n), nil)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. A duplicate name was refused with the body.
func (m *filter) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return m.readInto(&m.values, jsontext.KindBeginObject, d)
}

func (m *filter) typed() bool { return m.kind == jsontext.KindBeginObject }
func (*filter) wants() string { return "an object" }

// parse reads the values as GET /lines reads its query. It refuses unknown names and empty texts: without them the job
// would select more lines than intended.
func (m *filter) parse() error {
	q := &query{values: url.Values{}}
	for name, value := range m.values {
		text, is := inQuery(name, value)
		switch {
		case value.Kind() == jsontext.KindNull:
			continue
		case !slices.Contains(lineFilters, name):
			q.refuse(name, unknownFilter(name))
		case !is:
			q.refuse(name, errWrongType.WithDetail("This must be a number, true, false or a text in quotes, not %s.",
				kinds[value.Kind()]))
		case strings.TrimSpace(text) == "":
			q.refuse(name, profile.ErrEmpty)
		default:
			q.values.Set(name, text)
		}
	}
	for _, name := range []string{"owner", "tree"} {
		value(q, name, parseSomeID)
	}
	asked := linesAsked(q)
	if err := q.err(); err != nil {
		return err
	}
	return m.set(asked, nil)
}

// unknownFilter names the filter that the client probably meant, or lists all.
func unknownFilter(sent string) error {
	near := slices.IndexFunc(lineFilters, func(name string) bool { return isNear(sent, name) })
	if near >= 0 {
		return errFilter.WithDetail("%s", misnamed{sent: sent, name: lineFilters[near]}.Error())
	}
	return errFilter.WithDetail("No filter of lines has this name. Filters are %s.", strings.Join(lineFilters, ", "))
}

// inQuery returns a value in the form of a query. In a query status and isTrial are 0 or 1, and suspended is false or
// true. In a body each may be a number, a truth value or a text.
func inQuery(name string, value jsontext.Value) (text string, is bool) {
	if content := literal(value); content != nil {
		text = *content
	} else if text = string(value); text != "true" && text != "false" {
		return "", false
	}
	switch name {
	case "status", "isTrial":
		text = cmp.Or(map[string]string{"true": "1", "false": "0"}[text], text)
	case "suspended":
		text = cmp.Or(map[string]string{"1": "true", "0": "false"}[text], text)
	}
	return text, true
}

// lineFilters are the names in the query of GET /lines that select lines.
var lineFilters = []string{"owner", "tree", "status", "isTrial", "expires_after", "expires_before", "suspended",
	"effective", "username", "external_id", "q"}

// object is a JSON object with the members of B, a struct of them.
type object[B any] struct {
	member
	members B
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *object[B]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return m.readInto(&m.members, jsontext.KindBeginObject, d)
}

func (m *object[B]) typed() bool  { return m.kind == jsontext.KindBeginObject }
func (*object[B]) wants() string  { return "an object" }
func (m *object[B]) parse() error { return bind(&m.members) }
func (m *object[B]) body() any    { return &m.members }

// isGiven reports whether a member is present and not null.
func (m *member) isGiven() bool { return m.kind != 0 && m.kind != jsontext.KindNull }

type bulkSelectBody struct {
	Filter filter  `json:"filter"`
	IDs    lineIDs `json:"ids"`
}

type bulkParamsBody struct {
	Credits price        `json:"credits"`
	Plan    recordID     `json:"plan"`
	Reason  reason       `json:"reason"`
	Notes   notes        `json:"notes"`
	Country requiredText `json:"country" validate:"notnull"`
	lineTexts
	Metadata metadata  `json:"metadata"`
	Username ofOneLine `json:"username"`
	Password ofOneLine `json:"password"`
}

func (b *bulkParamsBody) description() line.Description {
	return descriptionOf(b, &b.Metadata)
}

type bulkExpectBody struct {
	Count count   `json:"count" validate:"required"`
	Total credits `json:"total" validate:"required"`
}

type startBulkBody struct {
	Action action                 `json:"action" validate:"required"`
	Select object[bulkSelectBody] `json:"select" validate:"required"`
	Params object[bulkParamsBody] `json:"params"`
	DryRun boolean                `json:"dry_run" validate:"notnull"`
	Expect object[bulkExpectBody] `json:"expect"`
}

func (b *startBulkBody) dryRun() bool { return b.DryRun.value != nil && *b.DryRun.value }

func (b *startBulkBody) check(f *form) {
	selected := &b.Select.members
	if b.Select.isGiven() && selected.Filter.isGiven() == selected.IDs.isGiven() {
		f.refuse("select", errSelection)
	}
	if !b.dryRun() && !b.Expect.isGiven() {
		f.refuse("expect",
			profile.ErrEmpty.WithDetail("This is required unless dry_run is true: a dry run returns count and total."))
	}
	switch params := &b.Params.members; b.Action.value {
	case bulk.Extend:
		if !params.Credits.isGiven() && !params.Plan.isGiven() {
			f.refuse("params/credits", errMissing)
		}
	case bulk.Details:
		if params.Username.kind != 0 {
			f.refuse("params/username", errOneLine)
		}
		if params.Password.kind != 0 {
			f.refuse("params/password", errOneLine)
		}
		if params.description() == (line.Description{}) {
			f.refuse("params", profile.ErrEmpty.WithDetail("This is required, with at least one member to change."))
		}
	case bulk.Suspend, bulk.Resume, bulk.Delete:
	}
}

func (b startBulkBody) command(int64) jobs.Start {
	params := &b.Params.members
	c := jobs.Start{
		Change: bulk.Change{Action: b.Action.value},
		IDs:    b.Select.members.IDs.value,
		Filter: filterOf(b.Select.members.Filter.value),
		DryRun: b.dryRun(),
		Expected: bulk.Expected{
			Count: b.Expect.members.Count.value, Total: bulk.Units(b.Expect.members.Total.value.Units()),
		},
	}
	switch c.Action {
	case bulk.Extend:
		if c.Plan = params.Plan.value; params.Credits.isGiven() {
			c.Price = params.Credits.value.Credits.String()
		}
	case bulk.Suspend:
		c.Reason = params.Reason.value.String()
	case bulk.Details:
		c.Details = bulk.DetailsOf(params.description())
	case bulk.Resume, bulk.Delete:
	}
	return c
}

// filterOf converts the filter of a list into that of a job.
func filterOf(c lines.List) bulk.Filter {
	f := bulk.Filter{
		Running: bulk.ConditionOf(c.Running), Suspended: bulk.ConditionOf(c.Suspended), Trial: bulk.ConditionOf(c.Trial),
		Username: c.Username, ExternalID: c.ExternalID, Search: c.Search.String(),
	}
	set(&f.Owner, c.Owner)
	set(&f.Tree, c.Tree)
	set(&f.Effect, c.Effect)
	set(&f.ExpiresAfter, c.ExpiresAfter)
	set(&f.ExpiresBefore, c.ExpiresBefore)
	return f
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

type outcomeRecord struct {
	Matched       int               `json:"matched"`
	WouldSucceed  int               `json:"would_succeed"`
	Refused       map[string]int    `json:"refused"` // by code
	Total         string            `json:"total"`
	BalancesAfter map[string]string `json:"balances_after"` // by id of the account
}

func recordOfOutcome(o bulk.Outcome) outcomeRecord {
	r := outcomeRecord{o.Matched, o.Succeeded, map[string]int{}, o.Total.Amount().String(), map[string]string{}}
	for _, c := range o.Refused {
		r.Refused[c.Code] = c.Times
	}
	for _, left := range o.BalancesAfter {
		r.BalancesAfter[strconv.FormatInt(left.Account, 10)] = left.Balance.Amount().String()
	}
	return r
}

type jobRecord struct {
	ID         int64          `json:"id"`
	Action     string         `json:"action"`
	DryRun     bool           `json:"dry_run"`
	Status     string         `json:"status"`
	Matched    int            `json:"matched"`
	Done       int            `json:"done"`
	Succeeded  int            `json:"succeeded"`
	Refused    int            `json:"refused"`
	Charged    string         `json:"charged"`
	CreatedAt  string         `json:"created_at"`
	FinishedAt *string        `json:"finished_at"`
	Outcome    *outcomeRecord `json:"outcome"` // of a finished dry run
}

func recordOfJob(j bulk.Job) jobRecord {
	r := jobRecord{
		ID: j.ID, Action: string(j.Action), DryRun: j.DryRun, Status: string(j.Status), Matched: j.Matched, Done: j.Done(),
		Succeeded: j.Succeeded, Refused: j.Refused, Charged: j.Charged.Amount().String(), CreatedAt: iso(j.Created),
		FinishedAt: isoOrNull(j.Finished),
	}
	if j.DryRun && j.Status == bulk.Done {
		r.Outcome = new(recordOfOutcome(j.Outcome()))
	}
	return r
}

func (r jobRecord) appendJSON(b []byte) []byte { return append(b, marshal(r)...) }

// startBulk counts a job with ids as a long page, because it reads each line: such jobs of an account wait for each
// other. A job with a filter has its own limits.
func (a *api) startBulk(
	ctx context.Context, call application.Call, c jobs.Start, render application.Render[jobs.Started],
) (application.Receipt, error) {
	if c.IDs != nil {
		under, err := a.answers.begin(ctx, call.Caller.Reseller(), 0, application.MostHeld)
		if err != nil {
			return application.Receipt{}, err
		}
		defer under.release()
	}
	return a.Service.Jobs.Start(ctx, call, c, render)
}

func bulkStarted(b jobs.Started) application.Receipt {
	if b.Outcome != nil {
		return answer(http.StatusOK, recordOfOutcome(*b.Outcome))
	}
	return answer(http.StatusAccepted, recordOfJob(b.Job))
}

var jobShown = recordShown(http.StatusOK, recordOfJob)

func (a *api) listJobs(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	limit := q.limit()
	return sendPage(ctx, a, c, q, limit, batchOf(limit), a.Service.Jobs.List, jobs.List{}, recordOfJob, nil)
}
