package acceptance

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// radius is a FreeRADIUS with the files of bootstrap/deploy that sends its requests to a service, with a key.
type radius struct {
	t          *testing.T
	address    string
	accounting string // the address for it
	log        string // the path
	process    *program.Process
}

// stockRADIUS is the configuration that Debian's package installs.
const stockRADIUS = "/etc/freeradius/3.0"

// startRADIUS runs one as the operators' document says, on a port of its own.
func startRADIUS(t *testing.T, url, key string, edits ...string) *radius {
	t.Helper()
	server := require.Tool(t, "freeradius")
	require.Tool(t, "radtest")
	for _, of := range []string{"radiusd.conf", "mods-available/rest"} { // the latter is of freeradius-rest
		if text, err := os.Open(filepath.Join(stockRADIUS, of)); err != nil {
			require.Missing(t, "freeradius", err)
		} else if err := text.Close(); err != nil {
			t.Fatal(err)
		}
	}
	raddb := filepath.Join(t.TempDir(), "raddb")
	copyStock(t, raddb)
	change := func(from, to string, edits ...string) {
		t.Helper()
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		changed := string(text)
		for i := 0; i < len(edits); i += 2 {
			pattern := regexp.MustCompile(`(?m)^\s*` + edits[i] + `$`)
			if !pattern.MatchString(changed) {
				t.Fatalf("%s has no %s", from, edits[i])
			}
			changed = pattern.ReplaceAllLiteralString(changed, edits[i+1])
		}
		require.NoError(t, os.WriteFile(filepath.Join(raddb, to), []byte(changed), 0o600))
	}
	port, accounting := freeUDPPort(t), freeUDPPort(t)
	change(filepath.Join(stockRADIUS, "radiusd.conf"), "radiusd.conf",
		`raddbdir = .*`, "raddbdir = "+raddb, `logdir = .*`, "logdir = "+raddb, `run_dir = .*`, "run_dir = "+raddb,
		`user = freerad`, "", `group = freerad`, "", `reject_delay = 1`, "reject_delay = 0")
	const shipped = "../../bootstrap/deploy/freeradius"
	change(filepath.Join(shipped, "rest"), "mods-enabled/resellerd")
	change(filepath.Join(shipped, "site"), "sites-enabled/resellerd", append(edits, `ipaddr = \*`, "ipaddr = 127.0.0.1",
		`port = 1812`, "port = "+strconv.Itoa(port), `port = 1813`, "port = "+strconv.Itoa(accounting))...)
	r := &radius{t: t, address: fmt.Sprintf("127.0.0.1:%d", port), accounting: fmt.Sprintf("127.0.0.1:%d", accounting)}
	r.log = filepath.Join(raddb, "radius.log")
	if err := os.WriteFile(r.log, nil, 0o644); err != nil { // as Debian's package does
		t.Fatal(err)
	}
	r.process = program.NewProcess(server, []string{"RESELLERD_URL=" + url, "RESELLERD_TOKEN=" + key}, "-d", raddb, "-fx",
		"-l", "stdout")
	require.NoError(t, r.process.Start())
	t.Cleanup(func() {
		r.process.Kill()
		if t.Failed() {
			t.Logf("FreeRADIUS: %s", r.process.Stdout)
		}
	})
	waitFor(t, r.process.Stdout, "Ready to process requests")
	return r
}

// copyStock copies the stock configuration, without its sites and without EAP, whose certificates belong to the
// machine.
func copyStock(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(stockRADIUS, func(path string, entry fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(stockRADIUS, path)
		if err = errors.Join(err, relErr); err != nil {
			return err
		}
		copied := filepath.Join(to, below)
		switch {
		case entry.IsDir():
			return os.MkdirAll(copied, 0o700)
		case filepath.Dir(below) == "sites-enabled", below == "mods-enabled/eap":
			return nil
		}
		text, err := os.ReadFile(path) // of the file that it links to
		if err != nil {
			return err
		}
		return os.WriteFile(copied, text, 0o600)
	})
	require.NoError(t, err)
}

func freeUDPPort(t *testing.T) int {
	t.Helper()
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	return taken.LocalAddr().(*net.UDPAddr).Port
}

