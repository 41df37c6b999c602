package lines

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// MostImported is how many lines one request may import.
const MostImported = 500

// Why lines are not imported, besides what their own rules say.
var (
	ErrTooManyRows = fault.New(fault.Invalid, "too-many-rows", "At most 500 lines are imported at a time.")
	ErrNoOwner     = fault.New(fault.Absent, "owner-not-found", "The account that is named as owner does not exist.")
)

// ImportRow is a line to be imported.
type ImportRow struct {
	Row        int   // by which it is named in the report
	Owner      int64 // 0: the caller
	Username   profile.Username
	Password   profile.Secret
	ExternalID profile.Text // by which it is recognised, of its owner's lines; its name where it is zero
	ExpiresAt  time.Time
	Trial      bool // which is refused
	Suspended  bool
	line.Description
}

// Import is the command to take over lines of another system.
type Import struct {
	Rows   []ImportRow
	DryRun bool // report what would become of them, and change nothing
	Update bool // imported lines that nothing else has changed take over other values, and no earlier expiry
}

// ImportReport is what became of the rows.
type ImportReport struct {
	Created   int
	Updated   int // imported lines that took over other values
	Unchanged int // they are there with the same values
	Refused   []RefusedRow
}

// RefusedRow is a row that was refused, for a reason that is a *fault.Fault.
type RefusedRow struct {
	Row    int
	Reason error
}

// rowsAtOnce is how many rows are kept in one transaction.
const rowsAtOnce = 50

// MayImport refuses the callers that Import refuses, before the rows are read.
func (s Service) MayImport(ctx context.Context, call usecase.Call) error {
	_, err := usecase.Query(ctx, s.k, call, "may import", func(_ context.Context, in usecase.View) (usecase.None, error) {
		return usecase.None{},
			mayImport(call.Caller, in.Actor)
	})
	return err
}

