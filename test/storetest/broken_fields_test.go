package storetest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// leaf is a field of a state, reached through embedded and plain structs.
type leaf struct {
	path  string
	index []int
}

// leaves lists the fields that a store keeps each for itself: values of the
// domain, which have no exported fields, count as one.
func leaves(of reflect.Type) (all []leaf) {
	for _, f := range reflect.VisibleFields(of) {
		if len(f.Index) > 1 || !f.IsExported() {
			continue
		}
		below := []leaf(nil)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			below = leaves(f.Type)
		}
		if below == nil {
			all = append(all, leaf{f.Name, f.Index})
		}
		for _, l := range below {
			all = append(all, leaf{f.Name + "." + l.path, append(slices.Clone(f.Index), l.index...)})
		}
	}
	return all
}

// without returns v with the field at its zero value.
func without[V any](v V, l leaf) V {
	reflect.ValueOf(&v).Elem().FieldByIndex(l.index).SetZero()
	return v
}

// mixed returns v with the field as it is in old.
func mixed[V any](old, v V, l leaf) V {
	reflect.ValueOf(&v).Elem().FieldByIndex(l.index).Set(reflect.ValueOf(old).FieldByIndex(l.index))
	return v
}

// Fields that no verb of the domain changes: a save may leave them out.
var unchanging = []string{"Position.ID", "Position.Ancestors", "Role", "Language", "CreatedAt", "ID", "Owner.ID", "Owner.Ancestors"}

