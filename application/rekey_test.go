package application_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/given"
)

// rekeyed is the service under another key, with the harness's own store.
func (h *harness) rekeyed() (*application.Service, *servicekey.Keyring) {
	h.t.Helper()
	secret := servicekey.Generate()
	recorded, err := h.keyring.MoveTo(secret, false)
	check(h.t, err)
	keyring, err := servicekey.Restore(recorded, secret)
	check(h.t, err)
	d := h.dependencies
	d.Tokens, d.Vault = keyring, keyring
	return application.New(d, application.Policy{}), keyring
}

// keyed is a call under an idempotency key.
func keyed(by application.Caller, key string) application.Call {
	c := call(by)
	c.Key, c.Content = key, []byte("what was asked under "+key)
	return c
}

func TestEverythingIsSealedAnew(t *testing.T) {
	h := newHarness(t, application.Policy{})
	const many = 1100 // more than two pages
	var lines []application.Line
	for i := range many {
		var l application.Line
		_, err := h.CreateTrial(t.Context(), keyed(h.admin, fmt.Sprint("key ", i)), given.Text("a note"), into(&l))
		check(t, err)
		lines = append(lines, l)
	}
	service, keyring := h.rekeyed()
	var steps []string
	options := application.RekeyOptions{
		Report: func(finding string) { t.Error(finding) },
		Progress: func(step application.RekeyStep, done int64) {
			if done == 0 || done == many {
				steps = append(steps, fmt.Sprint(step, " ", done))
			}
		},
	}
	for _, want := range []int64{many, 0} {
		done, err := service.SealAnew(t.Context(), h.archive, options)
		if err != nil || done.Lines != want || done.Answers != want || done.Findings != 0 {
			t.Fatalf("got %+v, %v, want %d each", done, err, want)
		}
	}
	pass := []string{
		"sealing the passwords of lines 0", fmt.Sprint("sealing the passwords of lines ", many),
		"sealing recorded answers 0", fmt.Sprint("sealing recorded answers ", many),
	}
	if want := slices.Concat(pass, pass); !slices.Equal(steps, want) {
		t.Errorf("got steps %q, want %q", steps, want)
	}
	sealed := keyring.Seal(nil, "")[:5]
	check(t, h.archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		kept, err := r.Lines(ctx, 0, many+1)
		check(t, err)
		answers, err := r.KeyRecords(ctx, 0, "", many+1)
		check(t, err)
		if len(kept) != many || len(answers) != many {
			t.Fatalf("%d lines and %d answers are left of %d", len(kept), len(answers), many)
		}
		for i, l := range kept {
			now, then := l.Record.State(), lines[i].State()
			if !strings.HasPrefix(string(now.Password), string(sealed)) {
				t.Errorf("line %d is not sealed under the new key", l.ID)
			}
			now.Password, then.Password = nil, nil
			if fmt.Sprint(now) != fmt.Sprint(then) {
				t.Errorf("line %d became %v and was %v", l.ID, now, then)
			}
		}
		for _, k := range answers {
			if !strings.HasPrefix(string(k.Body), string(sealed)) {
				t.Errorf("the answer under %s is not sealed under the new key", k.Key)
			}
		}
		return nil
	}))
	found, err := service.Line(t.Context(), call(h.admin), lines[7].ID())
	if err != nil || found.Password.Reveal() != lines[7].Password.Reveal() {
		t.Errorf("the password of a line is another one: %v", err)
	}
	again, err := service.CreateTrial(t.Context(), keyed(h.admin, "key 7"), given.Text("a note"), shown)
	if err != nil || !again.Replayed {
		t.Errorf("a retry gets %+v, %v", again, err)
	}
	other := keyed(h.admin, "key 7")
	other.Content = []byte("something else")
	_, err = service.CreateTrial(t.Context(), other, given.Text("a note"), shown)
	wantFault(t, err, application.ErrKeyReused)
}

// TestWhatCanNotBeOpenedIsReported and left as it is, and all else is sealed anew.
func TestWhatCanNotBeOpenedIsReported(t *testing.T) {
	h := newHarness(t, application.Policy{})
	damaged, sound := h.trial(h.admin), h.trial(h.admin)
	stranger, err := servicekey.New(profile.NewSecret("of another service"))
	check(t, err)
	check(t, h.dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, damaged.ID())
		if err != nil {
			return err
		}
		l.SealAnew(stranger.Seal([]byte("x"), "line/[1]"))
		return errors.Join(tx.Lines.Save(ctx, l), tx.Keys.Put(ctx, ports.KeyRecord{
			Reseller: 1, Key: "k", Request: []byte("x"), Status: 200, Body: []byte("no seal"), Expires: h.now.AddDate(0, 0, 7),
		}))
	}))
	service, _ := h.rekeyed()
	var findings []string
	done, err := service.SealAnew(t.Context(), h.archive, application.RekeyOptions{
		Report:   func(finding string) { findings = append(findings, finding) },
		Progress: func(application.RekeyStep, int64) {},
	})
	if err != nil || done.Lines != 1 || done.Answers != 0 || done.Findings != 2 || len(findings) != 2 {
		t.Fatalf("got %+v, %v and reports %q", done, err, findings)
	}
	if !strings.Contains(findings[0], fmt.Sprintf("line %d: sealed under another service key", damaged.ID())) || !strings.Contains(findings[1], "key of account 1: sealed content is damaged") {
		t.Errorf("got %q", findings)
	}
	if found, err := service.Line(t.Context(), call(h.admin), sound.ID()); err != nil || found.Password.Reveal() != sound.Password.Reveal() {
		t.Errorf("the other line: %v", err)
	}
}

func TestSealingEndsWithItsContext(t *testing.T) {
	h := newHarness(t, application.Policy{})
	for range 30 {
		h.trial(h.admin)
	}
	service, _ := h.rekeyed()
	ctx, end := context.WithCancelCause(t.Context())
	end(errors.New("ended"))
	quiet := application.RekeyOptions{Report: func(string) {}, Progress: func(application.RekeyStep, int64) {}}
	if done, err := service.SealAnew(ctx, h.archive, quiet); err == nil {
		t.Errorf("it went on: %+v", done)
	}
	if done, err := service.SealAnew(t.Context(), h.archive, quiet); err != nil || done.Lines != 30 {
		t.Errorf("begun again: %+v, %v", done, err)
	}
}
