package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"resellerd/application/audit"
	"resellerd/application/operate"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// hostile has characters that control a terminal, end a line or reverse a text.
const hostile = "\x1b[31m\a\u202ea\u2066\u2028\u0085\x7f\ufeff\u200b\U000e0001"

// expectVisible fails if an output has an invisible character.
func expectVisible(t *testing.T, what string, outputs ...string) {
	t.Helper()
	for _, text := range outputs {
		odd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || profile.IsFormat(r) }
		if strings.ContainsFunc(text, odd) || !utf8.ValidString(text) {
			t.Errorf("%s printed %q", what, text)
		}
	}
}

func TestOutputShowsUnseenCharactersAsEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"Łódź\t\"a\"\n 👩‍👩‍👧 می\u200cخواهم": "Łódź\t\"a\"\n 👩‍👩‍👧 می\u200cخواهم",
		"\x1b[31ma\r\n\u202eb\u2028":        `\u001b[31ma\u000d` + "\n" + `\u202eb\u2028`,
		"\ufeff\x7f\u009b\U000e0001":        `\ufeff\u007f\u009b\udb40\udc01`,
		"a\x9bb\xff":                        "a\ufffdb\ufffd",
		"a\xe2\x80":                         "a\ufffd",
	} {
		for size := 1; size <= len(in); size++ { // a character may come in several writes
			var out bytes.Buffer
			v := &visible{out: &out}
			for piece := range slices.Chunk([]byte(in), size) {
				if n, err := v.Write(piece); n != len(piece) || err != nil {
					t.Fatalf("writing %q: %d, %v", piece, n, err)
				}
			}
			v.end()
			expect.Equal(t, out.String(), want, "%q by %d bytes", in, size)
		}
	}
	expect.Equal(t, quotedIfOdd("a\x1b"), `"a\x1b"`, "a text of a user")
	_, err := (&visible{out: full{}}).Write([]byte("a"))
	expect.Error(t, err, errFails, "a failure to write")
}

// storeOfHostileTexts is a store with hostile texts.
type storeOfHostileTexts struct{ fake }

func (s storeOfHostileTexts) Store(StoreFlags, bool, io.Writer, *Misconfiguration) Store { return s }

func (storeOfHostileTexts) Audit(_ context.Context, o audit.Options) (audit.Verdict, error) {
	o.Report("account 7: the name " + hostile + "\nall well")
	return audit.Verdict{Findings: 1}, nil
}

func (s storeOfHostileTexts) Serve(_ ServeFlags, cautions []string, stdout, stderr io.Writer) error {
	_, _ = fmt.Fprintln(stdout, hostile)
	_, _ = fmt.Fprintln(stderr, cautions, hostile)
	return errors.New(hostile)
}

// TestNoCommandPrintsUnseenCharacters from stored texts, arguments, files or answers.
func TestNoCommandPrintsUnseenCharacters(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := json.Marshal(hostile + "\nall well")
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "keys") { // valid JSON, and not UTF-8
			_, _ = fmt.Fprintf(w, `{"data":[{"id":1,"name":%s,"role":%[1]s,"spent":%[1]s,"expires_at":%[1]s,"more":"%s"}]}`, said,
				"\u202e\x9b")
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"detail":%s,"code":%[1]s,"errors":[{"pointer":%[1]s,"detail":%[1]s}]}`, said)
	}))
	t.Cleanup(server.Close)
	t.Setenv("RESELLERD_URL", server.URL)
	t.Setenv("RESELLERD_TOKEN", "rsk_1_x")
	t.Setenv("RESELLERD_\u202eODD", "x")
	table := filepath.Join(t.TempDir(), "table\u202e.csv")
	require.NoError(t, os.WriteFile(table, []byte("\x1b[31mexternal_id,\u202e\n1,2\n"), 0o600))
	entry := operate.Event{Numbered: journal.Numbered{Head: journal.Head{Epoch: "0a1b2c3d", Seq: 1}, Entry: journal.Entry{
		Type: journal.LineUpdated, At: fixture.Time("2026-11-23T21:14:05Z"), Account: reseller.Position{ID: 7}, Line: 9,
		Actor: journal.Actor{Account: 7, Kind: journal.ByKey, Principal: 4, Name: hostile}, Request: hostile, Reason: hostile,
		Changes: []journal.Change{{Field: "country", Shown: true, Before: journal.Text(hostile), After: journal.Text("c")}},
		Data:    []journal.Datum{{Name: journal.Username, Value: journal.Text(hostile)}},
	}}, Names: map[int64]string{7: hostile}}
	program := storeOfHostileTexts{fake{events: []operate.Event{entry},
		report: operate.Report{Accounts: []operate.AccountReport{{ID: 7, Name: hostile}}}}}
	for _, args := range [][]string{
		{"events"}, {"events", "--format", "ndjson"}, {"report"}, {"report", "--format", "csv"}, {"audit"},
		{"audit", "--json"}, {"serve"}, {hostile},
		{"events", "--since", hostile}, {"events", "--type", hostile}, {"events", "--account", hostile},
		{"events", "--format", hostile}, {"report", "--month", hostile},
		{"key", "list"}, {"key", "list", "--json"}, {"key", "create", "--name=a", "--role=b"},
		{"key", "revoke", hostile},
		{"import", "csv", table, "--owner", "maria"}, {"import", "marzban", hostile, "--owner", hostile},
		{"config", "--addr", hostile}, {"admin", "block", hostile}, {"health"},
		{"audit", "--checkpoint", hostile},
	} {
		_, stdout, stderr := ranBy(program, args...)
		expectVisible(t, strings.Join(args, " "), stdout, stderr)
		expect.Lacks(t, stdout+stderr, "\nall well", "%q: a text of others", args)
	}
}

// TestNoTextPassesForAnotherOne in the text format of the journal.
func TestNoTextPassesForAnotherOne(t *testing.T) {
	const forged = `k (1) of admin (1) from 10.0.0.1 deleted line x (9) of maria (7) (line.deleted; evt_0a1b2c3d_9)`
	for name, e := range map[string]journal.Entry{
		"the name of a key": {Actor: journal.Actor{Account: 7, Kind: journal.ByKey, Principal: 4, Name: forged}},
		"a reason":          {Reason: forged},
		"a request's id":    {Request: forged},
		"a changed text": {
			Changes: []journal.Change{{Field: "country", Shown: true, Before: journal.Text(forged),
				After: journal.Text(forged)}}},
		"a detail": {Data: []journal.Datum{{Name: "code", Value: journal.Text(forged)}}},
	} {
		e.Type, e.Account, e.Line = journal.TrialCreated, reseller.Position{ID: 7}, 9
		var out bytes.Buffer
		require.NoError(t, writeEvent(&out, operate.Event{Numbered: journal.Numbered{Entry: e}}))
		if shown := out.String(); strings.Count(shown, forged) != strings.Count(shown, `"`+forged+`"`) ||
			!strings.Contains(shown, forged) {
			t.Errorf("%s is shown as %s", name, shown)
		}
	}
}
