package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
	"resellerd/test/require"
)

// wholeService is a service with the real use cases, and its administrator with a token.
type wholeService struct {
	*inprocess.Service
	api   *api.Service
	url   string
	admin api.Caller
}

func serveWhole(t *testing.T) *wholeService {
	t.Helper()
	service, err := inprocess.New(memstore.New(), inprocess.At(func() time.Time {
		return time.Now().UTC().Truncate(time.Millisecond)
	}))
	if err == nil {
		err = service.Admin(t.Context())
	}
	require.NoError(t, err)
	server := httptest.NewServer(service.Handler)
	t.Cleanup(server.Close)
	r := &wholeService{Service: service, api: &api.Service{Address: strings.TrimPrefix(server.URL, "http://")},
		url: server.URL}
	r.admin = r.api.Admin(t)
	t.Setenv("RESELLERD_URL", r.url)
	return r
}

// ran runs a command line with an empty standard input.
func ran(args ...string) (code int, stdout, stderr string) { return ranBy(fake{}, args...) }

// ranBy runs a command line with a program.
func ranBy(p Program, args ...string) (code int, stdout, stderr string) {
	var out, said bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &said, p)
	return code, out.String(), said.String()
}

var aKey = regexp.MustCompile(`^rsk_[0-9]+_[\w-]{43}\n$`)

// TestKeysAreMadeListedAndRevoked in a service through its API.
func TestKeysAreMadeListedAndRevoked(t *testing.T) {
	s := serveWhole(t)
	master := s.admin.Master(t, "100")
	t.Setenv("RESELLERD_TOKEN", master.Token)
	code, stdout, stderr := ran("key", "create", "--name", "the till", "--role", "cashier", "--allow",
		"127.0.0.1,2001:db8::/32", "--allow", "10.0.0.0/8", "--spend-limit", "2.5", "--expires", "720h")
	if code != 0 || !aKey.MatchString(stdout) || strings.Contains(stderr, "rsk_") ||
		strings.Contains(stderr, master.Token) {
		t.Fatalf("code %d, printed %q, %q", code, stdout, stderr)
	}
	if want := "The API key 1 (the till) was created, and is not shown again. Rights: cashier; addresses: 127.0.0.1,2001:db8::/32,10.0.0.0/8; ends: "; !strings.HasPrefix(stderr, want) || !strings.HasSuffix(stderr, "; limit: 2.5 credits a day.\n") {
		t.Errorf("it says %q", stderr)
	}
	till := s.api.As(strings.TrimSpace(stdout))
	till.Activate(t, till.Trial(t), 2).Is(201)
	till.Activate(t, till.Trial(t), 1).Refused(429, "spend-limit-reached")

	code, stdout, _ = ran("key", "create", "--name=bot", "--scopes=lines:read,lines:write", "--json")
	var bot struct {
		ID  int64
		Key string
	}
	if err := json.Unmarshal([]byte(stdout), &bot); err != nil || code != 0 || bot.ID != 2 ||
		strings.Count(stdout, "\n") != 1 {
		t.Errorf("code %d, printed %q, %v", code, stdout, err)
	}
	s.api.As(bot.Key).Send(t, "POST", "/lines/test", nil).Is(201)

	code, stdout, stderr = ran("key", "list")
	instant := regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)
	want := "ID  NAME      RIGHTS                  ADDRESSES                            ENDS                      SPENT TODAY  LAST USED\n" +
		"1   the till  cashier                 127.0.0.1,2001:db8::/32,10.0.0.0/8  T                         2 of 2.5     T from 127.0.0.1\n" +
		"2   bot       lines:read,lines:write  any                             never                     no limit     T from 127.0.0.1\n"
	got := instant.ReplaceAllString(stdout, "T")
	if squeezed := regexp.MustCompile(` {2,}`); code != 0 || stderr != "" ||
		squeezed.ReplaceAllString(got, " ") != squeezed.ReplaceAllString(want, " ") {
		t.Errorf("code %d, printed\n%s%s, want\n%s", code, got, stderr, want)
	}
	if code, stdout, stderr = ran("key", "revoke", "1"); code != 0 ||
		stdout != "the API key 1 is revoked: the service refuses its next request\n" || stderr != "" {
		t.Errorf("code %d, printed %q, %q", code, stdout, stderr)
	}
	till.Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
}

