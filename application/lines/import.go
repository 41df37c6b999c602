package lines

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

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
	var report ImportReport
	taken := taken{}
	for first := true; first || len(rows) > 0; first = false {
		some := rows[:min(len(rows), rowsAtOnce)]
		if c.DryRun {
			some = rows // of one snapshot
		}
		rows = rows[len(some):]
		decided, recorded, err := s.decideRows(ctx, call, some, c.Update, taken)
		if err != nil {
			return usecase.Receipt{}, err
		}
		if recorded != nil {
			return *recorded, nil
		}
		if !c.DryRun {
			if decided, err = s.keepRows(ctx, call, some, c.Update, taken, decided); err != nil {
				return usecase.Receipt{}, err
			}
		}
		report.add(decided)
		taken = decided.taken
	}
	if call.Key == "" {
		return render(report), nil
	}
	return usecase.RunPart(ctx, s.k, call, render, usecase.Command[ImportReport]{
		Event: journal.LineImported,
		Rules: func(context.Context, *usecase.Tx) (ImportReport, error) { return report, nil },
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

// decisions are what becomes of rows, and what lines before them and among them have taken.
type decisions struct {
	rows  []decision
	taken taken
}

// decision is what becomes of a row: it is refused, or there already, or a line takes over its values, or one is
// created.
type decision struct {
	*ImportRow

	refused  error
	there    bool
	over     *line.Line // that takes over its values
	resealed bool       // with another password
	owner    *reseller.Reseller
	line     *line.Line // without an id and a password
}

// taken is what the lines that an import creates have: names, as they are compared, and external ids.
type taken struct {
	names       map[string]bool
	externalIDs map[ownersID]decision
}

type ownersID struct {
	owner      int64
	externalID profile.Text
}

func (t taken) clone() taken { return taken{maps.Clone(t.names), maps.Clone(t.externalIDs)} }

// with returns what is taken once the line of a decision is.
func (t taken) with(d decision) taken {
	if t.names == nil {
		t = taken{map[string]bool{}, map[ownersID]decision{}}
	}
	t.names[d.Username.Key()], t.externalIDs[ownersID{d.owner.ID(), d.ExternalID}] = true, d
	return t
}

func (r *ImportReport) add(made decisions) {
	for _, d := range made.rows {
		switch {
		case d.refused != nil:
			r.Refused = append(r.Refused, RefusedRow{d.Row, d.refused})
		case d.there:
			r.Unchanged++
		case d.over != nil:
			r.Updated++
		default:
			r.Created++
		}
	}
}

// decideRows decides, by one snapshot, what becomes of rows. It also returns the receipt of a request that was answered
// before.
func (s Service) decideRows(ctx context.Context, call usecase.Call, rows []ImportRow, update bool,
	before taken) (made decisions, recorded *usecase.Receipt, err error) {
	recorded, err = s.k.Precheck(ctx, call, s.k.Dependencies.Clock(), func(ctx context.Context, in usecase.View) error {
		made = decisions{taken: before.clone()}
		if err := mayImport(call.Caller, in.Actor); err != nil {
			return err
		}
		owners := map[int64]*reseller.Reseller{0: in.Actor}
		for i := range rows {
			d, err := s.decideRow(ctx, in, owners, update, made.taken, decision{ImportRow: &rows[i]})
			if known, is := errors.AsType[*fault.Fault](err); is && known.Kind() != fault.Unavailable {
				d.refused, err = err, nil
			}
			if err != nil {
				return err
			}
			if d.refused == nil && !d.there {
				made.taken = made.taken.with(d)
			}
			made.rows = append(made.rows, d)
		}
		return nil
	})
	return made, recorded, err
}

// decideRow decides what becomes of a row. A *fault.Fault refuses it alone.
func (s Service) decideRow(ctx context.Context, in usecase.View, owners map[int64]*reseller.Reseller, update bool,
	before taken, d decision) (_ decision, err error) {
	if d.owner, err = importOwner(ctx, in, owners, d.Owner); err != nil {
		return d, err
	}
	if d.line, err = line.NewImported(d.owner, d.values(), in.Now); err != nil {
		return d, err
	}
	if earlier, is := before.externalIDs[ownersID{d.owner.ID(), d.ExternalID}]; is {
		return d.repeats(earlier.line, earlier.Password)
	}
	switch id, err := in.Lines.FindByExternalID(ctx, d.owner.ID(), d.ExternalID); {
	case err == nil:
		found, err := in.Lines.Get(ctx, id)
		if err != nil {
			return d, s.unreadable(err)
		}
		shown, err := reveal(s.k, found, in.Now)
		if err != nil {
			return d, err
		}
		d, err := d.repeats(found, shown.Password)
		if differs, is := errors.AsType[*line.Differs](err); is && update {
			if differs.Kept = found.Kept(d.line); differs.Kept == "" {
				d.over, d.resealed = found, slices.Contains(differs.Members, memberPassword)
				err = freeForRow(ctx, in, before, d, id)
			}
		}
		return d, err
	case !usecase.IsNotFound(err):
		return d, err
	}
	return d, freeForRow(ctx, in, before, d, 0)
}

// freeForRow refuses a name that another line has, or gets by a row before.
func freeForRow(ctx context.Context, in usecase.View, before taken, d decision, id int64) error {
	if before.names[d.Username.Key()] {
		return profile.ErrUsernameTaken
	}
	return usecase.CheckNameFree(id, func() (int64, error) { return in.Lines.FindByUsername(ctx, d.Username) })
}

// unreadable keeps the absence of a line that an index names from being taken for a refusal of the row.
func (s Service) unreadable(err error) error {
	if usecase.IsNotFound(err) {
		return errors.New("an index names a line that is not there: " + err.Error())
	}
	return err
}

// importOwner returns an owner, from those that were found before if it is among them.
func importOwner(ctx context.Context, in usecase.View, found map[int64]*reseller.Reseller,
	id int64) (*reseller.Reseller, error) {
	if r, is := found[id]; is {
		return r, nil
	}
	r, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, id)
	if usecase.IsNotFound(err) {
		return nil, ErrNoOwner
	}
	if err == nil {
		found[id] = r
	}
	return r, err
}

// values are what the line has, but for its ids and its password.
func (d decision) values() line.Import {
	known := d.Description
	known.ExternalID = &d.ExternalID
	return line.Import{Username: d.Username, ExpiresAt: d.ExpiresAt, Trial: d.Trial, Suspended: d.Suspended,
		Description: known}
}

// memberPassword is how the interface names the password of a line.
const memberPassword = "password"

// repeats decides about a row whose external id a line has.
func (d decision) repeats(there *line.Line, its profile.Secret) (decision, error) {
	members := there.Differs(d.line)
	if its.Reveal() != d.Password.Reveal() {
		members = append(members, memberPassword)
	}
	if len(members) > 0 {
		return d, &line.Differs{Members: members, Expiry: there.ExpiresAt()}
	}
	d.there = true
	return d, nil
}

// keepRows keeps the lines of decisions. Where another request was first with a name or an external id it decides
// again, which sees that: two imports of the same rows are hardly slower than one.
func (s Service) keepRows(ctx context.Context, call usecase.Call, rows []ImportRow, update bool, before taken,
	made decisions) (decisions, error) {
	for {
		err := s.keepDecided(ctx, call, made)
		if !takenMeanwhile(err) {
			return made, err
		}
		if made, _, err = s.decideRows(ctx, call, rows, update, before); err != nil {
			return made, err
		}
	}
}

func takenMeanwhile(err error) bool {
	return errors.Is(err, profile.ErrUsernameTaken) || errors.Is(err, line.ErrExternalIDTaken) ||
		errors.Is(err, errChangedMeanwhile)
}

// errChangedMeanwhile is of a line that was to take over values, and has changed since that was decided.
var errChangedMeanwhile = errors.New("the line has changed meanwhile")

// keepDecided keeps the lines that are to be created or changed in one transaction.
func (s Service) keepDecided(ctx context.Context, call usecase.Call, made decisions) error {
	call.Key = "" // the receipt is recorded after the last row
	var keep []func(context.Context, *usecase.Tx) error
	for _, d := range made.rows {
		if d.refused != nil || d.there {
			continue
		}
		kept, err := s.keeping(ctx, d)
		if err != nil {
			return err
		}
		keep = append(keep, kept)
	}
	if len(keep) == 0 {
		return nil
	}
	_, err := usecase.RunPart(ctx, s.k, call, func(struct{}) usecase.Receipt {
		return usecase.Receipt{}
	}, usecase.Command[struct{}]{
		Event: journal.LineImported,
		Rules: func(ctx context.Context, tx *usecase.Tx) (struct{}, error) {
			if err := mayImport(call.Caller, tx.Actor); err != nil {
				return struct{}{}, err
			}
			for _, kept := range keep {
				if err := kept(ctx, tx); err != nil {
					return struct{}{}, err
				}
				tx.Entry, tx.Written = journal.Entry{}, false
			}
			return struct{}{}, nil
		},
	})
	return err
}

// keeping returns what keeps the line of a decision.
func (s Service) keeping(ctx context.Context, d decision) (func(context.Context, *usecase.Tx) error, error) {
	values := d.values()
	if d.over != nil {
		sealed := d.over.State().Password
		if d.resealed {
			var err error
			if sealed, err = seal(s.k, d.Password, d.over.ID()); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, tx *usecase.Tx) error {
			l, err := tx.Line(ctx, d.over.ID())
			if usecase.IsNotFound(err) || err == nil && tx.LineBefore.Version != d.over.State().Version {
				return errChangedMeanwhile
			}
			if err != nil {
				return err
			}
			l.TakeOver(d.line, sealed, tx.Now)
			if err := tx.SaveLine(ctx, l); err != nil {
				return err
			}
			if err := requeueReminders(ctx, tx.Tx, l, tx.ExpiringDays.DueUnderWay(l)); err != nil {
				return err
			}
			return tx.AppendEntry(ctx, journal.LineReimported)
		}, nil
	}
	var err error
	if values.ID, err = s.k.Dependencies.Store.NextID(ctx, ports.LineIDs); err != nil {
		return nil, err
	}
	if values.PlatformID, err = s.k.Dependencies.Store.NextID(ctx, ports.PlatformIDs); err != nil {
		return nil, err
	}
	if values.Password, err = seal(s.k, d.Password, values.ID); err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *usecase.Tx) error {
		l, err := line.NewImported(d.owner, values, tx.Now)
		if err != nil {
			return err
		}
		if err := insertLine(ctx, tx, l); err != nil {
			return err
		}
		return tx.AppendEntry(ctx, journal.LineImported)
	}, nil
}
