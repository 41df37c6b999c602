package resellers

import (
	"context"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/message"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Messages are an account's messages to its customers.
type Messages struct {
	Own       message.Texts
	Inherited message.Texts // apply where the account has no text of its own: see message.Inherited
}

// Messages returns an account's messages to its customers. The refusal is fault.ErrNotFound.
func (s Service) Messages(ctx context.Context, call usecase.Call, id int64) (Messages, error) {
	return usecase.Query(ctx, s.k, call, "read messages",
		func(ctx context.Context, in usecase.View) (m Messages, err error) {
			of, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, id)
			if err != nil {
				return m, err
			}
			if m.Own, err = messagesOf(ctx, in.Records, id); err != nil {
				return m, err
			}
			m.Inherited, err = messagesAbove(ctx, in.Records, of)
			return m, err
		})
}

// messagesOf returns an account's own messages.
func messagesOf(ctx context.Context, records record.Reader, id int64) (message.Texts, error) {
	own, err := ports.Messages.From(records).Get(ctx, id)
	if usecase.IsNotFound(err) {
		err = nil
	}
	return own.Texts, err
}

func messagesAbove(ctx context.Context, records record.Reader, of *reseller.Reseller) (message.Texts, error) {
	ancestors := of.Position().Ancestors
	above := make([]message.Texts, len(ancestors))
	for i, id := range ancestors {
		var err error
		if above[len(above)-1-i], err = messagesOf(ctx, records, id); err != nil {
			return message.Texts{}, err
		}
	}
	return message.Inherited(above), nil
}

// SetMessages is the command to replace an account's own messages.
type SetMessages struct {
	ID int64
	message.Texts
}

// SetMessages replaces an account's own messages. The refusal is fault.ErrNotFound.
func (s Service) SetMessages(ctx context.Context, call usecase.Call, c SetMessages,
	render usecase.Render[Messages]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Messages]{
		Name:  "set messages",
		Event: journal.ResellerUpdated,
		Reads: ports.Reads{Reseller: c.ID, Records: []record.Name{ports.Messages.Named(c.ID)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (m Messages, err error) {
			of, err := usecase.VisibleReseller(ctx, tx.Resellers, tx.Actor, c.ID)
			if err != nil {
				return m, err
			}
			m.Own = c.Texts
			if m.Inherited, err = messagesAbove(ctx, tx.Records, of); err != nil {
				return m, err
			}
			was, err := messagesOf(ctx, tx.Records, c.ID)
			if err != nil || was == c.Texts {
				return m, err
			}
			return m, replaceMessages(ctx, tx, of, was, c.Texts)
		},
	})
}

// replaceMessages stores texts that differ from the present ones of an account.
func replaceMessages(ctx context.Context, tx *usecase.Tx, of *reseller.Reseller, was, is message.Texts) error {
	state := of.State()
	tx.Written, tx.Entry = true, tx.Entry.WithMessages(&state)
	all, own := ports.Messages.In(tx.Records), message.AccountTexts{Account: of.ID(), Texts: is}
	switch none := (message.Texts{}); none {
	case is:
		return all.Delete(ctx, of.ID())
	case was:
		return all.Insert(ctx, own)
	}
	return all.Save(ctx, own)
}
