// Package rekey seals all stored secrets under another service key.
package rekey

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"resellerd/application/internal/usecase"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service seals stored secrets under another service key. No API operation reaches it.
type Service struct{ k *usecase.Kernel }

// New returns the replacement of the service key.
func New(k *usecase.Kernel) Service { return Service{k} }

// Step is a step of a replacement of the service key. The set is closed.
type Step struct{ name string }

// The steps, in their order. Those that seal are repeated until nothing is left to seal.
var (
	MoveKey     = Step{"recording the new service key"}
	AwaitOthers = Step{"waiting until every process seals under it"}
	SealLines   = Step{"sealing the passwords of lines"}
	SealRecords = Step{"sealing the secret fields of records"} // for each kind that has some
	SealAnswers = Step{"sealing recorded answers"}
)

// String returns a description of the step.
func (s Step) String() string { return s.name }

// Options configure a replacement of the service key and its reports.
type Options struct {
	Leaked bool // others have the old key: every token changes as well
	// Report gets each record that can't be opened with any known key, and each damaged one.
	Report func(finding string)
	// Progress is called repeatedly with the number of records that a step has examined.
	Progress func(step Step, done int64)
}

// Result is the result of a replacement of the service key.
type Result struct {
	Fingerprint string // of the new key
	Lines       int64  // resealed
	Records     int64  // of kinds, resealed
	Answers     int64  // recorded under idempotency keys, resealed
	Findings    int64  // records that can't be opened, or whose content was not tried
	// Of Findings: damaged lines and records, whose sealing key is unknown.
	Untried int64
}

// Records are read in pages. Of a page so many are sealed at a time: a store combines concurrent updates.
const (
	sealPage    = 500
	sealsAtOnce = 16
)

// Reseal seals lines, records of kinds and idempotency records under the present service key if they have another one,
// while other processes change them. It may be ended at any moment and started again. The result has no fingerprint.
func (s Service) Reseal(ctx context.Context, records ports.Archive, o Options) (done Result, err error) {
	if done.Lines, err = s.sealLines(ctx, records, o, &done); err != nil {
		return done, fmt.Errorf("reseal lines: %w", err)
	}
	for _, of := range ports.Kinds() {
		if !of.Secret() {
			continue
		}
		sealed, err := s.sealRecords(ctx, records, of, o, &done)
		if done.Records += sealed; err != nil {
			return done, fmt.Errorf("reseal records of the kind %s: %w", of.Name(), err)
		}
	}
	if done.Answers, err = s.sealAnswers(ctx, records, o, &done); err != nil {
		err = fmt.Errorf("reseal recorded answers: %w", err)
	}
	return done, err
}

// sealedPage is a page of records with sealed content.
type sealedPage[ID any] struct {
	read     int
	last     ID
	old      []ID     // to be resealed
	findings []string // about records that can't be resealed
	untried  int64    // among these
}

// add adds a record with the result of Renew for its content.
func (p *sealedPage[ID]) add(of ID, name string, changed bool, err error) error {
	switch p.last = of; {
	case errors.Is(err, ports.ErrUnavailable):
		return err
	case err != nil:
		p.findings = append(p.findings, fmt.Sprintf("%s: %v", name, err))
	case changed:
		p.old = append(p.old, of)
	}
	return nil
}

func (s Service) sealLines(ctx context.Context, records ports.Archive, o Options,
	done *Result) (int64, error) {
	vault := s.k.Dependencies.Vault
	return sealPages(ctx, o, SealLines, done, func(ctx context.Context, after int64) (page sealedPage[int64], err error) {
		err = records.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
			lines, err := r.Lines(ctx, after, sealPage)
			if err != nil {
				return err
			}
			page = sealedPage[int64]{read: len(lines)}
			for _, found := range lines {
				changed, err := false, found.Damage
				if err != nil {
					page.untried++
				} else {
					_, changed, err = vault.Renew(found.Record.State().Password, usecase.Label("line", found.ID))
				}
				if err := page.add(found.ID, fmt.Sprintf("line %d", found.ID), changed, err); err != nil {
					return err
				}
			}
			return nil
		})
		return page, err
	}, func(ctx context.Context, id int64) (sealed bool, err error) {
		err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			sealed = false
			l, err := tx.Lines.Get(ctx, id)
			if usecase.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			password, changed, err := vault.Renew(l.State().Password, usecase.Label("line", id))
			if err != nil || !changed {
				return err
			}
			l.Reseal(line.Sealed(password))
			sealed = true
			return tx.Lines.Save(ctx, l)
		}, ports.Reads{Line: id})
		return sealed, err
	})
}

