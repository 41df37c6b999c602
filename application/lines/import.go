package lines

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// MostImported is how many lines one request may import.
const MostImported = 500

// The reasons for which lines are not imported, besides those of their own rules.
var (
	ErrTooManyRows = fault.New(fault.Invalid, "too-many-rows", "At most 500 lines are imported at a time.")
	ErrNoOwner     = fault.New(fault.Absent, "owner-not-found", "The account that is named as owner does not exist.")
)

// ImportRow is a line to import.
type ImportRow struct {
	Row        int   // its name in the report
	Owner      int64 // 0: the caller
	Username   profile.Username
	Password   profile.Secret
	ExternalID profile.Text // identifies the line among those of its owner; without one its name does
	ExpiresAt  time.Time
	Trial      bool // a trial is refused
	Suspended  bool
	Plan       int64 // 0: none
	line.Description
}

// Import is the command to import lines of another system.
type Import struct {
	Rows   []ImportRow
	DryRun bool // report the results, and change nothing
	Update bool // unless other commands changed them, imported lines take over new values, but no earlier expiry
}

// ImportReport is the result of the rows.
type ImportReport struct {
	Created   int
	Updated   int // imported lines that took over other values
	Unchanged int // lines that exist with the same values
	Refused   []RefusedRow
}

// RefusedRow is a row that was refused, for a reason that is a *fault.Fault.
type RefusedRow struct {
	Row    int
	Reason error
}

// rowsAtOnce is how many rows one transaction stores.
const rowsAtOnce = 50

// MayImport refuses the callers that Import refuses, before the rows are read.
func (s Service) MayImport(ctx context.Context, call usecase.Call) error {
	_, err := usecase.Query(ctx, s.k, call, "may import", func(_ context.Context, in usecase.View) (usecase.None, error) {
		return usecase.None{}, mayImport(call.Caller, in.Actor)
	})
	return err
}

// Import creates official lines without a payment. It decides row by row in their order; each row is imported whole or
// not at all. One transaction stores several rows, each with its own entry in the journal. An import that ends early
// has stored some rows, and a repetition finds these unchanged. The receipt is recorded after the last row. Refusals of
// all rows: reseller.ErrNotAllowed for every account but an admin, principal.ErrBeyond, ErrTooManyRows.
func (s Service) Import(ctx context.Context, call usecase.Call, c Import,
	render usecase.Render[ImportReport]) (usecase.Receipt, error) {
	ctx, ended := s.k.Observe(ctx, "import lines")
	defer ended()
	if len(c.Rows) > MostImported {
		return usecase.Receipt{}, ErrTooManyRows
	}
	if c.DryRun {
		call.Key = "" // the recorded key belongs to the whole import
	}
	var done imported
	rows := c.Rows
	for first := true; first || len(rows) > 0; first = false {
		some := rows[:min(len(rows), rowsAtOnce)]
		if c.DryRun {
			some = rows // of one snapshot
		}
		rows = rows[len(some):]
		next, recorded, err := s.importRows(ctx, call, c, some, done)
		if err != nil {
			return usecase.Receipt{}, err
		}
		if recorded != nil {
			return *recorded, nil
		}
		done = next
	}
	if call.Key == "" {
		return render(done.ImportReport), nil
	}
	return usecase.RunPart(ctx, s.k, call, render, usecase.Command[ImportReport]{
		Event: journal.LineImported,
		Rules: func(context.Context, *usecase.Tx) (ImportReport, error) { return done.ImportReport, nil },
	})
}

// mayImport also refuses a principal with a spend limit, since imports are not counted.
func mayImport(c usecase.Caller, actor *reseller.Reseller) error {
	err := actor.MayImport()
	if p := c.Principal(); err == nil && p != nil && p.Limit != 0 {
		err = principal.ErrBeyond.WithDetail(
			"A key, or a member of the staff, with a spend limit may not import lines: no credits are paid for them.")
	}
	return err
}

// imported is the result of the rows so far.
type imported struct {
	ImportReport
	written []*writtenRow
}

// writtenRow is a row that is neither refused nor unchanged.
type writtenRow struct {
	*line.Line // after the import

	of       dryrun.ExternalID
	password profile.Secret
	over     int64 // the version of the line that takes over the row's values, 0: a new line
}

