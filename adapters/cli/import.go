package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
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
	Format string `arg:"" enum:"csv,marzban,3x-ui" help:"What the file is: csv, marzban or 3x-ui."`
	File   string `arg:"" help:"The file: a table with the columns of GET /exports/lines, or the database of the panel, which is only read."`
	Owner  string `required:"" placeholder:"NAME" help:"The account that the lines will belong to."`
	State  string `placeholder:"FILE" help:"File that keeps the dates and passwords that a panel does not have (default: the panel's file with .import behind its name)."`
	DryRun bool   `help:"Say what would be done, and change nothing."`
}

// Bounds of one request.
const (
	mostRows  = 500
	mostBytes = 1 << 20
)

// mostFailing is how long one piece is tried.
const mostFailing = 5 * time.Minute

// Run runs the command.
func (c importCommand) Run(s *session) error {
	return s.asAccount(c.RemoteFlags, func(wrong *Misconfiguration) {
		if strings.TrimSpace(c.Owner) == "" {
			wrong.Add("--owner", errors.New("this must not be empty"))
		}
	}, func(ctx context.Context, service accountOverHTTP) error {
		i := importing{session: s, service: service, dryRun: c.DryRun, firstWait: firstWait, patience: mostFailing}
		owner, err := i.account(ctx, c.Owner)
		if err != nil {
			return interrupted(ctx, err)
		}
		table, err := c.read(ctx, i, owner)
		if err != nil {
			return interrupted(ctx, err)
		}
		table.refuseRepeated()
		report, err := i.send(ctx, table)
		if printed := c.print(s, table, report); err == nil {
			err = printed
		}
		return err
	})
}

// importing sends rows to a service.
type importing struct {
	*session
	service   accountOverHTTP
	dryRun    bool
	firstWait time.Duration // after a failure; the next one is twice as long
	patience  time.Duration
}

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
		return err == nil && found.Folded() == asked.Folded()
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
	rows        []importRow
}

// importRow is a row of a file. What is said of it never has its password.
type importRow struct {
	Row        string `json:"row"` // where the file has it
	ExternalID string `json:"external_id"`
	Username   string `json:"username"`
	Code       string `json:"code"` // why it was not taken in, "" where it was
	Detail     string `json:"detail"`

	text []byte // as it is sent
}

// Codes of rows that are not sent.
const (
	codeRepeated     = "repeated" // nothing has to be done
	codeRepeatedID   = "external-id-repeated"
	codeRepeatedName = "username-repeated"
	codeTooLarge     = "row-too-large"
	codeNotUTF8      = "not-utf-8"
)

// refuseRepeated refuses rows that the service would refuse once the other one is there, which it is not in a dry run.
func (t *importTable) refuseRepeated() {
	ids, names := map[string]string{}, map[string]string{}
	for n := range t.rows {
		r := &t.rows[n]
		if r.Code != "" {
			continue
		}
		name := r.Username
		if parsed, err := profile.ParseUsername(name); err == nil {
			name = parsed.Folded()
		}
		switch {
		case ids[r.ExternalID] != "" && r.ExternalID != "":
			r.Code, r.Detail = codeRepeatedID, "This external id is that of "+ids[r.ExternalID]+"."
		case names[name] != "" && name != "":
			r.Code, r.Detail = codeRepeatedName, "This name is that of "+names[name]+", if case does not count."
		case len(t.head)+len(r.text) > mostBytes:
			r.Code, r.Detail = codeTooLarge, "The row is larger than a request may be."
		default:
			ids[r.ExternalID], names[name] = r.Row, r.Row
		}
	}
}

