package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/adapters/sheet"
	"resellerd/application"
	"resellerd/application/jobs"
	"resellerd/application/ledger"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// An export is an answer of any length. It is read and written page by page, each from its own snapshot. While the
// client reads, the service holds no snapshot and at most one chunk. The credential is checked with each page.
//
// Exports have their own limits, so that slow readers do not block lists: exportsInAll at a time, of which
// exportsReading read the store, in the order of their requests. An account has an eighth of the slots. The tree below
// an administrator's account has at most as many slots as are free for others: accounts that one master creates can't
// take all slots.
const (
	exportsInAll     = 16
	exportsOfAccount = exportsInAll / 8
	exportsReading   = 2
	exportPage       = application.MostHeld
	exportChunk      = 256 << 10 // bytes, after which a page ends; one record may exceed it

	// MostExported bounds the memory of exports, in bytes: a buffer grows to twice its content.
	MostExported = exportsInAll*2*(exportChunk+maxRecord) + exportsReading*exportPage*maxRecord
)

const (
	// takenWithin is how long a client may read nothing of an export.
	takenWithin = 30 * time.Second
	// takenPiece is the number of bytes per write.
	takenPiece = 16 << 10
)

// exports are the limits of export operations.
var exports = limits{time: time.Hour}

var errTooManyExports = &refusal{
	http.StatusTooManyRequests, "too-many-exports",
	"The account already has 2 exports in progress. Read one to its end, or close its connection, and repeat the request.",
}

// exportRetry is the time in Retry-After.
const exportRetry = 10 * time.Second

// exporting counts the running exports by account, by tree and in total.
type exporting struct {
	mu       sync.Mutex
	accounts map[int64]int
	trees    map[int64]int
	all      int
	reading  chan struct{} // has a slot for each export that reads the store
}

func newExporting() *exporting {
	return &exporting{accounts: map[int64]int{}, trees: map[int64]int{}, reading: make(chan struct{}, exportsReading)}
}

// enter counts an export of an account until leave.
func (e *exporting) enter(account int64) (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.accounts[account] >= exportsOfAccount {
		return nil, fault.After(exportRetry, errTooManyExports)
	}
	e.accounts[account]++
	return e.leaving(e.accounts, account, 0), nil
}

// acquireSlot assigns one of the slots to an export after enter, until leave.
func (e *exporting) acquireSlot(tree int64) (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trees[tree] >= exportsInAll-e.all {
		return nil, errTooManyAnswers
	}
	e.trees[tree]++
	e.all++
	return e.leaving(e.trees, tree, 1), nil
}

// leaving returns the function that ends an export's count and releases its slots.
func (e *exporting) leaving(counts map[int64]int, of int64, places int) func() {
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.all -= places
		if counts[of]--; counts[of] == 0 {
			delete(counts, of)
		}
	}
}

// exportFormat is the format of the rows of an export.
type exportFormat string

const (
	csvFormat    exportFormat = "csv"
	ndjsonFormat exportFormat = "ndjson"
)

var (
	csvContent     = []string{"text/csv; charset=utf-8"}
	ndjsonContent  = []string{"application/x-ndjson"}
	errExportEnded = errors.New("the process is stopping")
)

var parseFormat = oneOf(map[string]exportFormat{"csv": csvFormat, "ndjson": ndjsonFormat},
	fault.New(fault.Invalid, "bad-value", "This must be csv or ndjson."))

// rows writes records one after the other: as objects, or as cells. In cells null is empty, a text has no quotes, and
// everything else is JSON.
type rows struct {
	buffer bytes.Buffer
	table  *sheet.Writer // nil for NDJSON
	local  *localForm    // nil for the form that imports read
	record []byte
	cells  []string
}

func newRows(format exportFormat, columns []string, local *localForm) *rows {
	r := &rows{local: local}
	switch {
	case local != nil && local.comma():
		r.table = sheet.NewCommaWriter(&r.buffer, local.header(columns)...)
	case local != nil:
		r.table = sheet.NewWriter(&r.buffer, local.header(columns)...)
	case format == csvFormat:
		r.table = sheet.NewWriter(&r.buffer, columns...)
	}
	return r
}

func (r *rows) add(record appender) error {
	r.record = record.appendJSON(r.record[:0])
	if r.table == nil {
		r.buffer.Write(r.record)
		return r.buffer.WriteByte('\n')
	}
	members := jsontext.NewDecoder(bytes.NewReader(r.record))
	if _, err := members.ReadToken(); err != nil { // the brace
		return err
	}
	r.cells = r.cells[:0]
	for members.PeekKind() == '"' {
		name, err := members.ReadToken()
		if err != nil {
			return err
		}
		column := name.String() // the token is valid until the next read
		value, err := members.ReadValue()
		if err != nil {
			return err
		}
		cell := string(value)
		switch value.Kind() { //nolint:exhaustive // all others stay JSON
		case jsontext.KindNull:
			cell = ""
		case jsontext.KindString:
			text, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return err
			}
			cell = string(text)
		}
		if r.local != nil {
			cell = r.local.cell(column, cell)
		}
		r.cells = append(r.cells, cell)
	}
	return r.table.Write(r.cells)
}

