package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// factorOf returns the second factor of an owner. Without one it returns the zero value with the owner's name.
func factorOf(ctx context.Context, records record.Reader, of string) (secondfactor.Factor, error) {
	f, err := ports.SecondFactors.From(records).Get(ctx, of)
	if usecase.IsNotFound(err) {
		return secondfactor.Factor{Of: of}, nil
	}
	return f, err
}

// putFactor saves a second factor that was read in the transaction.
func putFactor(ctx context.Context, tx ports.Tx, f secondfactor.Factor) error {
	all := ports.SecondFactors.In(tx.Records)
	_, err := all.Get(ctx, f.Of)
	if usecase.IsNotFound(err) {
		return all.Insert(ctx, f)
	}
	if err != nil {
		return err
	}
	return all.Save(ctx, f)
}

// accepted returns a factor after it used a code of the app, or a recovery code, or secondfactor.ErrCode.
func accepted(s *usecase.Kernel, f secondfactor.Factor, code string, now time.Time) (secondfactor.Factor, error) {
	if secondfactor.IsRecovery(code) {
		return f.UseRecoveryCode(secondfactor.DigestOf(code))
	}
	secret, err := openFactor(s, f.Of, "secret", f.Secret)
	if err != nil {
		return f, err
	}
	if step, right := s.Dependencies.Codes.Step(secret, code, now); right {
		return f.UseCode(step)
	}
	return f, secondfactor.ErrCode
}

func openFactor(s *usecase.Kernel, of, field string, sealed []byte) (profile.Secret, error) {
	secret, err := s.Dependencies.Vault.Open(sealed, ports.SecondFactors.Label(of, field))
	if err != nil {
		return profile.Secret{}, fmt.Errorf("open the second factor of %s: %w", of, err)
	}
	return profile.NewSecret(string(secret)), nil
}

func sealFactor(s *usecase.Kernel, of, field string, secret profile.Secret) ([]byte, error) {
	sealed, err := s.Dependencies.Vault.Seal([]byte(secret.Reveal()), ports.SecondFactors.Label(of, field))
	if err != nil {
		return nil, fmt.Errorf("seal the second factor of %s: %w", of, err)
	}
	return sealed, nil
}

// oneTimeCode is a code that a client sent.
type oneTimeCode struct {
	text string
	by   secondfactor.Source
	now  time.Time
}

// codeOf returns the code of a client that has sent a password of this hash, or has a session of this password.
func codeOf(text, client, passwordHash string, now time.Time) oneTimeCode {
	return oneTimeCode{text,
		secondfactor.Source{Client: client, Password: fmt.Sprintf("%x", session.MarkOf(passwordHash))}, now}
}

// takeCode refuses a sign-in with a right password whose code is missing or wrong, and counts a wrong code. Refusals:
// secondfactor.ErrRequired, ErrCredentials, secondfactor.ErrTooMany.
func takeCode(ctx context.Context, s *usecase.Kernel, f secondfactor.Factor, code oneTimeCode) error {
	if code.text == "" {
		return secondfactor.ErrRequired
	}
	if err := code.mayBeTried(f); err != nil {
		return err
	}
	_, err := accepted(s, f, code.text, code.now)
	if !errors.Is(err, secondfactor.ErrCode) {
		return err
	}
	return cmp.Or(countWrong(ctx, s, f.Of, code), error(ErrCredentials))
}

// countWrong counts a wrong code in a transaction of its own. The refusal is secondfactor.ErrTooMany if concurrent
// requests have reached the limit: no more codes are checked than the limit allows.
func countWrong(ctx context.Context, s *usecase.Kernel, of string, code oneTimeCode) error {
	if secondfactor.IsRecovery(code.text) {
		return nil
	}
	return s.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		f, err := factorOf(ctx, tx.Records, of)
		if err != nil || !f.Active() && len(f.Pending) == 0 {
			return err
		}
		if err := code.mayBeTried(f); err != nil {
			return err
		}
		return putFactor(ctx, tx, f.CountWrongCode(code.by, code.now))
	}, ports.Reads{Records: []record.Name{ports.SecondFactors.Named(of)}})
}

