package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

type adminCommand struct {
	StoreFlags
	Username     string `arg:"" help:"Name of the account."`
	PasswordFile string `placeholder:"PATH" help:"File that holds the password; without it one is generated and printed."`
}

// run gives a reseller to do, which makes or changes it.
func (f adminCommand) run(program Program, stdout, stderr io.Writer, do func(*application.Service, context.Context, profile.Username, profile.Secret) error) error {
	var wrong Misconfiguration
	store := program.Store(f.StoreFlags, true, stderr, &wrong)
	name, err := profile.ParseUsername(f.Username)
	wrong.Add("username", err)
	given, err := SecretFile(f.PasswordFile)
	password := program.Password()
	if err == nil && given != nil {
		password, err = profile.ParsePassword(given.Reveal(), reseller.MinPassword)
	}
	wrong.Add("--password-file", err)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx := context.Background()
	err = store.UseCases(ctx, func(s *application.Service) error { return do(s, ctx, name, password) })
	if errors.Is(err, fault.ErrNotFound) {
		return fmt.Errorf("there is no account named %s", name)
	}
	if err != nil {
		return err
	}
	if given != nil {
		_, err = fmt.Fprintf(stdout, "username: %s\n", name)
		return err
	}
	return showPassword(stdout, "", name, password)
}

// ShowFirstAdmin tells the operator the generated password of the first admin, once.
func ShowFirstAdmin(stdout io.Writer, name profile.Username, password profile.Secret) error {
	return showPassword(stdout, "The first admin was made. Its password is not shown again.\n", name, password)
}

func showPassword(stdout io.Writer, before string, name profile.Username, password profile.Secret) error {
	_, err := fmt.Fprintf(stdout, "%susername: %s\npassword: %s\n", before, name, password.Reveal())
	return err
}
