package bootstrap

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/cli"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/audit"
	"resellerd/application/operate"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
	"resellerd/test/interrupt"
)

// Each command that changes files is interrupted at each of its steps: it is killed there, or the step fails, or the
// disk is full from there on. What is left is what was there before or what the command makes of it, or the document
// and the command itself say what is left; nothing that was recorded is lost, and the command ends well when it is run
// again.

// everyNth is 1 for the long form, which leaves none out.
var everyNth = flag.Int("interrupt.every", 0, "interrupt a command at every nth of its steps; 0: at a few")

const (
	programArgs = "RESELLERD_TEST_PROGRAM" // the arguments of the program, each on a line of its own
	sampled     = 2                        // so many steps are tried of a command in each way, in the short form
)

// TestProgram is the program where a test runs this binary for it, and nothing otherwise.
func TestProgram(*testing.T) {
	args := os.Getenv(programArgs)
	if args == "" {
		return
	}
	leastPasswordCost, settleTimeOfTests = "yes", "10ms"
	os.Exit(Run(strings.Split(args, "\n"), os.Stdout, os.Stderr, DefaultStores()))
}

// place is a folder with a store that was served, and all that belongs to it.
type place struct{ folder string }

func (p place) file(name string) string { return filepath.Join(p.folder, name) }

// program runs a command of the program there, whose step fails; to its end where at is 0.
func (p place) program(t *testing.T, at int, f interrupt.Fault, environment []string, args ...string) interrupt.Run {
	t.Helper()
	var given []string
	for _, e := range append([]string{programArgs + "=" + strings.Join(args, "\n")}, environment...) {
		given = append(given, strings.ReplaceAll(e, "HERE", p.folder))
	}
	if f == interrupt.None && at == 0 {
		return interrupt.Whole(t, given, os.Args[0], "-test.run=^TestProgram$")
	}
	return interrupt.Start(t, p.folder, at, f, given, os.Args[0], "-test.run=^TestProgram$")
}

// copied returns a copy of the place, for who wants to look into its stores: that may change their files.
func (p place) copied(t *testing.T) place {
	t.Helper()
	to := place{t.TempDir()}
	must(t, os.CopyFS(to.folder, os.DirFS(p.folder)))
	err := filepath.WalkDir(to.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600) // which a copy adds to
	})
	must(t, err)
	return to
}

// names are those of the files in a folder of the place, its own for "".
func (p place) names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.folder, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// fill makes a store in a file, with its key beside it: accounts, lines, movements and recorded answers.
func fill(t *testing.T, file string) {
	t.Helper()
	secret, _, err := servicekey.MadeInFile(file + ".key")
	must(t, err)
	keyring, err := servicekey.New(secret)
	must(t, err)
	store, err := sqlitestore.Open(t.Context(), file)
	must(t, err)
	defer func() {
		expect.Error(t, store.Close(), nil)
	}()
	_, err = store.ClaimKey(t.Context(), keyring.Fingerprint())
	must(t, err)
	service, err := inprocess.New(store, inprocess.Sealed(keyring), inprocess.At(now))
	if err == nil {
		err = errors.Join(service.Epochs.Begin(t.Context()), service.Admin(t.Context()))
	}
	must(t, err)
	served := httptest.NewServer(service.Handler)
	defer served.Close()
	v := api.NewFixture(t, &api.Service{Address: served.Listener.Addr().String()})
	for i := range 8 {
		master := v.Admin.Master(t, "20")
		master.Activate(t, master.Trial(t), 0.5, "Idempotency-Key", strconv.Itoa(i)).Is(201)
		v.Master.Fund(t, v.Seller.ID, 1, "Idempotency-Key", strconv.Itoa(i)).Is(200)
	}
	v.Seller.DeleteLine(t, v.Trial.ID).Is(200)
	v.Master.Send(t, "POST", api.Path("/webhooks", v.Master.Webhook, "/rotate"), api.Fields{"overlap_hours": 24}).Is(200)
	v.Master.MakeWebhook(t, nil)
	owner := v.Master.SignIn(t)
	owner.HaveFactor(t, owner.Password, now())
	member := api.NewMember(nil)
	owner.Send(t, "POST", "/staff", member).Is(201)
	in := owner.Server.SignIn(t, member["username"].(string), member["password"].(string))
	in.Send(t, "POST", "/auth/totp", api.Fields{"password": member["password"]}).Is(200) // which is not confirmed
}