// chunk returns the rows since the last chunk.
func (r *rows) chunk() ([]byte, error) {
	if r.table == nil {
		return r.buffer.Bytes(), nil
	}
	err := r.table.Flush()
	return r.buffer.Bytes(), err
}

// export is an operation that exports the items that a use case lists.
type export[C pageable[C, application.Cursor], I any, T appender] struct {
	name    string       // of the file, without its ending
	format  exportFormat // the default
	columns []string     // the members of a record
	asked   func(c *gin.Context, q *query) C
	list    func(context.Context, application.Call, C) (application.Page[I], error)
	record  func(I) T
}

// exportOf returns the handler of an export. It sends nothing before the first page is read, so that errors until then
// are problems.
func exportOf[C pageable[C, application.Cursor], I any, T appender](a *api, e export[C, I, T]) handler {
	return func(ctx context.Context, c *gin.Context) error {
		q := queryOf(c)
		format, local := formatAsked(q, e.format)
		command := e.asked(c, q)
		if err := q.err(); err != nil {
			return err
		}
		left, err := a.exporting.enter(caller(c).Reseller())
		if err != nil {
			return err
		}
		defer left()
		tree, err := a.treeOf(ctx, c)
		if err != nil {
			return err
		}
		given, err := a.exporting.acquireSlot(tree)
		if err != nil {
			return err
		}
		defer given()

		out := newRows(format, e.columns, local)
		connection := http.NewResponseController(c.Writer)
		var next *application.Cursor
		for begun := false; ; begun = true {
			err := connection.SetWriteDeadline(time.Time{}) // reading has its own deadline
			if err == nil {
				next, err = e.read(ctx, a, c, command.PageAfter(next, exportPage), out)
			}
			chunk, wrong := out.chunk()
			if err = errors.Join(err, wrong); err != nil && !begun {
				return err
			}
			if !begun {
				e.begin(c, format, local)
				if c.Request.Method == http.MethodHead {
					return nil
				}
			}
			if err != nil {
				return err
			}
			if err := writeChunk(c.Writer, connection, chunk); err != nil {
				return &abandoned{err}
			}
			if out.buffer.Reset(); next == nil {
				return nil
			}
		}
	}
}

// treeOf returns the ancestor of the caller's account right below an administrator, or the account itself if it is that
// one or an administrator.
func (a *api) treeOf(ctx context.Context, c *gin.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	self, err := a.Service.Resellers.Self(ctx, callOf(c))
	if err != nil {
		return 0, err
	}
	path := self.Position().Path()
	return path[min(1, len(path)-1)], nil
}

