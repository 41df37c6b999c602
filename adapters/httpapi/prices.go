package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
	"resellerd/application/prices"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/plan"
)

var (
	errNotPlan     = fault.New(fault.Invalid, "bad-value", "This must be the id of a plan: a whole number from 1 on.")
	errConnections = fault.New(fault.Invalid, "bad-value", "This must be a whole number from 1 to 1000.")
	errSort        = fault.New(fault.Invalid, "bad-value", "This must be a whole number from 0 to 1000000.")
)

type (
	// recordID is the id of a record in a body.
	recordID struct {
		number
		parsed[int64]
	}
	connections struct {
		number
		parsed[int64]
	}
	position64 struct {
		number
		parsed[int64]
	}
	packages struct {
		list
		parsed[[]string]
	}
	priceRows struct {
		member
		parsed[[]plan.Row]
		elements []object[priceRowBody]
	}
)

func (m *recordID) parse() error {
	const mostExact = 1<<53 - 1
	id, err := m.whole(mostExact)
	if err != nil || id == 0 {
		return errNotPlan
	}
	return m.set(id, nil)
}

func (m *connections) parse() error {
	n, err := m.whole(plan.MaxConnections)
	if err != nil || n == 0 {
		return errConnections
	}
	return m.set(n, nil)
}

func (m *position64) parse() error {
	n, err := m.whole(plan.MaxSort)
	if err != nil {
		return errSort
	}
	return m.set(n, nil)
}

func (m *packages) parse() error { return m.set(plan.ParsePackages(m.elements)) }

// change returns nil for an absent member, and a pointer to no packages for null.
func (m *packages) change() *[]string {
	if m.kind == 0 {
		return nil
	}
	return &m.value
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *priceRows) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return m.readInto(&m.elements, jsontext.KindBeginArray, d)
}

func (m *priceRows) typed() bool {
	return m.kind == jsontext.KindBeginArray && !slices.ContainsFunc(m.elements, func(e object[priceRowBody]) bool {
		return !e.typed()
	})
}
func (*priceRows) wants() string { return "an array of objects" }

type priceRowBody struct {
	Plan    recordID        `json:"plan" validate:"required"`
	Credits positiveCredits `json:"credits" validate:"required"`
}

func (m *priceRows) parse() error {
	if len(m.elements) == 0 || len(m.elements) > plan.MaxRows {
		return plan.ErrRows
	}
	var f form
	seen := map[int64]bool{}
	for i := range m.elements {
		row := &m.elements[i].members
		err := m.elements[i].parse()
		f.refuse(strconv.Itoa(i), err)
		if err == nil && seen[row.Plan.value] {
			f.refuse(strconv.Itoa(i)+"/plan", plan.ErrTwice)
		}
		seen[row.Plan.value] = true
		m.value = append(m.value, plan.Row{Plan: row.Plan.value, Credits: row.Credits.value})
	}
	return f.err()
}

// asked returns the request for a price in a body.
func asked(credits price, of recordID) plan.Request {
	r := credits.value
	r.Plan = of.value
	return r
}

type periodBody struct {
	Count number `json:"count" validate:"required"`
	Unit  text   `json:"unit" validate:"required"`
}

func (b *periodBody) period() (credit.Period, bool) {
	count, err := b.Count.whole(math.MaxInt32)
	period, is := credit.NewPeriod(count, b.Unit.literal)
	return period, is && err == nil
}

func (b *periodBody) check(f *form) {
	if _, is := b.period(); !is && len(f.faults) == 0 {
		f.refuse("count", plan.ErrPeriod)
	}
}

type createPlanBody struct {
	Name        requiredText       `json:"name" validate:"required"`
	Period      object[periodBody] `json:"period" validate:"required"`
	Connections connections        `json:"connections" validate:"notnull"`
	Packages    packages           `json:"packages"`
	OnSale      boolean            `json:"on_sale" validate:"notnull"`
	Sort        position64         `json:"sort" validate:"notnull"`
	Metadata    metadata           `json:"metadata"`
}

func (b createPlanBody) command(int64) plan.Plan {
	period, _ := b.Period.members.period()
	return plan.Plan{
		Name: b.Name.value.String(), Unit: period.Unit(), Count: period.Count(), Connections: max(1, b.Connections.value),
		Packages: b.Packages.value, OnSale: b.OnSale.value == nil || *b.OnSale.value, Sort: b.Sort.value,
		Metadata: membersOfPlan(&b.Metadata),
	}
}

