package bootstrap

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

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
	"resellerd/test/ramdisk"
)

// everyNth is 1 for the long form, which tries every step.
var everyNth = flag.Int("interrupt.every", 0, "interrupt a command at every nth of its steps; 0: at a few")

// programArgs has the arguments of the program, with spaces between them.
const programArgs = "RESELLERD_TEST_PROGRAM"

func TestMain(m *testing.M) {
	ramdisk.Use(1 << 30)
	os.Exit(m.Run())
}

// TestProgram runs the program if another test has started this binary for it. Otherwise it does nothing.
func TestProgram(*testing.T) {
	args := os.Getenv(programArgs)
	if args == "" {
		return
	}
	leastPasswordCost, settleTimeOfTests = "yes", "10ms"
	os.Exit(Run(strings.Fields(args), os.Stdout, os.Stderr, DefaultStores()))
}

// storeFolder is a folder with a store that was served, its key files, backups and copies.
type storeFolder struct{ folder string }

func (p storeFolder) file(name string) string { return filepath.Join(p.folder, name) }

// program runs a command of the program in the folder. Its step number at fails; 0 runs the command to its end.
func (p storeFolder) program(t *testing.T, at int, f interrupt.Fault, args string) interrupt.Run {
	t.Helper()
	environment := []string{"RESELLERD_STORE=sqlite:" + p.file("served.db"),
		programArgs + "=" + strings.ReplaceAll(args, "HERE", p.folder)}
	if at == 0 {
		return interrupt.Whole(t, environment, os.Args[0], "-test.run=^TestProgram$")
	}
	return interrupt.Start(t, p.folder, at, f, environment, os.Args[0], "-test.run=^TestProgram$")
}

// copied returns a copy of the folder. Opening a store of the copy does not change the original files.
func (p storeFolder) copied(t *testing.T) storeFolder {
	t.Helper()
	to := storeFolder{t.TempDir()}
	must(t, os.CopyFS(to.folder, os.DirFS(p.folder)))
	keys, err := filepath.Glob(to.file("*.key*"))
	for _, key := range keys {
		err = errors.Join(err, os.Chmod(key, 0o600)) // os.CopyFS adds permissions
	}
	must(t, err)
	return to
}

// fill creates a store in a file, and its key file: accounts, lines, movements and recorded answers.
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
	in.Send(t, "POST", "/auth/totp", api.Fields{"password": member["password"]}).Is(200) // not confirmed
}

// disabled matches the fields of webhooks that a restore changes.
var disabled = regexp.MustCompile(`"enabled":\w+,"disabled_reason":"\w*",`)

// content returns all records of a store, decrypted with one of the service keys. Without an error the service can run
// on the store.
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
		movements, err3 := r.Movements(ctx, 0, all)
		keys, err4 := r.KeyRecords(ctx, 0, "", all)
		for _, found := range resellers {
			tell("%+v", found.Record.State())
		}
		for _, found := range lines {
			s := found.Record.State()
			password := open(s.Password, fmt.Sprintf("line/[%d]", s.ID))
			s.Password = nil
			tell("%+v %s", s, password)
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
		return errors.Join(err1, err2, err3, err4)
	})
	_, audited := audit.Run(t.Context(), store,
		audit.Options{Report: func(finding string) { err = errors.Join(err, errors.New(finding)) }})
	return b.String(), errors.Join(err, viewed, audited)
}

// interruptible is a command in a folder with a store that was served and a backup of it.
type interruptible struct {
	args    string
	result  string // the store that it creates or changes
	there   string // its error if the result exists
	partial bool   // it may leave an unusable result, and then needs --restart
}