// mayBeTried returns secondfactor.ErrTooMany after too many wrong codes. A recovery code may always be tried.
func (c oneTimeCode) mayBeTried(f secondfactor.Factor) error {
	if wait := f.Wait(c.by, c.now); wait > 0 && !secondfactor.IsRecovery(c.text) {
		return tooManyAttempts(secondfactor.ErrTooMany, wait)
	}
	return nil
}

// useCode uses up a code in the transaction that needs it. Refusals: ErrCredentials and secondfactor.ErrTooMany,
// because of concurrent requests.
func useCode(ctx context.Context, s *usecase.Kernel, tx ports.Tx, of string, code oneTimeCode) error {
	f, err := factorOf(ctx, tx.Records, of)
	if err != nil || !f.Active() {
		return err
	}
	if err := code.mayBeTried(f); err != nil {
		return err
	}
	used, err := accepted(s, f, code.text, code.now)
	if errors.Is(err, secondfactor.ErrCode) {
		err = ErrCredentials
	}
	if err != nil {
		return err
	}
	return putFactor(ctx, tx, used)
}

// factorOfCaller names the second factor of the caller, who is signed in.
func factorOfCaller(c usecase.Caller) string {
	if p := c.Principal(); p != nil {
		return secondfactor.OfStaff(p.ID)
	}
	return secondfactor.OfAccount(c.Reseller())
}

// NewFactor is a second factor that must be confirmed. It is shown only here.
type NewFactor struct {
	Secret profile.Secret
	URL    string // from which an app takes the secret
}

// BeginFactor is the command to begin a second factor.
type BeginFactor struct {
	Password profile.Secret // the caller's own
	Client   string         // as in Login
}