// Import creates official lines that nothing is paid for, decided row by row in their order, each whole or not at
// all. Several rows are kept in one transaction, each with its own entry in the journal: an import that ends early has
// kept some, and repeating it finds these unchanged. The receipt is recorded after the last row. Refusals of all rows:
// reseller.ErrNotAllowed for anyone but an admin, principal.ErrBeyond, ErrTooManyRows.
func (s Service) Import(ctx context.Context, call usecase.Call, c Import,
	render usecase.Render[ImportReport]) (usecase.Receipt, error) {
	ctx, ended := s.k.Observe(ctx, "import lines")
	defer ended()
	if len(c.Rows) > MostImported {
		return usecase.Receipt{}, ErrTooManyRows
	}
	if c.DryRun {
		call.Key = "" // it stands for the real one
	}
	rows := slices.Clone(c.Rows)
	for i := range rows {
		if r := &rows[i]; r.ExternalID == (profile.Text{}) {
			r.ExternalID = profile.RestoreText(r.Username.String())
		}
	}
	var done imported
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

// mayImport refuses a principal with a spend limit as well: nothing is counted for what it imports.
func mayImport(c usecase.Caller, actor *reseller.Reseller) error {
	err := actor.MayImport()
	if p := c.Principal(); err == nil && p != nil && p.Limit != 0 {
		err = principal.ErrBeyond.WithDetail(
			"A key, or a member of the staff, with a spend limit may not import lines: no credits are paid for them.")
	}
	return err
}

// imported is what became of the rows so far.
type imported struct {
	ImportReport
	kept []*keptRow
}

// keptRow is a row that is neither refused nor there already.
type keptRow struct {
	line.Import

	line   *line.Line // as a dry run leaves it
	owner  *reseller.Reseller
	secret profile.Secret
	over   int64 // the version of the line that takes over the values, 0: one is created
}

// importRows imports some rows after those that are done. It also returns the receipt of a request that was answered
// before. Where another request was first with a name or an external id it decides again, which sees that: two imports
// of the same rows are hardly slower than one.
func (s Service) importRows(ctx context.Context, call usecase.Call, c Import, rows []ImportRow,
	done imported) (next imported, recorded *usecase.Receipt, err error) {
	for {
		next, recorded, err = s.decideRows(ctx, call, rows, c.Update, done)
		if err != nil || recorded != nil || c.DryRun {
			return next, recorded, err
		}
		err = s.keepRows(ctx, call, next.kept[len(done.kept):])
		if !errors.Is(err, profile.ErrUsernameTaken) && !errors.Is(err, line.ErrExternalIDTaken) &&
			!errors.Is(err, errChangedMeanwhile) {
			return next, nil, err
		}
	}
}

// errChangedMeanwhile is of a line that was to take over values, and has changed since that was decided.
var errChangedMeanwhile = errors.New("the line has changed meanwhile")

// decideRows decides what becomes of rows, by one snapshot. Each row finds the lines as those before it leave them.
func (s Service) decideRows(ctx context.Context, call usecase.Call, rows []ImportRow, update bool,
	done imported) (next imported, recorded *usecase.Receipt, err error) {
	recorded, err = s.k.Precheck(ctx, call, s.k.Dependencies.Clock(), func(ctx context.Context, in usecase.View) error {
		if err := mayImport(call.Caller, in.Actor); err != nil {
			return err
		}
		next = done
		owners, lines := map[int64]*reseller.Reseller{0: in.Actor}, dryrun.Over(in.Lines)
		in.Lines = lines
		for _, r := range rows {
			kept, err := s.decideRow(ctx, in, owners, r, update, next.kept)
			known, is := errors.AsType[*fault.Fault](err)
			switch {
			case is && known.Kind() != fault.Unavailable:
				next.Refused = append(next.Refused, RefusedRow{r.Row, err})
				continue
			case err != nil:
				return err
			case kept == nil:
				next.Unchanged++
				continue
			case kept.over == 0:
				next.Created++
			default:
				next.Updated++
			}
			next.kept = append(next.kept, kept)
			lines.Leave(kept.ID, kept.line)
		}
		return nil
	})
	return next, recorded, err
}

// decideRow decides what becomes of a row after others that are kept, nil if it is there already. A *fault.Fault refuses
// it alone.
func (s Service) decideRow(ctx context.Context, in usecase.View, owners map[int64]*reseller.Reseller, r ImportRow,
	update bool, before []*keptRow) (*keptRow, error) {
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
	const provisional = 1 << 62 // beyond all ids
	row := &keptRow{owner: owners[r.Owner], secret: r.Password, Import: line.Import{
		ID: provisional + int64(len(before)), PlatformID: provisional, Username: r.Username, ExpiresAt: r.ExpiresAt,
		Trial: r.Trial, Suspended: r.Suspended, Description: r.Description,
	}}
	row.ExternalID = &r.ExternalID
	var err error
	if row.line, err = line.NewImported(row.owner, row.Import, in.Now); err != nil {
		return nil, err
	}
	id, err := in.Lines.FindByExternalID(ctx, row.owner.ID(), r.ExternalID)
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

// compare reports whether the line that has the external id of a row has its other values as well. If not the line takes
// over the row's, unless a row before has created or changed it.
func (s Service) compare(ctx context.Context, in usecase.View, row *keptRow, id int64, update bool,
	before []*keptRow) (same bool, err error) {
	found, err := in.Lines.Get(ctx, id)
	if usecase.IsNotFound(err) { // which would be taken for a refusal of the row
		err = errors.New("an index names a line that is not there: " + err.Error())
	}
	if err != nil {
		return false, err
	}
	shown := Line{Line: found}
	earlier := slices.IndexFunc(before, func(b *keptRow) bool {
		return b.owner.ID() == row.owner.ID() && *b.ExternalID == *row.ExternalID
	})
	if earlier >= 0 {
		shown.Password = before[earlier].secret
	} else if shown, err = reveal(s.k, found, in.Now); err != nil {
		return false, err
	}
	differs := &line.Differs{Members: found.Differs(row.line), Expiry: found.ExpiresAt()}
	if shown.Password.Reveal() == row.secret.Reveal() {
		row.Password = found.State().Password // sealed already
	} else {
		differs.Members = append(differs.Members, "password")
	}
	if len(differs.Members) == 0 {
		return true, nil
	}
	if !update || earlier >= 0 {
		return false, differs
	}
	if differs.Kept = found.Kept(row.line); differs.Kept != "" {
		return false, differs
	}
	row.ID, row.over = id, found.State().Version
	found.TakeOver(row.line, row.Password, in.Now)
	row.line = found
	return false, nil
}

// keep creates the line of a row, or has one take over its values, with its own entry in the journal.
func (row *keptRow) keep(ctx context.Context, tx *usecase.Tx) error {
	l, err := line.NewImported(row.owner, row.Import, tx.Now)
	if err != nil {
		return err
	}
	event := journal.LineImported
	if row.over == 0 {
		err = insertLine(ctx, tx, l)
	} else {
		event, err = journal.LineReimported, row.takeOver(ctx, tx, l)
	}
	if err != nil {
		return err
	}
	err = tx.AppendEntry(ctx, event)
	tx.Entry, tx.Written = journal.Entry{}, false
	return err
}

func (row *keptRow) takeOver(ctx context.Context, tx *usecase.Tx, imported *line.Line) error {
	l, err := tx.Line(ctx, row.ID)
	if usecase.IsNotFound(err) || err == nil && tx.LineBefore.Version != row.over {
		return errChangedMeanwhile
	}
	if err != nil {
		return err
	}
	l.TakeOver(imported, row.Password, tx.Now)
	if err := tx.SaveLine(ctx, l); err != nil {
		return err
	}
	return requeueReminders(ctx, tx.Tx, l, tx.ExpiringDays.DueUnderWay(l))
}

// keepRows keeps rows in one transaction. Lines that are created get their ids before it, and passwords are sealed.
func (s Service) keepRows(ctx context.Context, call usecase.Call, rows []*keptRow) (err error) {
	if len(rows) == 0 {
		return nil
	}
	store := s.k.Dependencies.Store
	for _, row := range rows {
		if row.over == 0 {
			if row.ID, err = store.NextID(ctx, ports.LineIDs); err == nil {
				row.PlatformID, err = store.NextID(ctx, ports.PlatformIDs)
			}
		}
		if err == nil && row.Password == nil {
			row.Password, err = seal(s.k, row.secret, row.ID)
		}
		if err != nil {
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
				if err := row.keep(ctx, tx); err != nil {
					return usecase.None{}, err
				}
			}
			return usecase.None{}, nil
		},
	})
	return err
}
