package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"resellerd/adapters/cli/panels"
	"resellerd/adapters/regularfile"
	"resellerd/adapters/sheet"
	"resellerd/domain/profile"
)

type importCommand struct {
	RemoteFlags
	OutputFlags
	Format   string `arg:"" enum:"csv,marzban,pasarguard,marzneshin,marzneshin-plain,3x-ui,x-ui,s-ui" help:"Format of the file: csv, or the panel that made the database."`
	File     string `arg:"" help:"Table with the columns of GET /exports/lines, or the SQLite database of the panel; the command only reads it."`
	Owner    string `required:"" placeholder:"NAME" help:"Account that gets the lines."`
	Prefix   string `placeholder:"NAME" help:"Beginning of the external ids in place of the panel's name, for a second panel of one kind."`
	Protocol string `placeholder:"NAME" help:"Protocol whose password a customer of several protocols gets, such as vless."`
	State    string `placeholder:"FILE" help:"File with the dates and passwords that a panel does not have (default: the name of the panel's file with .import at its end)."`
	Update   bool   `help:"Update lines of an earlier import, unless they changed in the service. No line gets an earlier date."`
	DryRun   bool   `help:"Print the report and change nothing."`
}

// Bounds of one request.
const (
	mostRows  = 500
	mostBytes = 1 << 20
)

// How long one piece is tried, and how long the service may work on it: one minute, and its answer may be late.
const (
	mostFailing = 5 * time.Minute
	mostWork    = 90 * time.Second
)

// Run runs the command.
func (c importCommand) Run(s *session) error {
	return s.asAccount(c.RemoteFlags, func(wrong *Misconfiguration) {
		if strings.TrimSpace(c.Owner) == "" {
			wrong.Add("--owner", errors.New("this must not be empty"))
		}
		if c.Protocol != "" && !slices.Contains(panels.Protocols, c.Protocol) {
			wrong.Add("--protocol", fmt.Errorf("this must be one of %s", strings.Join(panels.Protocols, ", ")))
		}
		if c.Format == "csv" && c.Prefix+c.Protocol != "" {
			wrong.Add("--prefix, --protocol",
				errors.New("these are for panels: a table has external ids and passwords of its own"))
		}
	}, func(ctx context.Context, service accountOverHTTP) error {
		i := importing{
			session: s, output: c.OutputFlags, service: service, dryRun: c.DryRun, update: c.Update, firstWait: firstWait,
			patience: mostFailing, work: mostWork,
		}
		if err := i.mayImport(ctx); err != nil {
			return interrupted(ctx, err)
		}
		owner, err := i.account(ctx, c.Owner)
		if err != nil {
			return interrupted(ctx, err)
		}
		table, err := c.read(ctx, i, owner)
		if err != nil {
			return interrupted(ctx, err)
		}
		defer table.close()
		report, err := i.send(ctx, table)
		if printed := i.print(report); err == nil {
			err = printed
		}
		return err
	})
}

// importing sends rows to a service.
type importing struct {
	*session
	output    OutputFlags
	service   accountOverHTTP
	dryRun    bool
	update    bool
	firstWait time.Duration // after a failure; the next one is twice as long
	patience  time.Duration
	work      time.Duration // how long the service may work on rows
}

// mayImport refuses a token that the service refuses for rows, before there are any.
func (i importing) mayImport(ctx context.Context) error {
	at := i.service.base.JoinPath("imports", "lines")
	at.RawQuery = "dry_run=true"
	header := i.service.header()
	header.Set("Content-Type", ndjson)
	status, _, answer, err := i.service.exchange(ctx, http.MethodPost, at, []byte("\n"), header, longestAnswer)
	if err == nil && denies(status) {
		err = fmt.Errorf("only an admin may import, and this token may not: %w", refusal(at, status, answer))
	}
	return err
}