// filled is a place with a store in served.db, which each call copies.
func filled(t *testing.T) func(t *testing.T) place {
	t.Helper()
	made := place{t.TempDir()}
	fill(t, made.file("served.db"))
	return func(t *testing.T) place {
		t.Helper()
		return made.copied(t)
	}
}

// disabled is what a restore does to webhooks.
var disabled = regexp.MustCompile(`"enabled":\w+,"disabled_reason":"\w*",`)

// content is all that a store has recorded, in the clear, and who says that it is well: the service can be run on it
// with one of these keys.
func content(t *testing.T, file string, secrets ...profile.Secret) (text string, err error) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	recorded, err := store.ServiceKey(t.Context())
	if err != nil {
		return "", err
	}
	keyring, err := servicekey.Restore(recorded, secrets...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	tell := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	open := func(sealed []byte, label string) string {
		plain, failed := keyring.Open(sealed, label)
		err = errors.Join(err, failed)
		return string(plain)
	}
	const all = 1 << 20
	viewed := store.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		if unfinished, err := r.Unfinished(ctx); err != nil || unfinished {
			return errors.Join(err, ports.ErrUnfinishedCopy)
		}
		resellers, err1 := r.Resellers(ctx, 0, all)
		lines, err2 := r.Lines(ctx, 0, all)
		tombstones, err3 := r.Tombstones(ctx, 0, all)
		movements, err4 := r.Movements(ctx, 0, all)
		keys, err5 := r.KeyRecords(ctx, 0, "", all)
		for _, found := range resellers {
			tell("%+v", found.Record.State())
		}
		for _, found := range lines {
			s := found.Record.State()
			password := open(s.Password, fmt.Sprintf("line/[%d]", s.ID))
			s.Password = nil
			tell("%+v %s", s, password)
		}
		for _, found := range tombstones {
			tell("%+v", found.Record)
		}
		for _, found := range movements {
			tell("%+v", found.Record)
		}
		for _, of := range ports.Kinds() {
			if of == ports.Leases.Kind || of == ports.Sessions.Kind {
				continue
			}
			found, failed := r.OfKind(ctx, of, "", all)
			err = errors.Join(err, failed)
			for _, f := range found {
				if of.Secret() {
					opened, _, failed := of.Reseal(f.Payload, func(sealed []byte, label string) ([]byte, bool, error) {
						return []byte(open(sealed, label)), true, nil
					})
					f.Payload, err = opened.Payload, errors.Join(err, failed)
				}
				tell("%s", disabled.ReplaceAllString(f.Payload, ""))
			}
		}
		for _, k := range keys {
			tell("%d %s %d %s %s", k.Reseller, k.Key, k.Status, open(k.Body, fmt.Sprintf("key/[%d %s]", k.Reseller, k.Key)),
				k.Expires)
		}
		return errors.Join(err1, err2, err3, err4, err5)
	})
	_, audited := audit.Run(t.Context(), store,
		audit.Options{Report: func(finding string) { err = errors.Join(err, errors.New(finding)) }})
	return b.String(), errors.Join(err, viewed, audited)
}

// difference is the first line that two contents don't share.
func difference(is, was string) string {
	if is == was {
		return ""
	}
	now, before := strings.Split(is, "\n"), strings.Split(was, "\n")
	i := 0
	for i < min(len(now), len(before)) && now[i] == before[i] {
		i++
	}
	return fmt.Sprintf("%.200s\nwas\n%.200s", strings.Join(now[i:], "\n"), strings.Join(before[i:], "\n"))
}

// keyIn reads a service key.
func keyIn(t *testing.T, file string) profile.Secret {
	t.Helper()
	secret, err := servicekey.LoadOrCreate(file, false)
	must(t, err)
	return secret
}

// trial is one run of a command that was interrupted.
type trial struct {
	*testing.T
	place
	interrupt.Run
	fault interrupt.Fault
	again func(args ...string) interrupt.Run // runs a command there, to its end
}

// ages makes the files of a folder two hours old: after one nobody is at work there any more.
func (c *trial) ages(folder string) {
	c.Helper()
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range c.names(c.T, folder) {
		must(c.T, os.Chtimes(c.file(folder+"/"+name), old, old))
	}
}

// repeats runs the command again, which has to end well.
func (c *trial) repeats(when string, command ...string) {
	c.Helper()
	if again := c.again(command...); again.Status != 0 {
		c.wrong("%s: status %d\n%s", when, again.Status, again.Output)
	}
}

// wrong says what was expected and what came.
func (c *trial) wrong(format string, args ...any) {
	c.Helper()
	c.Errorf("%s\n%s, status %d\n%s", fmt.Sprintf(format, args...), c.fault, c.Status, c.Output)
}

