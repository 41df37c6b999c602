package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/adapters/sheet"
	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// maxImport is the maximum size of the body of an import, in bytes.
const maxImport = 1 << 20

// The media types of rows.
const (
	ndjsonMedia = "application/x-ndjson"
	csvMedia    = "text/csv"
)

var (
	errImportTooLarge = &refusal{http.StatusRequestEntityTooLarge, errBodyTooLarge.code,
		"An import has at most 1048576 bytes: send it in parts."}
	errImportMedia = &refusal{http.StatusUnsupportedMediaType, errMediaType.code,
		"An import must be declared as Content-Type: application/x-ndjson or text/csv, in UTF-8."}
	errBefore1970 = fault.New(fault.Invalid, "bad-time", "This must be a time since 1970.")
)

// importBody is a row, with the members of a line in an export. Members that an import does not use are ignored.
type importBody struct {
	ExternalID shortText     `json:"external_id"`
	Username   exactUsername `json:"username" validate:"required"`
	Password   exactPassword `json:"password" validate:"required"`
	Owner      ownerID       `json:"owner"`
	ExpDate    expiry        `json:"expDate" validate:"required"`
	IsTrial    truth         `json:"isTrial"`
	Suspended  truth         `json:"suspended"`
	Plan       planID        `json:"plan"`
	Notes      notes         `json:"notes"`
	Country    shortText     `json:"country"`
	lineTexts
	Metadata metadata `json:"metadata"`
}

func (b *importBody) command(row int) lines.ImportRow {
	l := lines.ImportRow{
		Row:         row,
		Owner:       b.Owner.value,
		Username:    b.Username.value,
		Password:    b.Password.value,
		ExternalID:  b.ExternalID.value,
		ExpiresAt:   b.ExpDate.value,
		Trial:       b.IsTrial.value,
		Suspended:   b.Suspended.value,
		Plan:        b.Plan.value,
		Description: descriptionOf(b, &b.Metadata),
	}
	if b.Country.value == (profile.Text{}) {
		l.Country = nil // the owner's
	}
	return l
}

// Members that are texts in a table.
type (
	// exactUsername is a user name that is stored exactly as given.
	exactUsername struct{ username }
	// exactPassword is the password of a line that is stored exactly as given.
	exactPassword struct{ linePassword }
	// ownerID is an id.
	ownerID struct {
		amount
		parsed[int64]
	}
	// planID is the id of a plan.
	planID struct {
		amount
		parsed[int64]
	}
	// truth is true or false, or 1 or 0.
	truth struct {
		member
		parsed[bool]
	}
	// expiry is when a line expires.
	expiry struct{ instant }
)

func (m *exactUsername) parse() error {
	err := m.username.parse()
	if err == nil && m.value.String() != m.literal {
		err = profile.ErrAltered
	}
	return err
}

func (m *exactPassword) parse() error {
	err := m.linePassword.parse()
	if err == nil && m.value.Reveal() != m.literal {
		err = profile.ErrAltered
	}
	return err
}

func (m *ownerID) parse() error {
	id, err := parseID(m.literal)
	if err == nil && id == 0 { // 0 would mean the caller
		err = lines.ErrNoOwner
	}
	return m.set(id, err)
}

func (m *planID) parse() error {
	id, err := parseSomeID(m.literal)
	if err != nil {
		return errNotPlan
	}
	return m.set(id, nil)
}

func (*truth) wants() string { return "true or false" }

func (m *truth) typed() bool {
	return slices.Contains([]jsontext.Kind{jsontext.KindTrue, jsontext.KindFalse, jsontext.KindNumber,
		jsontext.KindString}, m.kind)
}

func (m *truth) parse() error {
	if m.kind == jsontext.KindTrue || m.kind == jsontext.KindFalse {
		return m.set(m.kind == jsontext.KindTrue, nil)
	}
	is, err := parseTruth(m.literal)
	if err != nil {
		if is, err = parseFlag(m.literal); err != nil {
			err = errNotTruth
		}
	}
	return m.set(is, err)
}

func (m *expiry) parse() error {
	err := m.instant.parse()
	if err == nil && m.value.Before(time.Unix(0, 0)) {
		err = errBefore1970
	}
	return err
}

type importRecord struct {
	Created   int             `json:"created"`
	Updated   int             `json:"updated"`
	Unchanged int             `json:"unchanged"`
	Refused   []refusedRecord `json:"refused"`
}

