package audit_test

import (
	"context"
	"testing"

	"resellerd/domain/message"
	"resellerd/ports"
	"resellerd/test/require"
)

func TestAuditChecksMessagesOfAccounts(t *testing.T) {
	l := newLedger(t)
	l.master()
	l.master()
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		all := ports.Messages.In(tx.Records)
		for _, m := range []message.AccountTexts{
			{Account: 1, Texts: message.Texts{Access: "{username}\n{password}", Whatsapp: "+55 11"}},
			{Account: 2, Texts: message.Texts{Server: "two\nrows"}},
			{Account: 3},
			{Account: 99, Texts: message.Texts{Apps: "one"}},
		} {
			require.NoError(t, all.Insert(ctx, m))
		}
		return nil
	}))
	finds(t, l, "",
		"messages 2: a text is not in its stored form",
		"messages 3: it has no text",
		"messages 99: its owner, account 99, is missing",
	)
}