// membersOfPlan returns metadata as plans have them.
func membersOfPlan(m *metadata) (all []plan.Member) {
	for name, value := range m.value.All() {
		all = append(all, plan.Member{Name: name, Value: value})
	}
	return all
}

type updatePlanBody struct {
	Name        requiredText       `json:"name" validate:"notnull"`
	Period      object[periodBody] `json:"period" validate:"notnull"`
	Connections connections        `json:"connections" validate:"notnull"`
	Packages    packages           `json:"packages"`
	OnSale      boolean            `json:"on_sale" validate:"notnull"`
	Sort        position64         `json:"sort" validate:"notnull"`
	Metadata    metadata           `json:"metadata"`
}

func (b updatePlanBody) command(id int64) plan.Change {
	c := plan.Change{ID: id, OnSale: b.OnSale.value, Packages: b.Packages.change()}
	if b.Name.isGiven() {
		c.Name = new(b.Name.value.String())
	}
	if b.Period.isGiven() {
		period, _ := b.Period.members.period()
		c.Period = &period
	}
	if b.Connections.isGiven() {
		c.Connections = &b.Connections.value
	}
	if b.Sort.isGiven() {
		c.Sort = &b.Sort.value
	}
	if b.Metadata.kind != 0 {
		c.Metadata = new(membersOfPlan(&b.Metadata))
	}
	return c
}

type periodRecord struct {
	Count int64  `json:"count"`
	Unit  string `json:"unit"`
}

// allOrNull is nil for no names, which stand for every package.
func allOrNull(names []string) *[]string {
	if names == nil {
		return nil
	}
	return &names
}

type planRecord struct {
	ID          int64             `json:"id"`
	Name        string            `json:"name"`
	Period      periodRecord      `json:"period"`
	Connections int64             `json:"connections"`
	Packages    *[]string         `json:"packages"`
	OnSale      bool              `json:"on_sale"`
	SaleChanges *string           `json:"on_sale_changes_at"`
	Sort        int64             `json:"sort"`
	Metadata    map[string]string `json:"metadata"`
	Credits     *jsontext.Value   `json:"credits"` // null: not in the book
}

func recordOfPlan(p prices.Plan) planRecord {
	r := planRecord{
		ID: p.ID, Name: p.Name, Period: periodRecord{p.Count, p.Unit}, Connections: p.Connections,
		Packages: allOrNull(p.Packages), OnSale: p.Sold(p.At), SaleChanges: isoOrNull(p.SaleChanges(p.At)), Sort: p.Sort,
		Metadata: map[string]string{},
	}
	for _, m := range p.Metadata {
		r.Metadata[m.Name] = m.Value
	}
	if p.Priced() {
		r.Credits = new(jsontext.Value(p.Credits.String()))
	}
	return r
}

