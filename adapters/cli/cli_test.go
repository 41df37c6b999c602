package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/operate"
	"resellerd/application/rekey"
	"resellerd/application/transfer"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// fake is a program whose methods return err, and a store whose audit has a number of findings.
type fake struct {
	wrong, err error
	verdict    audit.Verdict
	every      time.Duration                   // between backups
	backup     func(ctx context.Context) error // in place of err
	events     []operate.Event
	report     operate.Report
	repaired   operate.Repaired
}

func (f fake) Serve(_ ServeFlags, cautions []string, _, stderr io.Writer) error {
	_, _ = fmt.Fprintf(stderr, "logged: %q\n", cautions)
	return f.err
}

func (f fake) Sandbox(_ SandboxFlags, cautions []string, _, stderr io.Writer) error {
	return f.Serve(ServeFlags{}, cautions, nil, stderr)
}

func (fake) Password() profile.Secret { return profile.NewSecret("generated") }

func (f fake) Store(_ StoreFlags, _ bool, _ io.Writer, wrong *Misconfiguration) Store {
	wrong.Add("RESELLERD_STORE", f.wrong)
	return f
}

func (f fake) Transfer(_ CopyFlags, _ io.Writer, wrong *Misconfiguration) Transfer {
	wrong.Add("--to", f.wrong)
	return f
}

func (f fake) Check(ServeFlags) error       { return f.err }
func (fake) OpenAPI(string) ([]byte, error) { return []byte("{}"), nil }

func (f fake) Backup(_ BackupFlags, _ io.Writer, wrong *Misconfiguration) (Backup, time.Duration) {
	wrong.Add("RESELLERD_STORE", f.wrong)
	return fakeBackup{f}, f.every
}

func (f fake) Restore(_ RestoreFlags, wrong *Misconfiguration) Restore {
	wrong.Add("RESELLERD_STORE", f.wrong)
	return fakeRestore{f}
}

type fakeBackup struct{ fake }

func (f fakeBackup) Run(ctx context.Context, o operate.Options) (operate.BackupResult, error) {
	if f.backup != nil {
		if err := f.backup(ctx); err != nil {
			return operate.BackupResult{}, err
		}
	}
	o.Copied(1, 2)
	o.Audited(3)
	if f.verdict.Findings > 0 {
		o.Report("account 7: something")
		return operate.BackupResult{Verdict: f.verdict}, f.err
	}
	o.Warn("something to know")
	return operate.BackupResult{File: "a.db", KeyFile: "a.db.key", Bytes: 7, Fingerprint: "1234",
		Removed: []string{"old.db"}}, f.err
}

type fakeRestore struct{ fake }

func (f fakeRestore) Run(_ context.Context, o operate.RestoreOptions) (operate.RestoreResult, error) {
	if o.Key != nil {
		return operate.RestoreResult{}, errors.New("the command would prompt without a terminal")
	}
	if f.verdict.Findings > 0 {
		o.Report("account 7: something")
		return operate.RestoreResult{Verdict: f.verdict}, f.err
	}
	return operate.RestoreResult{File: "a.db", KeyFile: "a.db.key", Fingerprint: "1234",
		RestoredState: operate.RestoredState{Epoch: "0a1b2c3d", Webhooks: 2, Jobs: 3}}, f.err
}

func (f fake) UseCases(context.Context, func(*application.Service) error) error { return f.err }

func (f fake) Rekey(_ context.Context, o rekey.Options) (rekey.Result, error) {
	o.Progress(rekey.SealLines, 7)
	if o.Leaked {
		o.Report("line 7: damaged")
		return rekey.Result{Fingerprint: "f00d", Findings: 3, Untried: 2}, f.err
	}
	return rekey.Result{Fingerprint: "f00d", Lines: 7, Answers: 3}, f.err
}

func (f fake) Repair(context.Context) (operate.Repaired, error) { return f.repaired, f.err }

func (f fake) Audit(_ context.Context, o audit.Options) (audit.Verdict, error) {
	if f.verdict.Findings > 0 {
		o.Report("account 7: something")
	} else if o.WriteCheckpoint != nil {
		_, _ = io.WriteString(o.WriteCheckpoint, "checkpoint")
	}
	return f.verdict, f.err
}

func (f fake) Events(_ context.Context, _ operate.EventQuery, report func(finding string),
	each func(operate.Event) error) error {
	if f.verdict.Findings > 0 {
		report("entry 7: damaged")
	}
	for _, e := range f.events {
		if err := each(e); err != nil {
			return err
		}
	}
	return f.err
}

func (f fake) Report(context.Context, time.Time, time.Time, func(int64)) (operate.Report, error) {
	return f.report, f.err
}

