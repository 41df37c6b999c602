package audit

import (
	"context"
	"maps"

	"resellerd/application/access"
	"resellerd/application/internal/auditing"
	"resellerd/application/jobs"
	"resellerd/application/prices"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// features audit records of their own, in this order.
var features = []auditing.Feature{access.Audit, jobs.Audit, prices.Audit, resellers.Audit, webhooks.Audit}

// register registers the checks of all features.
func (a *auditor) register() {
	for _, feature := range features {
		c := feature(a)
		a.features = append(a.features, c)
		maps.Copy(a.kinds, c.Kinds)
	}
}

func (a *auditor) before(ctx context.Context) error {
	for _, c := range a.features {
		if c.Before == nil {
			continue
		}
		if err := c.Before(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ofKinds audits the records of every audited kind. A finding describes the error, without content of the record.
func (a *auditor) ofKinds(ctx context.Context) error {
	for _, of := range ports.Kinds() {
		if !of.Audited() {
			continue
		}
		check, is := a.kinds[of]
		if !is {
			check = auditing.Any()
		}
		if err := a.ofKind(ctx, of, check); err != nil {
			return err
		}
	}
	for _, c := range a.features {
		if c.After != nil {
			c.After()
		}
	}
	return nil
}

// ofKind ends, like each, if records are out of order.
func (a *auditor) ofKind(ctx context.Context, of *record.Kind, check auditing.Check) error {
	for after := ""; ; {
		page, err := a.Page(ctx, of, after)
		if err != nil || len(page) == 0 {
			return err
		}
		a.forgetNamed()
		values, accounts := make([]any, len(page)), make([]int64, len(page))
		for i, f := range page {
			if f.Damage == nil {
				values[i], page[i].Damage = of.Read(f.Payload)
			}
			if page[i].Damage == nil {
				accounts[i] = check.Account(values[i])
			}
			if accounts[i] != 0 {
				a.resellers.name(accounts[i])
			}
		}
		if err := a.resellers.read(ctx); err != nil {
			return err
		}
		for i, f := range page {
			name := of.Show(f.Key)
			if f.Key <= after {
				a.Find("%s: it comes after %s: they are out of order, and were not audited to the end", name, of.Show(after))
				check.Unread(0)
				return nil
			}
			after = f.Key
			if of.Copied() {
				a.verdict.Records++
			}
			if ids := of.Sequence(); ids != (ports.Sequence{}) {
				a.given(ids, of.ID(f.Key), "%s: it has an id that was not given yet", name)
			}
			if f.Damage != nil {
				a.Find("%s: %v", name, f.Damage)
				check.Unread(of.ID(f.Key))
				continue
			}
			if id := accounts[i]; id != 0 {
				if _, is := a.Account(id); is == auditing.Missing {
					a.Find("%s: its owner, account %d, is missing", name, id)
				}
			}
			check.Record(name, values[i])
		}
	}
}

// Page implements auditing.Audit.
func (a *auditor) Page(ctx context.Context, of *record.Kind, after string) ([]record.Found, error) {
	page, err := a.stored.OfKind(ctx, of, after, auditing.PageSize)
	a.saw(len(page))
	return page, err
}

// Account implements auditing.Audit.
func (a *auditor) Account(id int64) (*reseller.Reseller, auditing.Presence) {
	return a.resellers.get(id)
}

// Journal implements auditing.Audit.
func (a *auditor) Journal() (last int64, sound bool) {
	return max(a.history.head.Seq, a.history.last.Seq), !a.history.findings
}