// read reads the file.
func (c importCommand) read(ctx context.Context, i importing, owner int64) (*importTable, error) {
	var all []panels.Customer
	var err error
	switch c.Format {
	case "csv":
		return readSheet(c.File, owner)
	case "marzban":
		all, err = panels.Marzban(ctx, c.File)
	default:
		all, err = panels.XUI(ctx, c.File)
	}
	if err != nil {
		return nil, err
	}
	state := importState{file: c.State, URL: i.service.base.String(), Owner: owner}
	if state.file == "" {
		state.file = c.File + ".import"
	}
	if err := state.settle(all, !i.dryRun, time.Now(), func() string { return i.Password().Reveal() }); err != nil {
		return nil, err
	}
	return tableOf(all, owner)
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
func tableOf(all []panels.Customer, owner int64) (*importTable, error) {
	t := &importTable{contentType: "application/x-ndjson"}
	for _, c := range all {
		r := importRow{Row: c.At, ExternalID: c.ExternalID, Username: c.Username, Code: c.Code, Detail: c.Detail}
		if text := c.ExternalID + c.Username + c.Password + c.Notes + c.Telegram; r.Code == "" && !utf8.ValidString(text) {
			r.Code, r.Detail = codeNotUTF8, "A text is not UTF-8."
		}
		if r.Code == "" && c.As != "" {
			r.Code, r.Detail = codeRepeated, "This is "+c.As+" again."
		}
		if r.Code == "" {
			sent := importedLine{c.ExternalID, c.Username, c.Password, owner, stamp(c.Expires), c.Suspended, c.Notes, c.Telegram, c.Metadata}
			text, err := json.Marshal(sent) //nolint:gosec // the service has to know the password
			if err != nil {
				return nil, err
			}
			r.text = slices.Concat(text, []byte("\n"))
		}
		t.rows = append(t.rows, r)
	}
	return t, nil
}

// readSheet reads a table, whose owners are another service's and give way to one of this.
func readSheet(file string, owner int64) (*importTable, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	t, err := sheetRows(f, owner)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

func sheetRows(from io.Reader, owner int64) (*importTable, error) {
	in, err := sheet.NewReader(from)
	if err != nil {
		return nil, err
	}
	header := slices.Clone(in.Header())
	if !slices.Contains(header, "owner") {
		header = append(header, "owner")
	}
	at := func(column string) int { return slices.Index(header, column) }
	var missing []string
	for _, column := range []string{"external_id", "username", "password", "expDate"} {
		if at(column) < 0 {
			missing = append(missing, column)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the table has no column %s", strings.Join(missing, ", "))
	}
	var text bytes.Buffer
	out := sheet.NewWriter(&text, header...)
	t := &importTable{contentType: "text/csv", head: flushed(out, &text)}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		cells = append(cells, make([]string, len(header)-len(cells))...)
		cells[at("owner")] = strconv.FormatInt(owner, 10)
		_ = out.Write(cells) // into memory
		t.rows = append(t.rows, importRow{
			Row: fmt.Sprintf("row %d", in.Row()), ExternalID: cells[at("external_id")], Username: cells[at("username")], text: flushed(out, &text),
		})
	}
}

// flushed returns what was written since the last time.
func flushed(out *sheet.Writer, text *bytes.Buffer) []byte {
	_ = out.Flush() // into memory
	defer text.Reset()
	return bytes.Clone(text.Bytes())
}

// importReport counts what became of the rows.
type importReport struct {
	DryRun    bool           `json:"dry_run"`
	Rows      int            `json:"rows"`
	Created   int            `json:"created"`   // or would be
	Unchanged int            `json:"unchanged"` // were there before
	Repeated  int            `json:"repeated"`  // need no line of their own
	Refused   map[string]int `json:"refused"`   // by codes
	Left      int            `json:"left"`      // were not sent
}

// send sends the rows piece by piece. What it returns counts even with an error.
func (i importing) send(ctx context.Context, t *importTable) (importReport, error) {
	report := importReport{DryRun: i.dryRun, Rows: len(t.rows), Refused: map[string]int{}}
	var sent []*importRow
	for n := range t.rows {
		if t.rows[n].Code == "" {
			sent = append(sent, &t.rows[n])
		}
	}
	report.Left = len(sent)
	total := int64(len(sent))
	shown := newMeter(i.stderr)
	var err error
	for len(sent) > 0 && err == nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted: %w", ctx.Err())
			break
		}
		shown.onTerminal(importingRows, total-int64(len(sent)), total)
		n := piece(len(t.head), sent)
		var answer importAnswer
		if answer, err = i.sendPiece(ctx, t, sent[:n], shown); err == nil {
			answer.count(&report, sent[:n])
			sent = sent[n:]
			report.Left = len(sent)
		}
	}
	if total > 0 {
		shown.onTerminal(importingRows, total-int64(len(sent)), total)
	}
	shown.end()
	for _, r := range t.rows {
		switch r.Code {
		case "":
		case codeRepeated:
			report.Repeated++
		default:
			report.Refused[r.Code]++
		}
	}
	if err != nil {
		err = fmt.Errorf("%w\n%d of %d rows were not sent: the same command goes on", err, report.Left, report.Rows)
	}
	return report, err
}

