package application

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

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

// ImportLine is a line to be imported.
type ImportLine struct {
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

// ImportLines is the command to take over lines of another system.
type ImportLines struct {
	Rows   []ImportLine
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

// MayImport refuses the callers that ImportLines refuses, before the rows are read.
func (s Lines) MayImport(ctx context.Context, call Call) error {
	_, err := query(ctx, s.kernel, call, "may import", func(_ context.Context, in reading) (none, error) {
		return none{},
			mayImport(call.Caller, in.actor)
	})
	return err
}

// ImportLines creates official lines that nothing is paid for, decided row by row in their order, each whole or not at
// all. Several rows are kept in one transaction, each with its own entry in the journal: an import that ends early has
// kept some, and repeating it finds these unchanged. The receipt is recorded after the last row. Refusals of all rows:
// reseller.ErrNotAllowed for anyone but an admin, principal.ErrBeyond, ErrTooManyRows.
func (s Lines) ImportLines(ctx context.Context, call Call, c ImportLines,
	render Render[ImportReport]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "import lines")
	defer ended()
	if len(c.Rows) > MostImported {
		return Receipt{}, ErrTooManyRows
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
			return Receipt{}, err
		}
		if recorded != nil {
			return *recorded, nil
		}
		if !c.DryRun {
			if decided, err = s.keepRows(ctx, call, some, c.Update, taken, decided); err != nil {
				return Receipt{}, err
			}
		}
		report.add(decided)
		taken = decided.taken
	}
	if call.Key == "" {
		return render(report), nil
	}
	return repeated(ctx, s.kernel, call, render, command[ImportReport]{
		event: journal.LineImported,
		rules: func(context.Context, *work) (ImportReport, error) { return report, nil },
	})
}

// mayImport refuses a principal with a spend limit as well: nothing is counted for what it imports.
func mayImport(c Caller, actor *reseller.Reseller) error {
	err := actor.MayImport()
	if p := c.principal(); err == nil && p != nil && p.Limit != 0 {
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
	*ImportLine

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
func (s Lines) decideRows(ctx context.Context, call Call, rows []ImportLine, update bool,
	before taken) (made decisions, recorded *Receipt, err error) {
	recorded, err = s.precheck(ctx, call, s.dependencies.Clock(), func(ctx context.Context, in reading) error {
		made = decisions{taken: before.clone()}
		if err := mayImport(call.Caller, in.actor); err != nil {
			return err
		}
		owners := map[int64]*reseller.Reseller{0: in.actor}
		for i := range rows {
			d, err := s.decideRow(ctx, in, owners, update, made.taken, decision{ImportLine: &rows[i]})
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
func (s Lines) decideRow(ctx context.Context, in reading, owners map[int64]*reseller.Reseller, update bool,
	before taken, d decision) (_ decision, err error) {
	if d.owner, err = importOwner(ctx, in, owners, d.Owner); err != nil {
		return d, err
	}
	if d.line, err = line.NewImported(d.owner, d.values(), in.now); err != nil {
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
		shown, err := s.reveal(found, in.now)
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
	case !isNotFound(err):
		return d, err
	}
	return d, freeForRow(ctx, in, before, d, 0)
}

// freeForRow refuses a name that another line has, or gets by a row before.
func freeForRow(ctx context.Context, in reading, before taken, d decision, id int64) error {
	if before.names[d.Username.Key()] {
		return profile.ErrUsernameTaken
	}
	return freeName(id, func() (int64, error) { return in.Lines.FindByUsername(ctx, d.Username) })
}

// unreadable keeps the absence of a line that an index names from being taken for a refusal of the row.
func (s Lines) unreadable(err error) error {
	if isNotFound(err) {
		return errors.New("an index names a line that is not there: " + err.Error())
	}
	return err
}

// importOwner returns an owner, from those that were found before if it is among them.
func importOwner(ctx context.Context, in reading, found map[int64]*reseller.Reseller,
	id int64) (*reseller.Reseller, error) {
	if r, is := found[id]; is {
		return r, nil
	}
	r, err := seenReseller(ctx, in.Resellers, in.actor, id)
	if isNotFound(err) {
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
func (s Lines) keepRows(ctx context.Context, call Call, rows []ImportLine, update bool, before taken,
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
func (s Lines) keepDecided(ctx context.Context, call Call, made decisions) error {
	call.Key = "" // the receipt is recorded after the last row
	var keep []func(context.Context, *work) error
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
	_, err := repeated(ctx, s.kernel, call, func(struct{}) Receipt { return Receipt{} }, command[struct{}]{
		event: journal.LineImported,
		rules: func(ctx context.Context, do *work) (struct{}, error) {
			if err := mayImport(call.Caller, do.actor); err != nil {
				return struct{}{}, err
			}
			for _, kept := range keep {
				if err := kept(ctx, do); err != nil {
					return struct{}{}, err
				}
				do.entry, do.written = journal.Entry{}, false
			}
			return struct{}{}, nil
		},
	})
	return err
}

// keeping returns what keeps the line of a decision.
func (s Lines) keeping(ctx context.Context, d decision) (func(context.Context, *work) error, error) {
	values := d.values()
	if d.over != nil {
		sealed := d.over.State().Password
		if d.resealed {
			var err error
			if sealed, err = s.seal(d.Password, d.over.ID()); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, do *work) error {
			l, err := do.line(ctx, d.over.ID())
			if isNotFound(err) || err == nil && do.lineWas.Version != d.over.State().Version {
				return errChangedMeanwhile
			}
			if err != nil {
				return err
			}
			l.TakeOver(d.line, sealed, do.now)
			if err := do.saveLine(ctx, l); err != nil {
				return err
			}
			if err := setBack(ctx, do.tx, l, do.expiring.DueUnderWay(l)); err != nil {
				return err
			}
			return do.journal(ctx, journal.LineReimported)
		}, nil
	}
	var err error
	if values.ID, err = s.dependencies.Store.NextID(ctx, ports.LineIDs); err != nil {
		return nil, err
	}
	if values.PlatformID, err = s.dependencies.Store.NextID(ctx, ports.PlatformIDs); err != nil {
		return nil, err
	}
	if values.Password, err = s.seal(d.Password, values.ID); err != nil {
		return nil, err
	}
	return func(ctx context.Context, do *work) error {
		l, err := line.NewImported(d.owner, values, do.now)
		if err != nil {
			return err
		}
		if err := do.insertLine(ctx, l); err != nil {
			return err
		}
		return do.journal(ctx, journal.LineImported)
	}, nil
}
