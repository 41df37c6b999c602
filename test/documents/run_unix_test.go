//go:build unix

package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/mongotest"
	"resellerd/test/program"
	"resellerd/test/require"
)

// session is a document whose examples run from its top in a shell and a folder of its own.
type session struct {
	document  string
	after     string // the document whose examples run before, in the same shell, "" for none
	onMongoDB bool   // it is run where there is a MongoDB
	tool      string // that its examples need and not every machine has, "" for nothing
}

const (
	guide     = "adapters/httpapi/docs/"
	firstLine = guide + "tutorial/1-first-line.md"
	howTo     = "bootstrap/deploy/docs/how-to/"
)

// sessions has a row for each document with examples. To add a page, add its row: without it TestEveryDocumentIsRun
// fails. A page that continues another one names it and saves the steps that both need.
var sessions = []session{
	{document: "README.md"},
	{document: firstLine},
	{document: guide + "tutorial/2-a-shop.md", after: firstLine},
	{document: webhookTutorial},
	{document: guide + "concepts/exactly-once.md", after: firstLine},
	{document: guide + "how-to/bulk-changes.md", after: firstLine},
	{document: guide + "how-to/check-customers.md", after: firstLine},
	{document: guide + "how-to/customer-messages.md", after: firstLine},
	{document: guide + "how-to/follow-events.md", after: firstLine},
	{document: guide + "how-to/import-lines.md", after: firstLine},
	{document: webhookGuide, after: webhookTutorial},
	{document: howTo + "install.md"},
	{document: howTo + "backups.md"},
	{document: howTo + "audit.md"},
	{document: howTo + "copy-a-store.md"},
	{document: howTo + "replace-the-key.md"},
	{document: howTo + "freeradius.md"},
	{document: howTo + "sandbox.md"},
	{document: howTo + "import-a-spreadsheet.md"},
	{document: howTo + "move-from-another-panel.md", tool: "sqlite3"},
	{document: howTo + "move-from-3x-ui.md", tool: "sqlite3"},
	{document: howTo + "run-on-mongodb.md", onMongoDB: true},
	{document: "ports/WRITING.md"},
}

// patience bounds a session: more than on a machine with many other things to do, where a build with empty caches has
// taken five minutes.
const patience = 20 * time.Minute

var binaries string // of the program

func TestMain(m *testing.M) { os.Exit(mongotest.Main(suite{m})) }

type suite struct{ *testing.M }

// Run implements mongotest.Suite.
func (s suite) Run() int {
	built, err := program.Binary()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer program.Clean()
	binaries = filepath.Dir(built)
	return s.M.Run()
}

// TestExamples runs every example of every document.
func TestExamples(t *testing.T) {
	t.Parallel()
	root := checkout(t)
	for _, tool := range []string{"bash", "curl", "make", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if mongotest.Required() {
				t.Fatalf("the examples need %s: %v", tool, err)
			}
			t.Skipf("the examples need %s: %v", tool, err)
		}
	}
	for _, s := range sessions {
		t.Run(s.document, func(t *testing.T) {
			t.Parallel()
			if s.tool != "" {
				require.Tool(t, s.tool)
			}
			uri := ""
			if s.onMongoDB {
				mongotest.Available(t)
				uri = mongotest.URI(t)
			}
			all := stepsOf(t, root, s.document)
			if s.after != "" {
				all = append(stepsOf(t, root, s.after), all...)
			}
			folder := t.TempDir()
			found, left := run(t, root, folder, uri, all)
			for _, failure := range found {
				t.Error(failure)
			}
			for _, of := range left {
				t.Run(of, func(t *testing.T) { t.Skip("not run") })
			}
		})
	}
}

// stepsOf reads the examples of a document.
func stepsOf(t *testing.T, root, document string) []step {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	require.NoError(t, err)
	all, err := steps(Parse(document, string(text)))
	require.NoError(t, err)
	return all
}

// TestEveryDocumentIsRun finds examples that no session has.
func TestEveryDocumentIsRun(t *testing.T) {
	t.Parallel()
	all, err := All(os.DirFS(checkout(t)))
	require.NoError(t, err)
	for _, d := range all {
		of, err := steps(d)
		if err != nil {
			t.Error(err)
		}
		run := slices.ContainsFunc(sessions, func(s session) bool { return s.document == d.Name })
		if len(of) > 0 != run {
			t.Errorf("%s has %d examples, and a session that runs them: %t", d.Name, len(of), run)
		}
	}
}

// checkout returns the root of the checkout. It looks at each file that the program is built from, so that the go
// command does not reuse test results of another program.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.NoError(t, program.SeeSource())
	if _, err := os.Stat(filepath.Join(root, "Makefile")); err != nil {
		t.Fatal(err)
	}
	return root
}

