// Package webhooks implements subscriptions to events, and the delivery of journal entries to their receivers by the
// Standard Webhooks specification.
//
// # Cursors
//
// There is no queue. The progress of a webhook is one record: a cursor over the journal, the entries that wait for a
// retry, the last attempts. Attempts in flight are in memory, and after a second in the record, too: after a crash the
// next process sends them again. The dispatcher reads the journal once for all webhooks, to find the subscribers of an
// entry. A subscriber then reads its own entries by an index, so a webhook whose cursor is far back costs the others
// nothing.
//
// # No webhook delays another
//
// A webhook with entries to send has a goroutine, with one attempt at a time at first, and more while it accepts them:
// a receiver that never answers holds one lane. Attempts to webhooks that fail, and attempts that take more than two
// seconds, have lanes of their own. Of each kind of lanes an account has at most an eighth, and waiting accounts take
// turns. The record of a webhook is saved once for many attempts, at most a second after the first one.
//
// # The end
//
// When a process ends in order, attempts in flight may take one more second, and their outcomes are recorded. So a
// successful delivery is not repeated. An interrupted attempt is repeated at once, and does not count.
package webhooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service creates, changes and removes subscriptions to events.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of this feature.
func New(k *usecase.Kernel) (Service, Dispatch) { return Service{k}, Dispatch{k} }

// Webhook is a webhook as its owner sees it.
type Webhook struct {
	webhook.Webhook
	NewSecret profile.Secret // of a new webhook, zero otherwise
}

// Create is the command to subscribe to events.
type Create struct {
	URL         string
	Types       []string // accepted by webhook.CheckType, at least one
	Scope       webhook.Scope
	Description string
}

// List returns the caller's webhooks, in the order of their ids.
func (s Service) List(ctx context.Context, call usecase.Call) ([]webhook.Webhook, error) {
	return usecase.Query(ctx, s.k, call, "list webhooks",
		func(ctx context.Context, in usecase.View) ([]webhook.Webhook, error) {
			found, err := webhooksOf(ctx, in) // damaged ones are left out: an audit reports them
			slices.SortFunc(found.Items, func(a, b webhook.Webhook) int { return cmp.Compare(a.ID, b.ID) })
			return found.Items, err
		})
}

func webhooksOf(ctx context.Context, in usecase.View) (record.Page[int64, webhook.Webhook], error) {
	return ports.WebhooksByAccount.List(ctx, in.Records,
		record.Query{Equal: record.Tuple{in.Actor.ID()}, Limit: webhook.MaxWebhooks})
}

// Get returns one of the caller's webhooks, or fault.ErrNotFound.
func (s Service) Get(ctx context.Context, call usecase.Call, id int64) (webhook.Webhook, error) {
	return usecase.Query(ctx, s.k, call, "read webhook",
		func(ctx context.Context, in usecase.View) (webhook.Webhook, error) {
			return ownWebhook(ctx, in.Records, in.Actor.ID(), id)
		})
}

// Deliveries returns the latest attempts to deliver to one of the caller's webhooks, the newest first. The refusal is
// fault.ErrNotFound.
func (s Service) Deliveries(ctx context.Context, call usecase.Call, id int64) ([]webhook.Delivery, error) {
	return usecase.Query(ctx, s.k, call, "list deliveries",
		func(ctx context.Context, in usecase.View) ([]webhook.Delivery, error) {
			if _, err := ownWebhook(ctx, in.Records, in.Actor.ID(), id); err != nil {
				return nil, err
			}
			p, err := ports.WebhookProgress.From(in.Records).Get(ctx, id)
			return p.Deliveries(), err
		})
}

func ownWebhook(ctx context.Context, records record.Reader, account, id int64) (webhook.Webhook, error) {
	w, err := ports.Webhooks.From(records).Get(ctx, id)
	if err == nil && w.Account != account {
		return webhook.Webhook{}, fault.ErrNotFound
	}
	return w, err
}

var webhookID = []ports.Sequence{ports.Webhooks.Sequence()}

// Create subscribes a URL to the events after this moment. Its secret is shown only here. Refusals:
// *principal.MissingScope for a caller that may not read events, principal.ErrBeyond, webhook.ErrTooMany,
// webhook.ErrPlain.
func (s Service) Create(ctx context.Context, call usecase.Call, c Create,
	render usecase.Render[Webhook]) (usecase.Receipt, error) {
	made := webhook.Webhook{URL: c.URL, Types: c.Types, Scope: c.Scope, Description: c.Description, Enabled: true}
	var head journal.Head // shortly before the webhook is created
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Webhook]{
		Name:    "create webhook",
		Event:   journal.WebhookCreated,
		IDs:     webhookID,
		RetryOn: []error{webhook.ErrSlotTaken},
		Check: func(ctx context.Context, in usecase.View) error {
			if err := cmp.Or(maySubscribe(call.Caller), s.allows(made)); err != nil {
				return err
			}
			all, err := webhooksOf(ctx, in)
			if err != nil {
				return err
			}
			if len(all.Damaged) > 0 { // its slot is not known
				return fmt.Errorf("webhook %d: %w", all.Damaged[0], record.ErrDamaged)
			}
			if made.Slot, err = webhook.FreeSlot(all.Items); err != nil {
				return err
			}
			head, err = in.Journal.Head(ctx)
			return err
		},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Webhook, error) {
			if err := maySubscribe(call.Caller); err != nil {
				return Webhook{}, err
			}
			made.ID, made.Account, made.Created = tx.ID(ports.Webhooks.Sequence()), tx.Actor.ID(), tx.Now
			secret := s.k.Dependencies.Generator.WebhookSecret()
			var err error
			if made.Secret, err = sealWebhook(s.k, made.ID, "secret", secret); err != nil {
				return Webhook{}, err
			}
			wrote(tx, &made)
			if err := ports.Webhooks.In(tx.Records).Insert(ctx, made); err != nil {
				return Webhook{}, err
			}
			// The request makes the dispatcher read the webhook.
			progress := webhook.Progress{Webhook: made.ID, Cursor: head.Seq, Requests: 1}
			return Webhook{made, secret}, ports.WebhookProgress.In(tx.Records).Insert(ctx, progress)
		},
	})
}

