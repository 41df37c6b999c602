package httpapi

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"resellerd/application/ledger"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
)

// FuzzRecords parses the records of lists strictly, and finds their texts in them: an invalid byte as U+FFFD, and
// nothing that ends a line of JavaScript.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{"", "São Paulo", "\"quoted\" \\ \t\n\r\b\f\x00\x1f", "<a&b>\u2028\u2029\x7f", "\xef",
		"\uFFFD \xc3\x28 \xed\xa0\x80 😀"} {
		f.Add(text, int64(1_700_000_000_123))
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		at := time.UnixMilli(n % (1 << 47)).UTC()
		at = at.AddDate(2000-at.Year(), 0, 0)
		some := profile.RestoreText(text)
		l, err := line.Restore(line.State{ID: 1, Trial: true, Owner: reseller.Position{ID: 2, Ancestors: []int64{1}},
			Username: profile.RestoreUsername("a", "a"),
			Password: []byte("x"), Known: line.Known{Country: some, Notes: some}, CreatedAt: at, UpdatedAt: at, ExpiresAt: at})
		must(t, err)
		r, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 2, Ancestors: []int64{1}},
			Role:     reseller.Standard,
			Username: profile.RestoreUsername("a", "a"), PasswordHash: "x",
			Contact: reseller.Contact{Country: some, Notes: some}, CreatedAt: at, UpdatedAt: at})
		must(t, err)
		m := credit.Movement{Provenance: credit.Provenance{Notes: text, At: at}, Operation: credit.Recharge,
			Source: credit.Reseller(1), Target: credit.Reseller(2)}
		for _, record := range []appender{
			lineRecord{lines.Line{Line: l, Password: profile.NewSecret(text)}, true},
			resellerRecord{resellers.Reseller{Reseller: r}, true}, entryOf(ledger.Entry{Movement: m}),
		} {
			written := encode(record)
			var read map[string]any
			if err := json.Unmarshal(written, &read); err != nil {
				t.Fatalf("%s: %v", written, err)
			}
			notes, _ := read["notes"].(string)
			expect.Equal(t, notes, string([]rune(text)), "the notes of %s", written)
			expect.Equal(t, strings.ContainsAny(string(written), "\u2028\u2029"), false, "%s has line ends", written)
			if created, is := read["createdAt"]; is && created != at.Format("2006-01-02T15:04:05.000Z") {
				t.Errorf("%s is written as %s", at, created)
			}
		}
	})
}

// TestATestOfAWebhookHasAnIDOfItsOwn, and no number of the journal.
func TestATestOfAWebhookHasAnIDOfItsOwn(t *testing.T) {
	sent := EncodeEvent(journal.Numbered{Entry: journal.Entry{Type: journal.WebhookTest, Data: []journal.Datum{
		{Name: journal.Test, Value: journal.Number(2)}, {Name: journal.Webhook, Value: journal.Number(5)}}}})
	expect.Contains(t, string(sent), `{"id":"test_5_2","seq":0,"type":"webhook.test",`)
	expect.Contains(t, string(sent), `"data":{"test":2,"webhook":5}}`)
}
