package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// factorOf returns the second factor of somebody, the zero value but for its name if there is none.
func factorOf(ctx context.Context, records record.Reader, of string) (secondfactor.Factor, error) {
	f, err := ports.SecondFactors.From(records).Get(ctx, of)
	if isNotFound(err) {
		return secondfactor.Factor{Of: of}, nil
	}
	return f, err
}

// putFactor saves a second factor that was got in the transaction.
func putFactor(ctx context.Context, tx ports.Tx, f secondfactor.Factor) error {
	all := ports.SecondFactors.In(tx.Records)
	_, err := all.Get(ctx, f.Of)
	if isNotFound(err) {
		return all.Insert(ctx, f)
	}
	if err != nil {
		return err
	}
	return all.Save(ctx, f)
}

// accepted returns a factor once it has taken a code of the app, or one for recovery, or secondfactor.ErrCode.
func (s *kernel) accepted(f secondfactor.Factor, code string, now time.Time) (secondfactor.Factor, error) {
	if secondfactor.IsRecovery(code) {
		return f.Recover(secondfactor.DigestOf(code))
	}
	secret, err := s.openFactor(f.Of, "secret", f.Secret)
	if err != nil {
		return f, err
	}
	if step, right := s.dependencies.Codes.Step(secret, code, now); right {
		return f.Accept(step)
	}
	return f, secondfactor.ErrCode
}

func (s *kernel) openFactor(of, field string, sealed []byte) (profile.Secret, error) {
	secret, err := s.dependencies.Vault.Open(sealed, ports.SecondFactors.Label(of, field))
	if err != nil {
		return profile.Secret{}, fmt.Errorf("open the second factor of %s: %w", of, err)
	}
	return profile.NewSecret(string(secret)), nil
}

func (s *kernel) sealFactor(of, field string, secret profile.Secret) ([]byte, error) {
	sealed, err := s.dependencies.Vault.Seal([]byte(secret.Reveal()), ports.SecondFactors.Label(of, field))
	if err != nil {
		return nil, fmt.Errorf("seal the second factor of %s: %w", of, err)
	}
	return sealed, nil
}

// oneTimeCode is a code that somebody gives.
type oneTimeCode struct {
	text string
	by   secondfactor.Source
	now  time.Time
}

// codeOf returns the code of a client that has given a password of this hash, or is signed in under it.
func codeOf(text, client, passwordHash string, now time.Time) oneTimeCode {
	return oneTimeCode{text,
		secondfactor.Source{Client: client, Password: fmt.Sprintf("%x", session.MarkOf(passwordHash))}, now}
}

// takeCode refuses a sign-in with a right password whose code is missing or wrong, and counts a wrong one. Refusals:
// secondfactor.ErrRequired, ErrCredentials, secondfactor.ErrTooMany.
func (s *kernel) takeCode(ctx context.Context, f secondfactor.Factor, code oneTimeCode) error {
	if code.text == "" {
		return secondfactor.ErrRequired
	}
	if err := code.mayBeTried(f); err != nil {
		return err
	}
	_, err := s.accepted(f, code.text, code.now)
	if !errors.Is(err, secondfactor.ErrCode) {
		return err
	}
	return cmp.Or(s.countWrong(ctx, f.Of, code), error(ErrCredentials))
}

// countWrong counts a wrong code in a transaction of its own. The refusal is secondfactor.ErrTooMany if others were
// first: of many at once no more are looked at than may be.
func (s *kernel) countWrong(ctx context.Context, of string, code oneTimeCode) error {
	if secondfactor.IsRecovery(code.text) {
		return nil
	}
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		f, err := factorOf(ctx, tx.Records, of)
		if err != nil || !f.Active() && len(f.Pending) == 0 {
			return err
		}
		if err := code.mayBeTried(f); err != nil {
			return err
		}
		return putFactor(ctx, tx, f.Failed(code.by, code.now))
	}, ports.Reads{Records: []record.Name{ports.SecondFactors.Named(of)}})
}

