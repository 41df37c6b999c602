package secondfactor_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/secondfactor"
	"resellerd/test/expect"
)

var noon = time.Date(2024, 5, 17, 12, 0, 0, 0, time.UTC)

func codes(n int) (all []secondfactor.Digest) {
	for i := range n {
		all = append(all, secondfactor.DigestOf(fmt.Sprint("code-", i)))
	}
	return all
}

func TestAFactorInItsLife(t *testing.T) {
	f := secondfactor.Factor{Of: secondfactor.OfStaff(7)}
	expect.Equal(t, f.Active(), false, "before there is a factor")
	f, err := f.Begin([]byte("first"))
	if err != nil || f.Active() || string(f.Pending) != "first" {
		t.Fatalf("begun: %+v, %v", f, err)
	}
	f, err = f.Begin([]byte("second")) // after the loss of the first one
	if err != nil || f.Active() || string(f.Pending) != "second" {
		t.Fatalf("begun again: %+v, %v", f, err)
	}
	active := f.Confirm([]byte("sealed"), 100, codes(2), noon)
	if !active.Active() || active.Pending != nil || string(active.Secret) != "sealed" || active.Step != 100 ||
		len(active.Recovery) != 2 || !active.Since.Equal(noon) || active.Of != f.Of {
		t.Errorf("confirmed: %+v", active)
	}
	expect.Equal(t, f.Active(), false, "the one before")
	if same, err := active.Begin([]byte("third")); !errors.Is(err, secondfactor.ErrActive) || same.Pending != nil {
		t.Errorf("begun beside an active one: %+v, %v", same, err)
	}
	_, err = active.UseCode(100)
	expect.Error(t, err, secondfactor.ErrCode, "the code that confirmed it")
}

// A step before a used one is not valid either.
func TestEachStepIsValidOnce(t *testing.T) {
	for _, c := range []struct {
		steps []int64 // given, of which 10 is the present one
		good  []bool
	}{
		{[]int64{10, 10}, []bool{true, false}},
		{[]int64{9, 10, 11}, []bool{true, true, true}},
		{[]int64{11, 10, 9, 11, 12}, []bool{true, false, false, false, true}},
		{[]int64{10, 9, 11}, []bool{true, false, true}},
		{[]int64{0, -1, 1}, []bool{false, false, true}},
	} {
		f := secondfactor.Factor{}
		for i, step := range c.steps {
			after, err := f.UseCode(step)
			if good := err == nil; good != c.good[i] || err != nil && !errors.Is(err, secondfactor.ErrCode) {
				t.Errorf("of %v the step %d: %v", c.steps, step, err)
			}
			expect.Equal(t, after.Step, max(f.Step, step), "of %v after the step %d it is at", c.steps, step)
			f = after
		}
	}
}

func TestRecoveryCodeIsValidOnce(t *testing.T) {
	all := codes(secondfactor.RecoveryCodes)
	whole := secondfactor.Factor{Secret: []byte("sealed"), Step: 7, Recovery: slices.Clone(all)}
	f := whole
	for _, i := range []int{9, 0, 4, 3, 8, 1, 2, 7, 6, 5} {
		after, err := f.UseRecoveryCode(all[i])
		if err != nil || len(after.Recovery) != len(f.Recovery)-1 || after.Step != 7 || !after.Active() {
			t.Fatalf("code %d: %+v, %v", i, after, err)
		}
		again, err := after.UseRecoveryCode(all[i])
		expect.Error(t, err, secondfactor.ErrCode, "code %d again", i)
		expect.Equal(t, len(again.Recovery), len(after.Recovery), "codes that are left once code %d came again", i)
		f = after
	}
	expect.Elements(t, whole.Recovery, all, "the one before has changed")
	_, err := whole.UseRecoveryCode(secondfactor.DigestOf("code-10"))
	expect.Error(t, err, secondfactor.ErrCode, "another code")
	_, err = whole.UseRecoveryCode("")
	expect.Error(t, err, secondfactor.ErrCode, "no code")
}

func TestARecoveryCodeIsTheSameHoweverItIsWritten(t *testing.T) {
	want := secondfactor.DigestOf("abcd-efgh-2345-6789")
	for _, written := range []string{"ABCD-EFGH-2345-6789", "abcdefgh23456789", " abcd efgh 2345 6789 ",
		"Abcd--Efgh 2345-6789-"} {
		expect.Equal(t, secondfactor.DigestOf(written), want, "%q is another code", written)
	}
	for _, other := range []string{"", "abcd-efgh-2345-678", "abcd_efgh_2345_6789", "abcd-efgh-2345-6780"} {
		if got := secondfactor.DigestOf(other); got == want {
			t.Errorf("%q is the same code", other)
		}
	}
	if strings.Contains(string(want), "abcd") || len(want) != 64 {
		t.Errorf("it is stored as %q", want)
	}
	// The digest is stored: printf 'recovery\nabcdefgh23456789' | sha256sum prints it.
	expect.Equal(t, want, "b1a84e9df844f773e5a22318858669053f36f3c456cb6ea5875bda507e03366f", "it is stored as")
}

