package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

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

// fake is a program whose every part ends with err, and a store in which an audit finds so much.
type fake struct {
	wrong, err error
	verdict    audit.Verdict
	every      time.Duration // between backups
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

func (f fakeBackup) Run(_ context.Context, o operate.Options) (operate.BackupResult, error) {
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
		return operate.RestoreResult{}, errors.New("somebody would be asked who is not there")
	}
	if f.verdict.Findings > 0 {
		o.Report("account 7: something")
		return operate.RestoreResult{Verdict: f.verdict}, f.err
	}
	return operate.RestoreResult{File: "a.db", KeyFile: "a.db.key", Fingerprint: "1234",
		Begun: operate.Begun{Epoch: "0a1b2c3d", Webhooks: 2, Jobs: 3}}, f.err
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

// fakes are what testdata/commands.txt has in brackets.
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
}

// TestACheckpointIsWrittenWhereNothingIsFound and an earlier one is kept otherwise.
func TestACheckpointIsWrittenWhereNothingIsFound(t *testing.T) {
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

// TestTheDocumentsNameEachCommand holds their tables of commands to the grammar, and their exit codes to the help.
func TestTheDocumentsNameEachCommand(t *testing.T) {
	var line commandLine
	parser, err := kong.New(&line, kong.Name("resellerd"))
	require.NoError(t, err)
	addHelp(parser.Model.Node, "")
	var commands, finding []string
	for _, leaf := range parser.Model.Leaves(false) {
		name, _, _ := strings.Cut(leaf.Path(), " (") // without its alias
		commands = append(append(commands, name), leaf.Aliases...)
		if strings.Contains(leaf.Detail, "\n    3  ") {
			finding = append(finding, name)
		}
		_, examples, _ := strings.Cut(leaf.Detail, "Examples:\n\n    ")
		examples, codes, _ := strings.Cut(examples, "Exit codes:\n\n    0  ")
		if !strings.Contains(examples, "resellerd "+name) || !strings.Contains(codes, "\n    2  ") {
			t.Errorf("the help of %s lacks examples or exit codes:\n%s", leaf.Path(), leaf.Detail)
		}
	}
	slices.Sort(commands)
	slices.Sort(finding)
	code := regexp.MustCompile("`([a-z][a-z-]*(?: [a-z][a-z-]*)?)[^`]*`")
	// cells returns what the first cells of a table's rows name; a word alone goes on with the first one's command.
	cells := func(document, header string) (names []string) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		_, table, _ := strings.Cut(string(text), "\n| "+header+" |")
		table, _, _ = strings.Cut(table, "\n\n")
		for _, row := range strings.Split(table, "\n")[1:] {
			parent := ""
			for _, span := range code.FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
				first, _, two := strings.Cut(span[1], " ")
				switch {
				case two:
					parent = first + " "
					names = append(names, span[1])
				default:
					names = append(names, parent+span[1])
				}
			}
		}
		slices.Sort(names)
		return names
	}
	for _, document := range []string{"../../README.md", "README.md"} {
		expect.Elements(t, cells(document, "Command"), commands, "%s: the commands", document)
	}
	for _, document := range []string{"README.md", "../../bootstrap/deploy/README.md"} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		_, row, _ := strings.Cut(string(text), "\n| 3 |")
		row, _, _ = strings.Cut(row, "\n")
		var named []string
		for _, span := range code.FindAllStringSubmatch(row, -1) {
			named = append(named, span[1])
		}
		slices.Sort(named)
		expect.Elements(t, named, finding, "%s: commands that end with exit code 3", document)
	}
}

// TestBackupsGoOn fails some that are not the first.
func TestBackupsGoOn(t *testing.T) {
	var stdout, stderr bytes.Buffer
	work := &failing{fakeBackup: fakeBackup{fake{}}}
	ended := make(chan int)
	go func() {
		ended <- run([]string{"backup", "--every", "1ms"}, strings.NewReader(""), &stdout, &stderr,
			failingProgram{fake{}, work})
	}()
	expect.Equal(t, <-ended, 0, "its exit code")
	expect.Equal(t, strings.Count(stdout.String(), "a.db (7 bytes)"), 2, "backups:\n%s", &stdout)
	expect.Contains(t, stderr.String(), "resellerd: no backup was made: it fails; the next one is tried in time\n")
}

type failingProgram struct {
	fake
	work Backup
}

func (p failingProgram) Backup(BackupFlags, io.Writer, *Misconfiguration) (Backup, time.Duration) {
	return p.work, time.Millisecond
}

// failing fails its second backup, and has the process asked to end in its fourth.
type failing struct {
	fakeBackup
	runs int
}

func (f *failing) Run(ctx context.Context, o operate.Options) (operate.BackupResult, error) {
	switch f.runs++; f.runs {
	case 2:
		return operate.BackupResult{}, errFails
	case 4:
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			return operate.BackupResult{}, err
		}
		<-ctx.Done()
		return operate.BackupResult{}, ctx.Err()
	}
	return f.fakeBackup.Run(ctx, o)
}
