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

// Time of all attempts with one batch, and time in which the service works on it: one minute, and a late answer.
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

// mayImport sends no rows, to find out before the first batch that the service refuses the token.
func (i importing) mayImport(ctx context.Context) error {
	at := i.service.base.JoinPath("imports", "lines")
	at.RawQuery = "dry_run=true"
	header := i.service.header()
	header.Set("Content-Type", ndjson)
	status, _, answer, err := i.service.exchange(ctx, http.MethodPost, at, []byte("\n"), header, longestAnswer)
	if err == nil && denies(status) {
		err = fmt.Errorf("only an administrator may import, and this token may not: %w", refusal(at, status, answer))
	}
	return err
}

// denies reports whether an answer refuses the token.
func denies(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// ndjson is the media type of rows that are JSON objects.
const ndjson = "application/x-ndjson"

// account returns the id of the account with a name: the caller's own, or an account below it.
func (i importing) account(ctx context.Context, name string) (int64, error) {
	wanted, err := profile.ParseUsername(name)
	if err != nil {
		return 0, fmt.Errorf("--owner: %w", err)
	}
	type account struct {
		ID       int64
		Username string
	}
	is := func(a account) bool {
		found, err := profile.ParseUsername(a.Username)
		return err == nil && found.Key() == wanted.Key()
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
	query := url.Values{"username": {wanted.String()}, "limit": {"500"}}
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

// importTable has the rows of a file.
type importTable struct {
	contentType string
	head        []byte // of each request
	count       int    // of rows
	rows        iter.Seq2[importRow, error]
	name        func(number int) string // position of a row in the file, by importRow.number
	close       func()
}

// importRow is a row of a file. Messages about a row never show its password.
type importRow struct {
	Row        string `json:"row"` // its position in the file
	ExternalID string `json:"external_id"`
	Username   string `json:"username"`
	Code       string `json:"code"` // reason to report the row, "" for none
	Detail     string `json:"detail"`

	number    int    // names it in the details of rows that repeat it
	text      []byte // sent to the service
	generated bool   // its password is not the panel's
}

// Codes of rows that are not sent.
const (
	codeRepeated     = "repeated" // another row has the same customer
	codeRepeatedID   = "external-id-repeated"
	codeRepeatedName = "username-repeated"
	codeTooLarge     = "row-too-large"
	codeNotUTF8      = "not-utf-8"
)

// codeGenerated is the code of an imported row with a password that its customer does not have.
const codeGenerated = "password-generated"

// codeDiffers is the service's code of a row whose external id belongs to a line with other values.
const codeDiffers = "external-id-differs"

// importChecks refuses rows before they are sent. It stores only hashes of earlier rows, so that a large file needs
// little memory.
type importChecks struct {
	*importTable
	seed       maphash.Seed
	ids, names map[uint64]int // from the hash of a text to the number of its row
}

func newImportChecks(t *importTable) importChecks {
	return importChecks{t, maphash.MakeSeed(), map[uint64]int{}, map[uint64]int{}}
}

// check refuses a row that repeats an id or a name of an earlier row. In a dry run the service can't: it does not store
// the earlier row.
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
		r.Code, r.Detail = codeRepeatedID, "This external id belongs to "+c.name(sameID)+"."
	case nameSeen && name != "":
		r.Code, r.Detail = codeRepeatedName, "This name belongs to "+c.name(sameName)+". Upper and lower case count as the same."
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

// importedLine is a row in the format of the service.
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

// tableOf returns customers of a panel in the format of the service.
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

// importColumns are the columns that the service accepts.
var importColumns = sheet.Columns{
	Known: []string{
		"external_id", "username", "password", "owner", "expDate", "isTrial", "suspended", "plan", "notes", "country",
		"whatsapp", "telegram", "email", "metadata",
	},
	Required: []string{"username", "password", "expDate"},
}

// openSheet opens a table. owner replaces the owners in the table, which are ids of another service. The rows can be
// read once.
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

// sheetRow names a row of a table.
func sheetRow(number int) string { return fmt.Sprintf("row %d", number) }

// sheetRows reads a table and writes its rows in the format of the service.
type sheetRows struct {
	in    *sheet.Reader
	owner string
	at    map[string]int // indexes of the columns that the service accepts
	out   *sheet.Writer
	text  bytes.Buffer
}

// newSheetRows reads the header of a table, and writes the header for the service.
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

// flushed returns the text written since the last call.
func (s *sheetRows) flushed() []byte {
	_ = s.out.Flush() // into memory
	defer s.text.Reset()
	return bytes.Clone(s.text.Bytes())
}

// importReport counts the results of the rows.
type importReport struct {
	DryRun    bool           `json:"dry_run"`
	Rows      int            `json:"rows"`
	Created   int            `json:"created"`   // in a dry run: would be created
	Updated   int            `json:"updated"`   // existed with other values
	Unchanged int            `json:"unchanged"` // existed with the same values
	Repeated  int            `json:"repeated"`  // another row has the same customer
	Refused   map[string]int `json:"refused"`   // by codes
	LeftOut   int            `json:"left_out"`  // the panel has no service for the customer
	Unsent    int            `json:"unsent"`    // after a failure
	Generated int            `json:"generated"` // of the imported rows: with a generated password
}

// send sends the rows in batches, and prints the rows with a code. Few rows are in memory at a time. After a failure it
// counts the rest. The report is valid even with an error.
func (i importing) send(ctx context.Context, t *importTable) (importReport, error) {
	p := batches{importing: i, table: t, report: importReport{DryRun: i.dryRun, Refused: map[string]int{}},
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
		next := "the same command continues"
		if was := (*refused)(nil); errors.As(p.failed, &was) && denies(was.status) {
			next += " once the token may import"
		}
		p.failed = fmt.Errorf("%w\n%d of %d rows were not sent: %s", p.failed, p.report.Unsent, p.report.Rows, next)
	}
	return p.report, p.failed
}

// batches has the results of the sent rows, and the rows of the next request.
type batches struct {
	importing

	table  *importTable
	report importReport
	failed error
	shown  *meter

	rows    []importRow // the next batch
	size    int         // of the texts of rows
	coded   []importRow // rows with a code that are not printed yet
	unshown int         // size of the texts of coded
}

func (p *batches) fail(err error) {
	if p.failed == nil {
		p.failed = err
	}
}

// add adds a row to the batch. If the batch has no room for it, add sends the batch first.
func (p *batches) add(ctx context.Context, r importRow) {
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

// sendRows sends the batch, unless an earlier batch failed.
func (p *batches) sendRows(ctx context.Context) {
	if p.failed == nil && ctx.Err() != nil {
		p.fail(fmt.Errorf("interrupted: %w", ctx.Err()))
	}
	if p.failed == nil && len(p.rows) > 0 {
		p.shown.onTerminal(importingRows, int64(p.report.Rows-len(p.rows)), int64(p.table.count))
		answer, err := p.sendBatch(ctx, p.table, p.rows, p.shown)
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

// settled counts a row with a code, or with a generated password, and prints it with others.
func (p *batches) settled(r importRow) {
	switch {
	case r.Code == "" && r.generated:
		r.Code, r.Detail = codeGenerated,
			"The panel has no password of this customer that can be moved. The state file has a generated one."
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
		r.Detail += " If the line comes from another panel, use --prefix for this panel."
		if !p.update {
			r.Detail += " If the line comes from this panel, --update sets these values."
		}
	}
	p.unshown += len(r.text) + len(r.Detail)
	r.text = nil
	if p.coded = append(p.coded, r); len(p.coded) == mostRows || p.unshown > mostBytes {
		p.printRows()
	}
}

// printRows prints the rows with a code.
func (p *batches) printRows() {
	if len(p.coded) == 0 {
		return
	}
	p.shown.end()
	p.fail(listed(p.session, p.output, "ROW\tEXTERNAL ID\tNAME\tCODE\tWHY", p.coded, func(r importRow) []string {
		return []string{r.Row, r.ExternalID, r.Username, r.Code, r.Detail}
	}))
	p.coded, p.unshown = p.coded[:0], 0
}

// importAnswer is the service's answer to a batch.
type importAnswer struct {
	Created   *int
	Updated   int
	Unchanged int
	Refused   []refusedRow
}

// refusedRow is a refused row of a batch. The first row is 1.
type refusedRow struct {
	Row          int
	Code, Detail string
}

// fits reports whether the answer can belong to a batch of so many rows.
func (a importAnswer) fits(rows int) bool {
	return a.Created != nil && *a.Created+a.Updated+a.Unchanged+len(a.Refused) == rows &&
		!slices.ContainsFunc(a.Refused, func(r refusedRow) bool { return r.Row < 1 || r.Row > rows || r.Code == "" })
}

var errNoImport = errors.New("the answer is not about these rows: is it the service, with its base path?")

// sendBatch sends rows until the service answers. After a signal it waits for the answer of the current request.
func (i importing) sendBatch(ctx context.Context, t *importTable, rows []importRow,
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
	header.Set("Idempotency-Key", "import-"+rand.Text()) // the service repeats a lost answer
	failing := retries{say: func(format string, args ...any) {
		shown.end()
		shown.step = nil // the meter continues below the message
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

// ask sends a batch once, and waits for as long as the service may work on it. With an error it returns the shortest
// useful wait before a retry, or noWait. Without an answer the wait lasts until no service works on the rows any
// longer: two equal requests at the same time delay each other.
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

// print prints the results of all rows.
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

// importState is the state file. It stores passwords that a panel does not have, and the dates of lines that have no
// end or have not begun, so that later runs use the same values. It belongs to one account of one service.
type importState struct {
	file string

	URL     string                   `json:"url"`
	Owner   int64                    `json:"owner"`
	Decided map[string]importDecided `json:"decided"` // by external ids
}

// importDecided has the values that an import chose for a line.
type importDecided struct {
	Lasts    string `json:"lasts,omitempty"` // duration in the panel; after a change of it ExpDate is chosen again
	ExpDate  string `json:"expDate,omitempty"`
	Password string `json:"password,omitempty"`
}

// forEver is importDecided.Lasts of a line without an end.
const forEver = "for ever"

// settle sets the missing dates and passwords of customers, to the stored values if there are any. With storing it
// stores new values before it returns.
func (s *importState) settle(all []panels.Customer, storing bool, now time.Time, password func() string) (err error) {
	if !slices.ContainsFunc(all, undecided) {
		return nil
	}
	if storing {
		held, err := lockFile(s.file + ".lock")
		if errors.Is(err, errLocked) {
			return fmt.Errorf("%s is in use: another import of this file runs", s.file)
		}
		if err != nil {
			return fmt.Errorf("the state file can't be locked: name another file with --state: %w", err)
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
	if !storing || !changed {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return keep(s.file, text)
}

// undecided reports whether a customer to import has no date or no password.
func undecided(c panels.Customer) bool {
	return c.Code == "" && c.As == "" && (c.Expires.IsZero() || c.Password == "")
}

// decide sets the missing date and password of a customer. A line without an end gets almost the longest possible time.
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
	if stored, err := time.Parse(time.RFC3339, d.ExpDate); err == nil && d.Lasts == lasts {
		end = stored
	}
	if !c.Until.IsZero() && end.After(c.Until) {
		end = c.Until
	}
	c.Expires = end.Truncate(time.Millisecond)
	d.Lasts, d.ExpDate = lasts, stamp(c.Expires)
	return d
}

// mostDecided is larger than the state file of the most customers that a panel may have.
const mostDecided = 1 << 29

// read reads the state file, if it exists.
func (s *importState) read() error {
	text, err := regularfile.Read(s.file, mostDecided)
	if errors.Is(err, fs.ErrNotExist) {
		s.Decided = map[string]importDecided{}
		return nil
	}
	if err != nil {
		return err
	}
	stored := importState{file: s.file}
	if json.Unmarshal(text, &stored) != nil || stored.Decided == nil || stored.URL == "" {
		return fmt.Errorf("%s is not a state file of this command: name another file with --state", s.file)
	}
	if stored.URL != s.URL || stored.Owner != s.Owner {
		return fmt.Errorf("%s belongs to the account %d of the service at %s: name another file with --state", s.file,
			stored.Owner, stored.URL)
	}
	*s = stored
	return nil
}