// BeginFactor creates a second factor for the caller, which is active after its confirmation. Refusals:
// session.ErrEnded, ErrCredentials and secondfactor.ErrTooMany as of Login, secondfactor.ErrActive.
func (s Service) BeginFactor(ctx context.Context, call usecase.Call, c BeginFactor,
	render usecase.Render[NewFactor]) (usecase.Receipt, error) {
	var made NewFactor
	var compared credentials
	return usecase.Run(ctx, s.k, call.Personal(), render, usecase.Command[NewFactor]{
		Name:      "begin second factor",
		Emergency: true,
		Check: func(ctx context.Context, in usecase.View) error {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			compared = credentialsOf(call.Caller, in.Actor)
			f, err := factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil {
				_, err = f.Begin(nil)
			}
			return err
		},
		Slow: func(ctx context.Context) (err error) {
			if err := s.prove(ctx, call.Caller, compared, c.Password, c.Client); err != nil {
				return err
			}
			made.Secret, made.URL, err = s.k.Dependencies.Codes.New(compared.name.String())
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (NewFactor, error) {
			f, err := factorOf(ctx, tx.Records, factorOfCaller(call.Caller))
			if err != nil {
				return made, err
			}
			sealed, err := sealFactor(s.k, f.Of, "pending", made.Secret)
			if err != nil {
				return made, err
			}
			if f, err = f.Begin(sealed); err != nil {
				return made, err
			}
			tx.Written = true
			return made, putFactor(ctx, tx.Tx, f)
		},
	})
}

// ConfirmFactor is the command to activate a second factor.
type ConfirmFactor struct {
	Code   string
	Client string // as in Login
}

// ConfirmFactor activates the second factor that the caller began, by one of its codes. It returns the recovery codes,
// which are shown only here. A wrong code counts as at a sign-in. Refusals: session.ErrEnded,
// secondfactor.ErrNotPending, secondfactor.ErrTooMany, secondfactor.ErrCode.
func (s Service) ConfirmFactor(ctx context.Context, call usecase.Call, c ConfirmFactor,
	render usecase.Render[[]profile.Secret]) (usecase.Receipt, error) {
	var code oneTimeCode
	var wrong string // the factor to which a wrong code counts
	var codes []profile.Secret
	var digests []secondfactor.Digest
	for range secondfactor.RecoveryCodes {
		made := s.k.Dependencies.Generator.RecoveryCode()
		codes, digests = append(codes, made), append(digests, secondfactor.DigestOf(made.Reveal()))
	}
	return usecase.Run(ctx, s.k, call.Personal(), render, usecase.Command[[]profile.Secret]{
		Name:      "confirm second factor",
		Event:     journal.TOTPEnabled,
		Emergency: true,
		Check: func(ctx context.Context, in usecase.View) error {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			code, wrong = codeOf(c.Code, c.Client, credentialsOf(call.Caller, in.Actor).hash, in.Now), ""
			f, err := factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil {
				_, _, err = confirming(s.k, f, code)
			}
			if errors.Is(err, secondfactor.ErrCode) {
				wrong, err = f.Of, nil
			}
			return err
		},
		Slow: func(ctx context.Context) error {
			if wrong == "" {
				return nil
			}
			return cmp.Or(countWrong(ctx, s.k, wrong, code), error(secondfactor.ErrCode))
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) ([]profile.Secret, error) {
			f, err := factorOf(ctx, tx.Records, factorOfCaller(call.Caller))
			if err != nil {
				return nil, err
			}
			secret, step, err := confirming(s.k, f, code)
			if err != nil {
				return nil, err
			}
			sealed, err := sealFactor(s.k, f.Of, "secret", secret)
			if err != nil {
				return nil, err
			}
			wroteFactor(tx)
			return codes, putFactor(ctx, tx.Tx, f.Confirm(sealed, step, digests, tx.Now))
		},
	})
}

// confirming returns the secret that a code confirms, and the step of the code. Refusals: secondfactor.ErrNotPending,
// secondfactor.ErrTooMany, secondfactor.ErrCode.
func confirming(s *usecase.Kernel, f secondfactor.Factor,
	code oneTimeCode) (secret profile.Secret, step int64, err error) {
	if len(f.Pending) == 0 {
		return secret, 0, secondfactor.ErrNotPending
	}
	if wait := f.Wait(code.by, code.now); wait > 0 { // there are no recovery codes yet
		return secret, 0, tooManyAttempts(secondfactor.ErrTooMany, wait)
	}
	if secret, err = openFactor(s, f.Of, "pending", f.Pending); err != nil {
		return secret, 0, err
	}
	step, right := s.Dependencies.Codes.Step(secret, code.text, code.now)
	if !right {
		err = secondfactor.ErrCode
	}
	return secret, step, err
}

// wroteFactor makes the command's entry report a change of a second factor of the caller.
func wroteFactor(tx *usecase.Tx) {
	tx.Written = true
	tx.Entry.Account = tx.Actor.Position()
	if p := tx.Call.Caller.Principal(); p != nil {
		tx.Entry.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(p.ID)}}
	}
}

// RemoveFactor is the command to remove a second factor.
type RemoveFactor struct {
	Password profile.Secret
	Code     string
	Client   string
}