// each runs a command in a place of its own for each of its steps, and for each way in which that can fail. examine
// looks at what is left, and runs it again.
func each(t *testing.T, made func(*testing.T) place, environment, command []string, examine func(c *trial)) {
	t.Helper()
	sound := made(t).program(t, 1, interrupt.None, environment, command...)
	if sound.Status != 0 || len(sound.Steps) == 0 {
		t.Fatalf("uninterrupted: status %d after %d steps\n%s", sound.Status, len(sound.Steps), sound.Output)
	}
	stride := *everyNth
	if stride == 0 {
		stride = max(1, len(sound.Steps)/sampled)
	}
	tried := 0
	for _, fault := range interrupt.Faults {
		for at := 1; at <= len(sound.Steps); at += stride {
			t.Run(fmt.Sprintf("%s/%d", fault, at), func(t *testing.T) {
				t.Parallel()
				p := made(t)
				run := p.program(t, at, fault, environment, command...)
				step := interrupt.Step{Call: "none"}
				if len(run.Steps) >= at {
					step = run.Steps[at-1]
				}
				t.Logf("%s at step %d, %s", fault, at, step)
				if fault == interrupt.Kill && run.Reached != (run.Status == -1) {
					t.Errorf("it was killed: %t, and its status is %d", run.Reached, run.Status)
				}
				examine(&trial{t, p, run, fault, func(args ...string) interrupt.Run {
					return p.program(t, 0, interrupt.None, environment, args...)
				}})
			})
			tried++
		}
	}
	t.Logf("%d steps, interrupted %d times", len(sound.Steps), tried)
}

// isStill fails unless a store in a copy of the place is what it was, by a key beside it.
func (c *trial) isStill(was, file string) {
	c.Helper()
	looked := c.copied(c.T)
	if is, err := content(c.T, looked.file(file), keyIn(c.T, looked.file(file+".key"))); is != was || err != nil {
		c.wrong("%s is not the store: %v\n%s", file, err, difference(is, was))
	}
}

// TestABackupIsInterrupted: the store that is backed up stays as it is; the folder has the whole backup with its key,
// or none. A kill may leave a draft, and the key alone, which the next backup removes after an hour.
func TestABackupIsInterrupted(t *testing.T) {
	t.Parallel()
	made := filled(t)
	was, err := content(t, made(t).file("served.db"), keyIn(t, made(t).file("served.db.key")))
	must(t, err)
	command := []string{"backup", "--dir", "HERE/backups", "--with-key"}
	each(t, made, []string{"RESELLERD_STORE=sqlite:HERE/served.db"}, command, func(c *trial) {
		// whole counts the backups, each of which is the store, and what is there besides.
		whole := func() (backups, others int) {
			for _, name := range c.names(c.T, "backups") {
				if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".db") {
					others++
					continue
				}
				backups++
				c.isStill(was, "backups/"+name)
			}
			return backups, others
		}
		c.isStill(was, "served.db")
		backups, _ := whole()
		if backups == 0 && c.Status == 0 || backups > 1 {
			c.wrong("there are %d backups", backups)
		}
		c.repeats("run again", command...)
		c.ages("backups")
		c.repeats("an hour later", command...)
		if last, others := whole(); last != backups+2 || others != last {
			c.wrong("an hour later there are %d backups, and %d other files", last, others)
		}
	})
}

