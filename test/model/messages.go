package model

import "maps"

// Messages are texts of an account by their names, those that there are.
type Messages map[string]string

// MessageNames are what the texts are called.
var MessageNames = []string{"server", "apps", "access", "reminder", "expired", "welcome", "whatsapp", "telegram"}

// SetMessages decides which texts an account has of its own. They are no part of its record.
func (w *World) SetMessages(by, target *Reseller, texts Messages, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.Sees(target), "not-found"), func() {
		if maps.Equal(target.Messages, texts) {
			return
		}
		target.Messages = maps.Clone(texts)
		e := did(by, "reseller.updated", at)
		e.Account, e.Changes, e.Data = target, map[string]any{"messages": true}, named(target.Name)
		w.happened(e)
	}
}

// Inherited are the texts that an account has from above.
func (r *Reseller) Inherited() Messages {
	found := Messages{}
	reached := false
	for above := r.Parent; above != nil; above = above.Parent {
		for name, text := range above.Messages {
			contact := name == "whatsapp" || name == "telegram"
			if _, has := found[name]; !has && (!contact || !reached) {
				found[name] = text
			}
		}
		reached = reached || above.Messages["whatsapp"] != "" || above.Messages["telegram"] != ""
	}
	return found
}
