package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"resellerd/adapters/cli"
	"resellerd/adapters/credentials"
	"resellerd/adapters/heap"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/logging"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/telemetry"
	"resellerd/application"
	"resellerd/application/jobs"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestTheGraphIsComplete(t *testing.T) {
	expect.Error(t, fx.ValidateApp(graph(config{}, io.Discard, slog.New(slog.DiscardHandler))), nil)
}

func TestPasswordsCostWhatIsRecommended(t *testing.T) {
	expect.Equal(t, passwordCost(), credentials.Recommended, "a program that is not linked for tests")
}

func TestWhatIsKeptIsBelowTheHeapsGoal(t *testing.T) {
	t.Parallel()
	const kept = sqlitestore.MostCached + httpapi.MostUnderWay + httpapi.MostExported + httpapi.MostCounted +
		application.MostCounted + jobs.MostSelected + loginlimit.MostRemembered +
		servicekey.MostVerified + telemetry.MostWaiting + 2*logging.MostWaiting
	if kept >= heap.Goal {
		t.Errorf("caches and buffers hold %d bytes, want less than %d", kept, heap.Goal)
	}
}

// serveLine is a command line with serve alone.
type serveLine struct {
	Serve cli.ServeFlags `cmd:""`
}

// settings parses the environment as serve does.
func settings(t *testing.T, environment map[string]string) (config, error) {
	t.Helper()
	for variable, value := range environment {
		t.Setenv(variable, value)
	}
	var line serveLine
	parser, err := kong.New(&line)
	must(t, err)
	_, err = parser.Parse([]string{"serve"})
	require.NoError(t, err)
	return check(line.Serve, DefaultStores())
}

// TestEachFaultIsNamedInPlainWords and all of them are reported at once.
func TestEachFaultIsNamedInPlainWords(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "settings.txt"))
	must(t, err)
	_, cases, _ := strings.Cut(string(text), "\n\n")
	wrong := map[string]string{"RESELLERD_TLS_CERT": "only-one.pem"} // without a key
	for line := range strings.Lines(cases) {
		said, want, refused := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		variable, quoted, _ := strings.Cut(said, "=")
		value, err := strconv.Unquote(quoted)
		must(t, err)
		t.Run(variable, func(t *testing.T) {
			_, err := settings(t, map[string]string{variable: value})
			if !refused {
				expect.Error(t, err, nil, "%q", value)
				return
			}
			wrong[variable] = value
			expect.Equal(t, fmt.Sprint(err), "the configuration is wrong:\n  "+variable+": "+want, "%q", value)
		})
	}
	_, err = settings(t, wrong)
	for variable := range wrong {
		expect.Contains(t, fmt.Sprint(err), "\n  "+variable, "all faults")
	}
}

// TestASandboxHasNoCollector: that of real services may even be misspelled. What is no setting is named.
func TestASandboxHasNoCollector(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = taken.Close() }()
	t.Setenv("RESELLERD_TRIAL_PER_DAY", "5")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")
	var stderr bytes.Buffer
	code := Run([]string{"sandbox", "--addr=" + taken.Addr().String()}, io.Discard, &stderr, DefaultStores())
	expect.Equal(t, code, cli.ExitFailed, "exit code; it says %s", &stderr)
	expect.Contains(t, stderr.String(), `"level":"WARN","msg":"RESELLERD_TRIAL_PER_DAY: this is not a setting; `)
	expect.Contains(t, stderr.String(), "address already in use")
}

func TestSettingsThatAreLists(t *testing.T) {
	for _, c := range []struct{ variable, list, want string }{
		{
			"RESELLERD_TRUSTED_PROXIES", "192.0.2.7, 10.0.0.0/8,2001:db8::7 ::ffff:192.0.2.8,2001:db8:9::/48",
			"[192.0.2.7/32 10.0.0.0/8 2001:db8::7/128 ::ffff:192.0.2.8/128 2001:db8:9::/48]",
		},
		{"RESELLERD_WEBHOOK_ALLOW", "", "[] false"},
		{"RESELLERD_WEBHOOK_ALLOW", "10.0.0.0/8, ::ffff:192.0.2.8", "[10.0.0.0/8 ::ffff:192.0.2.8/128] true"},
		{"RESELLERD_EXPIRING_DAYS", "", "[]"},
		{"RESELLERD_EXPIRING_DAYS", "1", "[1]"},
		{"RESELLERD_EXPIRING_DAYS", "1, 14 3", "[14 3 1]"},
	} {
		set, err := settings(t, map[string]string{c.variable: c.list})
		must(t, err)
		if got := map[string]string{
			"RESELLERD_TRUSTED_PROXIES": fmt.Sprint(set.proxies), "RESELLERD_EXPIRING_DAYS": fmt.Sprint(set.policy.ExpiringDays),
			"RESELLERD_WEBHOOK_ALLOW": fmt.Sprint(set.webhooks, set.policy.PlainWebhooks),
		}[c.variable]; got != c.want {
			t.Errorf("%s=%q is %s, want %s", c.variable, c.list, got, c.want)
		}
	}
}

func TestSecretsComeFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600))
	c, err := settings(t, map[string]string{"RESELLERD_SECRET_FILE": file, "RESELLERD_ADMIN_PASSWORD_FILE": file})
	must(t, err)
	if c.keys.Current.Reveal() != "0123456789abcdef" || c.adminPassword.Reveal() != "0123456789abcdef" || !c.adminGiven {
		t.Errorf("got %q and %q, and the first admin counts as given: %t", c.keys.Current.Reveal(), c.adminPassword.Reveal(),
			c.adminGiven)
	}
	if _, err := settings(t,
		map[string]string{"RESELLERD_SECRET": "0123456789abcdef", "RESELLERD_SECRET_FILE": file}); err == nil {
		t.Error("a secret and a file for it are both accepted")
	}
}

// TestExpiredKeysAreRemovedInTheBackground runs the service as it is but for how often it looks.
func TestExpiredKeysAreRemovedInTheBackground(t *testing.T) {
	c, err := settings(t, map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_ADDR": "127.0.0.1:0",
		"RESELLERD_ADMIN_ADDR": "off"})
	must(t, err)
	var store ports.Store
	app := fxtest.New(t, fx.NopLogger, graph(c, io.Discard, slog.New(slog.DiscardHandler)),
		fx.Replace(removalInterval(time.Millisecond)), fx.Populate(&store))
	app.RequireStart()
	defer app.RequireStop()
	put := func(key string, expires time.Time) {
		err := store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: key, Request: []byte("x"), Status: 200, Body: []byte("x"),
				Expires: expires})
		})
		must(t, err)
	}
	kept := func(key string) bool {
		err := store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Keys.Get(ctx, 1, key)
			return err
		})
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	put("good", now().Add(time.Hour))
	for i := range 2 { // once and again
		expired := fmt.Sprintf("expired-%d", i)
		put(expired, now().Add(-time.Hour))
		for deadline := time.Now().Add(5 * time.Minute); kept(expired); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("an expired key is kept")
			}
		}
	}
	if !kept("good") {
		t.Error("a key that is good is gone")
	}
}

// TestTheREADMEListsEverySetting holds the configuration table to the flags.
func TestTheREADMEListsEverySetting(t *testing.T) {
	readme, err := os.ReadFile("deploy/README.md")
	must(t, err)
	_, table, _ := strings.Cut(string(readme), "## Configuration")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(RESELLERD_[A-Z_]+)` \\| (?:`(--[a-z-]+)`)? ?\\| ").
		FindAllStringSubmatch(table, -1) {
		listed[row[1]] = row[2]
	}
	parser, err := kong.New(&serveLine{})
	must(t, err)
	known := map[string]string{"RESELLERD_STRICT": "--strict"} // of every command
	for _, variable := range cli.VariablesWithoutFlag() {
		if strings.HasPrefix(variable, "RESELLERD_") { // the others are a standard's, and stand in its own documents
			known[variable] = ""
		}
	}
	for _, command := range parser.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, flag := range command.Flags {
			for _, variable := range flag.Envs {
				known[variable] = "--" + flag.Name
			}
		}
	}
	if !maps.Equal(listed, known) {
		t.Errorf("the table and the flags differ\ntable %v\nflags %v", slices.Sorted(maps.Keys(listed)),
			slices.Sorted(maps.Keys(known)))
	}
}

// TestConfigShowsEveryVariableThatIsRead holds the list of settings without a flag to what this package reads.
func TestConfigShowsEveryVariableThatIsRead(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	must(t, err)
	read := map[string]bool{}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		must(t, err)
		for _, found := range regexp.MustCompile(
			`(?:Getenv|LookupEnv|secretSetting|keySetting)\("(RESELLERD_[A-Z_]+)"|"(OTEL_[A-Z_]+)"`).FindAllStringSubmatch(
			string(text), -1) {
			read[found[1]+found[2]] = true
		}
	}
	shown := cli.VariablesWithoutFlag()
	slices.Sort(shown)
	expect.Elements(t, slices.Sorted(maps.Keys(read)), shown, "variables that are read")
}