// from is a client that knows a password.
func from(client int, password string) secondfactor.Source {
	return secondfactor.Source{Client: fmt.Sprint("192.0.2.", client), Password: password}
}

// After twenty wrong codes in an hour, from all addresses, no code is accepted until its end.
func TestWrongCodesAreCounted(t *testing.T) {
	const most = 20
	f := secondfactor.Factor{}
	for i := range most {
		at, by := noon.Add(time.Duration(i)*time.Minute), from(i, "password")
		expect.Equal(t, f.Wait(by, at), 0, "the wait after %d wrong codes", i)
		f = f.CountWrongCode(by, at)
	}
	other := from(most, "password")
	for after, want := range map[time.Duration]time.Duration{
		most * time.Minute: 40 * time.Minute, time.Hour - time.Millisecond: time.Millisecond, time.Hour: 0, 2 * time.Hour: 0,
		-time.Hour: time.Hour, // a fast clock made it no longer
	} {
		expect.Equal(t, f.Wait(other, noon.Add(after)), want, "%s after the first wrong code it waits", after)
	}
	f = f.CountWrongCode(other, noon.Add(time.Hour))
	if f.Wrong != 1 || !f.WrongBy.Equal(noon.Add(2*time.Hour)) || len(f.Clients) != 1 ||
		f.Wait(other, noon.Add(time.Hour)) != 0 {
		t.Errorf("the next hour begins with %+v", f)
	}
}

// Other clients can still send a code after ten wrong ones of one client.
func TestAClientIsStoppedBeforeTheOthers(t *testing.T) {
	f, one, two := secondfactor.Factor{}, from(1, "password"), from(2, "password")
	for i := range 10 {
		expect.Equal(t, f.Wait(one, noon), 0, "the wait after %d wrong codes", i)
		f = f.CountWrongCode(one, noon)
	}
	expect.Equal(t, f.Wait(one, noon), time.Hour, "the wait after ten of one client")
	expect.Equal(t, f.Wait(two, noon), 0, "the wait of another client")
	for range 10 {
		f = f.CountWrongCode(two, noon)
	}
	expect.Equal(t, f.Wait(from(3, "password"), noon), time.Hour, "after twenty a third one may go on")
}

// The count starts again once in an hour: no client gets more guesses by repeated changes of the password.
func TestANewPasswordBeginsTheCountAgain(t *testing.T) {
	f, tried := secondfactor.Factor{}, 0
	for password := range 5 {
		for client := range 30 {
			by := from(client%3, fmt.Sprint("password ", password))
			if f.Wait(by, noon) == 0 {
				f, tried = f.CountWrongCode(by, noon), tried+1
			}
		}
		expect.Equal(t, tried, min(20*(password+1), 40), "wrong codes under %d passwords", password+1)
	}
	expect.Equal(t, f.Wait(from(9, "the last one"), noon.Add(time.Hour)), 0, "an hour later it waits")
}

// Earlier wrong codes do not stop codes of a new or confirmed secret.
func TestEachSecretHasACountOfItsOwn(t *testing.T) {
	f, by := secondfactor.Factor{Pending: []byte("first")}, from(1, "password")
	for range 10 {
		f = f.CountWrongCode(by, noon)
	}
	begun, err := f.Begin([]byte("second"))
	if err != nil || f.Wait(by, noon) == 0 || begun.Wait(by, noon) != 0 || begun.Wrong != 0 {
		t.Errorf("begun: %+v, %v", begun, err)
	}
	confirmed := f.Confirm([]byte("sealed"), 1, nil, noon)
	expect.Equal(t, confirmed.Wait(by, noon), 0, "once confirmed: the wait")
	expect.Equal(t, confirmed.Wrong, 0, "once confirmed: wrong codes")
}

func TestIsRecovery(t *testing.T) {
	for text, want := range map[string]bool{
		"abcd-efgh-2345-6789": true, "ABCDEFGH23456789": true, " abcd efgh 2345 6789": true,
		"": false, "123456": false, "123 456": false, "no code": false, "abcd-efgh-2345-678": false,
		"abcdefgh234567890":                          false,
		"abcdefgh23456789" + strings.Repeat(" ", 48): true, "abcdefgh23456789" + strings.Repeat(" ", 49): false,
	} {
		expect.Equal(t, secondfactor.IsRecovery(text), want, "%q", text)
	}
}