// mayBeTried returns secondfactor.ErrTooMany while too many wrong codes have been given. A recovery code may always be
// tried.
func (c oneTimeCode) mayBeTried(f secondfactor.Factor) error {
	if wait := f.Wait(c.by, c.now); wait > 0 && !secondfactor.IsRecovery(c.text) {
		return tooManyAttempts(secondfactor.ErrTooMany, wait)
	}
	return nil
}

// useCode uses up a code in the transaction of what it is given for. Refusals: ErrCredentials and
// secondfactor.ErrTooMany, for other requests were first.
func (s *kernel) useCode(ctx context.Context, tx ports.Tx, of string, code oneTimeCode) error {
	f, err := factorOf(ctx, tx.Records, of)
	if err != nil || !f.Active() {
		return err
	}
	if err := code.mayBeTried(f); err != nil {
		return err
	}
	used, err := s.accepted(f, code.text, code.now)
	if errors.Is(err, secondfactor.ErrCode) {
		err = ErrCredentials
	}
	if err != nil {
		return err
	}
	return putFactor(ctx, tx, used)
}

// factorOfCaller names the second factor of the caller, who is signed in.
func factorOfCaller(c Caller) string {
	if p := c.principal(); p != nil {
		return secondfactor.OfStaff(p.ID)
	}
	return secondfactor.OfAccount(c.Reseller())
}

// NewFactor is a second factor that is to be confirmed, shown here alone.
type NewFactor struct {
	Secret profile.Secret
	URL    string // by which an app takes it over; it has the secret
}

// BeginFactor is the command to begin with a second factor.
type BeginFactor struct {
	Password profile.Secret // the caller's own
	Client   string         // as in Login
}

// BeginFactor makes a second factor for the caller, which counts once it is confirmed. Refusals: session.ErrEnded,
// ErrCredentials and secondfactor.ErrTooMany as of Login, secondfactor.ErrActive.
func (s Access) BeginFactor(ctx context.Context, call Call, c BeginFactor, render Render[NewFactor]) (Receipt, error) {
	var made NewFactor
	var compared string
	var name profile.Username
	return run(ctx, s.kernel, call.personal(), render, command[NewFactor]{
		name:      "begin second factor",
		emergency: true,
		check: func(ctx context.Context, in reading) error {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			compared, name = credentialsOf(call.Caller, in.actor)
			f, err := factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil {
				_, err = f.Begin(nil)
			}
			return err
		},
		slow: func(ctx context.Context) (err error) {
			if err := s.prove(ctx, call.Caller, ChangePassword{Present: c.Password, Client: c.Client}, name,
				compared); err != nil {
				return err
			}
			made.Secret, made.URL, err = s.dependencies.Codes.New(name.String())
			return err
		},
		rules: func(ctx context.Context, do *work) (NewFactor, error) {
			f, err := factorOf(ctx, do.tx.Records, factorOfCaller(call.Caller))
			if err != nil {
				return made, err
			}
			sealed, err := s.sealFactor(f.Of, "pending", made.Secret)
			if err != nil {
				return made, err
			}
			if f, err = f.Begin(sealed); err != nil {
				return made, err
			}
			do.written = true
			return made, putFactor(ctx, do.tx, f)
		},
	})
}

// credentialsOf returns the password hash and the name by which the caller signs in.
func credentialsOf(c Caller, actor *reseller.Reseller) (hash string, name profile.Username) {
	if p := c.principal(); p != nil {
		return p.PasswordHash, profile.RestoreUsername(p.Name, p.Folded)
	}
	return actor.PasswordHash(), actor.State().Username
}

// ConfirmFactor is the command to make a second factor count.
type ConfirmFactor struct {
	Code   string
	Client string // as in Login
}

