package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
)

type adminCommands struct {
	Create    createAdminCommand    `cmd:"" help:"Create another administrator."`
	Password  passwordCommand       `cmd:"" help:"Set a new password of an account, which revokes its token."`
	List      listAdminsCommand     `cmd:"" help:"List the administrators."`
	Block     blockAccountCommand   `cmd:"" help:"Block an account, or an administrator, and every account below it, from the next request on."`
	Unblock   unblockAccountCommand `cmd:"" help:"Remove the block of an account."`
	TotpReset resetFactorCommand    `cmd:"" name:"totp-reset" help:"Remove a lost second factor: the password alone is enough again."`
}

// accountFlags name an account of a store.
type accountFlags struct {
	StoreFlags
	OutputFlags
	Username string `arg:"" help:"Name of the account."`
}

// run checks the flags, with those that prepare checks, and passes the name of the account to do.
func (f accountFlags) run(s *session, prepare func(wrong *Misconfiguration),
	do func(context.Context, *application.Service, profile.Username) error) (profile.Username, error) {
	var name profile.Username
	err := perform(s, func(wrong *Misconfiguration) Store {
		store := s.Store(f.StoreFlags, true, s.stderr, wrong)
		var err error
		name, err = profile.ParseUsername(f.Username)
		wrong.Add("username", err)
		prepare(wrong)
		return store
	}, func(ctx context.Context, store Store) error {
		err := store.UseCases(ctx, func(service *application.Service) error { return do(ctx, service, name) })
		if errors.Is(err, fault.ErrNotFound) {
			return fmt.Errorf("there is no account named %s", name)
		}
		return err
	})
	return name, err
}

// secretFlags are the flags of a command that sets the password of an account.
type secretFlags struct {
	accountFlags
	PasswordFile string `placeholder:"PATH" help:"File with the password; without it the command generates a password and prints it."`
}

type (
	createAdminCommand    struct{ secretFlags }
	passwordCommand       struct{ secretFlags }
	blockAccountCommand   struct{ accountFlags }
	unblockAccountCommand struct{ accountFlags }
	resetFactorCommand    struct{ accountFlags }
	listAdminsCommand     struct {
		StoreFlags
		OutputFlags
	}
)

// accountRecord is an account as printed.
type accountRecord struct {
	ID       int64  `json:"id,omitempty"`
	Username string `json:"username"`
	Password string `json:"password,omitempty"` // if it was generated
	Blocked  *bool  `json:"blocked,omitempty"`
	Created  string `json:"created,omitempty"`
	Factor   *bool  `json:"second_factor,omitempty"` // a sign-in needs a code of an authenticator app
}

// Run runs the command.
func (c createAdminCommand) Run(s *session) error {
	return c.run(s, access.Admins.Create)
}

// Run runs the command.
func (c passwordCommand) Run(s *session) error {
	return c.run(s, access.Admins.ResetPassword)
}

// run passes the name and the new password of an account to do, and prints a generated password.
func (f secretFlags) run(s *session, do func(access.Admins, context.Context, profile.Username,
	profile.Secret) error) error {
	var given *profile.Secret
	password := s.Password()
	name, err := f.accountFlags.run(s, func(wrong *Misconfiguration) {
		var err error
		given, err = SecretFile(f.PasswordFile)
		if err == nil && given != nil {
			password, err = profile.ParsePassword(given.Reveal(), reseller.MinPassword)
		}
		wrong.Add("--password-file", err)
	}, func(ctx context.Context, service *application.Service, name profile.Username) error {
		return do(service.Admins, ctx, name, password)
	})
	if err != nil {
		return err
	}
	if given != nil {
		return s.printed(f.OutputFlags, accountRecord{Username: name.String()}, "username: "+name.String())
	}
	return s.printed(f.OutputFlags, accountRecord{Username: name.String(), Password: password.Reveal()},
		credentials(name, password))
}

// Run runs the command.
func (c blockAccountCommand) Run(s *session) error { return c.set(s, true) }

// Run runs the command.
func (c unblockAccountCommand) Run(s *session) error { return c.set(s, false) }

func (f accountFlags) set(s *session, blocked bool) error {
	name, err := f.run(s, func(*Misconfiguration) {},
		func(ctx context.Context, service *application.Service, name profile.Username) error {
			return service.Admins.SetBlocked(ctx, name, blocked)
		})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s is no longer blocked itself", name)
	if blocked {
		text = fmt.Sprintf("%s and every account below it are blocked from their next request on", name)
	}
	return s.printed(f.OutputFlags, accountRecord{Username: name.String(), Blocked: &blocked}, text)
}

// Run runs the command. Staff have names and second factors of their own.
func (c resetFactorCommand) Run(s *session) error {
	name, err := c.run(s, func(*Misconfiguration) {},
		func(ctx context.Context, service *application.Service, name profile.Username) error {
			err := service.Admins.ResetFactor(ctx, name)
			switch {
			case errors.Is(err, fault.ErrNotFound):
				err = fmt.Errorf("there is neither an account nor a member of a staff named %s", name)
			case errors.Is(err, secondfactor.ErrInactive):
				err = fmt.Errorf("%s has no second factor", name)
			}
			return err
		})
	if err != nil {
		return err
	}
	return s.printed(c.OutputFlags, accountRecord{Username: name.String(), Factor: new(false)},
		fmt.Sprintf("%s signs in without a code: the second factor is removed", name))
}

// Run runs the command.
func (c listAdminsCommand) Run(s *session) error {
	var admins []*reseller.Reseller
	if err := s.onStore(c.StoreFlags, func(ctx context.Context, store Store) error {
		return store.UseCases(ctx, func(service *application.Service) (err error) {
			admins, err = service.Admins.List(ctx)
			return err
		})
	}); err != nil {
		return err
	}
	var all []accountRecord
	for _, admin := range admins {
		state := admin.State()
		all = append(all, accountRecord{
			ID: state.ID, Username: state.Username.String(), Blocked: &state.Blocked,
			Created: state.CreatedAt.Format("2006-01-02T15:04:05.000Z07:00"),
		})
	}
	return listed(s, c.OutputFlags, "ID\tUSERNAME\tBLOCKED\tCREATED", all, func(one accountRecord) []string {
		return []string{strconv.FormatInt(one.ID, 10), one.Username, yesNo(*one.Blocked), one.Created}
	})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// ShowFirstAdmin prints the generated password of the first administrator, once.
func ShowFirstAdmin(stdout io.Writer, name profile.Username, password profile.Secret) error {
	_, err := fmt.Fprintf(stdout, "The first administrator was created. Its password is not shown again.\n%s\n",
		credentials(name, password))
	return err
}

func credentials(name profile.Username, password profile.Secret) string {
	return fmt.Sprintf("username: %s\npassword: %s", name, password.Reveal())
}
