package rekey_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/rekey"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// rekeyed is the service under another key, with the harness's own store.
func rekeyed(h *kit.Harness) (*application.Service, *servicekey.Keyring) {
	h.T.Helper()
	secret := servicekey.Generate()
	recorded, err := h.Keyring.MoveTo(secret, false)
	require.NoError(h.T, err)
	keyring, err := servicekey.Restore(recorded, secret)
	require.NoError(h.T, err)
	d := h.Dependencies
	d.Tokens, d.Vault = keyring, keyring
	return application.New(d, application.Policy{}), keyring
}

// reportTo adds each finding to findings.
func reportTo(findings *[]string) rekey.Options {
	return rekey.Options{
		Report:   func(finding string) { *findings = append(*findings, finding) },
		Progress: func(rekey.Step, int64) {},
	}
}

func TestEverythingIsResealed(t *testing.T) {
	h := kit.New(t, application.Policy{})
	const many = 520 // more than a page
	var made []lines.Line
	for i := range many {
		var l lines.Line
		require.NoError(t, kit.ErrorOf(h.Lines.CreateTrial(t.Context(), kit.Keyed(h.Admin, fmt.Sprint("key ", i)),
			line.Description{Notes: new(fixture.Text("a note"))}, kit.Into(&l))))
		made = append(made, l)
	}
	service, keyring := rekeyed(h)
	options := rekey.Options{Report: func(finding string) { t.Error(finding) }, Progress: func(rekey.Step, int64) {}}
	for _, want := range []int64{many, 0} {
		done, err := service.Rekey.Reseal(t.Context(), h.Archive, options)
		if err != nil || done.Lines != want || done.Answers != want || done.Findings != 0 {
			t.Fatalf("got %+v, %v, want %d each", done, err, want)
		}
	}
	sealed, err := keyring.Seal(nil, "")
	require.NoError(t, err)
	sealed = sealed[:5]
	require.NoError(t, h.Archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		kept, err := r.Lines(ctx, 0, many+1)
		require.NoError(t, err)
		answers, err := r.KeyRecords(ctx, 0, "", many+1)
		require.NoError(t, err)
		if len(kept) != many || len(answers) != many {
			t.Fatalf("%d lines and %d answers are left of %d", len(kept), len(answers), many)
		}
		for i, l := range kept {
			now, then := l.Record.State(), made[i].State()
			if !strings.HasPrefix(string(now.Password), string(sealed)) {
				t.Errorf("line %d is not sealed under the new key", l.ID)
			}
			now.Password, then.Password = nil, nil
			expect.Equal(t, fmt.Sprint(now), fmt.Sprint(then), "line %d has become", l.ID)
		}
		for _, k := range answers {
			if !strings.HasPrefix(string(k.Body), string(sealed)) {
				t.Errorf("the answer under %s is not sealed under the new key", k.Key)
			}
		}
		return nil
	}))
	found, err := service.Lines.Get(t.Context(), kit.Call(h.Admin), made[7].ID())
	if err != nil || found.Password.Reveal() != made[7].Password.Reveal() {
		t.Errorf("the password of a line is another one: %v", err)
	}
	again, err := service.Lines.CreateTrial(t.Context(), kit.Keyed(h.Admin, "key 7"),
		line.Description{Notes: new(fixture.Text("a note"))}, kit.Shown)
	if err != nil || !again.Replayed {
		t.Errorf("a retry gets %+v, %v", again, err)
	}
	other := kit.Keyed(h.Admin, "key 7")
	other.Content = []byte("something else")
	_, err = service.Lines.CreateTrial(t.Context(), other, line.Description{Notes: new(fixture.Text("a note"))}, kit.Shown)
	expect.Error(t, err, application.ErrKeyReused)
}

// A secret that can't be opened stays unchanged, and all others are resealed.
func TestSecretsThatCanNotBeOpenedAreReported(t *testing.T) {
	h := kit.New(t, application.Policy{})
	damaged, sound := h.Trial(h.Admin), h.Trial(h.Admin)
	stranger, err := servicekey.New(profile.NewSecret("of another service"))
	require.NoError(t, err)
	password, err := stranger.Seal([]byte("x"), "line/[1]")
	require.NoError(t, err)
	require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, damaged.ID())
		if err != nil {
			return err
		}
		l.Reseal(password)
		return errors.Join(tx.Lines.Save(ctx, l), tx.Keys.Put(ctx, ports.KeyRecord{
			Reseller: 1, Key: "k", Request: []byte("x"), Status: 200, Body: []byte("no seal"), Expires: h.Now.AddDate(0, 0, 7),
		}))
	}))
	service, _ := rekeyed(h)
	var findings []string
	done, err := service.Rekey.Reseal(t.Context(), h.Archive, reportTo(&findings))
	if err != nil || done.Lines != 1 || done.Answers != 0 || done.Findings != 2 || len(findings) != 2 {
		t.Fatalf("got %+v, %v and reports %q", done, err, findings)
	}
	if !strings.Contains(findings[0], fmt.Sprintf("line %d: sealed under another service key", damaged.ID())) ||
		!strings.Contains(findings[1], "key of account 1: sealed content is damaged") {
		t.Errorf("got %q", findings)
	}
	if found, err := service.Lines.Get(t.Context(), kit.Call(h.Admin), sound.ID()); err != nil ||
		found.Password.Reveal() != sound.Password.Reveal() {
		t.Errorf("the other line: %v", err)
	}
}

// unsure is a vault that does not know the present key.
type unsure struct{ ports.Vault }