type refusedRecord struct {
	Row    int    `json:"row"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// refusedRow describes an unparsed row with every invalid field, and the code of the first one.
func refusedRow(row int, err error) refusedRecord {
	r := refusedRecord{Row: row, Detail: err.Error()}
	if known, is := errors.AsType[*fault.Fault](err); is {
		r.Code = known.Code()
	}
	if invalid, is := errors.AsType[*invalidFields](err); is {
		var said []string
		for _, v := range invalid.violations {
			said = append(said, strings.TrimPrefix(v.Pointer, "/")+": "+strings.TrimSuffix(v.Detail, "."))
		}
		r.Code, r.Detail = invalid.violations[0].Code, strings.Join(said, "; ")+"."
	}
	return r
}

// importLines imports lines. A fault in a row refuses only that row; an unreadable body refuses all rows.
func (a *api) importLines(ctx context.Context, c *gin.Context) error {
	if err := a.Service.Lines.MayImport(ctx, callOf(c)); err != nil { // before it reads a long body
		return err
	}
	raw, err := readBody(c.Writer, c.Request, maxImport, errImportTooLarge)
	if err != nil {
		return err
	}
	rows, err := rowsOf(c.Request, raw)
	if err != nil {
		return err
	}
	call := a.changeOf(c)
	if err := a.key(c.Request, raw, &call); err != nil {
		return err
	}
	q := queryOf(c)
	command := lines.Import{
		DryRun: valueOr(q, "dry_run", false, parseTruth),
		Update: valueOr(q, "update", false, parseTruth),
	}
	if err := q.err(); err != nil {
		return err
	}
	var unread []refusedRecord
	for i, row := range rows {
		var body importBody
		if err := readObject(row.text, &body); err != nil {
			return malformed(strings.Replace(err.Error(), "The body", fmt.Sprintf("Row %d", i+1), 1))
		}
		err := row.altered.err()
		if err == nil {
			err = bind(&body)
		}
		if err != nil {
			unread = append(unread, refusedRow(i+1, nameMembers(row.text, &body, false, err)))
			continue
		}
		command.Rows = append(command.Rows, body.command(i+1))
	}
	done, err := a.Service.Lines.Import(ctx, call, command, func(report lines.ImportReport) application.Receipt {
		record := importRecord{report.Created, report.Updated, report.Unchanged, append([]refusedRecord{}, unread...)}
		for _, r := range report.Refused {
			record.Refused = append(record.Refused, refusedRow(r.Row, r.Reason))
		}
		slices.SortFunc(record.Refused, func(a, b refusedRecord) int { return a.Row - b.Row })
		return answer(http.StatusOK, record)
	})
	return hand(c, done, err)
}

// importRow is a row as a JSON object.
type importRow struct {
	text    []byte
	altered form // the cells that a spreadsheet program changed
}

// rowsOf returns the rows of a body.
func rowsOf(r *http.Request, raw []byte) (rows []importRow, err error) {
	if len(raw) == 0 {
		return nil, malformed("The body is empty; rows are required.")
	}
	media, err := mediaType(r.Header)
	switch {
	case err != nil:
		return nil, err
	case media == csvMedia:
		rows, err = rowsOfTable(raw)
	case media != ndjsonMedia:
		return nil, wrongMedia(errImportMedia, r.Header)
	case !utf8.Valid(raw):
		return nil, malformed("The body is not UTF-8.")
	case bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")):
		return nil,
			malformed("The body is a JSON array: send one object in each line, without brackets and commas around them.")
	default:
		for text := range bytes.Lines(raw) {
			if text = bytes.TrimSpace(text); len(text) > 0 {
				rows = append(rows, importRow{text: text})
			}
		}
		if len(rows) > 1 && !jsontext.Value(rows[0].text).IsValid() && jsontext.Value(raw).IsValid() {
			return nil, malformed("The body is one object in several lines: send each object in one line.")
		}
	}
	if err == nil && len(rows) > lines.MostImported {
		err = lines.ErrTooManyRows
	}
	return rows, err
}

// importColumns are the columns of a table that are members of a row. A table without a required one has no header, or
// no row that could be imported.
var importColumns = func() (columns sheet.Columns) {
	for _, m := range shapeOf(reflect.TypeFor[importBody]()) {
		columns.Known = append(columns.Known, m.name)
		if m.required {
			columns.Required = append(columns.Required, m.name)
		}
	}
	return columns
}()

// rowsOfTable converts the rows of a table into objects, until there are too many. An empty cell, or a cell in a column
// that an import does not use, becomes no member, because each row repeats the names, which may be long. A cell of
// metadata contains JSON.
func rowsOfTable(raw []byte) (rows []importRow, err error) {
	table, err := sheet.Open(bytes.NewReader(raw), importColumns)
	if wrong, is := errors.AsType[*sheet.Error](err); is {
		return nil, malformed("The table can't be read: its " + wrong.Error())
	}
	for err == nil && len(rows) <= lines.MostImported {
		var cells []string
		if cells, err = table.Read(); err != nil {
			break
		}
		row, next := importRow{text: []byte("{")}, ""
		for i, cell := range cells {
			name := table.Header()[i]
			if cell == "" || !slices.Contains(importColumns.Known, name) {
				continue
			}
			value := marshal(cell)
			switch is, known := sheet.Truth(cell); name {
			case "metadata":
				if given := jsontext.Value(cell); given.IsValid() {
					value = given
				}
			case "isTrial", "suspended":
				if known {
					value = marshal(is)
				}
			default:
				row.altered.refuse(name, alteredCell(table, i))
			}
			row.text = append(append(append(append(row.text, next...), marshal(name)...), ':'), value...)
			next = ","
		}
		row.text = append(row.text, '}')
		rows = append(rows, row)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rows, err
}

// alteredCell refuses a cell that a spreadsheet program changed.
func alteredCell(table *sheet.Reader, column int) error {
	if why := table.Altered(column); why != "" {
		return fault.New(fault.Invalid, sheet.CodeAltered, why)
	}
	return nil
}
