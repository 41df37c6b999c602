package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"resellerd/adapters/regularfile"
)

// longestAnswer bounds the bytes read of an answer, or of a secret on standard input. A list of 100 API keys is the
// longest answer.
const longestAnswer = 1 << 20

// RemoteFlags name a running service. Without --url it is the service that serve would run with the same settings.
type RemoteFlags struct {
	URL      string `name:"url" env:"RESELLERD_URL" placeholder:"URL" help:"Address of the service with its base path. Without it the commands use the service on this machine that the settings of serve name."`
	Addr     string `env:"RESELLERD_ADDR" default:"127.0.0.1:8080" hidden:""`
	BasePath string `env:"RESELLERD_BASE_PATH" hidden:""`
	TLSCert  string `env:"RESELLERD_TLS_CERT" hidden:""`
	Timeout  string `default:"10s" placeholder:"DURATION" help:"Longest time to wait for the answer."`
}

// remote is a running service.
type remote struct {
	base    *url.URL
	root    *url.URL // of the health checks
	client  *http.Client
	timeout time.Duration
}

// errNotService does not show the URL, which may have a password.
var errNotService = errors.New("this must be the address of a service, such as https://panel.example.com/api")

// open returns the service that the flags name, without a request. With verified, for requests with a secret, a service
// on this machine must show the certificate in its settings.
func (f RemoteFlags) open(verified bool, wrong *Misconfiguration) remote {
	r := remote{client: &http.Client{
		// A redirect must not get the secret.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	var err error
	if r.timeout, err = time.ParseDuration(f.Timeout); err == nil && r.timeout <= 0 {
		err = fmt.Errorf("%s is no time to wait", f.Timeout)
	}
	wrong.Add("--timeout", err)
	if f.URL != "" {
		r.base, err = url.Parse(f.URL)
		if err != nil || r.base.Scheme != "http" && r.base.Scheme != "https" || r.base.Host == "" || r.base.User != nil ||
			r.base.RawQuery != "" || r.base.Fragment != "" {
			err = errNotService
		}
		if wrong.Add("RESELLERD_URL", err); err == nil { // one spelling for each service
			r.base.Host, r.base.Path = strings.ToLower(r.base.Host), strings.TrimRight(r.base.Path, "/")
		}
		r.root = r.base
		return r
	}
	host, err := localHost(f.Addr)
	wrong.Add("RESELLERD_ADDR", err)
	r.root = &url.URL{Scheme: "http", Host: host}
	if f.TLSCert != "" {
		r.root.Scheme = "https"
		//nolint:gosec // its URL has a local address, which no certificate names
		settings := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
		if verified {
			settings.VerifyConnection, err = shows(f.TLSCert)
			wrong.Add("RESELLERD_TLS_CERT", err)
		}
		r.client.Transport = &http.Transport{TLSClientConfig: settings}
	}
	r.base = r.root.JoinPath(f.BasePath)
	return r
}

// localHost returns the host of a service that listens on an address, for clients on the same machine.
func localHost(addr string) (string, error) {
	if err := CheckListen(addr); err != nil {
		return "", err
	}
	host, port, _ := net.SplitHostPort(addr)
	if port == "0" || port == "" {
		return "", errors.New("the port is any free one: name the service with --url")
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port), nil
}

// shows returns a check that a service shows exactly the certificate in a file. Names in the certificate do not matter.
func shows(file string) (func(tls.ConnectionState) error, error) {
	content, err := regularfile.Read(file, regularfile.PEM)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("%s has no certificate (PEM)", file)
	}
	pinned, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || !s.PeerCertificates[0].Equal(pinned) {
			return errors.New("the service shows another certificate than the one in RESELLERD_TLS_CERT")
		}
		return nil
	}, nil
}

// ask sends a request, with a body and a credential if given, and returns the answer.
func (r remote) ask(ctx context.Context, method string, at *url.URL, body []byte,
	authorization string) (status int, answer []byte, err error) {
	header := http.Header{}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	status, _, answer, err = r.exchange(ctx, method, at, body, header, longestAnswer)
	return status, answer, err
}

// exchange sends a request with a header, reads at most longest bytes of the answer, and also returns its header.
func (r remote) exchange(
	ctx context.Context, method string, at *url.URL, body []byte, sent http.Header, longest int64,
) (status int, header http.Header, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header = sent
	request.GetBody = nil // keeps the transport from a second attempt while the service works on the first
	response, err := r.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	answer, err = io.ReadAll(io.LimitReader(response.Body, longest))
	return response.StatusCode, response.Header, answer, err
}

// warn warns of a secret that goes to another machine unencrypted.
func (r remote) warn(s *session, secret string) {
	if r.base.Scheme == "http" && !loopback(r.base.Hostname()) {
		_, _ = fmt.Fprintf(s.stderr, "resellerd: %s goes to another machine unencrypted: use https://\n", secret)
	}
}

