package audit

import (
	"context"

	"resellerd/domain/bulk"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// ofKinds audits the records of every kind that is declared as audited. A finding says what is wrong, but no content of
// the record.
func (a *auditor) ofKinds(ctx context.Context) error {
	for _, of := range ports.Kinds() {
		if !of.Audited() {
			continue
		}
		if err := a.ofKind(ctx, of); err != nil {
			return err
		}
	}
	a.worked()
	return nil
}

// ofKind ends, as each does, if records are out of order.
func (a *auditor) ofKind(ctx context.Context, of *record.Kind) error {
	for after := ""; ; {
		page, err := a.stored.OfKind(ctx, of, after, pageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 {
			return err
		}
		a.forgetNamed()
		values := make([]any, len(page))
		for i, f := range page {
			if f.Damage == nil {
				values[i], page[i].Damage = of.Read(f.Payload)
			}
			if id := accountOf(values[i]); id != 0 {
				a.resellers.name(id)
			}
		}
		if err := a.resellers.read(ctx); err != nil {
			return err
		}
		for i, f := range page {
			name := of.Show(f.Key)
			if f.Key <= after {
				a.find("%s: it comes after %s: they are out of order, and were not audited to the end", name, of.Show(after))
				a.work.damaged = true // for all that is known
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
				a.find("%s: %v", name, f.Damage)
				a.work.damaged = a.work.damaged || of == ports.BulkJobs.Kind || of == ports.BulkParts.Kind
				continue
			}
			switch v := values[i].(type) {
			case *bulk.Job:
				a.job(name, v)
			case *bulk.Part:
				a.part(name, v)
			case *message.Own:
				a.messages(name, v)
			case *webhook.Progress:
				a.notAhead(name, v)
			case *principal.Principal:
				a.principal(name, v)
			case *profile.NameClaim:
				a.claim(name, v)
			case *secondfactor.Factor:
				a.factor(name, v)
			case *session.Session:
				a.session(name, v)
			}
		}
	}
}