// ConfirmFactor makes the second factor that the caller began with count, by a code of it, and returns the recovery
// codes, which are shown here alone. A wrong code counts as at a sign-in. Refusals: session.ErrEnded,
// secondfactor.ErrNotPending, secondfactor.ErrTooMany, secondfactor.ErrCode.
func (s Access) ConfirmFactor(ctx context.Context, call Call, c ConfirmFactor,
	render Render[[]profile.Secret]) (Receipt, error) {
	var code oneTimeCode
	var wrong string // whose code it is
	var codes []profile.Secret
	var digests []secondfactor.Digest
	for range secondfactor.RecoveryCodes {
		made := s.dependencies.Generator.RecoveryCode()
		codes, digests = append(codes, made), append(digests, secondfactor.DigestOf(made.Reveal()))
	}
	return run(ctx, s.kernel, call.personal(), render, command[[]profile.Secret]{
		name:      "confirm second factor",
		event:     journal.TOTPEnabled,
		emergency: true,
		check: func(ctx context.Context, in reading) error {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			hash, _ := credentialsOf(call.Caller, in.actor)
			code, wrong = codeOf(c.Code, c.Client, hash, in.now), ""
			f, err := factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil {
				_, _, err = s.confirming(f, code)
			}
			if errors.Is(err, secondfactor.ErrCode) {
				wrong, err = f.Of, nil
			}
			return err
		},
		slow: func(ctx context.Context) error {
			if wrong == "" {
				return nil
			}
			return cmp.Or(s.countWrong(ctx, wrong, code), error(secondfactor.ErrCode))
		},
		rules: func(ctx context.Context, do *work) ([]profile.Secret, error) {
			f, err := factorOf(ctx, do.tx.Records, factorOfCaller(call.Caller))
			if err != nil {
				return nil, err
			}
			secret, step, err := s.confirming(f, code)
			if err != nil {
				return nil, err
			}
			sealed, err := s.sealFactor(f.Of, "secret", secret)
			if err != nil {
				return nil, err
			}
			do.wroteFactor()
			return codes, putFactor(ctx, do.tx, f.Confirm(sealed, step, digests, do.now))
		},
	})
}

// confirming returns the secret that a code confirms, and the step of the code. Refusals: secondfactor.ErrNotPending,
// secondfactor.ErrTooMany, secondfactor.ErrCode.
func (s *kernel) confirming(f secondfactor.Factor, code oneTimeCode) (secret profile.Secret, step int64, err error) {
	if len(f.Pending) == 0 {
		return secret, 0, secondfactor.ErrNotPending
	}
	if wait := f.Wait(code.by, code.now); wait > 0 { // there are no recovery codes yet
		return secret, 0, tooManyAttempts(secondfactor.ErrTooMany, wait)
	}
	if secret, err = s.openFactor(f.Of, "pending", f.Pending); err != nil {
		return secret, 0, err
	}
	step, right := s.dependencies.Codes.Step(secret, code.text, code.now)
	if !right {
		err = secondfactor.ErrCode
	}
	return secret, step, err
}

// wroteFactor makes the command's entry one about a second factor of the caller.
func (do *work) wroteFactor() {
	do.written = true
	do.entry.Account = do.actor.Position()
	if p := do.call.Caller.principal(); p != nil {
		do.entry.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(p.ID)}}
	}
}

// RemoveFactor is the command to do without a second factor.
type RemoveFactor struct {
	Password profile.Secret
	Code     string
	Client   string
}

// RemoveFactor removes the caller's second factor, by its password and a code. Refusals: session.ErrEnded,
// secondfactor.ErrInactive, ErrCredentials and secondfactor.ErrTooMany as of Login.
func (s Access) RemoveFactor(ctx context.Context, call Call, c RemoveFactor, render Render[struct{}]) (Receipt, error) {
	var compared string
	var name profile.Username
	var f secondfactor.Factor
	var code oneTimeCode
	return run(ctx, s.kernel, call.personal(), render, command[struct{}]{
		name:      "remove second factor",
		event:     journal.TOTPDisabled,
		emergency: true,
		check: func(ctx context.Context, in reading) (err error) {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			compared, name = credentialsOf(call.Caller, in.actor)
			code = codeOf(c.Code, c.Client, compared, in.now)
			f, err = factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil && !f.Active() {
				err = secondfactor.ErrInactive
			}
			return err
		},
		slow: func(ctx context.Context) error {
			if err := s.prove(ctx, call.Caller, ChangePassword{Present: c.Password, Client: c.Client}, name,
				compared); err != nil {
				return err
			}
			return s.takeCode(ctx, f, code)
		},
		rules: func(ctx context.Context, do *work) (none struct{}, err error) {
			if err := s.useCode(ctx, do.tx, f.Of, code); err != nil {
				return none, err
			}
			do.wroteFactor()
			return none, removeFactor(ctx, do.tx, f.Of)
		},
	})
}

