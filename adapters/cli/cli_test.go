package cli

import (
	"bytes"
	"context"
	"encoding/json"
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

func TestHowCommandsEnd(t *testing.T) {
	found := audit.Verdict{Findings: 1}
	repaired := operate.Repaired{{List: "line_names", Added: 1, Removed: 2}, {List: "figures", Added: 3}}
	for _, c := range []struct {
		args           string
		program        fake
		want           int
		stdout, stderr string // that they hold
	}{
		{"", fake{}, ExitUsage, "", "resellerd --help lists the commands"},
		{"nothing", fake{}, ExitUsage, "", "resellerd --help lists the commands"},
		{"serve", fake{}, 0, "", ""},
		{"serve", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"admin create maria", fake{}, 0, "username: maria\npassword: generated\n", ""},
		{"admin create maria", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"admin password maria", fake{err: fault.ErrNotFound}, ExitFailed, "",
			"resellerd: there is no account named maria\n"},
		{"admin create --password-file=nowhere " + strings.Repeat("x", 65), fake{wrong: errFails}, ExitUsage, "",
			"RESELLERD_STORE: it fails\n  username: This is too long: at most 64 characters\n  --password-file: "},
		{"audit", fake{}, 0, "all well: 0 accounts", ""},
		{"verify", fake{}, 0, "all well: 0 accounts", ""},
		{"audit", fake{verdict: found}, ExitFound, "account 7: something\n1 findings", ""},
		{"audit", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"audit", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"audit --repair-lists", fake{}, 0, "repaired nothing: no list differs from the records\nall well: 0 accounts", ""},
		{"audit --repair-lists --json", fake{}, 0, `{"repaired":[]}` + "\n" + `{"findings":0,`, ""},
		{"audit --repair-lists", fake{repaired: repaired, verdict: found}, ExitFound,
			"repaired line_names: 1 added, 2 removed\nrepaired figures: 3 added, 0 removed\naccount 7: something\n1 findings", ""},
		{"audit --repair-lists --json", fake{repaired: repaired}, 0,
			`{"repaired":[{"list":"line_names","added":1,"removed":2},{"list":"figures","added":3,"removed":0}]}` + "\n", ""},
		{"audit --repair-lists", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"audit --checkpoint=nowhere", fake{}, ExitFailed, "", "nowhere"},
		{"rekey", fake{}, 0,
			"resealed: 7 passwords of lines, the secret fields of 0 records and 3 recorded answers; everything that can be opened is sealed under the service key with the fingerprint f00d", "sealing the passwords of lines"},
		{"rekey", fake{}, 0, "the previous service key is needed no more", ""},
		{"rekey --leaked", fake{}, ExitFound, "1 records can't be opened", ""},
		{"rekey --leaked", fake{}, ExitFound,
			"2 records are damaged, and what they have sealed was not tried: repair them and repeat the command; what is", ""},
		{"rekey", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"rekey", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"copy --from=a --to=b", fake{}, 0, "copied, and all well: ", ""},
		{"copy --from=a --to=b", fake{verdict: found}, ExitFound, "nothing was copied", ""},
		{"copy --from=a --to=b", fake{err: transfer.ErrSourceUnused}, ExitFailed, "", "resellerd: --from: "},
		{"copy --from=a --to=b", fake{wrong: errFails}, ExitUsage, "", "--to: it fails"},
		{"sandbox", fake{}, 0, "", ""},
		{"sandbox", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"admin block maria", fake{}, 0, "maria and every account below it are blocked", ""},
		{"admin unblock maria", fake{}, 0, "maria is no longer blocked itself\n", ""},
		{"admin block maria", fake{err: fault.ErrNotFound}, ExitFailed, "", "there is no account named maria\n"},
		{"admin block " + strings.Repeat("x", 65), fake{wrong: errFails}, ExitUsage, "",
			"RESELLERD_STORE: it fails\n  username: This is too long"},
		{"admin totp-reset maria", fake{}, 0, "maria signs in without a code: the second factor is removed\n", ""},
		{"admin totp-reset maria", fake{err: fault.ErrNotFound}, ExitFailed, "", "maria\n"},
		{"admin totp-reset " + strings.Repeat("x", 65), fake{wrong: errFails}, ExitUsage, "",
			"RESELLERD_STORE: it fails\n  username: This is too long"},
		{"admin list", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"admin list", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"backup", fake{}, 0,
			"a.db (7 bytes), and all well: 0 accounts, 0 lines, 0 movements and 0 entries of the journal; 0 credits issued = 0 consumed + 0 held\nits service key is in a.db.key: whoever has both can read all line passwords\nremoved old.db\n", "resellerd: something to know\n"},
		{"backup", fake{verdict: found}, ExitFound,
			"account 7: something\n1 findings in 0 accounts, 0 lines, 0 movements and 0 entries of the journal: no backup was kept\n", ""},
		{"backup", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"backup --every 1h", fake{err: errFails, every: time.Hour}, ExitFailed, "", "resellerd: it fails\n"},
		{"backup", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"restore a", fake{}, 0,
			"restored to a.db, opened as the service does, and all well: 0 accounts, 0 lines, 0 movements and 0 entries of the journal; 0 credits issued = 0 consumed + 0 held\nits service key is in a.db.key\nits journal begins the epoch 0a1b2c3d: what follows it by a cursor from before is told to start over\n2 webhooks were disabled: each is enabled again by its owner\n", ""},
		{"restore a", fake{verdict: found}, ExitFound,
			"account 7: something\n1 findings in 0 accounts, 0 lines, 0 movements and 0 entries of the journal of the backup: nothing was restored\n", ""},
		{"restore a", fake{err: fmt.Errorf("b.db: %w", operate.ErrExists)}, ExitExists, "",
			"resellerd: b.db: it is there already, and nothing is overwritten\n"},
		{"restore a", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"restore a", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"restore", fake{}, ExitUsage, "", "<backup>"},
		{"events", fake{}, 0, "", ""},
		{"events --account maria", fake{err: fault.ErrNotFound}, ExitFailed, "", "resellerd: there is no account maria\n"},
		{"events", fake{verdict: found}, 0, "", "resellerd: entry 7: damaged: 'resellerd audit' says more\n"},
		{"events", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{
			"events --since yesterday --until=-1h --line 0 --type line --account " + strings.Repeat("x", 65),
			fake{wrong: errFails}, ExitUsage, "",
			`--since: "yesterday" is no time such as 2026-11-23T18:00:00Z, no day such as 2026-11-23, and not how long ago it was, such as 24h` + "\n  --until: \"-1h\" is no time",
		},
		{"events --line 0 --type line --account " + strings.Repeat("x", 65), fake{wrong: errFails}, ExitUsage, "",
			"--account: This is too long"},
		{"events --line 0 --type line", fake{wrong: errFails}, ExitUsage, "",
			"--line: \"0\" is no id\n  --type: no type of entry is named \"line\"\n  RESELLERD_STORE: it fails"},
		{"events --format xml", fake{}, ExitUsage, "", "--format"},
		{"report", fake{}, 0, "ACCOUNT", ""},
		{"report", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"report --month 2026-13", fake{wrong: errFails}, ExitUsage, "",
			"--month: \"2026-13\" is no month such as 2026-11\n  RESELLERD_STORE: it fails"},
		{"report --by name", fake{}, ExitUsage, "", "--by"},
		{"entitlements follow --exec= --state= --timeout=0s", fake{}, ExitUsage, "",
			"--timeout: 0s is no time to wait\n  --exec: this must not be empty\n  --state: this must not be empty\n"},
		{"entitlements", fake{}, ExitUsage, "", "follow"},
		{"openapi", fake{}, 0, "{}", ""},
		{"version", fake{}, 0, "resellerd ", ""},
		{"completion bash", fake{}, 0, "complete -o default -C 'resellerd __complete' resellerd\n", ""},
		{"completion tcsh", fake{}, ExitUsage, "", "bash"},
		{"config", fake{}, 0, "RESELLERD_ADDR", ""},
		{"config", fake{err: errFails}, ExitFailed, "RESELLERD_ADDR", "resellerd: it fails\n"},
	} {
		got, stdout, stderr := ranBy(c.program, strings.Fields(c.args)...)
		if got != c.want || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%q with %+v: code %d, want %d; printed %q and %q", c.args, c.program, got, c.want, stdout, stderr)
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

// TestJSONIsAnObjectOnALine asks each command that can for it.
func TestJSONIsAnObjectOnALine(t *testing.T) {
	found := audit.Verdict{Findings: 1, Resellers: 2}
	for _, c := range []struct {
		args    string
		program fake
		want    string
	}{
		{"admin create maria", fake{}, `{"username":"maria","password":"generated"}`},
		{"admin block maria", fake{}, `{"username":"maria","blocked":true}`},
		{"admin unblock maria", fake{}, `{"username":"maria","blocked":false}`},
		{"admin totp-reset maria", fake{}, `{"username":"maria","second_factor":false}`},
		{"audit", fake{},
			`{"findings":0,"accounts":0,"lines":0,"movements":0,"entries":0,"issued":"0","consumed":"0","held":"0","imported":0}`},
		{"audit", fake{verdict: found}, `{"finding":"account 7: something"}` + "\n" +
			`{"findings":1,"accounts":2,"lines":0,"movements":0,"entries":0,"issued":"0","consumed":"0","held":"0","imported":0}`},
		{"copy --from=a --to=b", fake{},
			`{"findings":0,"accounts":0,"lines":0,"movements":0,"entries":0,"issued":"0","consumed":"0","held":"0","imported":0,"idempotency_keys":0,"key_fingerprint":""}`},
		{"backup", fake{},
			`{"file":"a.db","key_file":"a.db.key","bytes":7,"key_fingerprint":"1234","removed":["old.db"],"findings":0,"accounts":0,"lines":0,"movements":0,"entries":0,"issued":"0","consumed":"0","held":"0","imported":0}`},
		{"restore a", fake{},
			`{"file":"a.db","key_file":"a.db.key","key_fingerprint":"1234","epoch":"0a1b2c3d","webhooks_disabled":2,"jobs_stopped":3,"findings":0,"accounts":0,"lines":0,"movements":0,"entries":0,"issued":"0","consumed":"0","held":"0","imported":0}`},
	} {
		_, stdout, _ := ranBy(c.program, strings.Fields(c.args+" --json")...)
		expect.Equal(t, strings.TrimSuffix(stdout, "\n"), c.want, "%s printed", c.args)
	}
	for _, args := range []string{"version", "config"} {
		_, stdout, _ := ran(args, "--json")
		for line := range strings.Lines(stdout) {
			if !json.Valid([]byte(line)) || line[0] != '{' {
				t.Errorf("%s printed %q", args, line)
			}
		}
	}
}

// TestTheHelpOfEachCommandHasExamplesAndExitCodes reads what each tells of itself.
func TestTheHelpOfEachCommandHasExamplesAndExitCodes(t *testing.T) {
	var line commandLine
	parser, err := kong.New(&line, kong.Name("resellerd"))
	require.NoError(t, err)
	addHelp(parser.Model.Node, "")
	leaves := parser.Model.Leaves(false)
	if len(leaves) < 21 {
		t.Fatalf("%d commands were found", len(leaves))
	}
	for _, leaf := range leaves {
		name, _, _ := strings.Cut(leaf.Path(), " (") // without its alias
		_, text, found := strings.Cut(leaf.Detail, "Examples:")
		examples, codes, both := strings.Cut(text, "Exit codes:")
		for _, code := range []string{"0  ", "1  ", "2  "} {
			both = both && strings.Contains(codes, "\n    "+code)
		}
		if !found || !both || !strings.Contains(examples, "\n    ") || !strings.Contains(examples, "resellerd "+name) {
			t.Errorf("the help of %s lacks examples or exit codes:\n%s", leaf.Path(), leaf.Detail)
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