// refused is an unsuccessful answer with a problem document, which may have invalid fields.
type refused struct {
	detail string
	code   string
	status int
	fields []invalidField
}

// invalidField is a member of the request body that the service refuses.
type invalidField struct{ Pointer, Detail string }

// Error returns a sentence, and a line for each field.
func (r *refused) Error() string {
	lines := []string{fmt.Sprintf("%s (%d %s)", quotedIfOdd(r.detail), r.status, quotedIfOdd(r.code))}
	for _, f := range r.fields {
		lines = append(lines, "  "+quotedIfOdd(strings.TrimPrefix(f.Pointer, "/"))+": "+quotedIfOdd(f.Detail))
	}
	return strings.Join(lines, "\n")
}

// named replaces the names of the fields with those of their flags.
func (r *refused) named(flags map[string]string) error {
	for i, f := range r.fields {
		if flag, known := flags[f.Pointer]; known {
			r.fields[i].Pointer = flag
		}
	}
	return r
}

// refusal returns the error of an unsuccessful answer: *refused if the answer is a problem document.
func refusal(at *url.URL, status int, answer []byte) error {
	var problem struct {
		Detail, Code string
		Errors       []invalidField
	}
	if json.Unmarshal(answer, &problem) == nil && problem.Detail != "" {
		return &refused{problem.Detail, problem.Code, status, problem.Errors}
	}
	return fmt.Errorf("%s answers %d %s: is it the service, with its base path?", at, status, http.StatusText(status))
}

type tokenCommand struct {
	RemoteFlags
	OutputFlags
	Username string `arg:"" optional:"" default:"admin" help:"Name of the account (default: admin)."`
}

// Run runs the command.
func (c tokenCommand) Run(s *session) error {
	wrong := s.settings()
	service := c.open(true, &wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	service.warn(s, "the password")
	password, err := s.secret("Password of "+c.Username+": ", errNoPassword)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"username": c.Username, "password": password})
	if err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	at := service.base.JoinPath("auth", "static-token")
	status, answer, err := service.ask(ctx, http.MethodPost, at, body, "")
	if err != nil {
		return err
	}
	var issued struct {
		Token string `json:"token"`
	}
	if status != http.StatusOK || json.Unmarshal(answer, &issued) != nil || issued.Token == "" ||
		!mayBeCredential(issued.Token) {
		return refusal(at, status, answer)
	}
	return s.printed(c.OutputFlags, issued, issued.Token)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var errNoPassword = errors.New("no password was given: type it on a terminal, or write it to standard input")

// secret reads a secret from a terminal, without echo, or else from standard input. It returns none if the text is
// empty. A secret is never an argument, which every user of the machine could see.
func (s *session) secret(prompt string, none error) (string, error) {
	var typed string
	var err error
	if IsTerminal(s.stdin) {
		typed, err = s.typed(prompt)
	} else {
		var all []byte
		all, err = io.ReadAll(io.LimitReader(s.stdin, longestAnswer))
		typed = string(all)
	}
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(typed, "\r\n")
	if secret == "" {
		return "", none
	}
	return secret, nil
}

// typed reads a line from the terminal. It turns the echo off before the prompt appears, since some users type at once.
// Ctrl-C and Ctrl-D return "".
func (s *session) typed(prompt string) (line string, err error) {
	terminal := int(s.stdin.(*os.File).Fd())
	before, err := term.MakeRaw(terminal)
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, term.Restore(terminal, before))
		_, _ = fmt.Fprintln(s.stderr)
	}()
	asked := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{s.stdin, plain(s.stderr)}, "")
	if line, err = asked.ReadPassword(quotedIfOdd(prompt)); errors.Is(err, io.EOF) {
		return "", nil
	}
	return line, err
}

type healthCommand struct {
	RemoteFlags
	OutputFlags
}

// Run runs the command.
func (c healthCommand) Run(s *session) error {
	prepare := func(wrong *Misconfiguration) remote { return c.open(false, wrong) }
	return perform(s, prepare, func(ctx context.Context, service remote) error {
		at := service.root.JoinPath("readyz")
		status, answer, err := service.ask(ctx, http.MethodGet, at, nil, "")
		if err == nil && status != http.StatusOK {
			err = refusal(at, status, answer)
		}
		record := struct {
			Ready bool   `json:"ready"`
			URL   string `json:"url"`
			Cause string `json:"cause,omitempty"`
		}{err == nil, at.String(), ""}
		if err != nil {
			if record.Cause = err.Error(); c.JSON {
				_ = s.printed(c.OutputFlags, record, "") // the exit code reports the failure as well
			}
			return err
		}
		return s.printed(c.OutputFlags, record, "ready")
	})
}
