package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/cli"
	"resellerd/adapters/console"
	"resellerd/adapters/httpserver"
	"resellerd/adapters/logging"
	"resellerd/adapters/regularfile"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/testclock"
	"resellerd/application"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// storeConfig has the checked values of cli.StoreFlags.
type storeConfig struct {
	scheme  string
	address string
	opener  Opener // nil if the address names no store, which is a reported fault
	keys    servicekey.Sources
	logging logging.Options
}

// config has the checked values of cli.ServeFlags.
type config struct {
	storeConfig
	addr           string
	basePath       string
	admin          profile.Username
	adminPassword  *profile.Secret // nil: generate one
	adminGiven     bool            // a setting names the first administrator
	policy         application.Policy
	proxies        []netip.Prefix
	webhooks       []netip.Prefix // networks that webhooks may reach besides public addresses
	maxConnections int
	maxPerPeer     int                     // connections, 0: no limit
	requests       int                     // per account and minute, 0: no limit
	certificate    *httpserver.Certificate // nil: plain HTTP
	brand          console.Brand
	clock          ports.Clock
	sandbox        *testclock.Clock // nil: a service
	operations     operationsConfig
	backupDir      string
}

// parse reads the store's settings.
func parse(f cli.StoreFlags, stores Stores, wrong *cli.Misconfiguration) (c storeConfig) {
	var err error
	if c.opener, err = stores.named(f.Store); err == nil {
		c.scheme, c.address, _ = strings.Cut(f.Store, ":")
		err = c.opener.Check(c.address)
	}
	wrong.Add("RESELLERD_STORE", err)
	if c.logging.Level.UnmarshalText([]byte(f.LogLevel)) != nil {
		wrong.Add("RESELLERD_LOG_LEVEL", fmt.Errorf("%q is not debug, info, warn or error", f.LogLevel))
	}
	switch f.LogFormat {
	case "json":
		c.logging.JSON = true
	case "text":
	default:
		wrong.Add("RESELLERD_LOG_FORMAT", fmt.Errorf("%q is neither json nor text", f.LogFormat))
	}
	return c
}

// readKeys reads the service key and the previous one, nil if they are not set.
func readKeys(f cli.StoreFlags, c storeConfig, wrong *cli.Misconfiguration) servicekey.Sources {
	keys := servicekey.Sources{CurrentFile: f.SecretFile, PreviousFile: f.SecretPreviousFile, Read: cli.SecretFile}
	if c.opener != nil {
		keys.Store = c.opener.Keys(c.address)
	}
	var errs [2]error
	keys.Current, errs[0] = keySetting("RESELLERD_SECRET", f.SecretFile)
	keys.Previous, errs[1] = keySetting("RESELLERD_SECRET_PREVIOUS", f.SecretPreviousFile)
	if errs[0] == nil && keys.Current == nil && c.opener != nil && keys.Store.Key == nil {
		errs[0] = errors.New(
			"this store needs a service key of your own, the same for every process; make one with: openssl rand -hex 32")
	}
	wrong.Add("RESELLERD_SECRET", errs[0])
	wrong.Add("RESELLERD_SECRET_PREVIOUS", errs[1])
	return keys
}

func keySetting(variable, file string) (*profile.Secret, error) {
	secret, err := secretSetting(variable, file)
	if err == nil && secret != nil {
		_, err = servicekey.New(*secret)
	}
	return secret, err
}

// basePaths matches paths without characters that a URL escapes, and without segments that a client resolves.
var basePaths = regexp.MustCompile(`^(/[._~-]*[A-Za-z0-9][A-Za-z0-9._~-]*)+$`)

func parseBasePath(text string) (string, error) {
	path := strings.TrimSuffix(text, "/")
	if path != "" && !basePaths.MatchString(path) {
		return "", fmt.Errorf("%q is not a path such as /api/v1", text)
	}
	return path, nil
}

// check reads the settings of the service.
func check(f cli.ServeFlags, stores Stores) (config, error) {
	c, wrong := checkUntraced(f, stores)
	c.operations.collector = checkCollector(f, &wrong)
	return c, wrong.Err()
}