// importRows imports some rows after those that are done. It also returns the receipt of a request that was answered
// before. If another request took a name or an external id first, it decides again and sees that. So two imports of the
// same rows are hardly slower than one.
func (s Service) importRows(ctx context.Context, call usecase.Call, c Import, rows []ImportRow,
	done imported) (next imported, recorded *usecase.Receipt, err error) {
	for {
		next, recorded, err = s.decideRows(ctx, call, rows, c.Update, done)
		if err != nil || recorded != nil || c.DryRun {
			return next, recorded, err
		}
		err = s.storeRows(ctx, call, next.written[len(done.written):])
		if !errors.Is(err, profile.ErrUsernameTaken) && !errors.Is(err, line.ErrExternalIDTaken) &&
			!errors.Is(err, errChangedMeanwhile) {
			return next, nil, err
		}
	}
}

// errChangedMeanwhile refuses to update a line that has changed since the decision.
var errChangedMeanwhile = errors.New("the line has changed since the decision")

// decideRows decides the results of rows, by one snapshot. Each row finds the lines after the rows before it.
func (s Service) decideRows(ctx context.Context, call usecase.Call, rows []ImportRow, update bool,
	done imported) (next imported, recorded *usecase.Receipt, err error) {
	recorded, err = s.k.Precheck(ctx, call, s.k.Dependencies.Clock(), func(ctx context.Context, in usecase.View) error {
		if err := mayImport(call.Caller, in.Actor); err != nil {
			return err
		}
		next = done
		all, err := usecase.Catalogue(ctx, in.Records)
		if err != nil {
			return err
		}
		owners, lines := map[int64]*reseller.Reseller{0: in.Actor}, dryrun.Overlay(in.Lines)
		in.Lines = lines
		for _, r := range rows {
			row, err := s.decideRow(ctx, in, owners, all, r, update, next.written)
			known, is := errors.AsType[*fault.Fault](err)
			switch {
			case is && known.Kind() != fault.Unavailable:
				next.Refused = append(next.Refused, RefusedRow{r.Row, err})
				continue
			case err != nil:
				return err
			case row == nil:
				next.Unchanged++
				continue
			case row.over == 0:
				next.Created++
			default:
				next.Updated++
			}
			next.written = append(next.written, row)
			lines.Set(row.ID(), row.Line)
		}
		return nil
	})
	return next, recorded, err
}

// decideRow decides the result of a row after others that will be stored. It returns nil if the line exists unchanged.
// A *fault.Fault refuses this row alone.
func (s Service) decideRow(ctx context.Context, in usecase.View, owners map[int64]*reseller.Reseller,
	all plan.Catalogue, r ImportRow, update bool, before []*writtenRow) (*writtenRow, error) {
	if owners[r.Owner] == nil {
		owner, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, r.Owner)
		if usecase.IsNotFound(err) {
			err = ErrNoOwner
		}
		if err != nil {
			return nil, err
		}
		owners[r.Owner] = owner
	}
	owner := owners[r.Owner]
	const provisional = 1 << 62 // larger than all ids
	r.ExternalID = cmp.Or(r.ExternalID, profile.RestoreText(r.Username.String()))
	r.Description.ExternalID = &r.ExternalID
	of, there := all.Find(r.Plan)
	if r.Plan != 0 && !there {
		return nil, plan.ErrUnknownPlan
	}
	imported, err := line.NewImported(owner, line.Import{
		ID: provisional + int64(len(before)), PlatformID: provisional, Username: r.Username, ExpiresAt: r.ExpiresAt,
		Trial: r.Trial, Suspended: r.Suspended, Description: r.Description, Plan: r.Plan, Terms: of.Terms(),
	}, in.Now)
	if err != nil {
		return nil, err
	}
	row := &writtenRow{Line: imported, of: dryrun.ExternalID{Owner: owner.ID(), Text: r.ExternalID}, password: r.Password}
	id, err := in.Lines.FindByExternalID(ctx, owner.ID(), r.ExternalID)
	switch {
	case err == nil:
		if there, err := s.compare(ctx, in, row, id, update, before); there || err != nil {
			return nil, err
		}
	case !usecase.IsNotFound(err):
		return nil, err
	}
	return row, usecase.CheckNameFree(id, func() (int64, error) { return in.Lines.FindByUsername(ctx, r.Username) })
}