// piece returns how many of the rows go into the next request.
func piece(size int, rows []*importRow) int {
	for n, r := range rows {
		if size += len(r.text); size > mostBytes || n == mostRows {
			return n
		}
	}
	return len(rows)
}

// importAnswer is what the service says of a piece.
type importAnswer struct {
	Created   *int
	Unchanged int
	Refused   []refusedRow
}

// refusedRow says why a row of a piece, from 1 on, was refused.
type refusedRow struct {
	Row          int
	Code, Detail string
}

// count adds it to the report, and to the rows why they were refused.
func (a importAnswer) count(report *importReport, rows []*importRow) {
	report.Created += *a.Created
	report.Unchanged += a.Unchanged
	for _, refused := range a.Refused {
		r := rows[refused.Row-1]
		r.Code, r.Detail = refused.Code, refused.Detail
	}
}

// fits reports whether it is one of so many rows.
func (a importAnswer) fits(rows int) bool {
	return a.Created != nil && *a.Created+a.Unchanged+len(a.Refused) == rows &&
		!slices.ContainsFunc(a.Refused, func(r refusedRow) bool { return r.Row < 1 || r.Row > rows || r.Code == "" })
}

var errNoImport = errors.New("the answer is not about these rows: is it the service, with its base path?")

// sendPiece sends rows until there is an answer. A signal lets the one under way come.
func (i importing) sendPiece(ctx context.Context, t *importTable, rows []*importRow, shown *meter) (importAnswer, error) {
	body := bytes.Clone(t.head)
	for _, r := range rows {
		body = append(body, r.text...)
	}
	at := i.service.base.JoinPath("imports", "lines")
	if i.dryRun {
		at.RawQuery = "dry_run=true"
	}
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

// ask sends a piece once. With an error it returns after which time it may be of use to send it again at the earliest, or
// noWait.
func (i importing) ask(ctx context.Context, at *url.URL, body []byte, header http.Header, rows int) (answer importAnswer, after time.Duration, err error) {
	status, answered, text, err := i.service.exchange(ctx, http.MethodPost, at, body, header, longestAnswer)
	switch {
	case err != nil:
		return answer, 0, err
	case status == http.StatusOK:
		if err := json.Unmarshal(text, &answer); err != nil || !answer.fits(rows) {
			return answer, noWait, errNoImport
		}
		return answer, 0, nil
	case passes(status):
		return answer, retryAfter(answered), refusal(at, status, text)
	}
	return answer, noWait, refusal(at, status, text)
}

// print prints each row that was not taken in, the refused ones last, and what became of all.
func (c importCommand) print(s *session, t *importTable, report importReport) error {
	told := slices.DeleteFunc(slices.Clone(t.rows), func(r importRow) bool { return r.Code == "" })
	slices.SortStableFunc(told, func(a, b importRow) int { return order(a) - order(b) })
	if len(told) > 0 {
		if err := listed(s, c.OutputFlags, "ROW\tEXTERNAL ID\tNAME\tCODE\tWHY", told, func(r importRow) []string {
			return []string{r.Row, r.ExternalID, r.Username, r.Code, r.Detail}
		}); err != nil {
			return err
		}
	}
	refused := 0
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(report.Refused)) {
		refused += report.Refused[code]
		codes = append(codes, fmt.Sprintf("%s %d", quotedIfOdd(code), report.Refused[code]))
	}
	text := fmt.Sprintf("%d rows: %d created, %d unchanged, %d repeated, %d refused", report.Rows, report.Created, report.Unchanged, report.Repeated, refused)
	if refused > 0 {
		text += " (" + strings.Join(codes, ", ") + ")"
	}
	if report.Left > 0 {
		text += fmt.Sprintf(", %d left", report.Left)
	}
	if report.DryRun {
		text = "dry run, nothing was changed: " + text
	}
	return s.verdict(c.OutputFlags, int64(refused), report, text, text)
}

func order(r importRow) int {
	if r.Code == codeRepeated {
		return 0
	}
	return 1
}

// importState is the file that keeps what a panel does not say, and another run must not decide anew: the dates of lines
// that have none, or have not begun, and passwords. It is of one account of one service.
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
		return fmt.Errorf("%s is about the account %d of the service at %s: name another file by --state", s.file, kept.Owner, kept.URL)
	}
	*s = kept
	return nil
}
