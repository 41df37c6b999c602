package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/transfer"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// fake is a program whose every part ends with err, and a store in which an audit finds so much.
type fake struct {
	wrong, err error
	verdict    audit.Verdict
}

func (f fake) Serve(ServeFlags, io.Writer, io.Writer) error { return f.err }
func (fake) Password() profile.Secret                       { return profile.NewSecret("generated") }

func (f fake) Store(_ StoreFlags, _ bool, _ io.Writer, wrong *Misconfiguration) Store {
	wrong.Add("RESELLERD_STORE", f.wrong)
	return f
}

func (f fake) Transfer(_ CopyFlags, _ io.Writer, wrong *Misconfiguration) Transfer {
	wrong.Add("--to", f.wrong)
	return f
}

func (f fake) UseCases(context.Context, func(*application.Service) error) error { return f.err }

func (f fake) Rekey(_ context.Context, o application.RekeyOptions) (application.Rekeyed, error) {
	o.Progress(application.SealLines, 7)
	if o.Leaked {
		o.Report("line 7: damaged")
		return application.Rekeyed{Fingerprint: "f00d", Findings: 1}, f.err
	}
	return application.Rekeyed{Fingerprint: "f00d", Lines: 7, Answers: 3}, f.err
}

func (f fake) Audit(_ context.Context, o audit.Options) (audit.Verdict, error) {
	if f.verdict.Findings > 0 {
		o.Report("account 7: something")
	} else if o.WriteCheckpoint != nil {
		_, _ = io.WriteString(o.WriteCheckpoint, "checkpoint")
	}
	return f.verdict, f.err
}

func (f fake) Run(context.Context, transfer.Options) (transfer.Result, error) {
	return transfer.Result{Verdict: f.verdict}, f.err
}

func (fake) KeyFiles() (ofTarget, ofSource string) { return "", "" }

var errFails = errors.New("it fails")

func TestHowCommandsEnd(t *testing.T) {
	found := audit.Verdict{Findings: 1}
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
		{"admin password maria", fake{err: fault.ErrNotFound}, ExitFailed, "", "resellerd: there is no account named maria\n"},
		{"admin create --password-file=nowhere " + strings.Repeat("x", 65), fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails\n  username: This is too long: at most 64 characters\n  --password-file: "},
		{"audit", fake{}, 0, "all well: 0 accounts", ""},
		{"verify", fake{}, 0, "all well: 0 accounts", ""},
		{"audit", fake{verdict: found}, ExitFound, "account 7: something\n1 findings", ""},
		{"audit", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"audit", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"audit --checkpoint=nowhere", fake{}, ExitFailed, "", "nowhere"},
		{"rekey", fake{}, 0, "sealed anew: 7 passwords of lines and 3 recorded answers; everything that can be opened is sealed under the service key with the fingerprint f00d", "sealing the passwords of lines"},
		{"rekey", fake{}, 0, "the previous service key is needed no more", ""},
		{"rekey --leaked", fake{}, ExitFound, "1 records can't be opened", ""},
		{"rekey", fake{err: errFails}, ExitFailed, "", "resellerd: it fails\n"},
		{"rekey", fake{wrong: errFails}, ExitUsage, "", "RESELLERD_STORE: it fails"},
		{"copy --from=a --to=b", fake{}, 0, "copied, and all well: ", ""},
		{"copy --from=a --to=b", fake{verdict: found}, ExitFound, "nothing was copied", ""},
		{"copy --from=a --to=b", fake{err: transfer.ErrSourceUnused}, ExitFailed, "", "resellerd: --from: "},
		{"copy --from=a --to=b", fake{wrong: errFails}, ExitUsage, "", "--to: it fails"},
	} {
		var stdout, stderr bytes.Buffer
		got := Run(strings.Fields(c.args), &stdout, &stderr, c.program)
		if got != c.want || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%q with %+v: code %d, want %d; printed %q and %q", c.args, c.program, got, c.want, &stdout, &stderr)
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
		if err := os.WriteFile(file, []byte("earlier"), 0o600); err != nil {
			t.Fatal(err)
		}
		Run([]string{"audit", "--write-checkpoint", file}, io.Discard, io.Discard, c.program)
		if kept, err := os.ReadFile(file); err != nil || string(kept) != c.want {
			t.Errorf("%+v: the file has %q, %v, want %q", c.program, kept, err, c.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%+v: %v is left, %v", c.program, left, err)
		}
	}
}
