package audit

import (
	"context"
	"fmt"

	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// webhooks checks that each webhook has an owner, and that there is how far its deliveries are, and of no other one.
// Their keys are the same, so both are read in one order.
func (a *auditor) webhooks(ctx context.Context) error {
	progress := keysOf{stored: a.stored, of: ports.WebhookProgress.Kind}
	for after := ""; ; {
		page, err := a.stored.OfKind(ctx, ports.Webhooks.Kind, after, pageSize)
		a.saw(len(page))
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		if page[0].Key <= after { // which was found where the kind was audited
			return nil
		}
		after = page[len(page)-1].Key
		if err := a.owned(ctx, page); err != nil {
			return err
		}
		for _, f := range page {
			found, err := progress.upTo(ctx, f.Key, func(key string) {
				a.find("%s: there is no such webhook", progress.of.Show(key))
			})
			if err != nil {
				return err
			}
			if !found {
				a.find("%s: how far its deliveries are is missing", ports.Webhooks.Show(f.Key))
			}
		}
	}
	return progress.rest(ctx, func(key string) { a.find("%s: there is no such webhook", progress.of.Show(key)) })
}

// notAhead checks that the entries up to which a webhook was told are there: it would not be told of those that get
// their numbers next.
func (a *auditor) notAhead(name string, p *webhook.Progress) {
	if end := max(a.history.head.Seq, a.history.last.Seq); p.Cursor > end {
		a.find("%s: it is at entry %d, and the journal ends with entry %d", name, p.Cursor, end)
	}
}

// owned checks that the accounts of webhooks are there.
func (a *auditor) owned(ctx context.Context, page []record.Found) error {
	var ids []int64
	var owned []webhook.Webhook
	for _, f := range page {
		if v, err := ports.Webhooks.Read(f.Payload); err == nil { // another one was found where the kind was audited
			w := *v.(*webhook.Webhook) //nolint:forcetypeassert // the kind has no others
			ids, owned = append(ids, w.Account), append(owned, w)
		}
	}
	owners, err := a.stored.ResellersByID(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the owners of webhooks: %w", err)
	}
	for _, w := range owned {
		if _, is := owners[w.Account]; !is {
			a.find("webhook %d: account %d, whose it is, is missing", w.ID, w.Account)
		}
	}
	return nil
}

// keysOf goes through the keys of a kind in their order.
type keysOf struct {
	stored ports.Records
	of     *record.Kind
	page   []record.Found
	last   string
	ended  bool
}

// next returns the key that is next, "" if there is none.
func (k *keysOf) next(ctx context.Context) (string, error) {
	if len(k.page) == 0 && !k.ended {
		page, err := k.stored.OfKind(ctx, k.of, k.last, pageSize)
		if err != nil {
			return "", err
		}
		if k.ended = len(page) == 0 || page[0].Key <= k.last; k.ended {
			return "", nil
		}
		k.page, k.last = page, page[len(page)-1].Key
	}
	if len(k.page) == 0 {
		return "", nil
	}
	return k.page[0].Key, nil
}

// upTo passes the keys before one to other, and reports whether that one is there.
func (k *keysOf) upTo(ctx context.Context, key string, other func(key string)) (found bool, err error) {
	for {
		next, err := k.next(ctx)
		if err != nil || next == "" || next > key {
			return false, err
		}
		if k.page = k.page[1:]; next == key {
			return true, nil
		}
		other(next)
	}
}

// rest passes all keys that are left.
func (k *keysOf) rest(ctx context.Context, other func(key string)) error {
	for {
		next, err := k.next(ctx)
		if err != nil || next == "" {
			return err
		}
		k.page = k.page[1:]
		other(next)
	}
}