// read reads a page into rows, and returns the cursor of the next page.
func (e export[C, I, T]) read(ctx context.Context, a *api, c *gin.Context, command C,
	into *rows) (next *application.Cursor, err error) {
	select {
	case a.exporting.reading <- struct{}{}:
		defer func() { <-a.exporting.reading }()
	case <-a.Draining.Done():
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: wait for other exports: %w", application.ErrUnavailable, context.Cause(ctx))
	}
	if a.Draining.Err() != nil {
		return nil, fmt.Errorf("%w: %w", application.ErrUnavailable, errExportEnded)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	found, err := e.list(ctx, callOf(c), command)
	if err != nil {
		return nil, err
	}
	if len(found.Damaged) > 0 {
		a.report(ctx, c, slog.LevelError, "damaged records were left out of an export: run 'resellerd audit'",
			slog.Any("damaged", found.Damaged))
	}
	for i, item := range found.Items {
		if err := into.add(e.record(item)); err != nil {
			return nil, err
		}
		if into.buffer.Len() >= exportChunk && i < len(found.Items)-1 && found.After != nil {
			return new(found.After(item)), nil
		}
	}
	return found.Next, nil
}

func (e export[C, I, T]) begin(c *gin.Context, format exportFormat, local *localForm) {
	header := c.Writer.Header()
	header["Content-Type"] = csvContent
	if format == ndjsonFormat {
		header["Content-Type"] = ndjsonContent
	}
	header["Content-Disposition"] = []string{`attachment; filename="` + local.file(e.name) + "." + string(format) + `"`}
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	c.Writer.WriteHeader(http.StatusOK)
}

// writeChunk writes a chunk to a client that reads it, however slowly. After the chunk is written, the server waits for
// the client only with the next one.
func writeChunk(w gin.ResponseWriter, connection *http.ResponseController, chunk []byte) error {
	for len(chunk) > 0 {
		if err := connection.SetWriteDeadline(time.Now().Add(takenWithin)); err != nil {
			return err
		}
		n, err := w.Write(chunk[:min(takenPiece, len(chunk))])
		if err != nil {
			return err
		}
		chunk = chunk[n:]
	}
	return connection.Flush()
}

// The columns of exports are the members of their records.
var (
	lineColumns, _     = namesOf(exportedLine{lines.Line{Line: new(line.Line)}}.appendJSON(nil))
	resellerColumns, _ = namesOf(recordOfReseller(resellers.Reseller{Reseller: new(reseller.Reseller)}).appendJSON(nil))
	entryColumns, _    = namesOf(entryOf(ledger.Entry{}).appendJSON(nil))
)

// exportedLine is a line in the form of exports and imports.
type exportedLine struct{ lines.Line }

func (r exportedLine) appendJSON(b []byte) []byte {
	s, effect := r.Shown(), r.Effect()
	b = appendNumber(b, `{"id":`, s.ID)
	b = appendNumber(b, `,"owner":`, s.Owner.ID)
	b = appendText(b, `,"username":`, s.Username.String())
	b = appendNullable(b, `,"password":`, r.Password.Reveal())
	b = appendBit(b, `,"isTrial":`, s.Trial)
	b = appendBit(b, `,"status":`, effect == line.Running)
	b = appendText(b, `,"effective":`, string(effect))
	b = appendTruth(b, `,"suspended":`, s.Suspended)
	b = appendTime(b, `,"expDate":`, s.ExpiresAt)
	b = appendTerms(b, s.Plan, s.Terms)
	b = appendNullable(b, `,"external_id":`, s.ExternalID.String())
	b = appendMetadata(b, `,"metadata":`, s.Metadata)
	for _, m := range s.Texts() {
		if m.OfOne {
			continue
		}
		b = append(append(append(b, `,"`...), m.Name...), `":`...)
		if m.Required {
			b = appendText(b, "", m.At.String())
		} else {
			b = appendNullable(b, "", m.At.String())
		}
	}
	return append(appendTime(b, `,"createdAt":`, s.CreatedAt), '}')
}

func (a *api) exportLines(ctx context.Context, c *gin.Context) error {
	list := a.Service.Lines.Export
	return exportOf(a, export[lines.List, lines.Line, exportedLine]{
		name: "lines", format: csvFormat, columns: lineColumns,
		asked: func(_ *gin.Context, q *query) lines.List {
			if !valueOr(q, "passwords", true, parseTruth) {
				list = a.Service.Lines.List
			}
			return linesAsked(q)
		},
		list: func(ctx context.Context, call application.Call, c lines.List) (application.Page[lines.Line], error) {
			return list(ctx, call, c)
		},
		record: func(l lines.Line) exportedLine { return exportedLine{l} },
	})(ctx, c)
}

func (a *api) exportResellers() handler {
	return exportOf(a, export[resellers.List, resellers.Reseller, resellerRecord]{
		name: "users", format: csvFormat, columns: resellerColumns,
		asked: func(_ *gin.Context, q *query) resellers.List { return resellersAsked(q) },
		list:  a.Service.Resellers.List, record: recordOfReseller,
	})
}

func (a *api) exportLedger(ctx context.Context, c *gin.Context) error {
	var m *movements
	return exportOf(a, export[ledger.Statement, ledger.Entry, entryRecord]{
		name: "ledger", format: csvFormat, columns: entryColumns,
		asked: func(c *gin.Context, q *query) ledger.Statement {
			m = movementsAsked(a, q)
			return ledger.Statement{Reseller: valueOr(q, "account", caller(c).Reseller(), parseID)}
		},
		list: func(ctx context.Context, call application.Call, c ledger.Statement) (application.Page[ledger.Entry], error) {
			return m.list(ctx, call, c)
		},
		record: entryOf,
	})(ctx, c)
}

var resultColumns = []string{"line", "result", "code", "line_username"}

type resultRecord struct{ jobs.Result }

func (r resultRecord) appendJSON(b []byte) []byte {
	result := "succeeded"
	if r.Code != "" {
		result = "refused"
	}
	b = appendText(appendNumber(b, `{"line":`, r.Line), `,"result":`, result)
	b = appendNullable(b, `,"code":`, r.Code)
	return append(appendNullable(b, `,"line_username":`, r.LineName), '}')
}

func (a *api) jobResults(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	return exportOf(a, export[jobs.ListResults, jobs.Result, resultRecord]{
		name: fmt.Sprintf("job-%d", id), format: ndjsonFormat, columns: resultColumns,
		asked: func(*gin.Context, *query) jobs.ListResults { return jobs.ListResults{Job: id} },
		list:  a.Service.Jobs.Results, record: func(r jobs.Result) resultRecord { return resultRecord{r} },
	})(ctx, c)
}
