package bootstrap

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"resellerd/adapters/cli"
	"resellerd/adapters/credentials"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestPasswordsHaveTheRecommendedCost(t *testing.T) {
	expect.Equal(t, passwordCost(), credentials.Recommended, "a program that is not linked for tests")
}

// serveLine is a command line with the command serve only.
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

// TestEachFaultIsNamedInPlainWords and one error lists all of them.
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

func TestSettingsThatAreLists(t *testing.T) {
	for _, c := range []struct{ variable, list, want string }{
		{
			"RESELLERD_TRUSTED_PROXIES", "192.0.2.7, 10.0.0.0/8,2001:db8::7 ::ffff:192.0.2.8,2001:db8:9::/48",
			"[192.0.2.7/32 10.0.0.0/8 2001:db8::7/128 ::ffff:192.0.2.8/128 2001:db8:9::/48]",
		},
		{"RESELLERD_WEBHOOK_ALLOW", "10.0.0.0/8, ::ffff:192.0.2.8", "[10.0.0.0/8 ::ffff:192.0.2.8/128] true"},
		{"RESELLERD_EXPIRING_DAYS", "", "[]"},
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
		t.Errorf("got %q and %q, and a setting names the first administrator: %t", c.keys.Current.Reveal(), c.adminPassword.Reveal(),
			c.adminGiven)
	}
	if _, err := settings(t,
		map[string]string{"RESELLERD_SECRET": "0123456789abcdef", "RESELLERD_SECRET_FILE": file}); err == nil {
		t.Error("a secret and a file for it are both accepted")
	}
}

// TestExpiredIdempotencyKeysAreRemovedInTheBackground of a service with a short removal interval.
func TestExpiredIdempotencyKeysAreRemovedInTheBackground(t *testing.T) {
	c, err := settings(t, map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_ADDR": "127.0.0.1:0",
		"RESELLERD_ADMIN_ADDR": "off"})
	must(t, err)
	var store ports.Store
	app := fxtest.New(t, fx.NopLogger, graph(c, io.Discard, slog.New(slog.DiscardHandler)),
		fx.Replace(removalInterval(time.Millisecond)), fx.Populate(&store))
	app.RequireStart()
	defer app.RequireStop()
	err = store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "expired", Request: []byte("x"), Status: 200,
			Body: []byte("x"), Expires: now().Add(-time.Hour)})
	})
	must(t, err)
	for err == nil {
		err = store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Keys.Get(ctx, 1, "expired")
			return err
		})
	}
	expect.Error(t, err, fault.ErrNotFound)
}