// lets expects that radtest gets a customer accepted, or rejected.
func (r *radius) lets(want bool, username, password string, kind ...string) {
	r.t.Helper()
	args := append(slices.Clone(kind), username, password, r.address, "0", "testing123")
	out, err := exec.CommandContext(r.t.Context(), "radtest", args...).CombinedOutput()
	r.answered(want, username, string(out), err)
}

// letsExactly is lets with any characters, which radtest does not take.
func (r *radius) letsExactly(want bool, username, password string) {
	r.t.Helper()
	quote := func(text string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` }
	command := exec.CommandContext(r.t.Context(), "radclient", "-x", r.address, "auth", "testing123")
	command.Stdin = strings.NewReader("User-Name = " + quote(username) + "\nUser-Password = " + quote(password) + "\n")
	out, err := command.CombinedOutput()
	r.answered(want, username, string(out), err)
}

var radiusAnswer = regexp.MustCompile(`Received (Access-\w+)`)

// rejects expects that a customer is rejected with a Reply-Message, by each way to compare a password.
func (r *radius) rejects(username, password, message string) {
	r.t.Helper()
	for _, kind := range []string{"pap", "chap", "mschap"} {
		command := exec.CommandContext(r.t.Context(), "radtest", "-t", kind, username, password, r.address, "0", "testing123")
		out, err := command.CombinedOutput()
		r.answered(false, username, string(out), err)
		if !strings.Contains(string(out), `Reply-Message = "`+message+`"`) {
			r.t.Errorf("%s is rejected by %s without the message %q: %s", username, kind, message, out)
		}
	}
}

// accounts expects an answer to accounting.
func (r *radius) accounts(username string) {
	r.t.Helper()
	r.reports(username, "Start", 1)
}

// reports sends the start or the stop of a session as a router does, and expects an answer.
func (r *radius) reports(username, status string, session int) {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "radclient", "-x", r.accounting, "acct", "testing123")
	command.Stdin = strings.NewReader(fmt.Sprintf("User-Name = %s\nAcct-Status-Type = %s\nAcct-Session-Id = %d\n"+
		"NAS-IP-Address = 127.0.0.1\nNAS-Port = %d\n", username, status, session, session))
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "Received Accounting-Response") {
		r.t.Errorf("accounting has no answer: %v: %s", err, out)
	}
}

// logged expects one line in the log for each of these texts, in this order, and no other.
func (r *radius) logged(want ...string) {
	r.t.Helper()
	text, err := os.ReadFile(r.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	if !slices.EqualFunc(lines, want, strings.Contains) {
		r.t.Errorf("the log is %q, want %q", lines, want)
	}
	if strings.Contains(r.process.Stdout.String(), "permissions are") {
		r.t.Error("FreeRADIUS warns of the mode of its log")
	}
}

func (r *radius) answered(want bool, username, said string, err error) {
	r.t.Helper()
	var exit *exec.ExitError
	found := radiusAnswer.FindStringSubmatch(said)
	if err != nil && !errors.As(err, &exit) || found == nil {
		r.t.Errorf("%s: %v: %s", username, err, said)
		return
	}
	if in := found[1] == "Access-Accept"; in != want || in != strings.Contains(said, "Session-Timeout = ") {
		r.t.Errorf("%s: accepted: %t, want %t: %s", username, in, want, said)
	}
}

// TestFreeRADIUSLimitsConnections has a customer with one connection sign in twice.
func TestFreeRADIUSLimitsConnections(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	shop := srv.Admin(t).Reseller(t, "20")
	key := shop.MakeKey(t, fields{"scopes": []string{"entitlements:read"}}).Text("key")
	r := startRADIUS(t, "http://"+srv.Address, key, "#resellerd_sessions", "resellerd_sessions")
	l := shop.Official(t)
	r.lets(true, l.Username, l.Password)
	r.reports(l.Username, "Start", 1)
	r.lets(false, l.Username, l.Password)
	r.reports(l.Username, "Stop", 1)
	r.lets(true, l.Username, l.Password)
}

// TestFreeRADIUS checks that FreeRADIUS, with the files for operators, accepts the customers whom the service serves. A
// change applies to the next request.
func TestFreeRADIUS(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, map[string]string{"RESELLERD_TRIAL_DURATION": "1s"})
	admin := srv.Admin(t)
	master := admin.Master(t, "100")
	shop := master.Reseller(t, "20")
	made := master.MakeKey(t, fields{"scopes": []string{"entitlements:read"}})
	r := startRADIUS(t, "http://"+srv.Address+"/", made.Text("key")) // which may end with a slash

	l := shop.Official(t)
	suspension := api.Path("/lines", l.ID, "/suspension")
	block := func(by caller, account int64, lines string) {
		t.Helper()
		by.Send(t, "PUT", api.Path("/users", account, "/block"), fields{"lines": lines}).Is(200)
	}
	r.lets(true, l.Username, l.Password)
	r.lets(true, l.Username, l.Password, "-t", "chap")
	r.lets(true, l.Username, l.Password, "-t", "mschap")
	r.accounts(l.Username)
	r.lets(true, strings.ToUpper(l.Username), l.Password)
	r.lets(false, l.Username, "another password")
	r.lets(false, l.Username, "another password", "-t", "mschap")
	r.lets(false, "nobody", l.Password)
	others := admin.Reseller(t, "5").Official(t)
	r.lets(false, others.Username, others.Password)

	shop.Send(t, "PUT", suspension, nil).Is(200)
	r.rejects(l.Username, l.Password, "Your access is suspended.")
	shop.Send(t, "DELETE", suspension, nil).Is(200)
	r.lets(true, l.Username, l.Password)

	block(master.Caller, shop.ID, "suspend")
	r.rejects(l.Username, l.Password, "Your access is blocked.")
	master.Unblock(t, shop.ID).Is(200)
	block(admin, master.ID, "suspend") // the key's own account
	r.lets(false, l.Username, l.Password)
	admin.Unblock(t, master.ID).Is(200)

	trial := shop.Trial(t)
	eventually(t, "a trial of a second does not expire", func() bool {
		return shop.Get(t, api.Path("/lines", trial.ID)).Fields["effective"] == "expired"
	})
	r.rejects(trial.Username, trial.Password, "Your access has expired.")

	// FreeRADIUS expands what it gets: neither a name nor a password is anything but itself there.
	ran := filepath.Join(t.TempDir(), "ran")
	for i, c := range []struct{ username, password string }{
		{"ana/tv?a=b#c%41&d@realm", "with a space"},
		{"ünï.çode", "pä€ sswörd"},
		{"runs", "%{echo:/usr/bin/touch " + ran + "}"},
		{"runs.too", "%{exec:/usr/bin/touch " + ran + "}%%x%Z"},
		{"escapes", `a\n\\b\101\"%{User-Name}'` + "`{}"},
	} {
		trial := shop.Trial(t)
		shop.Send(t, "PATCH", api.Path("/lines/active", trial.ID),
			api.With(trial.Activation(1), fields{"username": c.username, "password": c.password})).Is(201)
		r.letsExactly(true, c.username, c.password)
		r.letsExactly(false, c.username, c.password+strconv.Itoa(i))
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a password ran a command")
	}

	// Without an answer from the service FreeRADIUS rejects every customer. It uses the first answer that it gets
	// again. The log has the reason.
	r.logged()
	srv.env["RESELLERD_ADDR"] = srv.Address
	srv.stop(t)
	r.lets(false, l.Username, l.Password)
	unreachable := "Error: resellerd: no answer from http://" + srv.Address + "/: "
	r.logged(unreachable)
	srv.start(t)
	r.lets(true, l.Username, l.Password)
	master.On(srv.Service).Send(t, "DELETE", api.Path("/keys", made.ID()), nil).Is(200)
	r.lets(false, l.Username, l.Password)
	elsewhere := fields{"scopes": []string{"entitlements:read"}, "allowed_addresses": []string{"192.0.2.1"}}
	foreign := startRADIUS(t, "http://"+srv.Address, master.On(srv.Service).MakeKey(t, elsewhere).Text("key"))
	foreign.lets(false, l.Username, l.Password)
	foreign.logged("Error: resellerd: 403: the API key ")
	r.logged(unreachable, "Error: resellerd: 401: the API key in RESELLERD_TOKEN is wrong, revoked or expired")
	shop.DeleteLine(t, l.ID).Is(200)
	srv.stopAndAudit(t)
}