// maySubscribe refuses a principal that may not read events. A webhook has no expiry and sends to any address: the
// refusal of a principal with an expiry or with addresses is principal.ErrBeyond.
func maySubscribe(c usecase.Caller) error {
	if err := c.RequireScope(principal.EventsRead); err != nil {
		return err
	}
	if p := c.Principal(); p != nil &&
		p.MayGrant(principal.Principal{GivenScopes: []principal.Scope{principal.EventsRead}, Limit: p.Limit}) != nil {
		return principal.ErrBeyond.WithDetail(
			"A webhook has no expiry and sends to any address: a key with an expiry or with addresses may not have one.")
	}
	return nil
}

// allows returns webhook.ErrPlain if the operator's policy does not allow the URL.
func (s Service) allows(w webhook.Webhook) error {
	if w.Plain() && !s.k.Policy.PlainWebhooks {
		return webhook.ErrPlain
	}
	return nil
}

func sealWebhook(s *usecase.Kernel, id int64, field string, secret profile.Secret) ([]byte, error) {
	sealed, err := s.Dependencies.Vault.Seal([]byte(secret.Reveal()), ports.Webhooks.Label(id, field))
	if err != nil {
		return nil, fmt.Errorf("seal the secret of a webhook: %w", err)
	}
	return sealed, nil
}

func openWebhook(s *usecase.Kernel, id int64, field string, sealed []byte) (profile.Secret, error) {
	secret, err := s.Dependencies.Vault.Open(sealed, ports.Webhooks.Label(id, field))
	if err != nil {
		return profile.Secret{}, fmt.Errorf("open the secret of webhook %d: %w", id, err)
	}
	return profile.NewSecret(string(secret)), nil
}

// wrote makes the command's entry report a change of a webhook.
func wrote(tx *usecase.Tx, w *webhook.Webhook) {
	tx.Written = true
	tx.Entry.Account = tx.Actor.Position()
	tx.Entry.Data = []journal.Datum{{Name: journal.Webhook, Value: journal.Number(w.ID)}}
}

// Update is the command to change a webhook.
type Update struct {
	ID int64
	webhook.Change
}

// Update changes a webhook. After it is enabled again, it gets all entries since it was disabled. Refusals:
// fault.ErrNotFound, *principal.MissingScope and principal.ErrBeyond as of Create, webhook.ErrPlain.
func (s Service) Update(ctx context.Context, call usecase.Call, c Update,
	render usecase.Render[Webhook]) (usecase.Receipt, error) {
	return s.changeWebhook(ctx, call, "update webhook", journal.WebhookUpdated, c.ID, c.OnlyDisables(), render,
		func(ctx context.Context, tx *usecase.Tx, was webhook.Webhook) (Webhook, error) {
			if err := call.Caller.RequireScope(principal.EventsRead); err != nil {
				return Webhook{}, err
			}
			is := was.Changed(c.Change)
			less := was
			if less.Description = is.Description; !is.Enabled {
				less.Enabled = false
			}
			if len(changed(less, is)) > 0 {
				if err := maySubscribe(call.Caller); err != nil {
					return Webhook{}, err
				}
			}
			tx.Entry.Changes = journal.HiddenChanges(changed(was, is)...)
			if c.URL != nil {
				if err := s.allows(is); err != nil {
					return Webhook{}, err
				}
			}
			if len(tx.Entry.Changes) == 0 {
				return Webhook{Webhook: is}, nil
			}
			return Webhook{Webhook: is}, changeProgress(ctx, tx, c.ID, func(p *webhook.Progress) {
				if p.Requests++; is.Enabled && !was.Enabled {
					p.RetryAllNow(tx.Now)
				}
			})
		})
}