// checkUntraced reads all settings of the service except those of traces.
func checkUntraced(f cli.ServeFlags, stores Stores) (c config, wrong cli.Misconfiguration) {
	c = config{storeConfig: parse(f.StoreFlags, stores, &wrong), addr: f.Addr, clock: now, backupDir: f.BackupDir}
	c.keys = readKeys(f.StoreFlags, c.storeConfig, &wrong)

	wrong.Add("RESELLERD_ADDR", cli.CheckListen(f.Addr))
	var err error
	whole := func(setting, text string, least, most int) int {
		n, err := number(text, least, most)
		wrong.Add(setting, err)
		return n
	}

	c.basePath, err = parseBasePath(f.BasePath)
	wrong.Add("RESELLERD_BASE_PATH", err)

	c.admin, err = profile.ParseUsername(cmp.Or(f.AdminUsername, "admin"))
	wrong.Add("RESELLERD_ADMIN_USERNAME", err)
	c.adminPassword, err = secretSetting("RESELLERD_ADMIN_PASSWORD", f.AdminPasswordFile)
	if err == nil && c.adminPassword != nil {
		*c.adminPassword, err = profile.ParsePassword(c.adminPassword.Reveal(), reseller.MinPassword)
	}
	wrong.Add("RESELLERD_ADMIN_PASSWORD", err)
	c.adminGiven = f.AdminUsername != "" || c.adminPassword != nil

	c.policy.TrialDuration, err = time.ParseDuration(f.TrialDuration)
	const longestTrial = 366 * 24 * time.Hour
	if d := c.policy.TrialDuration; err != nil || d < time.Millisecond || d > longestTrial || d%time.Millisecond != 0 {
		err = fmt.Errorf("%q is not a duration, such as 4h or 90s, between 1ms and %s in whole milliseconds", f.TrialDuration,
			longestTrial)
	}
	wrong.Add("RESELLERD_TRIAL_DURATION", err)
	c.policy.TrialsPerDay = whole("RESELLERD_TRIALS_PER_DAY", f.TrialsPerDay, 0, 1_000_000)
	c.policy.FreeChangesPerDay = whole("RESELLERD_FREE_CHANGES_PER_DAY", f.FreeChangesPerDay, 0, 1_000_000_000)

	c.policy.ExpiringDays = expiringDays(f.ExpiringDays, &wrong)
	c.webhooks = networks("RESELLERD_WEBHOOK_ALLOW", f.WebhookAllow, &wrong)
	c.policy.PlainWebhooks = len(c.webhooks) > 0
	c.proxies = networks("RESELLERD_TRUSTED_PROXIES", f.TrustedProxies, &wrong)
	c.brand = brand(f.BrandFlags, &wrong)

	c.maxConnections = whole("RESELLERD_MAX_CONNECTIONS", f.MaxConnections, 1, 1_000_000)
	c.maxPerPeer = whole("RESELLERD_MAX_CONNECTIONS_PER_ADDRESS", f.MaxConnectionsPerAddress, 0, 1_000_000)
	c.requests = whole("RESELLERD_REQUESTS_PER_MINUTE", f.RequestsPerMinute, 0, 1_000_000)

	c.operations = checkOperations(f, &wrong)

	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		wrong.Add("RESELLERD_TLS_CERT and RESELLERD_TLS_KEY", errors.New("both are needed, or neither"))
	case f.TLSCert != "":
		c.certificate, err = httpserver.LoadCertificate(f.TLSCert, f.TLSKey)
		wrong.Add("RESELLERD_TLS_CERT and RESELLERD_TLS_KEY", err)
	}
	return c, wrong
}

// brand reads the name, the colour and the logo of the console.
func brand(f cli.BrandFlags, wrong *cli.Misconfiguration) (b console.Brand) {
	var err error
	b.Name, err = console.ParseName(f.BrandName)
	wrong.Add("RESELLERD_BRAND_NAME", err)
	b.Color, err = console.ParseColor(f.BrandColor)
	wrong.Add("RESELLERD_BRAND_COLOR", err)
	if f.BrandLogo != "" {
		var content []byte
		if content, err = regularfile.Read(f.BrandLogo, console.LargestLogo); err == nil {
			err = b.ParseLogo(content)
		}
		wrong.Add("RESELLERD_BRAND_LOGO", err)
	}
	return b
}

// items returns the items of a list, which commas and spaces separate.
func items(list string) iter.Seq[string] {
	return strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// networks reads a list of addresses and CIDRs.
func networks(setting, list string, wrong *cli.Misconfiguration) (all []netip.Prefix) {
	for text := range items(list) {
		prefix, err := netip.ParsePrefix(text)
		if address, invalid := netip.ParseAddr(text); invalid == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			err = fmt.Errorf("%q is neither an address nor a CIDR", text)
		}
		wrong.Add(setting, err)
		all = append(all, prefix)
	}
	return all
}

// expiringDays reads the days before an expiry at which reminders are sent, and returns them in descending order.
func expiringDays(list string, wrong *cli.Misconfiguration) (days line.Reminders) {
	for text := range items(list) {
		n, err := number(text, 1, line.MaxReminderDays)
		if err == nil && slices.Contains(days, n) {
			err = fmt.Errorf("the list has %d twice", n)
		}
		wrong.Add("RESELLERD_EXPIRING_DAYS", err)
		days = append(days, n)
	}
	slices.SortFunc(days, func(a, b int) int { return b - a })
	return days
}

func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", text, least, most)
	}
	return n, nil
}

// secretSetting reads a secret from the environment or a file, never from a flag, which every user of the machine could
// see. It returns nil if neither is set.
func secretSetting(variable, file string) (*profile.Secret, error) {
	value := os.Getenv(variable)
	if value == "" {
		return cli.SecretFile(file)
	}
	if file != "" {
		return nil, fmt.Errorf("set %s or %s_FILE, not both", variable, variable)
	}
	return new(profile.NewSecret(value)), nil
}