// prelude is the environment of the examples. The service listens on a port of its own. Calls and commands for
// localhost:8080 reach it, and those for localhost:8082 where it is a sandbox. make runs nothing but the service and
// only looks up other targets. go mod tidy, which would use the network, takes the versions of the checkout.
const prelude = `
set -euo pipefail
export RESELLERD_ADDR=127.0.0.1:0 RESELLERD_ADMIN_ADDR=off
serving= address=
stop() {
	if [ -n "$serving" ]; then
		kill "$serving"
		wait "$serving"
		serving=
	fi
}
start() {
	stop
	"$@" >"$RECORDS/printed" 2>"$RECORDS/log" &
	serving=$!
	until address=$(sed -n 's/.*"msg":"listening","addr":"\([^"]*\)".*/\1/p' "$RECORDS/log") && [ -n "$address" ]; do
		kill -0 "$serving" || { cat "$RECORDS/log" >&2; return 1; }
		sleep 0.02
	done
}
curl() {
	local asked=("${@//localhost:8080/$address}")
	command curl --write-out '%{stderr}%{http_code}\n' "${asked[@]//localhost:8082/$address}" 2>>"$RECORDS/statuses"
}
resellerd() {
	case $1 in
	serve | sandbox) exec resellerd "$@" ;;
	token | key | import | health) RESELLERD_ADDR=$address command resellerd "$@" ;;
	*) command resellerd "$@" ;;
	esac
}
make() {
	command make --no-print-directory -n -C "$CHECKOUT" "$1" >"$RECORDS/made"
	if [ "$1" = run ]; then
		tail -1 "$RECORDS/made" | grep -q '\./bootstrap/resellerd serve$'
		exec resellerd serve
	fi
}
go() {
	if [ "$*" = "mod tidy" ]; then
		{ sed -e "s/^module .*/$(head -1 go.mod | sed 's:/:\\/:g')/" -e "s: => \./: => $CHECKOUT/:" "$CHECKOUT/go.mod"; sed -n '/^require /p;/^replace /p' go.mod; } >tidied
		mv tidied go.mod
		cp "$CHECKOUT/go.sum" .
	else
		command go "$@"
	fi
}
`

// freeAddress returns an address without a listener.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer free.Close()
	return free.Addr().String()
}

// run runs the steps. It returns the differences from the documents, and the examples that were left out.
func run(t *testing.T, root, folder, uri string, all []step) (found, left []string) {
	t.Helper()
	records := t.TempDir()
	written := strings.NewReplacer("../resellerd", root, "mongodb://localhost/resellerd?replicaSet=rs", uri)
	script, missing := prelude, map[string]bool{}
	for i, s := range all {
		if s.tool != "" {
			_, err := exec.LookPath(s.tool)
			missing[s.of] = missing[s.of] || err != nil
		}
		if missing[s.of] {
			left = append(left, s.of+" needs "+s.tool)
			continue
		}
		script += fmt.Sprintf("exec >%[1]s/%[2]d.out 2>%[1]s/%[2]d.err; RECORDS=%[1]s/%[2]d; mkdir $RECORDS\n", records, i) +
			written.Replace(s.script)
	}
	script += "stop\n"
	_, port, _ := net.SplitHostPort(freeAddress(t)) // of a receiver, to which it is left
	script = strings.NewReplacer("127.0.0.1:8090", "127.0.0.1:"+port, "PORT=8090", "PORT="+port).Replace(script)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", script)
	bash.Dir = folder
	bash.Env = []string{"CHECKOUT=" + root}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "RESELLERD_") && !strings.HasPrefix(variable, "PATH=") {
			bash.Env = append(bash.Env, variable)
		}
	}
	bash.Env = append(bash.Env, "PATH="+binaries+":"+os.Getenv("PATH"), "GOFLAGS="+os.Getenv("GOFLAGS")+
		" -mod=mod -vet=off -ldflags=-w", "GOPROXY=off", "GOWORK=off", "LC_ALL=C")
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) }
	ended := bash.Run()
	if ended != nil && bash.Process != nil {
		_ = syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) // what a failed example has left running
	}

	last := -1
	for i, s := range all {
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(records, fmt.Sprint(i)+name))
			if err == nil && last < i {
				last = i
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			return string(text)
		}
		if printed := read(".out"); last == i {
			for _, failure := range s.failures(printed, read("/statuses")) {
				found = append(found, fmt.Sprintf("%s: %s\n%s\nprinted: %s%s", s.of, failure, s.script, printed, read(".err")))
			}
		}
	}
	if ended != nil {
		at := "before the first example"
		if last >= 0 {
			stderr, _ := os.ReadFile(filepath.Join(records, fmt.Sprintf("%d.err", last)))
			at = fmt.Sprintf("%s\n%s\n%s", all[last].of, all[last].script, stderr)
		}
		found = append(found, fmt.Sprintf("%v at %s", ended, at))
	}
	return found, left
}

// failures compares the output of a step, and the statuses of its calls, with the document.
func (s step) failures(printed, statuses string) (found []string) {
	refused := ""
	if s.answer != "" {
		var difference string
		if refused, difference = answered(s.answer, printed); difference != "" {
			found = append(found, difference)
		}
	}
	calls := strings.Fields(statuses)
	for i, status := range calls {
		if expected := i == len(calls)-1 && status == refused; !expected && !strings.HasPrefix(status, "2") {
			found = append(found, "a call was answered "+status)
		}
	}
	if refused != "" && (len(calls) == 0 || calls[len(calls)-1] != refused) {
		found = append(found, "the call was not refused with "+refused)
	}
	if s.shown {
		printed = strings.TrimRight(strings.ReplaceAll(printed, "\r\n", "\n"), "\n")
		if !pattern(strings.TrimRight(s.prints, "\n")).MatchString(printed) {
			found = append(found, fmt.Sprintf("%q is shown", s.prints))
		}
	}
	return found
}