// denies reports whether an answer refuses the token.
func denies(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// ndjson is the type of rows that are JSON objects.
const ndjson = "application/x-ndjson"

// account returns the id of the account of a name: the caller, or one that it sees.
func (i importing) account(ctx context.Context, name string) (int64, error) {
	asked, err := profile.ParseUsername(name)
	if err != nil {
		return 0, fmt.Errorf("--owner: %w", err)
	}
	type account struct {
		ID       int64
		Username string
	}
	is := func(a account) bool {
		found, err := profile.ParseUsername(a.Username)
		return err == nil && found.Key() == asked.Key()
	}
	var self account
	answer, err := i.service.ask(ctx, http.MethodGet, "users/logged", nil)
	if err != nil {
		return 0, err
	}
	if json.Unmarshal(answer, &self) != nil || self.ID == 0 {
		return 0, errNoAccount
	}
	if is(self) {
		return self.ID, nil
	}
	at := i.service.base.JoinPath("users")
	query := url.Values{"username": {asked.String()}, "limit": {"500"}}
	for {
		at.RawQuery = query.Encode()
		status, answer, err := i.service.remote.ask(ctx, http.MethodGet, at, nil, i.service.header().Get("Authorization"))
		if err != nil {
			return 0, err
		}
		var page struct {
			Data []account
			Next string `json:"next_cursor"`
		}
		if status != http.StatusOK {
			return 0, refusal(i.service.base.JoinPath("users"), status, answer)
		}
		if json.Unmarshal(answer, &page) != nil || page.Data == nil {
			return 0, errNoAccount
		}
		if found := slices.IndexFunc(page.Data, is); found >= 0 {
			return page.Data[found].ID, nil
		}
		if page.Next == "" {
			return 0, fmt.Errorf("--owner: the account of this token sees no account named %s", name)
		}
		query.Set("cursor", page.Next)
	}
}

var errNoAccount = errors.New("the answer is no account: is it the service, with its base path?")

// importTable is what a file has.
type importTable struct {
	contentType string
	head        []byte // of each request
	count       int    // how many rows there are
	rows        iter.Seq2[importRow, error]
	name        func(number int) string // where the file has a row, by importRow.number
	close       func()
}

// importRow is a row of a file. What is said of it never has its password.
type importRow struct {
	Row        string `json:"row"` // where the file has it
	ExternalID string `json:"external_id"`
	Username   string `json:"username"`
	Code       string `json:"code"` // why it was not taken in, "" where it was
	Detail     string `json:"detail"`

	number    int    // by which others are said to repeat it
	text      []byte // as it is sent
	generated bool   // its password is not the panel's
}

// Codes of rows that are not sent.
const (
	codeRepeated     = "repeated" // nothing has to be done
	codeRepeatedID   = "external-id-repeated"
	codeRepeatedName = "username-repeated"
	codeTooLarge     = "row-too-large"
	codeNotUTF8      = "not-utf-8"
)

// codeGenerated is that of a row that was taken in, with a password that its customer does not have.
const codeGenerated = "password-generated"

// codeDiffers is the service's of a row whose external id a line with other values has.
const codeDiffers = "external-id-differs"

// importChecks refuses rows before they are sent. Of those before it has only hashes, so that a large file needs little
// memory.
type importChecks struct {
	*importTable
	seed       maphash.Seed
	ids, names map[uint64]int // the number of the row that has the text of a hash
}

func newImportChecks(t *importTable) importChecks {
	return importChecks{t, maphash.MakeSeed(), map[uint64]int{}, map[uint64]int{}}
}

// check refuses a row that the service would refuse once the one that it repeats is there, which it is not in a dry
// run.
func (c importChecks) check(r *importRow) {
	if r.Code != "" {
		return
	}
	name := r.Username
	if parsed, err := profile.ParseUsername(name); err == nil {
		name = parsed.Key()
	}
	idHash, nameHash := maphash.String(c.seed, r.ExternalID), maphash.String(c.seed, name)
	sameID, idSeen := c.ids[idHash]
	sameName, nameSeen := c.names[nameHash]
	switch {
	case idSeen && r.ExternalID != "":
		r.Code, r.Detail = codeRepeatedID, "This external id is that of "+c.name(sameID)+"."
	case nameSeen && name != "":
		r.Code, r.Detail = codeRepeatedName, "This name is that of "+c.name(sameName)+", if case does not count."
	case len(c.head)+len(r.text) > mostBytes:
		r.Code, r.Detail = codeTooLarge, "The row is larger than a request may be."
	default:
		c.ids[idHash], c.names[nameHash] = r.number, r.number
	}
}

// read reads the file.
func (c importCommand) read(ctx context.Context, i importing, owner int64) (*importTable, error) {
	if c.Format == "csv" {
		return openSheet(c.File, owner)
	}
	found, err := panels.Read(ctx, c.File,
		panels.Options{Prefix: c.Prefix, Protocol: c.Protocol, PlainKeys: c.Format == "marzneshin-plain"})
	if err != nil {
		return nil, err
	}
	i.say("%s is the database of %s, and has %d customers", c.File, found.Panel, len(found.Customers))
	state := importState{file: c.State, URL: i.service.base.String(), Owner: owner}
	if state.file == "" {
		state.file = c.File + ".import"
	}
	if err := state.settle(found.Customers, !i.dryRun, time.Now(), func() string {
		return i.Password().Reveal()
	}); err != nil {
		return nil, err
	}
	return tableOf(found.Customers, owner, state), nil
}

// importedLine is a row as the service reads it.
type importedLine struct {
	ExternalID string            `json:"external_id"`
	Username   string            `json:"username"`
	Password   string            `json:"password"`
	Owner      int64             `json:"owner"`
	ExpDate    string            `json:"expDate"`
	Suspended  bool              `json:"suspended"`
	Notes      string            `json:"notes,omitempty"`
	Telegram   string            `json:"telegram,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
}

// tableOf writes customers of a panel as the service reads them.
func tableOf(all []panels.Customer, owner int64, state importState) *importTable {
	return &importTable{
		contentType: ndjson, count: len(all), name: func(number int) string { return all[number].At }, close: func() {},
		rows: func(yield func(importRow, error) bool) {
			for n, c := range all {
				r, err := rowOf(c, n, owner)
				r.generated = c.Password != "" && state.Decided[c.ExternalID].Password == c.Password
				if !yield(r, err) {
					return
				}
			}
		},
	}
}

func rowOf(c panels.Customer, number int, owner int64) (importRow, error) {
	r := importRow{Row: c.At, ExternalID: c.ExternalID, Username: c.Username, Code: c.Code, Detail: c.Detail,
		number: number}
	if text := c.ExternalID + c.Username + c.Password + c.Notes + c.Telegram; r.Code == "" && !utf8.ValidString(text) {
		r.Code, r.Detail = codeNotUTF8, "A text is not UTF-8."
	}
	if r.Code == "" && c.As != "" {
		r.Code, r.Detail = codeRepeated, "This is "+c.As+" again."
	}
	if r.Code != "" {
		return r, nil
	}
	sent := importedLine{c.ExternalID, c.Username, c.Password, owner, stamp(c.Expires), c.Suspended, c.Notes,
		c.Telegram, c.Metadata}
	text, err := json.Marshal(sent) //nolint:gosec // the service has to know the password
	r.text = slices.Concat(text, []byte("\n"))
	return r, err
}

// importColumns are those that the service takes.
var importColumns = sheet.Columns{
	Known: []string{
		"external_id", "username", "password", "owner", "expDate", "isTrial", "suspended", "notes", "country", "whatsapp",
		"telegram", "email", "metadata",
	},
	Required: []string{"username", "password", "expDate"},
}

// openSheet opens a table, whose owners are another service's and give way to one of this. Its rows can be read once.
func openSheet(file string, owner int64) (*importTable, error) {
	f, err := regularfile.Open(file, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	s, err := newSheetRows(f, owner)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &importTable{
		contentType: "text/csv", head: s.flushed(), count: s.in.Rows(), name: sheetRow, close: func() { _ = f.Close() },
		rows: func(yield func(importRow, error) bool) {
			for {
				r, err := s.read()
				if errors.Is(err, io.EOF) || !yield(r, err) || err != nil {
					return
				}
			}
		},
	}, nil
}

// sheetRow says where a table has a row.
func sheetRow(number int) string { return fmt.Sprintf("row %d", number) }

// sheetRows reads a table and writes it as the service reads it.
type sheetRows struct {
	in    *sheet.Reader
	owner string
	at    map[string]int // the places of the columns that the service takes
	out   *sheet.Writer
	text  bytes.Buffer
}

// newSheetRows reads the header, and writes it.
func newSheetRows(from io.ReadSeeker, owner int64) (*sheetRows, error) {
	in, err := sheet.Open(from, importColumns)
	if err != nil {
		return nil, err
	}
	s := &sheetRows{in: in, owner: strconv.FormatInt(owner, 10), at: map[string]int{}}
	for n, column := range in.Header() {
		if slices.Contains(importColumns.Known, column) {
			s.at[column] = n
		}
	}
	s.out = sheet.NewWriter(&s.text, importColumns.Known...)
	return s, nil
}

// read reads a row, and writes it for its new owner.
func (s *sheetRows) read() (importRow, error) {
	cells, err := s.in.Read()
	if err != nil {
		return importRow{}, err
	}
	r := importRow{Row: sheetRow(s.in.Row()), number: s.in.Row()}
	sent := make([]string, len(importColumns.Known))
	for n, column := range importColumns.Known {
		at, is := s.at[column]
		switch {
		case column == "owner":
			sent[n] = s.owner
			continue
		case !is:
			continue
		}
		sent[n] = cells[at]
		if why := s.in.Altered(at); why != "" && r.Code == "" &&
			!slices.Contains([]string{"isTrial", "suspended", "metadata"}, column) {
			r.Code, r.Detail = sheet.CodeAltered, column+": "+why
		}
	}
	r.Username, r.ExternalID = sent[1], cmp.Or(sent[0], sent[1])
	_ = s.out.Write(sent) // into memory
	r.text = s.flushed()
	return r, nil
}

// flushed returns what was written since the last time.
func (s *sheetRows) flushed() []byte {
	_ = s.out.Flush() // into memory
	defer s.text.Reset()
	return bytes.Clone(s.text.Bytes())
}

// importReport counts what became of the rows.
type importReport struct {
	DryRun    bool           `json:"dry_run"`
	Rows      int            `json:"rows"`
	Created   int            `json:"created"`   // or would be
	Updated   int            `json:"updated"`   // were there before with other values
	Unchanged int            `json:"unchanged"` // were there before
	Repeated  int            `json:"repeated"`  // need no line of their own
	Refused   map[string]int `json:"refused"`   // by codes
	LeftOut   int            `json:"left_out"`  // the panel has no service for
	Unsent    int            `json:"unsent"`    // after a failure
	Generated int            `json:"generated"` // of created and unchanged: have a password that was made here
}

// send sends the rows piece by piece, and prints those that are not taken in. Few rows are in memory at a time. After a
// failure the rest is counted. What it returns counts even with an error.
func (i importing) send(ctx context.Context, t *importTable) (importReport, error) {
	p := pieces{importing: i, table: t, report: importReport{DryRun: i.dryRun, Refused: map[string]int{}},
		shown: newMeter(i.stderr)}
	checks := newImportChecks(t)
	for r, err := range t.rows {
		if err != nil {
			p.fail(err)
			break
		}
		checks.check(&r)
		p.add(ctx, r)
	}
	p.sendRows(ctx)
	p.shown.end()
	p.printRows()
	if p.failed != nil {
		next := "the same command goes on"
		if was := (*refused)(nil); errors.As(p.failed, &was) && denies(was.status) {
			next += " once the token may import"
		}
		p.failed = fmt.Errorf("%w\n%d of %d rows were not sent: %s", p.failed, p.report.Unsent, p.report.Rows, next)
	}
	return p.report, p.failed
}

// pieces are what has become of rows, and the rows of the next request.
type pieces struct {
	importing

	table  *importTable
	report importReport
	failed error
	shown  *meter

	rows     []importRow // the next piece
	size     int         // of their texts
	notTaken []importRow // that are not printed yet
	unshown  int         // size of their texts
}

func (p *pieces) fail(err error) {
	if p.failed == nil {
		p.failed = err
	}
}

// add takes the next row, and sends those before it if it has no room beside them.
func (p *pieces) add(ctx context.Context, r importRow) {
	p.report.Rows++
	if r.Code != "" {
		p.settled(r)
		return
	}
	if len(p.rows) == mostRows || len(p.table.head)+p.size+len(r.text) > mostBytes {
		p.sendRows(ctx)
	}
	p.rows, p.size = append(p.rows, r), p.size+len(r.text)
}

// sendRows sends the piece, unless an earlier one failed.
func (p *pieces) sendRows(ctx context.Context) {
	if p.failed == nil && ctx.Err() != nil {
		p.fail(fmt.Errorf("interrupted: %w", ctx.Err()))
	}
	if p.failed == nil && len(p.rows) > 0 {
		p.shown.onTerminal(importingRows, int64(p.report.Rows-len(p.rows)), int64(p.table.count))
		answer, err := p.sendPiece(ctx, p.table, p.rows, p.shown)
		if p.failed = err; err == nil {
			p.report.Created += *answer.Created
			p.report.Updated += answer.Updated
			p.report.Unchanged += answer.Unchanged
			for _, refused := range answer.Refused {
				p.rows[refused.Row-1].Code, p.rows[refused.Row-1].Detail = refused.Code, refused.Detail
			}
			for _, r := range p.rows {
				p.settled(r)
			}
			p.rows = p.rows[:0]
		}
	}
	p.report.Unsent += len(p.rows)
	p.rows, p.size = p.rows[:0], 0
}

// settled counts a row that was not taken in, or not with a password of its customer, and prints it with others.
func (p *pieces) settled(r importRow) {
	switch {
	case r.Code == "" && r.generated:
		r.Code, r.Detail = codeGenerated,
			"The panel has no password of this customer that can be moved: one is made, and kept in the state file."
		p.report.Generated++
	case r.Code == "":
		return
	case r.Code == codeRepeated:
		p.report.Repeated++
	case r.Code == panels.LeftOut:
		p.report.LeftOut++
	default:
		p.report.Refused[r.Code]++
	}
	if r.Code == codeDiffers && p.table.contentType == ndjson {
		r.Detail += " If it is of another panel, name this one with --prefix."
		if !p.update {
			r.Detail += " Only if it was imported from this one, --update takes these values over."
		}
	}
	p.unshown += len(r.text) + len(r.Detail)
	r.text = nil
	if p.notTaken = append(p.notTaken, r); len(p.notTaken) == mostRows || p.unshown > mostBytes {
		p.printRows()
	}
}

// printRows prints rows that were not taken in.
func (p *pieces) printRows() {
	if len(p.notTaken) == 0 {
		return
	}
	p.shown.end()
	p.fail(listed(p.session, p.output, "ROW\tEXTERNAL ID\tNAME\tCODE\tWHY", p.notTaken, func(r importRow) []string {
		return []string{r.Row, r.ExternalID, r.Username, r.Code, r.Detail}
	}))
	p.notTaken, p.unshown = p.notTaken[:0], 0
}

// importAnswer is what the service says of a piece.
type importAnswer struct {
	Created   *int
	Updated   int
	Unchanged int
	Refused   []refusedRow
}

// refusedRow says why a row of a piece, from 1 on, was refused.
type refusedRow struct {
	Row          int
	Code, Detail string
}

// fits reports whether it is one of so many rows.
func (a importAnswer) fits(rows int) bool {
	return a.Created != nil && *a.Created+a.Updated+a.Unchanged+len(a.Refused) == rows &&
		!slices.ContainsFunc(a.Refused, func(r refusedRow) bool { return r.Row < 1 || r.Row > rows || r.Code == "" })
}

var errNoImport = errors.New("the answer is not about these rows: is it the service, with its base path?")

// sendPiece sends rows until there is an answer. A signal lets the one under way come.
func (i importing) sendPiece(ctx context.Context, t *importTable, rows []importRow,
	shown *meter) (importAnswer, error) {
	body := bytes.Clone(t.head)
	for _, r := range rows {
		body = append(body, r.text...)
	}
	at := i.service.base.JoinPath("imports", "lines")
	query := url.Values{}
	if i.dryRun {
		query.Set("dry_run", "true")
	}
	if i.update {
		query.Set("update", "true")
	}
	at.RawQuery = query.Encode()
	header := i.service.header()
	header.Set("Content-Type", t.contentType)
	header.Set("Idempotency-Key", "import-"+rand.Text()) // an answer that was lost is given again
	failing := retries{say: func(format string, args ...any) {
		shown.end()
		shown.step = nil // it is drawn anew below
		i.say(format, args...)
	}, first: i.firstWait, until: "it succeeds, for " + i.patience.String(), goesOn: "the service answers again"}
	for late := time.Now().Add(i.patience); ; {
		answer, after, err := i.ask(context.WithoutCancel(ctx), at, body, header, len(rows))
		if err == nil {
			failing.end()
			return answer, nil
		}
		if after == noWait || ctx.Err() != nil || !time.Now().Add(after).Before(late) {
			return importAnswer{}, interrupted(ctx, err)
		}
		if waited := failing.wait(ctx, err.Error(), after); waited != nil {
			return importAnswer{}, interrupted(ctx, err)
		}
	}
}

// ask sends a piece once, and waits for as long as the service may work on it. With an error it returns after which
// time it may be of use to send it again at the earliest, or noWait. Without an answer that is when no service works on
// the rows any more: sent beside themselves, both take longer.
func (i importing) ask(ctx context.Context, at *url.URL, body []byte, header http.Header,
	rows int) (answer importAnswer, after time.Duration, err error) {
	service, sent := i.service, time.Now()
	service.timeout = max(service.timeout, i.work)
	status, answered, text, err := service.exchange(ctx, http.MethodPost, at, body, header, longestAnswer)
	working := max(0, i.work-time.Since(sent))
	switch unsent := (*net.OpError)(nil); {
	case errors.As(err, &unsent) && unsent.Op == "dial":
		return answer, 0, err
	case err != nil:
		return answer, working, err
	case status == http.StatusOK:
		if err := json.Unmarshal(text, &answer); err != nil || !answer.fits(rows) {
			return answer, noWait, errNoImport
		}
		return answer, 0, nil
	case status == http.StatusBadGateway || status == http.StatusGatewayTimeout: // a proxy has no answer
		return answer, max(working, retryAfter(answered)), refusal(at, status, text)
	case passes(status):
		return answer, retryAfter(answered), refusal(at, status, text)
	}
	return answer, noWait, refusal(at, status, text)
}

// print prints what became of all rows.
func (i importing) print(report importReport) error {
	refused := 0
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(report.Refused)) {
		refused += report.Refused[code]
		codes = append(codes, fmt.Sprintf("%s %d", quotedIfOdd(code), report.Refused[code]))
	}
	text := fmt.Sprintf("%d rows: %d created, ", report.Rows, report.Created)
	if i.update {
		text += fmt.Sprintf("%d updated, ", report.Updated)
	}
	text += fmt.Sprintf("%d unchanged, %d repeated, %d refused", report.Unchanged, report.Repeated, refused)
	if refused > 0 {
		text += " (" + strings.Join(codes, ", ") + ")"
	}
	if report.LeftOut > 0 {
		text += fmt.Sprintf(", %d left out", report.LeftOut)
	}
	if report.Unsent > 0 {
		text += fmt.Sprintf(", %d not sent", report.Unsent)
	}
	if report.Generated > 0 {
		text += fmt.Sprintf("; %d of these have a generated password", report.Generated)
	}
	if report.DryRun {
		text = "dry run, nothing was changed: " + text
	}
	return i.verdict(i.output, int64(refused+report.LeftOut), report, text, text)
}

// importState is the file that keeps what a panel does not say, and another run must not decide anew: the dates of
// lines that have none, or have not begun, and passwords. It is of one account of one service.
type importState struct {
	file string

	URL     string                   `json:"url"`
	Owner   int64                    `json:"owner"`
	Decided map[string]importDecided `json:"decided"` // by external ids
}

// importDecided is what was decided of a line.
type importDecided struct {
	Lasts    string `json:"lasts,omitempty"` // what the panel says of its time; another one is decided anew
	ExpDate  string `json:"expDate,omitempty"`
	Password string `json:"password,omitempty"`
}

// forEver is how the time of a line is kept that has no end.
const forEver = "for ever"

// settle gives each customer without a date or a password one, the same as the last time. With keeping it keeps them
// before it returns.
func (s *importState) settle(all []panels.Customer, keeping bool, now time.Time, password func() string) (err error) {
	if !slices.ContainsFunc(all, undecided) {
		return nil
	}
	if keeping {
		held, err := lockFile(s.file + ".lock")
		if errors.Is(err, errLocked) {
			return fmt.Errorf("%s is in use: another import of this file runs", s.file)
		}
		if err != nil {
			return fmt.Errorf("what is decided now has to be kept, for which --state names another place: %w", err)
		}
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	if err := s.read(); err != nil {
		return err
	}
	changed := false
	for n := range all {
		if c := &all[n]; undecided(*c) {
			was := s.Decided[c.ExternalID]
			is := decide(c, was, now, password)
			s.Decided[c.ExternalID], changed = is, changed || is != was
		}
	}
	if !keeping || !changed {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return keep(s.file, text)
}

// undecided reports whether the panel leaves something open.
func undecided(c panels.Customer) bool {
	return c.Code == "" && c.As == "" && (c.Expires.IsZero() || c.Password == "")
}

// decide gives a customer what it lacks: of a line without an end almost as long as a line may run.
func decide(c *panels.Customer, d importDecided, now time.Time, password func() string) importDecided {
	if c.Password == "" {
		if d.Password == "" {
			d.Password = password()
		}
		c.Password = d.Password
	}
	if !c.Expires.IsZero() {
		return d
	}
	lasts, end := forEver, now.UTC().AddDate(10, 0, -1)
	if c.Lasts > 0 {
		lasts, end = c.Lasts.String(), now.UTC().Add(c.Lasts)
	}
	if kept, err := time.Parse(time.RFC3339, d.ExpDate); err == nil && d.Lasts == lasts {
		end = kept
	}
	if !c.Until.IsZero() && end.After(c.Until) {
		end = c.Until
	}
	c.Expires = end.Truncate(time.Millisecond)
	d.Lasts, d.ExpDate = lasts, stamp(c.Expires)
	return d
}

// mostDecided is more than a state of as many customers has as a panel may have.
const mostDecided = 1 << 29

// read reads what was kept, if anything.
func (s *importState) read() error {
	text, err := regularfile.Read(s.file, mostDecided)
	if errors.Is(err, fs.ErrNotExist) {
		s.Decided = map[string]importDecided{}
		return nil
	}
	if err != nil {
		return err
	}
	kept := importState{file: s.file}
	if json.Unmarshal(text, &kept) != nil || kept.Decided == nil || kept.URL == "" {
		return fmt.Errorf("%s is not what this command keeps: name another file by --state", s.file)
	}
	if kept.URL != s.URL || kept.Owner != s.Owner {
		return fmt.Errorf("%s is about the account %d of the service at %s: name another file by --state", s.file,
			kept.Owner, kept.URL)
	}
	*s = kept
	return nil
}