// removeFactor removes the second factor of somebody. One that was only begun is none yet: the refusal is
// secondfactor.ErrInactive.
func removeFactor(ctx context.Context, tx ports.Tx, of string) error {
	f, err := factorOf(ctx, tx.Records, of)
	if err == nil && !f.Active() {
		err = secondfactor.ErrInactive
	}
	if err != nil {
		return err
	}
	return ports.SecondFactors.In(tx.Records).Delete(ctx, of)
}

// ResetFactor removes the second factor of an account below the caller, who vouches for it: it was lost. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed for the caller's own and an admin's, principal.ErrBeyond,
// secondfactor.ErrInactive.
func (s Access) ResetFactor(ctx context.Context, call Call, id int64, render Render[int64]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[int64]{
		name:      "reset second factor",
		event:     journal.TOTPReset,
		emergency: true,
		reads:     ports.Reads{Reseller: id},
		rules: func(ctx context.Context, do *work) (int64, error) {
			target, err := do.tx.Resellers.Get(ctx, id)
			if err != nil {
				return 0, err
			}
			if err := cmp.Or(do.actor.MayVouchFor(target), mayActAsOwner(call.Caller)); err != nil {
				return 0, err
			}
			do.written, do.entry.Account = true, target.Position()
			do.entry.Data = []journal.Datum{{Name: journal.Username, Value: journal.Text(target.State().Username.String())}}
			return id, removeFactor(ctx, do.tx, secondfactor.OfAccount(id))
		},
	})
}

// ResetStaffsFactor removes the second factor of a member of the caller's staff. Refusals: fault.ErrNotFound,
// principal.ErrBeyond, secondfactor.ErrInactive.
func (s Principals) ResetStaffsFactor(ctx context.Context, call Call, id int64, render Render[int64]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[int64]{
		name:      "reset staff's second factor",
		event:     journal.TOTPReset,
		emergency: true,
		reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(id)}},
		rules: func(ctx context.Context, do *work) (int64, error) {
			p, err := ownPrincipal(ctx, do.tx.Records, do.actor.ID(), principal.Staff, id)
			if err == nil {
				err = mayGive(call.Caller, p)
			}
			if err != nil {
				return 0, err
			}
			do.wrotePrincipal(&p)
			return id, removeFactor(ctx, do.tx, secondfactor.OfStaff(id))
		},
	})
}

// ResetFactorOf removes the second factor of whoever has a name, for an operator with access to the store. Refusals:
// fault.ErrNotFound, secondfactor.ErrInactive.
func (s Admins) ResetFactorOf(ctx context.Context, name profile.Username) error {
	now := s.dependencies.Clock()
	var who identity
	err := s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		who, err = Access(s).named(ctx, snapshot, name, true)
		return err
	})
	if err != nil {
		return err
	}
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := removeFactor(ctx, tx, who.factor()); err != nil {
			return err
		}
		e := journal.Entry{
			Type: journal.TOTPReset, At: now, Account: who.Position(),
			Actor: journal.Actor{Kind: journal.ByOperator, Name: operator},
			Data:  []journal.Datum{{Name: journal.Username, Value: journal.Text(who.State().Username.String())}},
		}
		if who.staff != nil {
			e.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(who.staff.ID)}}
		}
		return tx.Journal.Append(ctx, e)
	})
}