func (unsure) Seal([]byte, string) ([]byte, error) { return nil, ports.ErrUnavailable }

func (unsure) Renew([]byte, string) ([]byte, bool, error) { return nil, false, ports.ErrUnavailable }

// A command fails if the store has a key that the process lacks.
func TestNothingIsRecordedThatCanNotBeSealed(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, payer := h.Create(h.Admin, "payer", "10", false)
	trial := h.Trial(payer)
	official, err := h.Activate(payer, h.Activation(h.Trial(payer).ID(), "official", "1"))
	require.NoError(t, err)
	d := h.Dependencies
	d.Vault = unsure{d.Vault}
	service := application.New(d, application.Policy{})
	before := h.Recorded()
	for name, attempt := range map[string]func() error{
		"an activation": func() error {
			return kit.ErrorOf(service.Lines.Activate(t.Context(), kit.Call(payer), h.Activation(trial.ID(), "trial",
				"1"), kit.Shown))
		},
		"an answer": func() error {
			return kit.ErrorOf(service.Lines.Delete(t.Context(), kit.Keyed(payer, "key"), official.ID(), kit.Shown))
		},
		"a key": func() error {
			return kit.ErrorOf(service.Rekey.Reseal(t.Context(), h.Archive, rekey.Options{Report: func(f string) { t.Error(f) },
				Progress: func(rekey.Step, int64) {}}))
		},
	} {
		expect.Error(t, attempt(), ports.ErrUnavailable, "%s", name)
	}
	expect.DeepEqual(t, h.Recorded(), before, "the store holds")
}

// A damaged record is reported and stays unchanged.
func TestSecretFieldsOfRecordsAreResealed(t *testing.T) {
	h := kit.New(t, application.Policy{})
	const many = 520 // more than a page
	seal := func(id int64, of *servicekey.Keyring) storetest.Sample {
		sealed, err := of.Seal(fmt.Append(nil, "secret ", id), storetest.Samples.Label(id, storetest.SampleSecret))
		require.NoError(t, err)
		return storetest.Sample{ID: id, Name: fmt.Sprint(id), Sealed: sealed}
	}
	stranger, err := servicekey.New(profile.NewSecret("of another service"))
	require.NoError(t, err)
	require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		samples := storetest.Samples.In(tx.Records)
		for id := range int64(many) {
			require.NoError(t, samples.Insert(ctx, seal(id, h.Keyring)))
		}
		require.NoError(t, samples.Insert(ctx, storetest.Sample{ID: many, Name: "without a secret"}))
		return samples.Insert(ctx, seal(many+1, stranger))
	}))
	service, keyring := rekeyed(h)
	for _, want := range []int64{many, 0} {
		var findings []string
		done, err := service.Rekey.Reseal(t.Context(), h.Archive, reportTo(&findings))
		if err != nil || done != (rekey.Result{Records: want, Findings: 1}) || len(findings) != 1 ||
			!strings.HasPrefix(findings[0], fmt.Sprintf("sample %d: sealed under another service key", many+1)) {
			t.Fatalf("got %+v, %v and %q, want %d records", done, err, findings, want)
		}
	}
	present, err := keyring.Seal(nil, "")
	require.NoError(t, err)
	require.NoError(t, h.Dependencies.Store.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		for id := range int64(many) {
			kept, err := storetest.Samples.From(v.Records).Get(ctx, id)
			require.NoError(t, err)
			plain, err := keyring.Open(kept.Sealed, storetest.Samples.Label(id, storetest.SampleSecret))
			if err != nil || string(plain) != fmt.Sprint("secret ", id) || kept.Name != fmt.Sprint(id) ||
				!bytes.HasPrefix(kept.Sealed, present[:5]) {
				t.Fatalf("sample %d is %+v, which opens as %q, %v", id, kept, plain, err)
			}
		}
		return nil
	}))
}

// Second factors are valid after that, confirmed or not.
func TestSecondFactorsAreResealed(t *testing.T) {
	h := kit.New(t, application.Policy{})
	require.NoError(t, h.Epochs.Begin(t.Context()))
	for _, name := range []string{"active", "pending"} {
		h.NewMember(h.Admin, name)
	}
	secret := h.ConfirmFactor(h.By(h.SignIn("active")), profile.NewSecret("password-active"))
	pending := h.BeginFactor(h.By(h.SignIn("pending")), profile.NewSecret("password-pending"))
	service, _ := rekeyed(h)
	var findings []string
	done, err := service.Rekey.Reseal(t.Context(), h.Archive, reportTo(&findings))
	if err != nil || done.Records != 2 || len(findings) != 0 {
		t.Fatalf("got %+v, %v and %q", done, err, findings)
	}

	h.Now = h.Now.Add(30 * time.Second)
	in := kit.SignInOf("active")
	_, _, err = service.Access.SignIn(t.Context(), in)
	expect.Error(t, err, secondfactor.ErrRequired)
	in.Code = h.Code(secret)
	_, _, err = service.Access.SignIn(t.Context(), in)
	require.NoError(t, err)
	_, browser, err := service.Access.SignIn(t.Context(), kit.SignInOf("pending"))
	require.NoError(t, err)
	by, err := service.Authentication.AuthenticateSession(t.Context(), browser.Reveal())
	require.NoError(t, err)
	_, err = service.Access.ConfirmFactor(t.Context(), kit.Call(by), access.ConfirmFactor{Code: h.Code(pending)},
		kit.Shown)
	require.NoError(t, err)
}
