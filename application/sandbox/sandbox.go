// Package sandbox creates the example content of a service for trials.
package sandbox

import (
	"context"
	"errors"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/internal/usecase"
	"resellerd/application/lines"
	"resellerd/application/prices"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Account is an account of a sandbox.
type Account struct {
	Name, Role     string
	above, credits string
	master         bool
}

// Accounts are the accounts below the admin, each below an earlier one.
var Accounts = []Account{
	{"maria", "a master above the other resellers", "admin", "100", true},
	{"joao", "a reseller with a line in each state", "maria", "20", false},
	{"ana", "a reseller without credits", "maria", "0", false},
	{"pedro", "a reseller who is blocked", "maria", "10", false},
}

// Password returns the password of an account. It is no secret: it is printed, and documented.
func Password(name string) string { return "sandbox-" + name }

// Fill creates accounts and lines below an admin, some of them before present has set the clock to the present. It logs
// in, and waits while the service is too busy to compare a password.
func Fill(ctx context.Context, service *application.Service, admin string, present func() error,
	wait func(time.Duration)) error {
	w := &work{ctx: ctx, service: service, wait: wait, callers: map[string]usecase.Call{}, ids: map[string]int64{}}
	w.logIn(admin)
	for _, a := range Accounts {
		w.create(a.Name, a.above, a.credits, a.master)
	}
	week := w.plan(admin, plan.Plan{Name: "7 days", Unit: credit.Day, Count: 7, Connections: 1, OnSale: true, Sort: 7})
	pair := w.plan(admin, plan.Plan{Name: "Family", Unit: credit.Month, Count: 1, Connections: 2,
		OnSale: true, Sort: 8})
	w.prices(admin, prices.Platform, map[int64]string{week: "0.3", pair: "1.8"})
	w.prices(admin, w.ids["maria"], map[int64]string{week: "0.25", pair: "1.6"})
	w.trial("joao")
	w.official("joao", "old.tv", "1")
	w.official("pedro", "pedro.tv", "5")
	w.block("maria", "pedro")
	w.do(present)
	w.trial("joao")
	w.official("joao", "joao.tv", "1")
	return w.err
}

// work does the calls of clients, until one fails.
type work struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call of Fill
	service *application.Service
	wait    func(time.Duration)
	callers map[string]usecase.Call
	ids     map[string]int64
	err     error
}

func (w *work) do(step func() error) {
	if w.err == nil {
		w.err = step()
	}
}

// discard renders a result that is not used.
func discard[R any](R) usecase.Receipt { return usecase.Receipt{} }

// parsed parses a text of this file.
func parsed[V any](w *work, parse func(string) (V, error), text string) (v V) {
	w.do(func() (err error) {
		v, err = parse(text)
		return err
	})
	return v
}

func (w *work) logIn(name string) {
	username := parsed(w, profile.ParseUsername, name)
	login := access.Login{Username: username, Password: profile.NewSecret(Password(name)), Client: "sandbox"}
	w.do(func() error {
		token, err := w.service.Access.Login(w.ctx, login)
		for busy := (*fault.Later)(nil); errors.As(err, &busy) && w.ctx.Err() == nil; {
			w.wait(busy.Wait)
			token, err = w.service.Access.Login(w.ctx, login)
		}
		if err != nil {
			return err
		}
		caller, err := w.service.Authentication.Authenticate(token.Reveal())
		w.callers[name] = usecase.Call{Caller: caller, Request: "sandbox"}
		return err
	})
}

func (w *work) create(name, above, credits string, master bool) {
	command := resellers.Create{
		Username: parsed(w, profile.ParseUsername, name),
		Password: profile.NewSecret(Password(name)),
		Master:   master,
		Credits:  parsed(w, credit.Parse, credits),
		Contact:  reseller.Contact{Country: profile.RestoreText("BR")},
		Language: profile.RestoreText("pt"),
	}
	w.do(func() error {
		_, err := w.service.Resellers.Create(w.ctx, w.callers[above], command,
			func(r resellers.Reseller) usecase.Receipt {
				w.ids[name] = r.ID()
				return usecase.Receipt{}
			})
		return err
	})
	w.logIn(name)
}

func (w *work) plan(by string, p plan.Plan) (id int64) {
	w.do(func() error {
		_, err := w.service.Prices.CreatePlan(w.ctx, w.callers[by], p, func(made prices.Plan) usecase.Receipt {
			id = made.ID
			return usecase.Receipt{}
		})
		return err
	})
	return id
}

// prices sets those of plans beside the prices of a new store.
func (w *work) prices(by string, account int64, more map[int64]string) {
	_, founding := plan.Founding()
	rows := founding.Versions[0].Prices()
	for id, credits := range more {
		rows = append(rows, plan.Row{Plan: id, Credits: parsed(w, credit.Parse, credits)})
	}
	w.do(func() error {
		_, err := w.service.Prices.Put(w.ctx, w.callers[by],
			prices.Put{Account: account, Next: plan.Next{Rows: rows, Note: "prices of the sandbox"}}, discard)
		return err
	})
}

func (w *work) trial(owner string) (id int64) {
	w.do(func() error {
		_, err := w.service.Lines.CreateTrial(w.ctx, w.callers[owner], line.Description{},
			func(l lines.Line) usecase.Receipt {
				id = l.ID()
				return usecase.Receipt{}
			})
		return err
	})
	return id
}

func (w *work) official(owner, name, credits string) {
	id := w.trial(owner)
	command := lines.Activate{
		Edit: lines.Edit{
			ID:          id,
			Username:    parsed(w, profile.ParseUsername, name),
			Password:    profile.NewSecret("7788"),
			Description: line.Description{Country: new(profile.RestoreText("BR"))},
		},
		Price: plan.Request{Credits: new(parsed(w, credit.Parse, credits))},
	}
	w.do(func() error {
		_, err := w.service.Lines.Activate(w.ctx, w.callers[owner], command, discard)
		return err
	})
}

func (w *work) block(by, name string) {
	w.do(func() error {
		_, err := w.service.Resellers.Block(w.ctx, w.callers[by], resellers.Block{ID: w.ids[name]}, discard)
		return err
	})
}
