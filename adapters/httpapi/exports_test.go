package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/sheet"
	"resellerd/application"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
)

// hostileTexts are texts that an export must preserve, although spreadsheet programs interpret them.
var hostileTexts = []string{"+5511987654321", "007", "=cmd|'/c calc'!A0", "'quoted", `a "b", c; d`, "two\nlines", "null",
	"a\u2028b"}

// exportedRows requests an export in both formats, compares them, and returns its rows by column, with empty texts for
// null.
func exportedRows(t *testing.T, by caller, path string) (rows []map[string]string) {
	t.Helper()
	table, err := sheet.Open(bytes.NewReader(by.Send(t, "GET", path, nil).Is(200).Body), sheet.Columns{})
	must(t, err)
	of := map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
	for _, object := range by.Send(t, "GET", path+of+"format=ndjson", nil).List() {
		cells, err := table.Read()
		must(t, err)
		row := map[string]string{}
		for i, name := range table.Header() {
			row[name] = cells[i]
			switch value := object.Fields[name].(type) {
			case nil:
				expect.Equal(t, cells[i], "", "%s: %s as CSV", object.Request, name)
			case map[string]any:
				expect.Equal(t, cells[i], string(api.Encode(t, value)), "%s: %s as CSV", object.Request, name)
			default:
				expect.Equal(t, cells[i], fmt.Sprint(value), "%s: %s as CSV", object.Request, name)
			}
		}
		expect.Equal(t, len(object.Fields), len(cells), "%s: members", object.Request)
		rows = append(rows, row)
	}
	_, err = table.Read()
	expect.Error(t, err, io.EOF, "%s: the end of the table", path)
	return rows
}

// TestAnExportHasTheRecordsOfItsList in both formats, for lines, accounts and a statement.
func TestAnExportHasTheRecordsOfItsList(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	below := master.Reseller(t, "10")
	for i, text := range hostileTexts {
		var l line
		if i == 0 {
			l = below.Official(t)
		} else {
			l = master.Trial(t)
		}
		master.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"),
			fields{"notes": text, "metadata": fields{"text": text, "plan": "gold"}}).Is(200)
	}
	rows := exportedRows(t, master.Caller, "/exports/lines")
	expect.Equal(t, len(rows), len(hostileTexts), "rows")
	for i, row := range rows {
		listed := master.Get(t, "/lines/"+row["id"]).Has(fields{"notes": hostileTexts[i],
			"metadata": map[string]any{"text": hostileTexts[i], "plan": "gold"}})
		for name, cell := range row {
			if value := listed.Fields[name]; value != nil && name != "metadata" {
				expect.Equal(t, cell, fmt.Sprint(value), "line %s: %s is exported", row["id"], name)
			}
		}
		expect.Equal(t, row["notes"], hostileTexts[i], "the notes")
		expect.Equal(t, row["password"] == "", false, "line %s lacks its password", row["id"])
	}
	accounts := exportedRows(t, master.Caller, "/exports/users?q="+strings.ToUpper(below.Username))
	expect.Equal(t, len(accounts), 1, "accounts that a search finds")
	expect.Equal(t, accounts[0]["credits"], below.Credits(t), "what it holds")
	statement := api.Query("/exports/ledger", "account", below.ID)
	entries := exportedRows(t, master.Caller, statement)
	expect.Equal(t, entries[0]["amount"]+" of "+entries[1]["amount"], "-0.5 of 10", "the statement")
	expect.DeepEqual(t, exportedRows(t, master.Caller, statement+"&from="+entries[0]["at"]), entries[:1], "a period of it")
	below.Send(t, "GET", api.Query("/exports/ledger", "account", master.ID), nil).Refused(404, "not-found")
}

// TestAnExportInALanguage has translated names of columns, local times and decimals, and passwords only if requested.
func TestAnExportInALanguage(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.clock.Set(fixture.Time("2026-12-01T01:30:00Z"))
	r := srv.Admin(t).Reseller(t, "10")
	l := r.Official(t)
	local := "?language=pt&time_zone=America/Sao_Paulo"
	table := func(path string) string { return string(r.Send(t, "GET", path, nil).Is(200).Body) }
	expect.Equal(t, regexp.MustCompile(`[0-9a-f-]{36}`).ReplaceAllString(table("/exports/ledger"+local), ""),
		"\ufeffID;Número;Tipo;Valor;Saldo;Contraparte;ID do cliente;Cliente;Feito por (ID);Feito por;ID da solicitação;"+
			"Observações;Data;Nome da contraparte\r\n"+fmt.Sprintf("2;2;Ativação;-0,5;9,5;Consumo;%d;%s;%d;%s;;;30/11/2026 22:30;\r\n", l.ID,
			l.Username, r.ID, r.Username)+
			"1;1;Primeiros créditos;10;10;Emissão;;;1;;;;30/11/2026 22:30;\r\n", "the statement")
	shown, hidden := table("/exports/lines"+local), table("/exports/lines"+local+"&passwords=false")
	expect.Equal(t, strings.Contains(shown, ";"+l.Password+";não;sim;Ativo;não;"), true, "%s", shown)
	expect.Equal(t, hidden, strings.Replace(shown, l.Password, "", 1), "without passwords")
	for _, path := range []string{"/exports/lines", "/exports/users", "/exports/ledger"} {
		names := strings.Split(strings.TrimPrefix(strings.SplitN(table(path), "\r", 2)[0], "\ufeff"), ",")
		for _, language := range []string{"en", "pt", "es"} {
			header, _, _ := strings.Cut(table(path+"?language="+language), "\r")
			for i, name := range strings.FieldsFunc(header, func(c rune) bool { return c == ',' || c == ';' }) {
				expect.Equal(t, name == names[i], false, "%s: %s in %s", path, name, language)
			}
		}
	}
}