// compare reports whether the line with the external id of a row also has the row's other values. If not the line takes
// over the row's, unless a row before has created or changed it.
func (s Service) compare(ctx context.Context, in usecase.View, row *writtenRow, id int64, update bool,
	before []*writtenRow) (same bool, err error) {
	found, err := in.Lines.Get(ctx, id)
	if usecase.IsNotFound(err) { // it would look like a refusal of the row
		err = errors.New("an index names a missing line: " + err.Error())
	}
	if err != nil {
		return false, err
	}
	shown := Line{Line: found}
	earlier := slices.IndexFunc(before, func(b *writtenRow) bool { return b.of == row.of })
	if earlier >= 0 {
		shown.Password = before[earlier].password
	} else if shown, err = reveal(s.k, found, in.Now); err != nil {
		return false, err
	}
	differs := &line.ImportConflict{Members: found.DifferingMembers(row.Line), Expiry: found.ExpiresAt()}
	resealed := shown.Password.Reveal() != row.password.Reveal()
	if resealed {
		differs.Members = append(differs.Members, "password")
	}
	if len(differs.Members) == 0 {
		return true, nil
	}
	if !update || earlier >= 0 {
		return false, differs
	}
	if differs.ReasonToKeep = found.ReasonToKeep(row.Line); differs.ReasonToKeep != "" {
		return false, differs
	}
	was := found.State()
	if row.over = was.Version; resealed {
		was.Password = nil
	}
	found.TakeOver(row.Line, was.Password, in.Now)
	row.Line = found
	return false, nil
}

// prepare gives a new line its ids, and seals its password unless the line has a sealed one.
func (row *writtenRow) prepare(ctx context.Context, s *usecase.Kernel) (err error) {
	is := row.State()
	if row.over == 0 {
		if is.ID, err = s.Dependencies.Store.NextID(ctx, ports.LineIDs); err == nil {
			is.PlatformID, err = s.Dependencies.Store.NextID(ctx, ports.PlatformIDs)
		}
	}
	if err == nil && is.Password == nil {
		is.Password, err = seal(s, row.password, is.ID)
	}
	if err == nil {
		row.Line, err = line.Restore(is)
	}
	return err
}

// store stores a line, with its own entry in the journal.
func (row *writtenRow) store(ctx context.Context, tx *usecase.Tx) (err error) {
	event := journal.LineImported
	if row.over == 0 {
		err = insertLine(ctx, tx, row.Line)
	} else {
		event, err = journal.LineReimported, row.save(ctx, tx)
	}
	if err == nil {
		err = tx.AppendEntry(ctx, event)
	}
	tx.Entry, tx.Written = journal.Entry{}, false
	return err
}

func (row *writtenRow) save(ctx context.Context, tx *usecase.Tx) error {
	_, err := tx.Line(ctx, row.ID())
	if usecase.IsNotFound(err) || err == nil && tx.LineBefore.Version != row.over {
		err = errChangedMeanwhile
	}
	if err == nil {
		err = tx.SaveLine(ctx, row.Line)
	}
	if err == nil {
		err = requeueReminders(ctx, tx.Tx, row.Line, tx.ExpiringDays.DueOnCreation(row.Line))
	}
	return err
}

// storeRows stores rows in one transaction.
func (s Service) storeRows(ctx context.Context, call usecase.Call, rows []*writtenRow) (err error) {
	if len(rows) == 0 {
		return nil
	}
	for _, row := range rows {
		if err := row.prepare(ctx, s.k); err != nil {
			return err
		}
	}
	call.Key = "" // the receipt is recorded after the last row
	_, err = usecase.RunPart(ctx, s.k, call, func(usecase.None) usecase.Receipt {
		return usecase.Receipt{}
	}, usecase.Command[usecase.None]{
		Rules: func(ctx context.Context, tx *usecase.Tx) (usecase.None, error) {
			if err := mayImport(call.Caller, tx.Actor); err != nil {
				return usecase.None{}, err
			}
			for _, row := range rows {
				if err := row.store(ctx, tx); err != nil {
					return usecase.None{}, err
				}
			}
			return usecase.None{}, nil
		},
	})
	return err
}
