package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"strings"
	"time"
)

type keyCommands struct {
	Create createKeyCommand `cmd:"" help:"Create an API key of an account and print it, once."`
	List   listKeysCommand  `cmd:"" help:"List the API keys of an account."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke an API key: the service refuses its next request."`
}

// tokenVariable has the credential of commands that call a running service. No flag has it.
const tokenVariable = "RESELLERD_TOKEN" //nolint:gosec // its name is no credential

// accountOverHTTP is a running service, called with the credential of one account.
type accountOverHTTP struct {
	remote
	credential string
}

var (
	errNoToken = errors.New("no token was given: set " + tokenVariable +
		", type it on a terminal, or write it to standard input")
	errNotToken = errors.New("this is neither a token nor an API key") // without the text, which may be a secret
)

// asAccount does a command's work on a running service, if its flags are right. The token or API key comes from the
// environment, a terminal or standard input.
func (s *session) asAccount(f RemoteFlags, prepare func(wrong *Misconfiguration),
	do func(ctx context.Context, service accountOverHTTP) error) error {
	wrong := s.settings()
	service := accountOverHTTP{remote: f.open(true, &wrong)}
	prepare(&wrong)
	service.credential = os.Getenv(tokenVariable)
	if !mayBeCredential(service.credential) {
		wrong.Add(tokenVariable, errNotToken)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	service.warn(s, "the token")
	if service.credential == "" {
		var err error
		if service.credential, err = s.secret("Token or API key: ", errNoToken); err != nil {
			return err
		}
	}
	ctx, stop := untilSignal()
	defer stop()
	return do(ctx, service)
}

// mayBeCredential reports whether a text has only characters of tokens and API keys.
func mayBeCredential(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// header returns the header of a request, without the fields of a body.
func (a accountOverHTTP) header() http.Header {
	return http.Header{"Authorization": {"Bearer " + a.credential}}
}

// ask sends a request to a path below the base path. An unsuccessful answer is an error.
func (a accountOverHTTP) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	at := a.base.JoinPath(path)
	status, answer, err := a.remote.ask(ctx, method, at, body, "Bearer "+a.credential)
	if err == nil && (status/100 != 2 || !json.Valid(answer)) {
		err = refusal(at, status, answer)
	}
	return answer, err
}

// spendLimit is the limit of the credits that an API key spends.
type spendLimit struct {
	Credits string `json:"credits"`
	Per     string `json:"per"`
}

// keyRecord is an API key as the service shows it.
type keyRecord struct {
	ID               int64       `json:"id"`
	Name             string      `json:"name"`
	Role             *string     `json:"role"`
	Scopes           []string    `json:"scopes"`
	SpendLimit       *spendLimit `json:"spend_limit"`
	Spent            string      `json:"spent"`
	LastUsedAt       *string     `json:"last_used_at"`
	LastUsedAddress  *string     `json:"last_used_address"`
	ExpiresAt        *string     `json:"expires_at"`
	AllowedAddresses []string    `json:"allowed_addresses"`
	Key              string      `json:"key"` // in the answer of a creation only
}

// rights returns the role, or the scopes if the API key has no role.
func (k keyRecord) rights() string {
	if k.Role != nil {
		return *k.Role
	}
	return cmp.Or(strings.Join(k.Scopes, ","), "none")
}

func (k keyRecord) addresses() string {
	return cmp.Or(strings.Join(k.AllowedAddresses, ","), "any")
}

func (k keyRecord) expiry() string {
	if k.ExpiresAt == nil {
		return "never"
	}
	return *k.ExpiresAt
}

func (k keyRecord) spending() string {
	if k.SpendLimit == nil {
		return "no limit"
	}
	return k.Spent + " of " + k.SpendLimit.Credits
}

func (k keyRecord) limit() string {
	if k.SpendLimit == nil {
		return "none"
	}
	return k.SpendLimit.Credits + " credits a " + k.SpendLimit.Per
}

func (k keyRecord) use() string {
	switch {
	case k.LastUsedAt == nil:
		return "never"
	case k.LastUsedAddress == nil:
		return *k.LastUsedAt
	}
	return *k.LastUsedAt + " from " + *k.LastUsedAddress
}

// shownKey is an API key with the text of the answer, which --json prints unchanged.
type shownKey struct {
	keyRecord
	text json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *shownKey) UnmarshalJSON(text []byte) error {
	k.text = bytes.Clone(text)
	return json.Unmarshal(text, &k.keyRecord)
}

// MarshalJSON implements json.Marshaler.
func (k shownKey) MarshalJSON() ([]byte, error) { return k.text, nil }

type createKeyCommand struct {
	RemoteFlags
	OutputFlags
	Name       string   `required:"" placeholder:"NAME" help:"Name of the API key."`
	Role       string   `required:"" xor:"rights" placeholder:"ROLE" help:"Rights as a role: read_only, support, cashier or manager."`
	Scopes     []string `required:"" xor:"rights" placeholder:"SCOPE" help:"Rights as scopes, such as lines:read,lines:write."`
	Expires    string   `placeholder:"TIME" help:"End of the API key: a time, a day, or a duration from now."`
	Allow      []string `placeholder:"ADDRESS" help:"Addresses or networks that may use the API key; without it, all."`
	SpendLimit string   `placeholder:"CREDITS" help:"Credits that the API key may spend in a day (UTC); without it, all of the account."`
}

// newKey is the request body that creates an API key.
type newKey struct {
	Name             string      `json:"name"`
	Role             string      `json:"role,omitempty"`
	Scopes           []string    `json:"scopes,omitempty"`
	ExpiresAt        string      `json:"expires_at,omitempty"`
	AllowedAddresses []string    `json:"allowed_addresses,omitempty"`
	SpendLimit       *spendLimit `json:"spend_limit,omitempty"`
}

// flagsOf has the flag of each member of the body.
var flagsOf = map[string]string{
	"/name": "--name", "/role": "--role", "/scopes": "--scopes", "/expires_at": "--expires",
	"/allowed_addresses": "--allow", "/spend_limit": "--spend-limit",
}

// Run runs the command. Standard output has the API key alone, for scripts.
func (c createKeyCommand) Run(s *session) error {
	body := newKey{Name: c.Name, Role: c.Role, Scopes: c.Scopes, AllowedAddresses: c.Allow}
	if c.SpendLimit != "" {
		body.SpendLimit = &spendLimit{c.SpendLimit, "day"}
	}
	return s.asAccount(c.RemoteFlags, func(wrong *Misconfiguration) {
		var err error
		body.ExpiresAt, err = parseEnd(c.Expires, time.Now())
		wrong.Add("--expires", err)
	}, func(ctx context.Context, service accountOverHTTP) error {
		sent, err := json.Marshal(body)
		if err != nil {
			return err
		}
		connected := false
		answer, err := service.ask(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { connected = true },
		}), http.MethodPost, "keys", sent)
		refused, is := errors.AsType[*refused](err)
		switch {
		case is && refused.status < http.StatusInternalServerError:
			return refused.named(flagsOf)
		case err != nil && connected:
			return fmt.Errorf("%w: the API key may exist: see 'resellerd key list'", interrupted(ctx, err))
		case err != nil:
			return interrupted(ctx, err)
		}
		var made shownKey
		if err := json.Unmarshal(answer, &made); err != nil || made.Key == "" || !mayBeCredential(made.Key) {
			return errNoKey
		}
		_, _ = fmt.Fprintf(s.stderr,
			"The API key %d (%s) was created, and is not shown again. Rights: %s; addresses: %s; ends: %s; limit: %s.\n",
			made.ID, quotedIfOdd(made.Name), quotedIfOdd(made.rights()), quotedIfOdd(made.addresses()),
			quotedIfOdd(made.expiry()), quotedIfOdd(made.limit()))
		if err := s.printed(c.OutputFlags, made, made.Key); err != nil {
			return fmt.Errorf("the API key %d was created and could not be printed (%w): revoke it", made.ID, err)
		}
		return nil
	})
}

