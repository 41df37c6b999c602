package bootstrap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// storeFlags say which store is used and under which key. Like all settings they
// are read as text, so that everything wrong with them is reported at once.
type storeFlags struct {
	Store      string `env:"RESELLERD_STORE" default:"sqlite:data/resellerd.db" placeholder:"ADDRESS" help:"Store: sqlite:PATH, mongodb://HOSTS/DATABASE?replicaSet=NAME or memory:."`
	SecretFile string `env:"RESELLERD_SECRET_FILE" placeholder:"PATH" help:"File that holds the service key, in place of RESELLERD_SECRET."`
	LogLevel   string `env:"RESELLERD_LOG_LEVEL" default:"info" help:"Least level that is logged: debug, info, warn or error."`
	LogFormat  string `env:"RESELLERD_LOG_FORMAT" default:"json" help:"Format of the log on standard error: json or text."`
}

// serveFlags are the settings of the service.
type serveFlags struct {
	storeFlags
	Addr              string `env:"RESELLERD_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one."`
	BasePath          string `env:"RESELLERD_BASE_PATH" placeholder:"/PATH" help:"Prefix of every route but /healthz and /readyz."`
	AdminUsername     string `env:"RESELLERD_ADMIN_USERNAME" placeholder:"NAME" help:"Name of the first admin, made in an empty store (default: admin)."`
	AdminPasswordFile string `env:"RESELLERD_ADMIN_PASSWORD_FILE" placeholder:"PATH" help:"File that holds the first admin's password, in place of RESELLERD_ADMIN_PASSWORD; without either one is generated and printed."`
	TrialDuration     string `env:"RESELLERD_TRIAL_DURATION" default:"4h" placeholder:"DURATION" help:"How long a trial runs, such as 4h or 90s."`
	TrialsPerDay      string `env:"RESELLERD_TRIALS_PER_DAY" default:"0" placeholder:"N" help:"Trials that each reseller may issue in 24 hours; 0 is no limit."`
	TrustedProxies    string `env:"RESELLERD_TRUSTED_PROXIES" placeholder:"CIDR,..." help:"Proxies whose X-Forwarded-For is believed."`
	MaxConnections    string `env:"RESELLERD_MAX_CONNECTIONS" default:"4096" placeholder:"N" help:"Connections served at once; more wait."`
	TLSCert           string `env:"RESELLERD_TLS_CERT" placeholder:"PATH" help:"Certificate chain (PEM); with RESELLERD_TLS_KEY the service speaks HTTPS."`
	TLSKey            string `env:"RESELLERD_TLS_KEY" placeholder:"PATH" help:"Private key (PEM) of the certificate."`
}

// storeConfig is what storeFlags say, checked.
type storeConfig struct {
	scheme   string
	address  string
	opener   Opener
	secret   *profile.Secret // nil: the store's own way to get one
	logLevel slog.Level
	logJSON  bool
}

// config is what serveFlags say, checked.
type config struct {
	storeConfig
	addr           string
	basePath       string
	admin          profile.Username
	adminPassword  *profile.Secret // nil: generate one
	adminGiven     bool            // a setting names the first admin
	policy         application.Policy
	proxies        []netip.Prefix
	maxConnections int
	tls            *tls.Config // nil: plain HTTP
}

// misconfiguration is everything that is wrong with the settings.
type misconfiguration struct{ faults []error }

func (m *misconfiguration) Error() string {
	lines := []string{"the configuration is wrong:"}
	for _, f := range m.faults {
		lines = append(lines, "  "+f.Error())
	}
	return strings.Join(lines, "\n")
}

func (m *misconfiguration) add(setting string, err error) {
	if err != nil {
		m.faults = append(m.faults, fmt.Errorf("%s: %w", setting, err))
	}
}

func (m *misconfiguration) err() error {
	if len(m.faults) == 0 {
		return nil
	}
	return m
}

func (f storeFlags) parse(stores Stores, wrong *misconfiguration) (c storeConfig) {
	c.scheme, c.address, _ = strings.Cut(f.Store, ":")
	var known bool
	if c.opener, known = stores[c.scheme]; !known || !strings.Contains(f.Store, ":") {
		wrong.add("RESELLERD_STORE", fmt.Errorf("%s names no store; known are %s", redactedAddress(f.Store), stores.schemes()))
	} else {
		wrong.add("RESELLERD_STORE", c.opener.Check(c.address))
	}
	wrong.add("RESELLERD_LOG_LEVEL", c.logLevel.UnmarshalText([]byte(f.LogLevel)))
	switch f.LogFormat {
	case "json":
		c.logJSON = true
	case "text":
	default:
		wrong.add("RESELLERD_LOG_FORMAT", fmt.Errorf("%q is neither json nor text", f.LogFormat))
	}
	return c
}