// TestARestoreIsInterrupted: the store is there whole, with its key, or not at all, and then another try makes it. A
// kill may leave the folder in which it was made, which the next try removes after an hour.
func TestARestoreIsInterrupted(t *testing.T) {
	t.Parallel()
	filled := filled(t)
	backedUp := filled(t)
	key := keyIn(t, backedUp.file("served.db.key"))
	was, err := content(t, filled(t).file("served.db"), key)
	must(t, err)
	run := backedUp.program(t, 0, interrupt.None, []string{"RESELLERD_STORE=sqlite:HERE/served.db"}, "backup", "--dir",
		"HERE", "--with-key")
	backups, err := filepath.Glob(backedUp.file("resellerd-*.db"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("the backups are %v, %v: %s", backups, err, run.Output)
	}
	made := func(t *testing.T) place {
		t.Helper()
		p := place{t.TempDir()}
		for _, suffix := range []string{"", ".key"} {
			content, err := os.ReadFile(backups[0] + suffix)
			must(t, err)
			must(t, os.WriteFile(p.file("backup.db"+suffix), content, 0o600))
		}
		return p
	}
	environment, command := []string{"RESELLERD_STORE=sqlite:HERE/data/restored.db"}, []string{"restore", "HERE/backup.db"}
	each(t, made, environment, command, func(c *trial) {
		there := func() bool {
			_, err := os.Stat(c.file("data/restored.db"))
			return err == nil
		}
		done := there()
		if done {
			c.isStill(was, "data/restored.db")
		} else if c.Status == 0 {
			c.wrong("there is no store")
		}
		if c.Status > 0 {
			if left := c.names(c.T, "data"); !done && len(left) > 0 && c.fault != interrupt.Fail {
				c.wrong("it failed and left %q", left)
			}
		}
		again := c.again(command...)
		if done && (again.Status == 0 || !strings.Contains(again.Output, operate.ErrExists.Error())) || !done &&
			again.Status != 0 {
			c.wrong("run again, the store being there is %t: status %d\n%s", done, again.Status, again.Output)
		}
		c.isStill(was, "data/restored.db")
		c.ages("data")
		c.again(command...)
		if left := c.names(c.T, "data"); !slices.Equal(left, []string{"restored.db", "restored.db.key"}) {
			c.wrong("an hour later there is %q", left)
		}
	})
}

// TestACopyIsInterrupted: the source stays as it is. The target is a whole copy, or nothing, or says that it is
// unfinished and can't be used; then a copy that starts over makes it.
func TestACopyIsInterrupted(t *testing.T) {
	t.Parallel()
	made := filled(t)
	key := keyIn(t, made(t).file("served.db.key"))
	was, err := content(t, made(t).file("served.db"), key)
	must(t, err)
	command := []string{"copy", "--from", "sqlite:HERE/served.db", "--to", "sqlite:HERE/copy.db"}
	each(t, made, nil, command, func(c *trial) {
		whole := func(file string) bool {
			is, err := content(c.T, c.copied(c.T).file(file), key)
			return is == was && err == nil
		}
		if !whole("served.db") {
			c.wrong("the source is another one")
		}
		done := whole("copy.db")
		if !done && c.Status == 0 {
			c.wrong("the copy is not the store")
		}
		if !done {
			if served := c.copied(c.T).program(c.T, 0, interrupt.None,
				[]string{"RESELLERD_STORE=sqlite:HERE/copy.db", "RESELLERD_SECRET=" + key.Reveal()},
				"verify"); served.Status == 0 && !strings.Contains(served.Output, "all well: 0 accounts") {
				c.wrong("what is left passes for a store: %s", served.Output)
			}
		}
		again := c.again(command...)
		switch unfinished := strings.Contains(again.Output, "--restart"); {
		case done && (again.Status != cli.ExitFailed || unfinished):
			c.wrong("run again over a whole copy: status %d\n%s", again.Status, again.Output)
		case !done && again.Status == 0, done:
		case !unfinished:
			c.wrong("run again: status %d\n%s", again.Status, again.Output)
		default:
			c.repeats("started over", slices.Concat(command, []string{"--restart"})...)
		}
		if !whole("copy.db") || !whole("served.db") {
			c.wrong("in the end the copy, or the source, is not the store")
		}
	})
}

// TestARekeyIsInterrupted: whatever became of it, everything can be opened with the two keys that the operator has, and
// the command goes on when it is run again. Then the new key alone opens everything.
func TestARekeyIsInterrupted(t *testing.T) {
	t.Parallel()
	filled := filled(t)
	old := keyIn(t, filled(t).file("served.db.key"))
	was, err := content(t, filled(t).file("served.db"), old)
	must(t, err)
	renamed := func(t *testing.T) place {
		t.Helper()
		p := filled(t)
		must(t, os.Rename(p.file("served.db.key"), p.file("served.db.key.previous")))
		return p
	}
	each(t, renamed, []string{"RESELLERD_STORE=sqlite:HERE/served.db"}, []string{"rekey"}, func(c *trial) {
		next := func() []profile.Secret {
			made, err := servicekey.LoadOrCreate(c.file("served.db.key"), false)
			if err != nil {
				return nil // not made yet
			}
			return []profile.Secret{made}
		}
		if is, err := content(c.T, c.copied(c.T).file("served.db"), append(next(), old)...); is != was || err != nil {
			c.wrong("the store is another one: %v\n%s", err, difference(is, was))
		}
		c.repeats("run again", "rekey")
		if is, err := content(c.T, c.copied(c.T).file("served.db"), next()...); is != was || err != nil {
			c.wrong("by the new key alone the store is another one: %v\n%s", err, difference(is, was))
		}
	})
}