// Errors of answers that the service does not send.
var (
	errNoKey  = errors.New("the answer has no API key: is it the service, with its base path?")
	errNoKeys = errors.New("the answer is no list of API keys: is it the service, with its base path?")
)

// parseEnd reads an end: a time or a day as parseInstant does, or a duration from now. "" is no end.
func parseEnd(text string, now time.Time) (string, error) {
	end, err := parseInstant(text, now)
	if in, inErr := time.ParseDuration(text); inErr == nil && in > 0 {
		end, err = now.Add(in), nil
	}
	switch {
	case err != nil:
		return "",
			fmt.Errorf(
				"%q is no time such as 2027-01-31T18:00:00Z, no day such as 2027-01-31, and no duration from now such as 720h",
				text)
	case end.IsZero():
		return "", nil
	case !end.After(now):
		return "", fmt.Errorf("%s is in the past", text)
	}
	return stamp(end), nil
}

type listKeysCommand struct {
	RemoteFlags
	OutputFlags
}

// Run runs the command.
func (c listKeysCommand) Run(s *session) error {
	return s.asAccount(c.RemoteFlags, func(*Misconfiguration) {},
		func(ctx context.Context, service accountOverHTTP) error {
			answer, err := service.ask(ctx, http.MethodGet, "keys", nil)
			if err != nil {
				return interrupted(ctx, err)
			}
			var all struct{ Data []shownKey }
			if err := json.Unmarshal(answer, &all); err != nil || all.Data == nil {
				return errNoKeys
			}
			return listed(s, c.OutputFlags, "ID\tNAME\tRIGHTS\tADDRESSES\tENDS\tSPENT TODAY\tLAST USED", all.Data,
				func(k shownKey) []string {
					return []string{strconv.FormatInt(k.ID, 10), k.Name, k.rights(), k.addresses(), k.expiry(), k.spending(), k.use()}
				})
		})
}

type revokeKeyCommand struct {
	RemoteFlags
	OutputFlags
	ID string `arg:"" help:"Id of the API key, as in the list."`
}

// Run runs the command.
func (c revokeKeyCommand) Run(s *session) error {
	var id int64
	return s.asAccount(c.RemoteFlags, func(wrong *Misconfiguration) {
		var err error
		id, err = parseNumber(c.ID)
		wrong.Add("id", err)
	}, func(ctx context.Context, service accountOverHTTP) error {
		_, err := service.ask(ctx, http.MethodDelete, "keys/"+strconv.FormatInt(id, 10), nil)
		if refused, is := errors.AsType[*refused](err); is && refused.code == "not-found" {
			return fmt.Errorf("the account has no API key %d", id)
		}
		if err != nil {
			return interrupted(ctx, err)
		}
		return s.printed(c.OutputFlags, struct {
			ID      int64 `json:"id"`
			Revoked bool  `json:"revoked"`
		}{id, true}, fmt.Sprintf("the API key %d is revoked: the service refuses its next request", id))
	})
}