func (f fake) Run(context.Context, transfer.Options) (transfer.Result, error) {
	return transfer.Result{Verdict: f.verdict}, f.err
}

func (fake) KeyFiles() (ofTarget, ofSource string) { return "", "" }

var errFails = errors.New("it fails")

// fakes are the programs that testdata/commands.txt names in brackets.
var fakes = map[string]fake{
	"":           {},
	"fails":      {err: errFails},
	"wrong":      {wrong: errFails},
	"finds":      {verdict: audit.Verdict{Findings: 1, Resellers: 2}},
	"no account": {err: fault.ErrNotFound},
	"exists":     {err: fmt.Errorf("b.db: %w", operate.ErrExists)},

	"never served": {err: transfer.ErrSourceUnused},
	"fails later":  {err: errFails, every: time.Hour},
	"repairs":      {repaired: repaired},

	"repairs and finds": {repaired: repaired, verdict: audit.Verdict{Findings: 1, Resellers: 2}},
}

var repaired = operate.Repaired{{List: "line_names", Added: 1, Removed: 2}, {List: "figures", Added: 3}}

func TestHowCommandsEnd(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "commands.txt"))
	require.NoError(t, err)
	head := regexp.MustCompile(`^(.*?) ?(?:\[(.*)\] )?= (\d)$`)
	for i, c := range strings.Split(string(text), "\n\n")[1:] {
		lines := strings.Split(strings.TrimSuffix(c, "\n"), "\n")
		said := head.FindStringSubmatch(lines[0])
		if said == nil {
			t.Fatalf("case %d begins with %q", i, lines[0])
		}
		program, known := fakes[said[2]]
		expect.Equal(t, known, true, "the program %q", said[2])
		var out, errs []string
		for _, line := range lines[1:] {
			if text, is := strings.CutPrefix(line, "  out "); is {
				out = append(out, text)
			} else {
				errs = append(errs, strings.TrimPrefix(line, "  err "))
			}
		}
		code, stdout, stderr := ranBy(program, strings.Fields(said[1])...)
		expect.Equal(t, fmt.Sprint(code), said[3], "%s: code; printed %q and %q", lines[0], stdout, stderr)
		expect.Contains(t, stdout, strings.Join(out, "\n"), "%s: standard output", lines[0])
		expect.Contains(t, stderr, strings.Join(errs, "\n"), "%s: standard error", lines[0])
		if strings.HasSuffix(said[1], "--json") {
			expect.Equal(t, stdout, strings.Join(out, "\n")+"\n", "%s: standard output", lines[0])
		}
	}
	expect.Contains(t, versionRecord{Revision: "0a1b", Modified: true}.String(), "\nrevision 0a1b, with changes")
	_, stdout, _ := ranBy(fake{}, "version")
	expect.Equal(t, strings.Contains(stdout, "\nrevision "), version().Revision != "", "%s", stdout)
}

// TestACheckpointIsWrittenWithoutFindings only. With findings the earlier checkpoint stays.
func TestACheckpointIsWrittenWithoutFindings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "checkpoint")
	for _, c := range []struct {
		program fake
		want    string
	}{{fake{}, "checkpoint"}, {fake{verdict: audit.Verdict{Findings: 1}}, "earlier"}, {fake{err: errFails}, "earlier"}} {
		require.NoError(t, os.WriteFile(file, []byte("earlier"), 0o600))
		Run([]string{"audit", "--write-checkpoint", file}, io.Discard, io.Discard, c.program)
		if kept, err := os.ReadFile(file); err != nil || string(kept) != c.want {
			t.Errorf("%+v: the file has %q, %v, want %q", c.program, kept, err, c.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%+v: %v is left, %v", c.program, left, err)
		}
	}
}

// TestBackupsContinueAfterAFailure of a later backup than the first.
func TestBackupsContinueAfterAFailure(t *testing.T) {
	runs := 0
	failing := func(ctx context.Context) error {
		switch runs++; runs {
		case 2:
			return errFails
		case 4: // the end of the process
			self, err := os.FindProcess(os.Getpid())
			require.NoError(t, err)
			require.NoError(t, self.Signal(os.Interrupt))
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	code, stdout, stderr := ranBy(fake{every: time.Millisecond, backup: failing}, "backup", "--every", "1ms")
	expect.Equal(t, code, 0, "its exit code")
	expect.Equal(t, strings.Count(stdout, "a.db (7 bytes)"), 2, "backups:\n%s", stdout)
	expect.Contains(t, stderr, "resellerd: no backup was made: it fails; the next attempt is at the usual time\n")
}
