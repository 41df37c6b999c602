package application_test

import (
	"context"
	"slices"
	"testing"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// greek is a service that may have resellers, and lines, which an earlier version has kept.
type greek struct {
	*harness
	of map[string]*reseller.Reseller // by the names that they were made with
}

// kept makes a reseller, and a line of its own, that are kept as an earlier version did: by a key with the final sigma.
func (g *greek) kept(name, key string) {
	g.t.Helper()
	made, by := g.create(g.admin, "made", "9", false)
	l, err := g.activate(by, g.activation(g.trial(by).ID(), "made", "1"))
	check(g.t, err)
	check(g.t, g.dependencies.Store.Update(g.t.Context(), func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, made.ID())
		check(g.t, err)
		made = fixture.Changed(r, func(s *reseller.State) { s.Username = profile.RestoreUsername(name, key) })
		check(g.t, tx.Resellers.Save(ctx, made))
		check(g.t, ports.NameClaims.In(tx.Records).Delete(ctx, "made")) // there was no staff yet
		kept, err := tx.Lines.Get(ctx, l.ID())
		check(g.t, err)
		return tx.Lines.Save(ctx, fixture.ChangedLine(kept, func(s *line.State) { s.Username = profile.RestoreUsername(name, key) }))
	}))
	check(g.t, g.ResetPassword(g.t.Context(), profile.RestoreUsername(name, key), profile.NewSecret("password-"+name)))
	g.of[name] = made
}

// is expects that who signs in by this name with the password of a reseller is that one.
func (g *greek) is(spelled, of string) {
	g.t.Helper()
	issued, err := g.Login(g.t.Context(), application.Login{Username: fixture.Name(spelled), Password: profile.NewSecret("password-" + of), Client: of})
	if err != nil {
		g.t.Errorf("%s as %s: %v", spelled, of, err)
		return
	}
	if got := g.caller(issued).Reseller(); got != g.of[of].ID() {
		g.t.Errorf("%s is %d, want %s, %d", spelled, got, of, g.of[of].ID())
	}
}

func (g *greek) isNot(spelled, of string) {
	g.t.Helper()
	_, err := g.Login(g.t.Context(), application.Login{Username: fixture.Name(spelled), Password: profile.NewSecret("password-" + of), Client: of})
	wantFault(g.t, err, application.ErrCredentials)
}

// rename gives a reseller another name, and leaves its password, and its line one.
func (g *greek) rename(of, name string) (asReseller, asLine error) {
	g.t.Helper()
	_, asReseller = g.UpdateReseller(g.t.Context(), call(g.admin), application.UpdateReseller{
		ID: g.of[of].ID(), Username: fixture.Name(name), Password: profile.NewSecret("password-" + of), ContactChange: reseller.ContactChange{Country: new(fixture.Text("GR")), Whatsapp: new(fixture.Text("1"))},
	}, shown)
	page, err := g.ListLines(g.t.Context(), call(g.admin), application.ListLines{Owner: new(g.of[of].ID()), Limit: 9})
	check(g.t, err)
	edit := application.EditLine{ID: page.Items[0].ID(), Username: fixture.Name(name), Password: profile.NewSecret("7788"), Description: line.Description{Country: new(fixture.Text("GR"))}}
	_, asLine = g.EditLine(g.t.Context(), call(g.admin), edit, shown)
	return asReseller, asLine
}

func (g *greek) takes(of, name string) {
	g.t.Helper()
	asReseller, asLine := g.rename(of, name)
	check(g.t, asReseller)
	check(g.t, asLine)
}

func (g *greek) refuses(of, name string) {
	g.t.Helper()
	asReseller, asLine := g.rename(of, name)
	wantFault(g.t, asReseller, profile.ErrUsernameTaken)
	wantFault(g.t, asLine, profile.ErrUsernameTaken)
}