func (s Service) sealRecords(ctx context.Context, records ports.Archive, of *record.Kind, o Options,
	done *Result) (int64, error) {
	renew := s.k.Dependencies.Vault.Renew
	return sealPages(ctx, o, SealRecords, done,
		func(ctx context.Context, after string) (page sealedPage[string], err error) {
			err = records.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
				all, err := r.OfKind(ctx, of, after, sealPage)
				if err != nil {
					return err
				}
				page = sealedPage[string]{read: len(all)}
				for _, found := range all {
					changed, err := false, found.Damage
					if err != nil {
						page.untried++
					} else {
						_, changed, err = of.Reseal(found.Payload, renew)
					}
					if err := page.add(found.Key, of.Show(found.Key), changed, err); err != nil {
						return err
					}
				}
				return nil
			})
			return page, err
		}, func(ctx context.Context, key string) (sealed bool, err error) {
			err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				sealed = false
				payload, err := tx.Records.Get(ctx, of, key)
				if usecase.IsNotFound(err) {
					return nil
				}
				if err != nil {
					return err
				}
				renewed, changed, err := of.Reseal(payload, renew)
				if err != nil || !changed {
					return err
				}
				sealed = true
				return tx.Records.Save(ctx, of, renewed)
			}, ports.Reads{Records: []record.Name{{Of: of, Key: key}}})
			return sealed, err
		})
}

func (s Service) sealAnswers(ctx context.Context, records ports.Archive, o Options,
	done *Result) (int64, error) {
	type id struct {
		reseller int64
		key      string
	}
	vault := s.k.Dependencies.Vault
	return sealPages(ctx, o, SealAnswers, done, func(ctx context.Context, after id) (page sealedPage[id], err error) {
		err = records.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
			answers, err := r.KeyRecords(ctx, after.reseller, after.key, sealPage)
			if err != nil {
				return err
			}
			page = sealedPage[id]{read: len(answers)}
			for _, found := range answers {
				_, changed, err := vault.Renew(found.Body, usecase.KeyLabel(found.Reseller, found.Key))
				name := fmt.Sprintf("answer recorded under an idempotency key of account %d", found.Reseller)
				if err := page.add(id{found.Reseller, found.Key}, name, changed, err); err != nil {
					return err
				}
			}
			return nil
		})
		return page, err
	}, func(ctx context.Context, of id) (sealed bool, err error) {
		err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			sealed = false
			r, err := tx.Keys.Get(ctx, of.reseller, of.key)
			if usecase.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			body, changed, err := vault.Renew(r.Body, usecase.KeyLabel(of.reseller, of.key))
			if err != nil || !changed {
				return err
			}
			r.Body, sealed = body, true
			return tx.Keys.Put(ctx, r)
		}, ports.Reads{})
		return sealed, err
	})
}

// sealPages reads all pages and returns how many records seal has sealed. page returns the page after a record. Its
// result counts only once it has returned: a store may run its look several times.
func sealPages[ID any](
	ctx context.Context, o Options, step Step, all *Result,
	page func(ctx context.Context, after ID) (sealedPage[ID], error), seal func(ctx context.Context, id ID) (bool, error),
) (renewed int64, err error) {
	o.Progress(step, 0)
	var after ID
	for done := int64(0); ; {
		p, err := page(ctx, after)
		if err != nil || p.read == 0 {
			return renewed, err
		}
		after = p.last
		all.Findings, all.Untried = all.Findings+int64(len(p.findings)), all.Untried+p.untried
		for _, finding := range p.findings {
			o.Report(finding)
		}
		more, err := sealAll(ctx, p.old, seal)
		if renewed += more; err != nil {
			return renewed, err
		}
		done += int64(p.read)
		o.Progress(step, done)
	}
}

// sealAll seals these records, several at once, and returns how many it has sealed.
func sealAll[ID any](ctx context.Context, all []ID, seal func(ctx context.Context, id ID) (bool, error)) (sealed int64,
	err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var workers sync.WaitGroup
	var mu sync.Mutex
	for range min(sealsAtOnce, len(all)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				if len(all) == 0 {
					mu.Unlock()
					return
				}
				id := all[0]
				all = all[1:]
				mu.Unlock()
				did, failed := seal(ctx, id)
				mu.Lock()
				if did && failed == nil {
					sealed++
				}
				mu.Unlock()
				if failed != nil {
					end(failed)
				}
			}
		})
	}
	workers.Wait()
	return sealed, context.Cause(ctx)
}
