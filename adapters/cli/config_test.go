package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestTheSettingsInForceAreShownWithoutSecrets(t *testing.T) {
	for name, value := range map[string]string{
		"RESELLERD_STORE":         "mongodb://user:hidden1@a,b/resellerd?replicaSet=rs&tlsCertificateKeyFilePassword=hidden2",
		"RESELLERD_SECRET":        "hidden3",
		"RESELLERD_OTLP_ENDPOINT": "https://user:hidden4@collector/otlp?key=hidden5&hidden6",

		"OTEL_EXPORTER_OTLP_ENDPOINT":        "https://user:hidden7@collector",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector/?key=hidden8",
		"OTEL_EXPORTER_OTLP_HEADERS":         "key=hidden9",
		"RESELLERD_SECRET_PREVIOUS":          "hidden10",
		"RESELLERD_ADDR":                     ":1",
		"RESELLERD_EXPIRING_DAYS":            "",
		"RESELLERD_ADMIN_ADDR":               "",
		"RESELLERD_ADMIN_PASSWORD_FILE":      "password",
		"RESELLERD_TOKEN":                    "hidden11",
		"RESELLERD_COPY_FROM":                "mongodb://user:hidden12@a/b",
		"RESELLERD_URL":                      "https://panel.example.com/api",
		"RESELLERD_TRIALS_PER_DAY":           "5",
	} {
		t.Setenv(name, value)
	}
	var stdout bytes.Buffer
	code := run([]string{"config", "--json", "--addr", ":2", "--base-path=/api"}, strings.NewReader(""), &stdout,
		io.Discard, fake{})
	wants, err := os.ReadFile(filepath.Join("testdata", "config.ndjson"))
	require.NoError(t, err)
	for want := range strings.Lines(string(wants)) {
		expect.Contains(t, stdout.String(), want)
	}
	if code != 0 || strings.Contains(stdout.String(), "hidden") {
		t.Errorf("code %d, printed\n%s", code, &stdout)
	}
	for _, variable := range variables(parserOf(t).Model.Node) {
		expect.Equal(t, strings.Count(stdout.String(), `"`+variable+`"`), 1, "%s is shown times", variable)
	}
}

func TestAnAddressIsShownWithoutCredentials(t *testing.T) {
	for address, want := range map[string]string{
		"sqlite:data/a@b?c=d.db":                       "[redacted]@b?c=[redacted]",
		"sqlite:data/resellerd.db":                     "sqlite:data/resellerd.db",
		"mongodb://user:p@ss@host/db":                  "mongodb://[redacted]@host/db",
		"mongodb//user:pass@host/db":                   "[redacted]@host/db",
		"mongodb://a/db?authMechanismProperties=T:x&x": "mongodb://a/db?authMechanismProperties=[redacted]&[redacted]",
		"mongodb://a/db?authMechanismProperties=T:x@y": "mongodb://[redacted]",
		"mongodb://user:p?a@ss@host/db":                "mongodb://[redacted]",
		"mongodb://user:s3cr3t%":                       "mongodb://user:[redacted]",
		"sqlite:data/what?.db":                         "sqlite:data/what?.db",
		"user:password@host":                           "[redacted]@host",
		"mongodb://a/db?%74ls=true&%zz=1":              "mongodb://a/db?%74ls=true&%zz=[redacted]",
	} {
		expect.Equal(t, RedactedAddress(address), want, "%s is shown as", address)
	}
}