func (a *api) listPlans(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := prices.List{All: valueOr(q, "all", false, parseTruth)}
	if err := q.err(); err != nil {
		return err
	}
	found, err := a.Service.Prices.Plans(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	ok(c, listOf(recordOfPlan)(found))
	return nil
}

// priceRecord is a price. Period is in words, as the contract has it.
type priceRecord struct {
	Credits     jsontext.Value `json:"credits"`
	Period      string         `json:"period"`
	Plan        int64          `json:"plan"`
	Name        string         `json:"name"`
	Connections int64          `json:"connections"`
	Packages    *[]string      `json:"packages"`
}

func priceRecords(offers []plan.Offer) []priceRecord {
	records := []priceRecord{}
	for _, o := range offers {
		records = append(records, priceRecord{jsontext.Value(o.Credits.String()), o.Price.Period.String(), o.ID, o.Name,
			o.Connections, allOrNull(o.Packages)})
	}
	return records
}

type pricesRecord struct {
	Prices []priceRecord `json:"prices"`
}

func (a *api) listPrices(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	owner := value(q, "owner", parseID)
	if err := q.err(); err != nil {
		return err
	}
	found, err := a.Service.Prices.Prices(ctx, callOf(c), owner)
	if err != nil {
		return err
	}
	ok(c, pricesRecord{priceRecords(found)})
	return nil
}

// unsoldMembers returns the members of the refusal of a price.
func unsoldMembers(c *gin.Context, e *plan.NotSold) []fault.Member {
	name := "credits"
	if e.ByPlan {
		name = "plan"
	}
	known, _ := errors.AsType[*fault.Fault](e)
	v := violation{Code: known.Code(), Detail: e.Error()}
	if c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead {
		v.Parameter = name
	} else {
		v.Pointer = "/" + name
	}
	return []fault.Member{{Name: "errors", Value: []violation{v}}, {Name: "prices", Value: priceRecords(e.Prices)}}
}

// unknownPlans returns the invalid fields of the rows of unknown plans.
func unknownPlans(e *prices.UnknownPlans) *invalidFields {
	f := &invalidFields{fault: plan.ErrUnknownPlan}
	for _, row := range e.Rows {
		f.violations = append(f.violations, violation{Pointer: fmt.Sprintf("/rows/%d/plan", row),
			Code: plan.ErrUnknownPlan.Code(), Detail: e.Error()})
	}
	return f
}

type setPricesBody struct {
	EffectiveAt instant   `json:"effective_at"`
	Rows        priceRows `json:"rows" validate:"required"`
	Note        notes     `json:"note"`
}

func (b setPricesBody) command(id int64) prices.Put {
	return prices.Put{Account: id, Next: plan.Next{EffectiveAt: b.EffectiveAt.optional(), Rows: b.Rows.value,
		Note: b.Note.value.String()}}
}

type inheritPricesBody struct {
	EffectiveAt instant `json:"effective_at"`
}

func (b inheritPricesBody) command(id int64) prices.Put {
	return prices.Put{Account: id, Next: plan.Next{EffectiveAt: b.EffectiveAt.optional()}}
}

type versionRecord struct {
	Version     int64   `json:"version"`
	EffectiveAt *string `json:"effective_at"`
}

var pricesSet = recordShown(http.StatusOK, func(v prices.Version) versionRecord {
	return versionRecord{v.Number, isoOrNull(v.EffectiveAt)}
})

var versionCancelled = messageShown[prices.Version](http.StatusOK, "The version was removed.")

func (a *api) cancelPrices(ctx context.Context, c *gin.Context) error {
	number, err := parseSomeID(c.Param("version"))
	if err != nil {
		return fault.ErrNotFound
	}
	return effect[noBody](a, func(ctx context.Context, call application.Call, id int64,
		render application.Render[prices.Version]) (application.Receipt, error) {
		return a.Service.Prices.Cancel(ctx, call, prices.Cancel{Account: id, Number: number}, render)
	}, versionCancelled)(ctx, c)
}

type bookRowRecord struct {
	Plan        int64          `json:"plan"`
	Credits     jsontext.Value `json:"credits"`
	Period      string         `json:"period"`
	Connections int64          `json:"connections"`
}

func bookRows(all plan.Catalogue, v plan.Version) []bookRowRecord {
	rows := []bookRowRecord{}
	for _, r := range v.Prices() {
		p, _ := all.Find(r.Plan)
		rows = append(rows, bookRowRecord{r.Plan, jsontext.Value(r.Credits.String()), p.Period().String(), p.Connections})
	}
	return rows
}

type bookRecord struct {
	versionRecord

	InheritedFrom *int64          `json:"inherited_from"`
	Rows          []bookRowRecord `json:"rows"`
	Reach         reachRecord     `json:"reach"`
}

type reachRecord struct {
	Resellers int     `json:"resellers"`
	Lines     int     `json:"lines"`
	Capped    bool    `json:"capped"`
	Others    []int64 `json:"other_books"`
}

func (a *api) priceBook(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	command := prices.BookAt{Account: id, At: value(q, "at", parseTime)}
	if err := q.err(); err != nil {
		return err
	}
	b, err := a.Service.Prices.Book(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	ok(c, bookRecord{versionRecord{b.Number, isoOrNull(b.EffectiveAt)}, b.InheritedFrom, bookRows(b.Catalogue, b.Version),
		reachRecord{b.Resellers, b.Lines, b.Capped, append([]int64{}, b.Others...)}})
	return nil
}

type pastRecord struct {
	versionRecord

	Rows      []bookRowRecord `json:"rows"` // empty: the book above counts
	Note      *string         `json:"note"`
	CreatedAt *string         `json:"created_at"`
}

func recordOfVersion(v prices.Version) pastRecord {
	return pastRecord{versionRecord{v.Number, isoOrNull(v.EffectiveAt)}, bookRows(v.Plans, v.Version), nullable(v.Note),
		isoOrNull(v.CreatedAt)}
}

func (r pastRecord) appendJSON(b []byte) []byte { return append(b, marshal(r)...) }

func (a *api) priceHistory(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	limit := q.limit()
	return sendPage(ctx, a, c, q, limit, batchOf(limit), a.Service.Prices.History, prices.History{Account: id},
		recordOfVersion, nil)
}
