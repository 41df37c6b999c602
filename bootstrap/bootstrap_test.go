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

func TestEverythingThatIsWrongIsReportedAtOnce(t *testing.T) {
	wrong := map[string]string{
		"RESELLERD_ADDR":                 "nowhere",
		"RESELLERD_STORE":                "cassandra:x",
		"RESELLERD_SECRET":               "short",
		"RESELLERD_ADMIN_USERNAME":       "not a name",
		"RESELLERD_ADMIN_PASSWORD":       "short",
		"RESELLERD_TRIAL_DURATION":       "0s",
		"RESELLERD_TRIALS_PER_DAY":       "-1",
		"RESELLERD_FREE_CHANGES_PER_DAY": "many",
		"RESELLERD_BASE_PATH":            "no-slash",
		"RESELLERD_EXPIRING_DAYS":        "7,15",
		"RESELLERD_WEBHOOK_ALLOW":        "10.0.0.0/8,10.0.0.0/33",
		"RESELLERD_BRAND_NAME":           strings.Repeat("x", 41),
		"RESELLERD_BRAND_COLOR":          "red",
		"RESELLERD_BRAND_LOGO":           "nowhere.svg",
		"RESELLERD_TRUSTED_PROXIES":      "10.0.0.0/8,nobody",
		"RESELLERD_MAX_CONNECTIONS":      "0",
		"RESELLERD_TLS_CERT":             "only-one.pem",

		"RESELLERD_SECRET_PREVIOUS":             "short",
		"RESELLERD_MAX_CONNECTIONS_PER_ADDRESS": "-1",
		"RESELLERD_REQUESTS_PER_MINUTE":         "many",
		"RESELLERD_LOG_LEVEL":                   "loud",
		"RESELLERD_LOG_FORMAT":                  "xml",
	}
	_, err := settings(t, wrong)
	var reported *cli.Misconfiguration
	if !errors.As(err, &reported) {
		t.Fatalf("got %v", err)
	}
	for variable := range wrong {
		if !strings.Contains(err.Error(), variable) {
			t.Errorf("%s is wrong and not named in:\n%s", variable, err)
		}
	}
	expect.Equal(t, strings.Count(err.Error(), "\n  "), len(wrong), "faults in\n%s", err)
}

func TestEachFaultIsNamedInPlainWords(t *testing.T) {
	const address = "is not an address such as 127.0.0.1:8080, [::1]:8080 or :8080"
	for _, c := range []struct{ variable, value, want string }{
		{"RESELLERD_STORE", "sqlite://data/r.db",
			`"sqlite://data/r.db" is ambiguous: write sqlite:data/r.db for a path from the working directory, or sqlite:/data/r.db for a path from the root`},
		{"RESELLERD_STORE", "sqlite:", "sqlite: needs a path, such as sqlite:data/resellerd.db"},
		{"RESELLERD_STORE", "sqlite://", "sqlite: needs a path, such as sqlite:data/resellerd.db"},
		{"RESELLERD_STORE", "sqlite: data/r.db", "the value has a space at an end: remove it"},
		{"RESELLERD_STORE", `sqlite:"data/r.db"`,
			`the value has quotes around it (" "): remove them, since env files of Docker keep them`},
		{"RESELLERD_STORE", "sqlite:data/my shop.db", ""},
		{"RESELLERD_STORE", "sqlite:/data/r.db", ""},
		{"RESELLERD_STORE", "sqlite:///data/r.db", ""}, // a URL without a host
		{"RESELLERD_LOG_LEVEL", "verbose", `"verbose" is not debug, info, warn or error`},
		{"RESELLERD_LOG_LEVEL", "WARN", ""},
		{"RESELLERD_LOG_FORMAT", "xml", `"xml" is neither json nor text`},
		{"RESELLERD_ADDR", "nowhere", `"nowhere" ` + address},
		{"RESELLERD_ADDR", "http://127.0.0.1:8080", `"http://127.0.0.1:8080" ` + address},
		{"RESELLERD_ADDR", "127.0.0.1:99999", `"127.0.0.1:99999" ` + address},
		{"RESELLERD_ADDR", ":http", ""},
		{"RESELLERD_ADMIN_ADDR", "localhost:x\u200b", `"localhost:x\u200b" ` + address},
		{"RESELLERD_TRIAL_DURATION", "4",
			`"4" is not a duration, such as 4h or 90s, between 1ms and 8784h0m0s in whole milliseconds`},
		{"RESELLERD_TRIAL_DURATION", "1ns",
			`"1ns" is not a duration, such as 4h or 90s, between 1ms and 8784h0m0s in whole milliseconds`},
		{"RESELLERD_TRACE_RATIO", "all", `"all" is not a number from 0 to 1`},
		{"RESELLERD_TRACE_RATIO", "1.5", `"1.5" is not a number from 0 to 1`},
		{"RESELLERD_TRACE_RATIO", "", ""},
		{"RESELLERD_EXPIRING_DAYS", "", ""},
	} {
		t.Run(c.variable, func(t *testing.T) {
			_, err := settings(t, map[string]string{c.variable: c.value})
			got := ""
			if err != nil {
				got = err.Error()
			}
			want := ""
			if c.want != "" {
				want = "the configuration is wrong:\n  " + c.variable + ": " + c.want
			}
			expect.Equal(t, got, want, "%q", c.value)
		})
	}
}