// RemoveFactor removes the caller's second factor, by its password and a code. Refusals: session.ErrEnded,
// secondfactor.ErrInactive, ErrCredentials and secondfactor.ErrTooMany as of Login.
func (s Service) RemoveFactor(ctx context.Context, call usecase.Call, c RemoveFactor,
	render usecase.Render[struct{}]) (usecase.Receipt, error) {
	var compared credentials
	var f secondfactor.Factor
	var code oneTimeCode
	return usecase.Run(ctx, s.k, call.Personal(), render, usecase.Command[struct{}]{
		Name:      "remove second factor",
		Event:     journal.TOTPDisabled,
		Emergency: true,
		Check: func(ctx context.Context, in usecase.View) (err error) {
			if call.Caller.SessionID() == "" {
				return session.ErrEnded
			}
			compared = credentialsOf(call.Caller, in.Actor)
			code = codeOf(c.Code, c.Client, compared.hash, in.Now)
			f, err = factorOf(ctx, in.Records, factorOfCaller(call.Caller))
			if err == nil && !f.Active() {
				err = secondfactor.ErrInactive
			}
			return err
		},
		Slow: func(ctx context.Context) error {
			if err := s.prove(ctx, call.Caller, compared, c.Password, c.Client); err != nil {
				return err
			}
			return takeCode(ctx, s.k, f, code)
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (none struct{}, err error) {
			if err := useCode(ctx, s.k, tx.Tx, f.Of, code); err != nil {
				return none, err
			}
			wroteFactor(tx)
			return none, removeFactor(ctx, tx.Tx, f.Of)
		},
	})
}

// removeFactor removes the second factor of an owner. The refusal is secondfactor.ErrInactive, also for a factor that
// was begun and not confirmed.
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

// ResetFactor removes the lost second factor of an account below the caller, who vouches for the owner. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed for the caller's own and an admin's, principal.ErrBeyond,
// secondfactor.ErrInactive.
func (s Service) ResetFactor(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[int64]{
		Name:      "reset second factor",
		Event:     journal.TOTPReset,
		Emergency: true,
		Reads:     ports.Reads{Reseller: id},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			target, err := tx.Resellers.Get(ctx, id)
			if err != nil {
				return 0, err
			}
			if err := cmp.Or(tx.Actor.MayVouchFor(target), usecase.MayActAsOwner(call.Caller)); err != nil {
				return 0, err
			}
			tx.Written, tx.Entry.Account = true, target.Position()
			tx.Entry.Data = []journal.Datum{{Name: journal.Username, Value: journal.Text(target.State().Username.String())}}
			return id, removeFactor(ctx, tx.Tx, secondfactor.OfAccount(id))
		},
	})
}

// ResetFactor removes the second factor of a member of the caller's staff. Refusals: fault.ErrNotFound,
// principal.ErrBeyond, secondfactor.ErrInactive.
func (s Principals) ResetFactor(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[int64]{
		Name:      "reset staff's second factor",
		Event:     journal.TOTPReset,
		Emergency: true,
		Reads:     ports.Reads{Records: []record.Name{ports.Principals.Named(id)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			p, err := ownPrincipal(ctx, tx.Records, tx.Actor.ID(), principal.Staff, id)
			if err == nil {
				err = usecase.MayGrant(call.Caller, p)
			}
			if err != nil {
				return 0, err
			}
			wrotePrincipal(tx, &p)
			return id, removeFactor(ctx, tx.Tx, secondfactor.OfStaff(id))
		},
	})
}

// ResetFactor removes the second factor of the account or staff member with a name, for an operator with access to the
// store. Refusals: fault.ErrNotFound, secondfactor.ErrInactive.
func (s Admins) ResetFactor(ctx context.Context, name profile.Username) error {
	now := s.k.Dependencies.Clock()
	who, err := usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (identity, error) {
		return Service(s).named(ctx, snapshot, name, true)
	})
	if err != nil {
		return err
	}
	return s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := removeFactor(ctx, tx, who.factor()); err != nil {
			return err
		}
		e := journal.Entry{
			Type: journal.TOTPReset, At: now, Account: who.Position(),
			Actor: journal.Actor{Kind: journal.ByOperator, Name: usecase.Operator},
			Data:  []journal.Datum{{Name: journal.Username, Value: journal.Text(who.State().Username.String())}},
		}
		if who.staff != nil {
			e.Data = []journal.Datum{{Name: journal.Principal, Value: journal.Number(who.staff.ID)}}
		}
		return tx.Journal.Append(ctx, e)
	})
}
