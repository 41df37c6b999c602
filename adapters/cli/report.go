package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"resellerd/adapters/sheet"
	"resellerd/application/operate"
)

type reportCommand struct {
	StoreFlags
	Month  string `placeholder:"YYYY-MM" help:"Month of UTC, such as 2026-11; this month by default."`
	By     string `enum:"account,kind" default:"account" help:"account, a row for each account, or kind, a row for each kind of movements and for trials."`
	Format string `enum:"text,csv" default:"text" help:"text, a table, or csv, for spreadsheets."`
}

// Run runs the command.
func (c reportCommand) Run(s *session) error {
	from := time.Now().UTC()
	from = time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
	prepare := func(wrong *Misconfiguration) Store {
		if c.Month != "" {
			var err error
			if from, err = time.Parse("2006-01", c.Month); err != nil {
				wrong.Add("--month", fmt.Errorf("%q is no month such as 2026-11", c.Month))
			}
		}
		return s.Store(c.StoreFlags, false, s.stderr, wrong)
	}
	return perform(s, prepare, func(ctx context.Context, store Store) error {
		shown := newMeter(s.stderr)
		report, err := store.Report(ctx, from, from.AddDate(0, 1, 0), func(movements int64) {
			shown.onTerminal(accounting, movements, 0)
		})
		if shown.end(); err != nil {
			return interrupted(ctx, err)
		}
		rows := rowsByAccount(report)
		if c.By == "kind" {
			rows = rowsByKind(report)
		}
		if c.Format == "csv" {
			return s.writeCSV(rows)
		}
		return s.writeTable(rows)
	})
}

type row []string

// rowsByAccount returns a header, the accounts, and their total.
func rowsByAccount(r operate.Report) []row {
	rows := []row{{"account", "username", "trials", "activations", "extensions", "received", "spent", "given", "reclaimed",
		"beginning", "end"}}
	add := func(id, name string, a operate.AccountReport) {
		rows = append(rows, row{
			id, name, strconv.FormatInt(a.Trials, 10), strconv.FormatInt(a.Activations, 10), strconv.FormatInt(a.Extensions, 10),
			a.Received.String(), a.Spent.String(), a.Given.String(), a.Reclaimed.String(), a.Beginning.String(), a.End.String(),
		})
	}
	for _, a := range r.Accounts {
		add(strconv.FormatInt(a.ID, 10), a.Name, a)
	}
	add("total", "", r.Total)
	return rows
}

// rowsByKind returns a header, trials, and each kind of movements.
func rowsByKind(r operate.Report) []row {
	rows := []row{{"kind", "count", "credits"}, {"trial", strconv.FormatInt(r.Total.Trials, 10), "0"}}
	for _, k := range r.Kinds {
		rows = append(rows, row{k.Kind.String(), strconv.FormatInt(k.Count, 10), k.Credits.String()})
	}
	return rows
}

// writeCSV writes names so that no spreadsheet program runs them as formulas.
func (s *session) writeCSV(rows []row) error {
	w := csv.NewWriter(s.stdout)
	for i, r := range rows {
		if i > 0 {
			r[1] = sheet.Guard(r[1])
		}
		if err := w.Write(r); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func (s *session) writeTable(rows []row) error {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		text := strings.Join(r, "\t")
		if i == 0 {
			text = strings.ToUpper(text)
		}
		_, _ = fmt.Fprintln(columns, text)
	}
	_ = columns.Flush() // into memory
	_, err := fmt.Fprint(s.stdout, table.String())
	return err
}