// changed returns the names of the members that differ.
func changed(was, is webhook.Webhook) (fields []string) {
	for name, differs := range map[string]bool{
		"url": was.URL != is.URL, "types": !slices.Equal(was.Types, is.Types), "scope": was.Scope != is.Scope,
		"description": was.Description != is.Description, "enabled": was.Enabled != is.Enabled,
	} {
		if differs {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

// Rotate is the command to change the secret of a webhook.
type Rotate struct {
	ID      int64
	Overlap time.Duration // how long the present secret signs as well
}

// Rotate changes the secret of a webhook. The new one is shown only here. The refusal is fault.ErrNotFound.
func (s Service) Rotate(ctx context.Context, call usecase.Call, c Rotate,
	render usecase.Render[Webhook]) (usecase.Receipt, error) {
	return s.changeWebhook(ctx, call, "rotate webhook", journal.WebhookRotated, c.ID, false, render,
		func(_ context.Context, tx *usecase.Tx, was webhook.Webhook) (Webhook, error) {
			secret := s.k.Dependencies.Generator.WebhookSecret()
			sealed, err := sealWebhook(s.k, c.ID, "secret", secret)
			if err != nil {
				return Webhook{}, err
			}
			present, err := openWebhook(s.k, c.ID, "secret", was.Secret)
			if err != nil {
				return Webhook{}, err
			}
			previous, err := sealWebhook(s.k, c.ID, "previous", present)
			return Webhook{was.Rotate(sealed, previous, c.Overlap, tx.Now), secret}, err
		})
}

// changeWebhook saves the result of change for one of the caller's webhooks. Without a change nothing is written.
func (s Service) changeWebhook(
	ctx context.Context, call usecase.Call, name string, event journal.Type, id int64, emergency bool,
	render usecase.Render[Webhook],
	change func(ctx context.Context, tx *usecase.Tx, was webhook.Webhook) (Webhook, error),
) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Webhook]{
		Name:      name,
		Event:     event,
		Emergency: emergency,
		Reads:     ports.Reads{Records: []record.Name{ports.Webhooks.Named(id)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Webhook, error) {
			was, err := ownWebhook(ctx, tx.Records, tx.Actor.ID(), id)
			if err != nil {
				return Webhook{}, err
			}
			is, err := change(ctx, tx, was)
			if err != nil || len(changed(was, is.Webhook)) == 0 && string(was.Secret) == string(is.Secret) {
				return is, err
			}
			wrote(tx, &is.Webhook)
			return is, ports.Webhooks.In(tx.Records).Save(ctx, is.Webhook)
		},
	})
}

// changeProgress saves the result of change for a webhook's progress, if it makes a request.
func changeProgress(ctx context.Context, tx *usecase.Tx, id int64, change func(p *webhook.Progress)) error {
	all := ports.WebhookProgress.In(tx.Records)
	p, err := all.Get(ctx, id)
	if err != nil {
		return err
	}
	asked := p.Requests
	if change(&p); p.Requests == asked {
		return nil
	}
	tx.Written = true
	return all.Save(ctx, p)
}

// Delete removes a webhook, and the entries that wait for it. The refusal is fault.ErrNotFound.
func (s Service) Delete(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[int64]{
		Name:      "delete webhook",
		Event:     journal.WebhookRemoved,
		Emergency: true,
		Reads:     ports.Reads{Records: []record.Name{ports.Webhooks.Named(id)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			w, err := ownWebhook(ctx, tx.Records, tx.Actor.ID(), id)
			if err != nil {
				return 0, err
			}
			wrote(tx, &w)
			if err := ports.Webhooks.In(tx.Records).Delete(ctx, id); err != nil {
				return 0, err
			}
			return id, ports.WebhookProgress.In(tx.Records).Delete(ctx, id)
		},
	})
}

// Test sends an entry of the type webhook.test to a webhook, once. Refusals: fault.ErrNotFound, webhook.ErrDisabled.
func (s Service) Test(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return s.ask(ctx, call, "test webhook", id, render, func(w webhook.Webhook, p *webhook.Progress, now time.Time) error {
		if !w.Enabled {
			return webhook.ErrDisabled
		}
		p.RequestTest(now)
		return nil
	})
}

// Replay is the command to deliver entries again.
type Replay struct {
	ID    int64
	After int64 // number of the entry before the first one
}

// Replay sends a webhook all of its entries after an entry again. The refusal is fault.ErrNotFound.
func (s Service) Replay(ctx context.Context, call usecase.Call, c Replay,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return s.ask(ctx, call, "replay webhook", c.ID, render,
		func(_ webhook.Webhook, p *webhook.Progress, _ time.Time) error {
			p.Replay(c.After)
			return nil
		})
}

// ask changes only the requests of a webhook, which have no entry in the journal.
func (s Service) ask(
	ctx context.Context, call usecase.Call, name string, id int64, render usecase.Render[int64],
	change func(w webhook.Webhook, p *webhook.Progress, now time.Time) error,
) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[int64]{
		Name:  name,
		Reads: ports.Reads{Records: []record.Name{ports.Webhooks.Named(id), ports.WebhookProgress.Named(id)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			w, err := ownWebhook(ctx, tx.Records, tx.Actor.ID(), id)
			if err != nil {
				return 0, err
			}
			var refused error
			err = changeProgress(ctx, tx, id, func(p *webhook.Progress) { refused = change(w, p, tx.Now) })
			return id, cmp.Or(refused, err)
		},
	})
}
