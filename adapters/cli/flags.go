package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"resellerd/adapters/regularfile"
	"resellerd/domain/profile"
)

// StoreFlags name the store and its service key. Like all settings they are read as text, so that one error lists the
// faults of all settings.
type StoreFlags struct {
	Store              string `env:"RESELLERD_STORE" default:"sqlite:data/resellerd.db" placeholder:"ADDRESS" help:"Address of the store: sqlite:PATH, mongodb://HOSTS/DATABASE?replicaSet=NAME, or memory: for a trial that writes nothing to disk."`
	SecretFile         string `env:"RESELLERD_SECRET_FILE" placeholder:"PATH" help:"File with the service key, in place of RESELLERD_SECRET."`
	SecretPreviousFile string `env:"RESELLERD_SECRET_PREVIOUS_FILE" placeholder:"PATH" help:"File with the previous service key, in place of RESELLERD_SECRET_PREVIOUS, while the service key is replaced."`
	LogLevel           string `env:"RESELLERD_LOG_LEVEL" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
	LogFormat          string `env:"RESELLERD_LOG_FORMAT" default:"json" help:"Format of the log on standard error: json or text."`
}

// BrandFlags are the name, the colour and the logo of the console.
type BrandFlags struct {
	BrandName  string `env:"RESELLERD_BRAND_NAME" placeholder:"NAME" set:"unset=resellerd" help:"Name that the console shows, at most 40 characters (default: ${unset})."`
	BrandColor string `env:"RESELLERD_BRAND_COLOR" placeholder:"#RRGGBB" set:"unset=#1d5bbf" help:"Colour of the console's buttons, with black or white text, and of its links. Links get lighter or darker where they would be hard to read (default: ${unset})."`
	BrandLogo  string `env:"RESELLERD_BRAND_LOGO" placeholder:"PATH" help:"File of the console's logo, read at the start: an SVG, PNG, WebP or JPEG of at most 64 KiB."`
}

// ServeFlags are the settings of the service.
type ServeFlags struct {
	StoreFlags
	Addr              string `env:"RESELLERD_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free port, which the log names."`
	BasePath          string `env:"RESELLERD_BASE_PATH" placeholder:"/PATH" help:"Prefix of every route but /healthz and /readyz, such as /api."`
	AdminUsername     string `env:"RESELLERD_ADMIN_USERNAME" placeholder:"NAME" set:"unset=admin" help:"Name of the first administrator, created in an empty store. Later starts ignore it, with a warning (default: ${unset})."`
	AdminPasswordFile string `env:"RESELLERD_ADMIN_PASSWORD_FILE" placeholder:"PATH" help:"File with the first administrator's password, in place of RESELLERD_ADMIN_PASSWORD. Without either, the service generates a password and prints it once."`
	TrialDuration     string `env:"RESELLERD_TRIAL_DURATION" default:"4h" placeholder:"DURATION" help:"Duration of a trial, such as 4h or 90s."`
	TrialsPerDay      string `env:"RESELLERD_TRIALS_PER_DAY" default:"0" placeholder:"N" help:"Trials that each reseller may issue in 24 hours; 0 is no limit."`
	FreeChangesPerDay string `env:"RESELLERD_FREE_CHANGES_PER_DAY" default:"50000" placeholder:"N" help:"Changes without a charge that the owner of each account, each API key and each staff member may make in a day (UTC); 0 is no limit. Administrators have no limit."`
	ExpiringDays      string `env:"RESELLERD_EXPIRING_DAYS" default:"7,3,1" placeholder:"N,..." set:"empty=never" help:"Days before the expiry of an official line at which its owner gets a reminder, each from 1 to 14; empty sends none. The event at the expiry is always sent."`
	WebhookAllow      string `env:"RESELLERD_WEBHOOK_ALLOW" placeholder:"CIDR,..." help:"Networks that webhooks may reach besides public addresses, at any port and over http too. Every account can then send requests into these networks."`
	BrandFlags
	TrustedProxies           string `env:"RESELLERD_TRUSTED_PROXIES" placeholder:"CIDR,..." help:"Addresses or networks of the proxies whose X-Forwarded-For header is trusted."`
	MaxConnections           string `env:"RESELLERD_MAX_CONNECTIONS" default:"4096" placeholder:"N" help:"Connections served at once; more wait."`
	MaxConnectionsPerAddress string `env:"RESELLERD_MAX_CONNECTIONS_PER_ADDRESS" default:"512" placeholder:"N" help:"Connections of one peer address at once; more are closed. An IPv6 /64 counts as one address. Trusted proxies are exempt; 0 is no limit."`
	RequestsPerMinute        string `env:"RESELLERD_REQUESTS_PER_MINUTE" default:"0" placeholder:"N" help:"Requests that the owner of each account, each API key and each staff member may make in a minute; 0 is no limit."`
	AdminAddr                string `env:"RESELLERD_ADMIN_ADDR" placeholder:"HOST:PORT" set:"unset=127.0.0.1:8081, where it is free" help:"Address of the administrative listener, or off. It shows metrics without a password. If the address is set and taken, the service does not start (default: ${unset})."`
	PProf                    string `name:"pprof" env:"RESELLERD_PPROF" default:"0" placeholder:"0|1" set:"empty=0" help:"1 turns on profiles of the process at the administrative listener."`
	OTLPEndpoint             string `name:"otlp-endpoint" env:"RESELLERD_OTLP_ENDPOINT" placeholder:"URL" set:"unset=OTEL_EXPORTER_OTLP_ENDPOINT, or none" help:"Collector that receives traces by OTLP over HTTP, such as http://localhost:4318 (default: ${unset})."`
	TraceRatio               string `env:"RESELLERD_TRACE_RATIO" default:"1" placeholder:"0..1" set:"empty=1" help:"Part of the requests that are traced, from 0 to 1, unless their caller decides."`
	BackupDir                string `env:"RESELLERD_BACKUP_DIR" default:"backups" placeholder:"FOLDER" help:"Folder of this store's backups. GET /service shows when the newest one was made."`
	TLSCert                  string `env:"RESELLERD_TLS_CERT" placeholder:"PATH" help:"Certificate chain (PEM); with RESELLERD_TLS_KEY the service speaks HTTPS."`
	TLSKey                   string `env:"RESELLERD_TLS_KEY" placeholder:"PATH" help:"Private key (PEM) of the certificate."`
}

// CopyFlags are the settings of a copy. They have variables for addresses with a password in them. The settings of the
// service do not apply.
type CopyFlags struct {
	From    string `env:"RESELLERD_COPY_FROM" required:"" placeholder:"ADDRESS" help:"Store to copy, such as sqlite:PATH. It may be in use, and the command only reads it."`
	To      string `env:"RESELLERD_COPY_TO" required:"" placeholder:"ADDRESS" help:"Store that receives the copy: a new one, or with --restart the target of an interrupted copy."`
	Restart bool   `help:"Remove what an interrupted copy left in the target, and start from the beginning."`
}

// SandboxFlags are the settings of a sandbox, which has no store and no secret. Its default port differs from those of
// the service and of the administrative listener, so that a trial does not reach the service by mistake.
type SandboxFlags struct {
	Addr          string `env:"RESELLERD_ADDR" default:"127.0.0.1:8082" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free port, which the log names."`
	BasePath      string `env:"RESELLERD_BASE_PATH" placeholder:"/PATH" help:"Prefix of every route but /healthz and /readyz, such as /api."`
	TrialDuration string `env:"RESELLERD_TRIAL_DURATION" default:"4h" placeholder:"DURATION" help:"Duration of a trial, such as 4h or 90s."`
	TrialsPerDay  string `env:"RESELLERD_TRIALS_PER_DAY" default:"0" placeholder:"N" help:"Trials that each reseller may issue in 24 hours; 0 is no limit."`
	ExpiringDays  string `env:"RESELLERD_EXPIRING_DAYS" default:"7,3,1" placeholder:"N,..." set:"empty=never" help:"Days before the expiry of an official line at which its owner gets a reminder, each from 1 to 14; empty sends none. The event at the expiry is always sent."`
	WebhookAllow  string `env:"RESELLERD_WEBHOOK_ALLOW" placeholder:"CIDR,..." help:"Networks that webhooks may reach besides public addresses, at any port and over http too. Every account can then send requests into these networks."`
	BrandFlags
	LogLevel  string `env:"RESELLERD_LOG_LEVEL" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
	LogFormat string `env:"RESELLERD_LOG_FORMAT" default:"json" help:"Format of the log on standard error: json or text."`
}

// BackupFlags are the store, the target and the interval of backups.
type BackupFlags struct {
	StoreFlags
	Dir     string `env:"RESELLERD_BACKUP_DIR" default:"backups" placeholder:"FOLDER" help:"Folder of the backups. The command creates a missing folder."`
	WithKey bool   `help:"Write the service key beside each backup, as FILE.key. A reader of both files can decrypt all line passwords and create tokens."`
	Every   string `placeholder:"DURATION" help:"Make a backup now and then at this interval, such as 1h, until a signal ends the command."`
	Keep    string `default:"0" placeholder:"N" help:"Number of backups of this store that stay in the folder; the command removes older ones. 0 removes none."`
}

// RestoreFlags are the backup and the store that a restore creates from it.
type RestoreFlags struct {
	StoreFlags
	File string `arg:"" name:"backup" help:"Backup file."`
}

// Misconfiguration has all faults of the settings.
type Misconfiguration struct {
	faults  []settingFault
	refused []string // settings whose later faults follow from the first
}

// settingFault is a fault of a setting.
type settingFault struct {
	setting string
	err     error
}

func (f settingFault) Error() string { return f.setting + ": " + f.err.Error() }

// Error lists all faults.
func (m *Misconfiguration) Error() string {
	lines := []string{"the configuration is wrong:"}
	for _, f := range m.faults {
		lines = append(lines, "  "+f.Error())
	}
	return strings.Join(lines, "\n")
}

// Add adds a fault of a setting, unless err is nil or the value was refused before.
func (m *Misconfiguration) Add(setting string, err error) {
	refused := func(name string) bool { return slices.Contains(m.refused, name) }
	if err != nil && !slices.ContainsFunc(strings.Fields(setting), refused) {
		m.faults = append(m.faults, settingFault{setting, err})
	}
}

// refuse adds a fault under the first name of a setting. Add ignores later faults of any of its names.
func (m *Misconfiguration) refuse(err error, names ...string) {
	m.Add(names[0], err)
	m.refused = append(m.refused, names...)
}

// and returns an error that also lists the faults of err, if that is a Misconfiguration.
func (m *Misconfiguration) and(err error) error {
	if more, is := errors.AsType[*Misconfiguration](err); is {
		for _, fault := range more.faults {
			m.Add(fault.setting, fault.err)
		}
		err = nil
	}
	return errors.Join(m.Err(), err)
}

// Err returns nil if nothing is wrong.
func (m *Misconfiguration) Err() error {
	if len(m.faults) == 0 {
		return nil
	}
	return m
}

// SecretFile reads a secret from a file, nil if path is empty. Line ends after the secret are not part of it.
func SecretFile(path string) (*profile.Secret, error) {
	if path == "" {
		return nil, nil
	}
	content, err := regularfile.Read(path, regularfile.Secret)
	if err != nil {
		return nil, err
	}
	value := strings.TrimRight(string(content), "\r\n")
	if value == "" {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return new(profile.NewSecret(value)), nil
}