// brokenFields lose one field each, of every field that there is.
func brokenFields() (all []broken) {
	add := func(how, check string, f filter) {
		all = append(all, broken{how: how, caught: caughtBy(check), sabotage: f.over})
	}
	for _, l := range leaves(reflect.TypeFor[reseller.State]()) {
		add("loses account field "+l.path, "accounts-survive-unchanged", filter{reseller: func(s reseller.State) reseller.State { return without(s, l) }})
		if !slices.Contains(unchanging, l.path) {
			add("leaves account field "+l.path+" out of a save", "saved-accounts-survive-unchanged",
				filter{saved: func(old, s reseller.State) reseller.State { return mixed(old, s, l) }})
		}
	}
	for _, l := range leaves(reflect.TypeFor[line.State]()) {
		add("loses line field "+l.path, "lines-survive-unchanged", filter{line: func(s line.State) line.State { return without(s, l) }})
		if !slices.Contains(unchanging, l.path) {
			add("leaves line field "+l.path+" out of a save", "saved-lines-survive-unchanged",
				filter{lineSaved: func(old, s line.State) line.State { return mixed(old, s, l) }})
		}
	}
	for _, l := range leaves(reflect.TypeFor[credit.Movement]()) {
		add("loses movement field "+l.path, "movements-survive-unchanged", filter{movement: func(m credit.Movement) credit.Movement { return without(m, l) }})
	}
	for _, l := range leaves(reflect.TypeFor[ports.KeyRecord]()) {
		add("loses key field "+l.path, "key-records-survive-unchanged", filter{key: func(r ports.KeyRecord) ports.KeyRecord { return without(r, l) }})
	}

	account := func(how string, change func(*reseller.State)) {
		read := func(s reseller.State) reseller.State { change(&s); return s }
		add(how, "accounts-survive-unchanged", filter{reseller: read})
	}
	account("keeps whole seconds", func(s *reseller.State) { s.CreatedAt = s.CreatedAt.Truncate(time.Second) })
	account("returns another zone", func(s *reseller.State) { s.UpdatedAt = s.UpdatedAt.In(time.FixedZone("WET", 3600)) })
	account("keeps balances as floats", func(s *reseller.State) { s.Credits = fixture.Units(int64(float32(s.Credits.Units()))) })
	account("keeps whole credits", func(s *reseller.State) { s.Credits = fixture.Units(s.Credits.Units() / 10_000 * 10_000) })
	account("shows the compared name", func(s *reseller.State) { s.Username = profile.RestoreUsername(s.Username.Key(), s.Username.Key()) })
	account("cuts long notes", func(s *reseller.State) {
		s.Contact.Notes = fixture.Text(s.Contact.Notes.String()[:min(len(s.Contact.Notes.String()), 4096)])
	})
	account("joins lines of notes", func(s *reseller.State) {
		s.Contact.Notes = fixture.Text(strings.ReplaceAll(s.Contact.Notes.String(), "\n", " "))
	})
	account("cuts deep paths", func(s *reseller.State) { s.Ancestors = s.Ancestors[:min(len(s.Ancestors), reseller.MaxDepth-1)] })
	account("keeps one slot of trials", func(s *reseller.State) { s.Trials = s.Trials[:min(len(s.Trials), 1)] })
	account("swaps two texts", func(s *reseller.State) {
		s.Contact.Whatsapp, s.Contact.Telegram = s.Contact.Telegram, s.Contact.Whatsapp
	})
	add("shows less in a view", "accounts-survive-unchanged", filter{viewReseller: func(s reseller.State) reseller.State { s.Contact.Email = profile.Text{}; return s }})
	add("shows less of accounts in a list", "accounts-survive-unchanged", filter{listedReseller: func(s reseller.State) reseller.State { s.Trials = nil; return s }})
	add("shows less of accounts in an audit", "archives-show-accounts-unchanged", filter{auditedReseller: func(s reseller.State) reseller.State { s.Token = reseller.Generation{}; return s }})
	add("finds accounts damaged", "archives-show-accounts-unchanged", filter{auditedReseller: func(s reseller.State) reseller.State { s.ID = 0; return s }})
	add("shows less of accounts by their ids", "archives-show-accounts-unchanged", filter{namedReseller: func(s reseller.State) reseller.State { s.Language = profile.Text{}; return s }})
	add("finds accounts damaged by their ids", "archives-show-accounts-unchanged", filter{namedReseller: func(s reseller.State) reseller.State { s.ID = 0; return s }})
	add("shows less of lines in a view", "lines-survive-unchanged", filter{viewLine: func(s line.State) line.State { s.Notes = profile.Text{}; return s }})
	add("shows less of lines in a list", "lines-survive-unchanged", filter{listedLine: func(s line.State) line.State { s.Password = nil; return s }})
	add("shows less of lines in an audit", "archives-show-lines-unchanged", filter{auditedLine: func(s line.State) line.State { s.Edited = false; return s }})
	add("finds lines damaged", "archives-show-lines-unchanged", filter{auditedLine: func(s line.State) line.State { s.ID = 0; return s }})
	add("shows less of lines by their ids", "archives-show-lines-unchanged", filter{namedLine: func(s line.State) line.State { s.Whatsapp = profile.Text{}; return s }})
	add("finds lines damaged by their ids", "archives-show-lines-unchanged", filter{namedLine: func(s line.State) line.State { s.ID = 0; return s }})
	movement := func(how string, change func(*credit.Movement)) {
		read := func(m credit.Movement) credit.Movement {
			m.Postings = slices.Clone(m.Postings)
			change(&m)
			return m
		}
		add(how, "movements-survive-unchanged", filter{movement: read})
		add(how+" in a statement", "movements-survive-unchanged", filter{stated: read})
		add(how+" in an audit", "archives-show-movements-unchanged", filter{audited: read})
	}
	movement("keeps one entry of a movement", func(m *credit.Movement) { m.Postings = m.Postings[:1] })
	add("shows less of movements by their names", "archives-show-movements-unchanged", filter{named: func(m credit.Movement) credit.Movement { m.Notes = ""; return m }})
	movement("turns the entries of a movement round", func(m *credit.Movement) { slices.Reverse(m.Postings) })
	for _, l := range leaves(reflect.TypeFor[credit.Posting]()) {
		movement("loses entry field "+l.path, func(m *credit.Movement) {
			for i, e := range m.Postings {
				m.Postings[i] = without(e, l)
			}
		})
	}
	movement("keeps links as text", func(m *credit.Movement) {
		for i, e := range m.Postings {
			copy(m.Postings[i].Hash[:], strings.ToValidUTF8(string(e.Hash[:]), "?"))
		}
	})
	movement("keeps 32 bits of a number", func(m *credit.Movement) { m.Postings[0].Seq = int64(int32(m.Postings[0].Seq)) })
	movement("keeps 32 bits of a line's id", func(m *credit.Movement) { m.Line = int64(uint32(m.Line)) })
	add("keeps passwords as text", "lines-survive-unchanged", filter{line: func(s line.State) line.State {
		s.Password = []byte(strings.ToValidUTF8(string(s.Password), "?"))
		return s
	}})
	add("keeps 32 bits of a platform id", "lines-survive-unchanged", filter{line: func(s line.State) line.State { s.PlatformID = int64(uint32(s.PlatformID)); return s }})
	add("keeps bodies as text", "key-records-survive-unchanged", filter{key: func(r ports.KeyRecord) ports.KeyRecord { r.Body = bytes.ToValidUTF8(r.Body, nil); return r }})
	return all
}
