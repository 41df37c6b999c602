package audit_test

import (
	"context"
	"errors"
	"testing"

	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// office has principals, and all that belongs to them: a key and two members of the staff of account 2, one of them
// removed, and the key's spending.
type office struct {
	key, member, gone principal.Principal
	claims            []profile.NameClaim
	factors           []secondfactor.Factor
	signedIn          session.Session
}

func newOffice() office {
	by := func(id int64, kind principal.Kind, name string) principal.Principal {
		return principal.Principal{ID: id, Kind: kind, Account: 2, Slot: int(id), Name: name, Role: principal.Cashier,
			Created: fixture.Noon}
	}
	o := office{key: by(1, principal.Key, "shop"), member: by(2, principal.Staff, "María"),
		gone: by(3, principal.Staff, "gone")}
	o.key.Limit, o.key.Spent, o.key.Day = 7_000, 5_000, journal.DayOf(fixture.Noon)
	o.member.Role, o.member.Folded = "", "maría"
	o.member.GivenScopes = []principal.Scope{principal.LinesRead, principal.Manage}
	o.gone.Folded, o.gone.Revoked = "gone", fixture.Noon
	o.claims = []profile.NameClaim{{Folded: "maría", Staff: true, ID: 2}, {Folded: "reseller-2", ID: 2}}
	o.factors = []secondfactor.Factor{
		{Of: secondfactor.OfAccount(2), Secret: []byte("sealed"), Step: 7,
			Recovery: make([]secondfactor.Digest, secondfactor.RecoveryCodes)},
		{Of: secondfactor.OfStaff(2), Pending: []byte("sealed")},
		{Of: secondfactor.OfStaff(3), Secret: []byte("sealed")},
	}
	o.signedIn = session.Session{ID: session.IDOf("secret"), Reseller: 2, Staff: 2, Created: fixture.Noon,
		Used: fixture.Noon}
	return o
}

// stored is a ledger with all this, and a journal by which the key has paid 0.5 credits for a line.
func (o office) stored(t *testing.T) *ledger {
	t.Helper()
	l := newLedger(t)
	l.master()
	l.official(l.resellers[1])
	charge := &l.Movements[len(l.Movements)-1]
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		began := journal.Entry{Type: journal.Began, At: fixture.Noon}
		require.NoError(t, tx.Journal.Begin(ctx, "", "0a1b2c3d", began))
		funded := l.Movements[0]
		require.NoError(t, tx.Journal.Append(ctx, journal.Entry{
			Type: journal.ResellerCredited, At: funded.At, Account: l.resellers[1].Position(),
			Actor: by(funded), Request: funded.Request, Movement: journal.MovementOf(funded),
		}))
		require.NoError(t, tx.Journal.Append(ctx, journal.Entry{Type: journal.TrialCreated, At: fixture.Noon,
			Account: l.resellers[1].Position(), Line: charge.Line, Version: 1}))
		return tx.Journal.Append(ctx, journal.Entry{
			Type: journal.LineActivated, At: charge.At, Account: l.resellers[1].Position(), Line: charge.Line,
			Request: charge.Request, Version: l.lines[0].State().Version,
			Actor:    journal.Actor{Account: charge.Actor, Kind: journal.ByKey, Principal: 1, Name: charge.ActorName},
			Movement: journal.MovementOf(*charge),
		}.WithPrice(fixture.Price(charge.Amount.String())))
	}))
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, p := range []principal.Principal{o.key, o.member, o.gone} {
			require.NoError(t, ports.Principals.In(tx.Records).Insert(ctx, p))
		}
		for _, c := range o.claims {
			require.NoError(t, ports.NameClaims.In(tx.Records).Insert(ctx, c))
		}
		for _, f := range o.factors {
			require.NoError(t, ports.SecondFactors.In(tx.Records).Insert(ctx, f))
		}
		return ports.Sessions.In(tx.Records).Insert(ctx, o.signedIn)
	}))
	for range 3 {
		require.NoError(t, errorOf(l.NextID(t.Context(), ports.Principals.Sequence())))
	}
	return l
}

func TestAuditComparesPrincipalsWithTheirAccounts(t *testing.T) {
	of := "session " + string(session.IDOf("secret"))
	for how, c := range map[string]struct {
		damage func(o *office)
		want   []string
	}{
		"nothing": {func(*office) {}, nil},
		"their account is gone": {func(o *office) { o.key.Account, o.member.Account = 99, 99 }, []string{
			"principal 1: its owner, account 99, is missing",
			"principal 2: its owner, account 99, is missing",
			of + ": member 2 of the staff of account 2, who began it, is missing",
		}},
		"another scope": {func(o *office) {
			o.member.GivenScopes = append(o.member.GivenScopes, "all")
		}, []string{"principal 2: its scopes are not each one of the set, once"}},
		"a counter below 0": {func(o *office) {
			o.key.Spent = -1
		}, []string{"principal 1: its limit, or its spending and day, are impossible"}},
		"a counter above the journal": {func(o *office) {
			o.key.Spent++
		}, []string{"principal 1: it has spent more on its day than the journal records"}},
		"a later day": {func(o *office) {
			o.key.Day = o.key.Day.AddDate(0, 0, 2)
		}, []string{"principal 1: it has spent more on its day than the journal records"}},
		"another spent it": {func(o *office) { o.member.Spent, o.member.Day, o.key.Spent = 1, o.key.Day, 0 }, []string{
			"principal 2: it has spent more on its day than the journal records",
		}},
		"a name without a claim": {func(o *office) {
			o.claims = o.claims[1:]
		}, []string{"principal 2: no claim has its name"}},
		"a claim of staff that is gone": {func(o *office) {
			o.claims = append(o.claims, profile.NameClaim{Folded: "gone", Staff: true, ID: 3})
		}, []string{
			"name_claim gone: its owner, member 3 of the staff, is missing, or has another name",
		}},
		"a claim of another name": {func(o *office) { o.claims[0].Folded = "mario" }, []string{
			"name_claim mario: its owner, member 2 of the staff, is missing, or has another name",
		}},
		"a claim of an account that is gone": {func(o *office) { o.claims[1].ID = 99 }, []string{
			"name_claim reseller-2: its owner, account 99, is missing",
		}},
		"a second factor without an owner": {func(o *office) {
			o.factors[0].Of, o.factors[1].Of, o.factors[2].Of = secondfactor.OfAccount(99), secondfactor.OfStaff(1), "staff 03"
		}, []string{
			"second_factor account 99: its owner, account 99, is missing", "second_factor staff 03: its owner is missing",
			"second_factor staff 1: its owner is missing",
		}},
		"a session of staff that is gone": {func(o *office) {
			o.signedIn.Staff = 9
		}, []string{of + ": member 9 of the staff of account 2, who began it, is missing"}},
	} {
		t.Run(how, func(t *testing.T) {
			o := newOffice()
			c.damage(&o)
			finds(t, o.stored(t), "", c.want...)
		})
	}
}

// The audit has no findings about other records of a damaged principal.
func TestDamagedPrincipalsAreFoundOnce(t *testing.T) {
	o := newOffice()
	l := o.stored(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, p := range []principal.Principal{o.key, o.member, o.gone} {
			damaged, err := newer(ports.Principals.Stored(p))
			require.NoError(t, errors.Join(err, ports.Principals.In(tx.Records).Delete(ctx, p.ID)))
			require.NoError(t, tx.Records.Insert(ctx, ports.Principals.Kind, damaged))
		}
		return nil
	}))
	damage := ": " + record.ErrNewer.Error()
	finds(t, l, "", "principal 1"+damage, "principal 2"+damage, "principal 3"+damage)
}