// TestACommandIsInterrupted at each of its steps: the command is killed, or the step fails, or the disk is full from
// this step on.
func TestACommandIsInterrupted(t *testing.T) {
	t.Parallel()
	served := storeFolder{t.TempDir()}
	fill(t, served.file("served.db"))
	for _, suffix := range []string{"", ".key"} {
		content, err := os.ReadFile(served.file("served.db" + suffix))
		must(t, err)
		must(t, os.WriteFile(served.file("backup.db"+suffix), content, 0o600))
	}
	old, err := servicekey.LoadOrCreate(served.file("served.db.key"), false)
	must(t, err)
	was, err := content(t, served.copied(t).file("served.db"), old)
	must(t, err)
	for _, c := range []interruptible{
		{args: "backup --dir HERE/backups --with-key", result: "backups/resellerd-*.db"},
		{args: "restore HERE/backup.db --store sqlite:HERE/data/restored.db", result: "data/restored.db",
			there: operate.ErrExists.Error()},
		{args: "copy --from sqlite:HERE/served.db --to sqlite:HERE/copy.db", result: "copy.db", there: "not empty",
			partial: true},
		{args: "rekey", result: "served.db"},
	} {
		begun := func(t *testing.T) storeFolder {
			t.Helper()
			p := served.copied(t)
			if c.args == "rekey" {
				must(t, os.Rename(p.file("served.db.key"), p.file("served.db.key.previous")))
			}
			return p
		}
		sound := begun(t).program(t, 1, interrupt.None, c.args)
		if sound.Status != 0 || len(sound.Steps) == 0 {
			t.Fatalf("%s: status %d after %d steps\n%s", c.args, sound.Status, len(sound.Steps), sound.Output)
		}
		stride := *everyNth
		if stride == 0 {
			stride = max(1, len(sound.Steps)/2)
		}
		for _, fault := range interrupt.Faults {
			for at := 1; at <= len(sound.Steps); at += stride {
				t.Run(fmt.Sprintf("%.7s/%s/%d", c.args, fault, at), func(t *testing.T) {
					t.Parallel()
					p := begun(t)
					run := p.program(t, at, fault, c.args)
					if len(run.Steps) >= at {
						t.Logf("%s at %s: status %d\n%s", fault, run.Steps[at-1], run.Status, run.Output)
					}
					c.leaves(t, p, run.Status, was, old)
				})
			}
		}
	}
}

// leaves checks the folder after an interruption. The store is unchanged. The result of the command is complete, or
// does not exist, or can't be used and audit refuses it. After another run of the command it is complete. An
// interrupted rekey needs both service keys of the operator, and after another run the new one alone.
func (c interruptible) leaves(t *testing.T, p storeFolder, status int, was string, old profile.Secret) {
	t.Helper()
	// whole counts the stores of a name, and checks that the content of each is unchanged.
	whole := func(name string, keys ...profile.Secret) (all int) {
		t.Helper()
		looked := p.copied(t)
		if key, err := servicekey.LoadOrCreate(looked.file("served.db.key"), false); err == nil {
			keys = append([]profile.Secret{key}, keys...)
		}
		files, err := filepath.Glob(looked.file(name))
		must(t, err)
		for _, file := range files {
			is, err := content(t, file, keys...)
			if is == was && err == nil {
				all++
				continue
			}
			if !c.partial || name != c.result {
				t.Errorf("%s is another store: %v\n%s\nwas\n%s", name, err, is, was)
				continue
			}
			verified := looked.program(t, 0, interrupt.None, "verify --store sqlite:"+file)
			if verified.Status == 0 && !strings.Contains(verified.Output, "all well: 0 accounts") {
				t.Errorf("audit accepts a partial result: %s", verified.Output)
			}
		}
		return all
	}
	expect.Equal(t, whole("served.db", old), 1, "the store")
	done := whole(c.result, old)
	if done == 0 && status == 0 {
		t.Error("there is no result")
	}
	again := p.program(t, 0, interrupt.None, c.args)
	if done == 0 && strings.Contains(again.Output, "--restart") {
		again = p.program(t, 0, interrupt.None, c.args+" --restart")
	}
	exists := done > 0 && c.there != ""
	if exists == (again.Status == 0) || exists && !strings.Contains(again.Output, c.there) {
		t.Errorf("run again, with an existing result: %t: status %d\n%s", exists, again.Status, again.Output)
	}
	expect.Equal(t, whole("served.db"), 1, "the store in the end")
	if whole(c.result) == 0 {
		t.Error("there is no result after the second run")
	}
}