// taken expects that nobody new gets a name, nor does a line.
func (g *greek) taken(names ...string) {
	g.t.Helper()
	for _, name := range names {
		_, err := g.CreateReseller(g.t.Context(), call(g.admin), application.CreateReseller{
			Username: fixture.Name(name), Password: profile.NewSecret("password"), Contact: reseller.Contact{Country: fixture.Text("GR")}, Language: fixture.Text("el"),
		}, shown)
		wantFault(g.t, err, profile.ErrUsernameTaken)
		wantFault(g.t, g.CreateAdmin(g.t.Context(), fixture.Name(name), profile.NewSecret("password")), profile.ErrUsernameTaken)
		_, err = g.activate(g.admin, g.activation(g.trial(g.admin).ID(), name, "1"))
		wantFault(g.t, err, profile.ErrUsernameTaken)
	}
}

// finds expects that lists of names that start so have these resellers and their lines.
func (g *greek) finds(start string, want ...string) {
	g.t.Helper()
	prefix, err := profile.UsernamePrefix(start)
	check(g.t, err)
	resellers, err := g.ListResellers(g.t.Context(), call(g.admin), application.ListResellers{Username: prefix, Limit: 9})
	check(g.t, err)
	lines, err := g.ListLines(g.t.Context(), call(g.admin), application.ListLines{Username: prefix, Limit: 9})
	check(g.t, err)
	var asResellers, asLines []string
	for _, r := range resellers.Items {
		asResellers = append(asResellers, r.State().Username.String())
	}
	for _, l := range lines.Items {
		asLines = append(asLines, l.State().Username.String())
	}
	if !slices.Equal(asResellers, want) || !slices.Equal(asLines, want) {
		g.t.Errorf("%s: found %q and the lines %q, want %q", start, asResellers, asLines, want)
	}
}

func (g *greek) audited() {
	g.t.Helper()
	_, err := audit.Run(g.t.Context(), g.archive, audit.Options{Report: func(finding string) { g.t.Error(finding) }})
	check(g.t, err)
}

// TestNamesThatDifferInTheirSigma has one name be one, however it is spelled, and what an earlier version took for two be
// two, each by its exact spelling.
func TestNamesThatDifferInTheirSigma(t *testing.T) {
	const capital, small = "ΟΔΟΣ", "οδος"
	for situation, play := range map[string]func(t *testing.T, g *greek){
		"new": func(t *testing.T, g *greek) {
			made, by := g.create(g.admin, small, "9", false)
			g.of[small] = made
			_, err := g.activate(by, g.activation(g.trial(by).ID(), small, "1"))
			check(t, err)
			for _, spelled := range []string{small, capital, "Οδος", "οδοσ"} {
				g.is(spelled, small)
				g.taken(spelled)
				g.takes(small, spelled)
			}
			g.finds("ΟΔΟΣ", "οδοσ")
			g.takes(small, small)
			g.finds("οδος", small)
		},
		"one of an earlier version": func(_ *testing.T, g *greek) {
			g.kept(small, small)
			for _, spelled := range []string{small, capital, "Οδος", "οδοσ"} {
				g.is(spelled, small)
			}
			g.taken(small, capital, "Οδος", "οδοσ")
			g.finds("οδος", small)
			g.finds("ΟΔΟΣ", small)
			g.finds("οδοςι")
			g.takes(small, small)
			g.takes(small, capital)
			g.is(small, small)
			g.takes(small, "άλλος")
			_, _ = g.create(g.admin, small, "0", false)
		},
		"two of an earlier version": func(_ *testing.T, g *greek) {
			g.kept(capital, "οδοσ")
			g.kept(small, small)
			g.is(capital, capital)
			g.is("οδοσ", capital)
			g.is(small, small)
			g.is("Οδος", small)
			g.isNot(capital, small)
			g.isNot(small, capital)
			g.taken(small, capital, "Οδος", "οδοσ")
			g.finds("οδος", capital, small)
			g.takes(small, small) // each keeps its own
			g.takes(small, "Οδος")
			g.takes(capital, capital)
			g.takes(capital, "οδοσ")
			g.refuses(small, capital)
			g.refuses(capital, small)
			g.is("Οδος", small)
			g.is("οδοσ", capital)
			g.takes(small, "other") // and where one goes, the name is the other's
			g.is(small, capital)
			g.takes(capital, small)
			g.is(capital, capital)
		},
	} {
		t.Run(situation, func(t *testing.T) {
			g := &greek{newHarness(t, application.Policy{}), map[string]*reseller.Reseller{}}
			play(t, g)
			g.audited()
		})
	}
}
