package bootstrap

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"resellerd/adapters/cli"
	"resellerd/adapters/testclock"
	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// realOnly are the variables that only a real service is given: where one is set, a sandbox would be taken for it.
var realOnly = []string{"RESELLERD_STORE", "RESELLERD_SECRET", "RESELLERD_SECRET_FILE", "RESELLERD_SECRET_PREVIOUS",
	"RESELLERD_SECRET_PREVIOUS_FILE", "RESELLERD_ADMIN_PASSWORD", "RESELLERD_ADMIN_PASSWORD_FILE"}

// sandboxPast is how long ago a sandbox begins, so that there are lines in it that have expired.
const sandboxPast = 41 * 24 * time.Hour

// Sandbox implements cli.Program.
func (p program) Sandbox(f cli.SandboxFlags, cautions []string, stdout, stderr io.Writer) error {
	c, err := checkSandbox(f)
	if err != nil {
		return err
	}
	return serveLogged(c, cautions, stdout, stderr)
}

// checkSandbox reads the settings of a sandbox, whose traces go nowhere: the collector that the environment may name
// would show them among those of a service.
func checkSandbox(f cli.SandboxFlags) (config, error) {
	var wrong cli.Misconfiguration
	for _, variable := range realOnly {
		if os.Getenv(variable) != "" {
			wrong.Add(variable, errors.New("is set: this is the environment of a real service, which a sandbox is not for"))
		}
	}
	if err := wrong.Err(); err != nil {
		return config{}, err
	}
	c, wrong := checkUntraced(cli.ServeFlags{
		StoreFlags:    cli.StoreFlags{Store: "memory:", LogLevel: f.LogLevel, LogFormat: f.LogFormat},
		Addr:          f.Addr,
		AdminAddr:     "off",
		BasePath:      f.BasePath,
		TrialDuration: f.TrialDuration,
		TrialsPerDay:  f.TrialsPerDay,
		// In memory, and for nobody else.
		FreeBytesPerDay: "0",
		MaxConnections:  "4096",

		MaxConnectionsPerAddress: "0",
		RequestsPerMinute:        "0",
		RequestBytesPerSecond:    "0",
	}, DefaultStores())
	if err := wrong.Err(); err != nil {
		return c, err
	}
	password := profile.NewSecret(sandboxPassword(c.admin.String()))
	c.adminPassword = &password
	c.opener.Caution = nil // that nothing is kept is what a sandbox is
	c.sandbox = testclock.New(now, now().Add(-sandboxPast))
	c.clock = c.sandbox.Now
	return c, nil
}

// sandboxAccounts are those below the admin, each below one before it.
var sandboxAccounts = []struct {
	name, above, credits, role string
	master                     bool
}{
	{"maria", "admin", "100", "a master, who has the others below her", true},
	{"joao", "maria", "20", "a reseller with a line in each state", false},
	{"ana", "maria", "0", "a reseller without credits", false},
	{"pedro", "maria", "10", "a reseller who is blocked", false},
}

// sandboxPassword is no secret: it is printed, and documented.
func sandboxPassword(name string) string { return "sandbox-" + name }

// sandboxGreeting names the accounts of a sandbox.
func sandboxGreeting(c config) (all []cli.SandboxAccount) {
	all = append(all, cli.SandboxAccount{Name: c.admin.String(), Password: sandboxPassword(c.admin.String()), Role: "the operator of the platform"})
	for _, a := range sandboxAccounts {
		all = append(all, cli.SandboxAccount{Name: a.name, Password: sandboxPassword(a.name), Role: a.role})
	}
	return all
}

// fillSandbox makes accounts and lines, some of them in the past, and sets the clock to the present.
func fillSandbox(ctx context.Context, service *application.Service, c config) error {
	w := &sandboxWork{ctx: ctx, service: service, callers: map[string]application.Call{}, ids: map[string]int64{}}
	w.logIn(c.admin.String())
	for _, a := range sandboxAccounts {
		w.create(a.name, a.above, a.credits, a.master)
	}
	w.trial("joao")
	w.official("joao", "old.tv", "1")
	w.official("pedro", "pedro.tv", "5")
	w.block("maria", "pedro")
	w.do(func() error {
		_, err := c.sandbox.Forward(func(time.Time) time.Time { return now() })
		return err
	})
	w.trial("joao")
	w.official("joao", "joao.tv", "1")
	return w.err
}

// sandboxWork does what clients do, until something fails.
type sandboxWork struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call of fillSandbox
	service *application.Service
	callers map[string]application.Call
	ids     map[string]int64
	err     error
}

func (w *sandboxWork) do(step func() error) {
	if w.err == nil {
		w.err = step()
	}
}

// discard is the answer of what nobody waits for.
func discard[R any](R) application.Receipt { return application.Receipt{} }

// parsed returns what a text of this file means.
func parsed[V any](w *sandboxWork, parse func(string) (V, error), text string) (v V) {
	w.do(func() (err error) {
		v, err = parse(text)
		return err
	})
	return v
}

func (w *sandboxWork) logIn(name string) {
	username := parsed(w, profile.ParseUsername, name)
	w.do(func() error {
		token, err := w.service.Login(w.ctx, application.Login{Username: username, Password: profile.NewSecret(sandboxPassword(name)), Client: "sandbox"})
		if err != nil {
			return err
		}
		caller, err := w.service.Authenticate(token.Reveal())
		w.callers[name] = application.Call{Caller: caller, Request: "sandbox"}
		return err
	})
}

func (w *sandboxWork) create(name, above, credits string, master bool) {
	command := application.CreateReseller{
		Username: parsed(w, profile.ParseUsername, name),
		Password: profile.NewSecret(sandboxPassword(name)),
		Master:   master,
		Credits:  parsed(w, credit.Parse, credits),
		Contact:  reseller.Contact{Country: profile.RestoreText("BR")},
		Language: profile.RestoreText("pt"),
	}
	w.do(func() error {
		_, err := w.service.CreateReseller(w.ctx, w.callers[above], command, func(r application.Reseller) application.Receipt {
			w.ids[name] = r.ID()
			return application.Receipt{}
		})
		return err
	})
	w.logIn(name)
}

func (w *sandboxWork) trial(owner string) (id int64) {
	w.do(func() error {
		_, err := w.service.CreateTrial(w.ctx, w.callers[owner], profile.Text{}, func(l application.Line) application.Receipt {
			id = l.ID()
			return application.Receipt{}
		})
		return err
	})
	return id
}

func (w *sandboxWork) official(owner, name, credits string) {
	id := w.trial(owner)
	command := application.ActivateLine{
		EditLine: application.EditLine{
			ID:       id,
			Username: parsed(w, profile.ParseUsername, name),
			Password: profile.NewSecret("7788"),
			Country:  profile.RestoreText("BR"),
		},
		Price: parsed(w, credit.ParsePrice, credits),
	}
	w.do(func() error {
		_, err := w.service.ActivateLine(w.ctx, w.callers[owner], command, discard)
		return err
	})
}

func (w *sandboxWork) block(by, name string) {
	w.do(func() error {
		_, err := w.service.Block(w.ctx, w.callers[by], w.ids[name], discard)
		return err
	})
}
