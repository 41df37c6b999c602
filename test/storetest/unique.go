package storetest

import (
	"fmt"
	"slices"

	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// unique is a value that one record of a kind of the product has at a time.
type unique struct {
	of       *record.Kind
	refusal  error
	taking   func(id int64) record.Stored   // has it
	beside   []func(id int64) record.Stored // have something else, though little differs
	released func(id int64) record.Stored   // the record without it, nil where only a deletion releases it
}

// uniques returns all that there is.
func uniques() []unique {
	hook := func(change func(h *webhook.Webhook)) func(id int64) record.Stored {
		return func(id int64) record.Stored {
			h := webhook.Webhook{ID: id, Account: 7, Slot: 3, URL: fmt.Sprint("https://example.com/", id), Created: noon}
			change(&h)
			return must1(ports.Webhooks.Stored(h))
		}
	}
	key := func(change func(p *principal.Principal)) func(id int64) record.Stored {
		return func(id int64) record.Stored {
			p := principal.Principal{ID: id, Kind: principal.Key, Account: 7, Slot: 3, Name: "key", Folded: "name",
				Role: principal.Support, Created: noon}
			change(&p)
			return must1(ports.Principals.Stored(p))
		}
	}
	staff := func(change func(p *principal.Principal)) func(id int64) record.Stored {
		return key(func(p *principal.Principal) {
			p.Kind, p.Account, p.Slot, p.Name = principal.Staff, p.ID, 1, "Name"
			change(p)
		})
	}
	claim := func(name string) func(id int64) record.Stored {
		return func(id int64) record.Stored {
			return must1(ports.NameClaims.Stored(profile.NameClaim{Folded: name, Staff: id%2 == 0, ID: id}))
		}
	}
	return []unique{
		{
			ports.Webhooks.Kind, webhook.ErrSlotTaken, hook(func(*webhook.Webhook) {}),
			[]func(int64) record.Stored{hook(func(h *webhook.Webhook) { h.Slot = 30 })},
			hook(func(h *webhook.Webhook) { h.Slot = 4 }),
		},
		{
			ports.Principals.Kind, principal.ErrSlotTaken, key(func(*principal.Principal) {}),
			[]func(int64) record.Stored{
				key(func(p *principal.Principal) { p.Account = 8 }),
				key(func(p *principal.Principal) { p.Kind = principal.Staff }),
			},
			key(func(p *principal.Principal) { p.Revoked = noon }),
		},
		{
			ports.Principals.Kind, profile.ErrUsernameTaken, staff(func(*principal.Principal) {}),
			[]func(int64) record.Stored{
				staff(func(p *principal.Principal) { p.Folded = "name " }),
				staff(func(p *principal.Principal) { p.Revoked = noon }),
			},
			staff(func(p *principal.Principal) { p.Folded = "another" }),
		},
		{
			ports.NameClaims.Kind, record.ErrExists, claim("straße.élan"),
			[]func(int64) record.Stored{claim("strasse.élan"), claim("straße.elan"), claim("straße.élan ")}, nil,
		},
	}
}

// takeUnique has records take what others have, one after the other and at once.
func (w *harness) takeUnique(processes ...*harness) {
	for _, u := range uniques() {
		first, id := u.taking(1), int64(10)
		has := []record.Stored{first}
		w.update("take one of the "+u.of.Name(), insertsRecord(u.of, first))
		for _, other := range u.beside {
			has = append(has, other(id))
			w.update("take others of the "+u.of.Name(), insertsRecord(u.of, other(id)))
			id++
		}
		w.want(w.try(insertsRecord(u.of, u.taking(2))), u.refusal, "insert a record that takes one of the "+u.of.Name())
		if u.released == nil {
			w.update("delete the record that had it", deletesRecord(u.of, first.Key))
			has = has[1:]
		} else {
			w.want(w.try(savesRecord(u.of, u.taking(10))), u.refusal, "save a record that takes one of the "+u.of.Name())
			w.hasRecords(u.of, has, "after refusals, "+u.of.Name())
			has[0] = u.released(1)
			w.update("release one of the "+u.of.Name(), savesRecord(u.of, has[0]))
			w.update("take the released one", savesRecord(u.of, u.taking(10)))
			w.update("delete the record that has it", deletesRecord(u.of, u.taking(10).Key))
			has = slices.Delete(has, 1, 2)
		}
		errs := AtOnce(workers, func(i int) error {
			return processes[i%len(processes)].try(insertsRecord(u.of, u.taking(100+int64(i))))
		})
		w.oneSucceeds(errs, u.refusal, "insert records that take one of the "+u.of.Name())
		has = append(has, u.taking(100+int64(max(slices.Index(errs, nil), 0))))
		w.hasRecords(u.of, has, "after inserts at once, "+u.of.Name())
		for _, s := range has {
			w.update("delete all", deletesRecord(u.of, s.Key))
		}
	}
}
