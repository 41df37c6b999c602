package application_test

import (
	"testing"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/audit"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// greek is a service that may have resellers, and lines, of Greek names.
type greek struct {
	*kit.Harness
	of map[string]*reseller.Reseller // by the names that they were made with
}

// is expects that who signs in by this name with the password of a reseller is that one.
func (g *greek) is(spelled, of string) {
	g.T.Helper()
	issued, err := g.Access.Login(g.T.Context(),
		access.Login{Username: fixture.Name(spelled), Password: profile.NewSecret("password-" + of), Client: of})
	if err != nil {
		g.T.Errorf("%s as %s: %v", spelled, of, err)
		return
	}
	expect.Equal(g.T, g.CallerOf(issued).Reseller(), g.of[of].ID(), "%s is", spelled)
}

// rename gives a reseller another name, and leaves its password, and its line one.
func (g *greek) rename(of, name string) (asReseller, asLine error) {
	g.T.Helper()
	_, asReseller = g.Resellers.Update(g.T.Context(), kit.Call(g.Admin), resellers.Update{
		ID: g.of[of].ID(), Username: fixture.Name(name), Password: profile.NewSecret("password-" + of),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("GR")), Whatsapp: new(fixture.Text("1"))},
	}, kit.Shown)
	page, err := g.Lines.List(g.T.Context(), kit.Call(g.Admin), lines.List{Owner: new(g.of[of].ID()), Limit: 9})
	require.NoError(g.T, err)
	edit := lines.Edit{ID: page.Items[0].ID(), Username: fixture.Name(name), Password: profile.NewSecret("7788"),
		Description: line.Description{Country: new(fixture.Text("GR"))}}
	_, asLine = g.Lines.Edit(g.T.Context(), kit.Call(g.Admin), edit, kit.Shown)
	return asReseller, asLine
}

func (g *greek) takes(of, name string) {
	g.T.Helper()
	asReseller, asLine := g.rename(of, name)
	require.NoError(g.T, asReseller)
	require.NoError(g.T, asLine)
}

// taken expects that nobody new gets a name, nor does a line.
func (g *greek) taken(names ...string) {
	g.T.Helper()
	for _, name := range names {
		expect.Error(g.T, kit.ErrorOf(g.Resellers.Create(g.T.Context(), kit.Call(g.Admin), resellers.Create{
			Username: fixture.Name(name), Password: profile.NewSecret("password"),
			Contact: reseller.Contact{Country: fixture.Text("GR")}, Language: fixture.Text("el"),
		}, kit.Shown)), profile.ErrUsernameTaken)
		expect.Error(g.T, g.Admins.Create(g.T.Context(), fixture.Name(name), profile.NewSecret("password")),
			profile.ErrUsernameTaken)
		expect.Error(g.T, kit.ErrorOf(g.Activate(g.Admin, g.Activation(g.Trial(g.Admin).ID(), name, "1"))),
			profile.ErrUsernameTaken)
	}
}

// finds expects that lists of names that start so have these resellers and their lines.
func (g *greek) finds(start string, want ...string) {
	g.T.Helper()
	prefix, err := profile.UsernamePrefix(start)
	require.NoError(g.T, err)
	resellers, err := g.Resellers.List(g.T.Context(), kit.Call(g.Admin), resellers.List{Username: prefix, Limit: 9})
	require.NoError(g.T, err)
	lines, err := g.Lines.List(g.T.Context(), kit.Call(g.Admin), lines.List{Username: prefix, Limit: 9})
	require.NoError(g.T, err)
	var asResellers, asLines []string
	for _, r := range resellers.Items {
		asResellers = append(asResellers, r.State().Username.String())
	}
	for _, l := range lines.Items {
		asLines = append(asLines, l.State().Username.String())
	}
	expect.Elements(g.T, asResellers, want, "%s: found", start)
	expect.Elements(g.T, asLines, want, "%s: found as lines", start)
}

func (g *greek) audited() {
	g.T.Helper()
	_, err := audit.Run(g.T.Context(), g.Archive, audit.Options{Report: func(finding string) { g.T.Error(finding) }})
	require.NoError(g.T, err)
}

// TestNamesThatDifferInTheirSigma has one name be one, however it is spelled.
func TestNamesThatDifferInTheirSigma(t *testing.T) {
	const capital, small = "ΟΔΟΣ", "οδος"
	g := &greek{kit.New(t, application.Policy{}), map[string]*reseller.Reseller{}}
	made, by := g.Create(g.Admin, small, "9", false)
	g.of[small] = made
	require.NoError(t, kit.ErrorOf(g.Activate(by, g.Activation(g.Trial(by).ID(), small, "1"))))
	for _, spelled := range []string{small, capital, "Οδος", "οδοσ"} {
		g.is(spelled, small)
		g.taken(spelled)
		g.takes(small, spelled)
	}
	g.finds("ΟΔΟΣ", "οδοσ")
	g.takes(small, small)
	g.finds("οδος", small)
	g.audited()
}