// parseWithKey also reads the service key, which only those commands need that open
// what it has sealed.
func (f storeFlags) parseWithKey(stores Stores, wrong *misconfiguration) storeConfig {
	c := f.parse(stores, wrong)
	var err error
	c.secret, err = secretSetting("RESELLERD_SECRET", f.SecretFile)
	if err == nil && c.secret != nil {
		_, err = servicekey.New(*c.secret)
	}
	if _, known := stores[c.scheme]; err == nil && c.secret == nil && known && c.opener.Key == nil {
		err = errors.New("this store needs a service key of your own, the same for every process; make one with: openssl rand -hex 32")
	}
	wrong.add("RESELLERD_SECRET", err)
	return c
}

// basePaths has no characters that a URL would escape, and no segment that a
// client would resolve.
var basePaths = regexp.MustCompile(`^(/[._~-]*[A-Za-z0-9][A-Za-z0-9._~-]*)+$`)

func (f serveFlags) check(stores Stores) (config, error) {
	var wrong misconfiguration
	c := config{storeConfig: f.parseWithKey(stores, &wrong), addr: f.Addr}
	var err error

	_, port, err := net.SplitHostPort(f.Addr)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	wrong.add("RESELLERD_ADDR", err)

	if c.basePath = strings.TrimSuffix(f.BasePath, "/"); c.basePath != "" && !basePaths.MatchString(c.basePath) {
		wrong.add("RESELLERD_BASE_PATH", fmt.Errorf("%q is not a path such as /api/v1", f.BasePath))
	}

	name := f.AdminUsername
	if name == "" {
		name = "admin"
	}
	c.admin, err = profile.ParseUsername(name)
	wrong.add("RESELLERD_ADMIN_USERNAME", err)
	c.adminPassword, err = secretSetting("RESELLERD_ADMIN_PASSWORD", f.AdminPasswordFile)
	if err == nil && c.adminPassword != nil {
		*c.adminPassword, err = profile.ParsePassword(c.adminPassword.Reveal(), reseller.MinPassword)
	}
	wrong.add("RESELLERD_ADMIN_PASSWORD", err)
	c.adminGiven = f.AdminUsername != "" || c.adminPassword != nil

	c.policy.TrialDuration, err = time.ParseDuration(f.TrialDuration)
	const longestTrial = 366 * 24 * time.Hour
	if d := c.policy.TrialDuration; err == nil && (d < time.Millisecond || d > longestTrial || d%time.Millisecond != 0) {
		err = fmt.Errorf("%s is not between 1ms and %s in whole milliseconds", f.TrialDuration, longestTrial)
	}
	wrong.add("RESELLERD_TRIAL_DURATION", err)
	c.policy.TrialsPerDay, err = number(f.TrialsPerDay, 0, 1_000_000)
	wrong.add("RESELLERD_TRIALS_PER_DAY", err)

	for proxy := range strings.FieldsFuncSeq(f.TrustedProxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := netip.ParsePrefix(proxy)
		if err != nil {
			var address netip.Addr
			if address, err = netip.ParseAddr(proxy); err == nil {
				prefix = netip.PrefixFrom(address, address.BitLen())
			} else {
				err = fmt.Errorf("%q is neither an address nor a CIDR", proxy)
			}
		}
		wrong.add("RESELLERD_TRUSTED_PROXIES", err)
		c.proxies = append(c.proxies, prefix)
	}

	c.maxConnections, err = number(f.MaxConnections, 1, 1_000_000)
	wrong.add("RESELLERD_MAX_CONNECTIONS", err)

	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		wrong.add("RESELLERD_TLS_CERT and RESELLERD_TLS_KEY", errors.New("both are needed, or neither"))
	case f.TLSCert != "":
		certificate, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		wrong.add("RESELLERD_TLS_CERT and RESELLERD_TLS_KEY", err)
		c.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	return c, wrong.err()
}

func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", text, least, most)
	}
	return n, nil
}

// secretSetting reads a secret from the environment or a file, never from a
// flag, which every user of the machine could see. It returns nil for neither.
func secretSetting(variable, file string) (*profile.Secret, error) {
	value := os.Getenv(variable)
	if value == "" {
		return secretFile(file)
	}
	if file != "" {
		return nil, fmt.Errorf("give %s or %s_FILE, not both", variable, variable)
	}
	secret := profile.NewSecret(value)
	return &secret, nil
}

// secretFile reads a secret from a file, nil where none is named. A line end
// after it is not part of it.
func secretFile(path string) (*profile.Secret, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	value := strings.TrimRight(string(content), "\r\n")
	if value == "" {
		return nil, fmt.Errorf("%s is empty", path)
	}
	secret := profile.NewSecret(value)
	return &secret, nil
}

// redactedAddress keeps credentials in a store's address out of messages, however it
// is misspelled: they stand before the last @.
func redactedAddress(address string) string {
	at := strings.LastIndex(address, "@")
	if at < 0 {
		return strconv.Quote(address)
	}
	scheme := ""
	if name, _, found := strings.Cut(address[:at], "://"); found {
		scheme = name + "://"
	}
	return strconv.Quote(scheme + "[redacted]" + address[at:])
}