// exporting is the API, with lines of an administrator, over a connection.
func exporting(t *testing.T, changes ...func(*inprocess.Parts)) (w *whole, address string) {
	t.Helper()
	w = newWhole(t, changes...)
	for range 2*application.MostHeld + 1 {
		if a := w.ask(t.Context(), "POST /lines/test"); a.Code != 201 {
			t.Fatal(a.Body)
		}
	}
	served := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w.serving.Lock()
		defer w.serving.Unlock()
		w.ServeHTTP(to, r)
	}))
	t.Cleanup(served.Close)
	return w, served.URL
}

// read requests an export of lines and reads the whole answer. Then the handler has ended as well.
func (w *whole) read(address string) (status int, body []byte, err error) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address+"/exports/lines?format=ndjson", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	w.serving.Lock()
	defer w.serving.Unlock()
	return answer.StatusCode, body, err
}

// cut expects that an export ends after the given number of rows, if the store calls do at the second page.
func (w *whole) cut(address string, rows int, do func() error) {
	w.t.Helper()
	reads := 0
	w.store.first = func(context.Context) error {
		if reads++; reads == 3 { // after the place of its account and a page
			return do()
		}
		return nil
	}
	status, body, err := w.read(address)
	expect.Equal(w.t, status, 200, "status")
	expect.Error(w.t, err, io.ErrUnexpectedEOF, "an export that is cut")
	expect.Equal(w.t, bytes.Count(body, []byte{'\n'}), rows, "rows")
	expect.Equal(w.t, bytes.Contains(body, []byte("problem")), false, "it shows a problem: %s", body)
}

// TestACutExportEndsWithoutItsLastChunk, so that a client sees that it is incomplete, and the handler ends.
func TestACutExportEndsWithoutItsLastChunk(t *testing.T) {
	t.Parallel()
	w, address := exporting(t)
	for range 3 { // more than may be under way at once
		w.log.Reset()
		w.cut(address, application.MostHeld, func() error { return errors.New("a defect") })
		if log := w.log.String(); strings.Contains(log, "goroutine") || !strings.Contains(log, `"msg":"request failed"`) ||
			!strings.Contains(log, `"msg":"request"`) {
			t.Errorf("the log has\n%s", log)
		}
	}
	w.cut(address, application.MostHeld, func() error {
		w.ask(t.Context(), "DELETE /auth/static-token")
		return nil
	})
	w.store.first = func(context.Context) error { return ports.ErrUnavailable }
	if status, _, err := w.read(address); status < 400 || err != nil {
		t.Errorf("before the first row a failure is answered %d, error %v", status, err)
	}
}

// slow reads a piece of an answer after a time, if its deadline permits.
type slow struct {
	api.Recorder
	takes    time.Duration
	deadline time.Time
}

func (s *slow) Unwrap() http.ResponseWriter { return s.Recorder }

func (s *slow) SetWriteDeadline(at time.Time) error {
	s.deadline = at
	return nil
}

func (s *slow) Write(b []byte) (int, error) {
	if left := time.Until(s.deadline); !s.deadline.IsZero() && left < s.takes {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(s.takes)
	return s.Recorder.Write(b)
}

// TestASlowReaderOfAnExport cuts off a client that reads nothing for 30 seconds, but not one that reads slowly for an
// hour.
func TestASlowReaderOfAnExport(t *testing.T) {
	for name, c := range map[string]struct {
		takes  time.Duration
		whole  bool
		after  time.Duration // at most
		status int           // in the log
	}{
		"at once":   {0, true, 0, 200},
		"slowly":    {25 * time.Second, true, time.Hour, 200},
		"at no end": {24 * time.Hour, false, 31 * time.Second, 499},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWhole(t)
				for range 2*application.MostHeld + 1 {
					w.ask(t.Context(), "POST /lines/test")
				}
				w.log.Reset()
				r := httptest.NewRequestWithContext(t.Context(), "GET", "/exports/lines", nil)
				r.Header.Set("Authorization", "Bearer "+w.token)
				answer, began := &slow{Recorder: api.NewRecorder(), takes: c.takes}, time.Now()
				var aborted error
				func() {
					defer func() { aborted, _ = recover().(error) }()
					w.ServeHTTP(answer, r)
				}()
				if (aborted == nil) != c.whole || !c.whole && !errors.Is(aborted, http.ErrAbortHandler) ||
					time.Since(began) > c.after {
					t.Errorf("after %s it ended with %v", time.Since(began), aborted)
				}
				rows := strings.Count(answer.Body.String(), "\r\n")
				expect.Equal(t, rows == 2*application.MostHeld+2, c.whole, "%d rows are all", rows)
				w.logged(c.status, false)
			})
		})
	}
}

// TestAnExportEndsWithTheProcess: the process cuts off a running export, and refuses another one.
func TestAnExportEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	draining, drain := context.WithCancel(t.Context())
	w, address := exporting(t, func(p *inprocess.Parts) { p.HTTP.Draining = draining })
	w.cut(address, 2*application.MostHeld, func() error {
		drain()
		return nil
	})
	status, body, err := w.read(address)
	must(t, err)
	expect.Equal(t, status, 503, "%s", body)
	expect.Lacks(t, w.log.String(), `"level":"ERROR"`, "the log of a client that went away")
}