// TestAMalformedSettingHasOneFault that names it: the others would follow from it, and show the value.
func TestAMalformedSettingHasOneFault(t *testing.T) {
	for variable, value := range map[string]string{
		"RESELLERD_ADDR": "127.0.0.1:8080\r", "RESELLERD_ADMIN_ADDR": `"127.0.0.1:8081"`, "RESELLERD_STORE": "'sqlite:r.db'",
		"RESELLERD_LOG_LEVEL": "info ",
		"RESELLERD_TLS_CERT":  "chain.pem\r", "RESELLERD_SECRET": "short\r",
		"RESELLERD_OTLP_ENDPOINT":   `"http://user:hidden@localhost:4318"`,
		"RESELLERD_TRUSTED_PROXIES": `"10.0.0.0/33,nobody"`, "OTEL_EXPORTER_OTLP_ENDPOINT": "\ufeffhttp://localhost:4318",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			for _, command := range []string{"serve", "config"} {
				var stderr bytes.Buffer
				code := Run([]string{command}, io.Discard, &stderr, DefaultStores())
				if code != cli.ExitUsage ||
					!strings.HasPrefix(stderr.String(), "resellerd: the configuration is wrong:\n  "+variable+": the value ") ||
					strings.Count(stderr.String(), "\n") != 2 {
					t.Errorf("%s ends with %d and prints\n%s", command, code, &stderr)
				}
			}
		})
	}
}

// TestTheLogNamesWhatIsNoSetting before a start that fails.
func TestTheLogNamesWhatIsNoSetting(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = taken.Close() }()
	t.Setenv("RESELLERD_TRIAL_PER_DAY", "5")
	for _, args := range [][]string{{"serve", "--store=memory:", "--admin-addr=off"}, {"sandbox"}} {
		var stderr bytes.Buffer
		code := Run(append(args, "--addr="+taken.Addr().String()), io.Discard, &stderr, DefaultStores())
		want := `"level":"WARN","msg":"RESELLERD_TRIAL_PER_DAY: this is not a setting; the nearest one is RESELLERD_TRIALS_PER_DAY"`
		expect.Equal(t, code, cli.ExitFailed, "%q: exit code", args)
		expect.Equal(t, strings.Count(stderr.String(), want), 1, "times that %q logs %q:\n%s", args, want, &stderr)
	}
}

func TestDefaults(t *testing.T) {
	c, err := settings(t, nil)
	must(t, err)
	if c.addr != "127.0.0.1:8080" || c.scheme != "sqlite" || c.address != "data/resellerd.db" ||
		c.policy.TrialDuration.String() != "4h0m0s" ||
		fmt.Sprint(c.policy.ExpiringDays, c.policy.PlainWebhooks) != "[7 3 1] false" || c.policy.TrialsPerDay != 0 ||
		c.policy.FreeChangesPerDay != 50_000 || c.admin.String() != "admin" || c.adminGiven {
		t.Errorf("got %+v", c)
	}
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
	for _, list := range []string{"0", "15", "-1", "7,7", "x"} {
		if _, err := settings(t, map[string]string{"RESELLERD_EXPIRING_DAYS": list}); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
	if c, err := checkSandbox(cli.SandboxFlags{
		Addr: "127.0.0.1:0", TrialDuration: "4h", TrialsPerDay: "0", ExpiringDays: "2", WebhookAllow: "127.0.0.1",
		LogLevel: "info", LogFormat: "json",
	}); err != nil || fmt.Sprint(c.policy.ExpiringDays, c.webhooks) != "[2] [127.0.0.1/32]" {
		t.Errorf("a sandbox has %v and %v: %v", c.policy.ExpiringDays, c.webhooks, err)
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