// TestAKeyIsRefusedInPlainSentences with every invalid field, under the names of the flags.
func TestAKeyIsRefusedInPlainSentences(t *testing.T) {
	s := serveWhole(t)
	master := s.admin.Master(t, "100")
	for _, c := range []struct {
		args, token string
		code        int
		says        string
	}{
		{
			"create --name= --role=king --allow=nowhere --spend-limit=0", master.Token, ExitFailed,
			"resellerd: The request has invalid fields: name, role, allowed_addresses, spend_limit. (422 validation-failed)\n" +
				"  --name: This must not be empty.\n  --role: This must be read_only, support, cashier or manager.\n" +
				"  --allow: \"nowhere\" is neither an address nor a network. Examples are 192.0.2.7 and 192.0.2.0/24.\n  --spend-limit: This must be more than 0.\n",
		},
		{"list", "with a space", ExitUsage, "RESELLERD_TOKEN: this is neither a token nor an API key\n"},
		{"revoke 99", master.Token, ExitFailed, "resellerd: the account has no API key 99\n"},
	} {
		t.Setenv("RESELLERD_TOKEN", c.token)
		code, stdout, stderr := ran(strings.Fields("key " + c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) || c.token != "" &&
			strings.Contains(stderr, c.token) {
			t.Errorf("%s: code %d, printed %q, %q, want %d, %q", c.args, code, stdout, stderr, c.code, c.says)
		}
	}
	expect.Equal(t, len(master.Get(t, "/keys").List()), 0, "keys")
}

// TestATokenIsReadFromStandardInput if the environment has no token. It is never an argument.
func TestATokenIsReadFromStandardInput(t *testing.T) {
	s := serveWhole(t)
	if code, stdout, stderr := answered("key create --name=a --role=support", s.admin.Token+"\r\n"); code != 0 ||
		!aKey.MatchString(stdout) {
		t.Errorf("code %d, printed %q, %q", code, stdout, stderr)
	}
	t.Setenv("RESELLERD_TOKEN", "not this one")
	code, _, _ := answered("key list", s.admin.Token)
	expect.Equal(t, code, ExitUsage, "the exit code where the environment has another")
}

// TestATokenGoesToItsServiceAlone and not to the target of a redirect. Answers of other services are errors.
func TestATokenGoesToItsServiceAlone(t *testing.T) {
	t.Setenv("RESELLERD_TOKEN", "the-token")
	s := serveAnswers(t, false, map[string]string{"/keys": "/elsewhere", "/elsewhere": `{"key":"x"}`,
		"/html/keys": "<html>", "/html/keys/1": "<html>", "/empty/keys": "{}"})
	for _, c := range []struct{ args, says string }{
		{"create --name=a --role=support --url " + s.URL, "answers 308"}, // redirected
		{"list --url " + s.URL + "/html", "answers 200 OK: is it the service, with its base path?"},
		{"create --name=a --role=support --url " + s.URL + "/empty", "the answer has no API key"},
		{"create --name=a --role=support --url http://127.0.0.1:1", "connection refused\n"}, // so that none was made
	} {
		code, stdout, stderr := ran(strings.Fields("key " + c.args)...)
		if code != ExitFailed || stdout != "" || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "the-token") {
			t.Errorf("%s: code %d, printed %q, %q, want %q", c.args, code, stdout, stderr, c.says)
		}
	}
	if last := s.paths[len(s.paths)-1]; strings.Contains(strings.Join(s.paths, ","), "elsewhere") {
		t.Errorf("requests %q, the last %q", s.paths, last)
	}
	// After a lost answer the API key may exist.
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	if code, stdout, stderr := ran("key", "create", "--name=a", "--role=support", "--timeout=50ms", "--url",
		slow.URL); code != ExitFailed || stdout != "" ||
		!strings.Contains(stderr, "the API key may exist: see 'resellerd key list'") {
		t.Errorf("code %d, printed %q, %q", code, stdout, stderr)
	}
	_, _, stderr := ran("key", "list", "--timeout=1ms", "--url", "http://192.0.2.1")
	expect.Contains(t, stderr, "resellerd: the token goes to another machine unencrypted")
	_, _, stderr = ran("key", "list", "--timeout=1ms", "--url", "http://localhost:1")
	expect.Lacks(t, stderr, "unencrypted")
}

// full refuses every write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFails }

func TestAKeyThatCannotBePrintedIsNamed(t *testing.T) {
	s := serveWhole(t)
	t.Setenv("RESELLERD_TOKEN", s.admin.Token)
	var stderr bytes.Buffer
	code := run([]string{"key", "create", "--name=a", "--role=support"}, strings.NewReader(""), full{}, &stderr, fake{})
	if code != ExitFailed ||
		!strings.Contains(stderr.String(), "resellerd: the API key 1 was created and could not be printed (it fails): revoke it\n") {
		t.Errorf("code %d, %s", code, &stderr)
	}
}
