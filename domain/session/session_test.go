package session_test

import (
	"fmt"
	"testing"
	"time"

	"resellerd/domain/session"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestSessionsEndUnusedOrOld(t *testing.T) {
	const idle, longest = 12 * time.Hour, 7 * 24 * time.Hour
	for situation, c := range map[string]struct {
		used     time.Duration // after its beginning
		expires  time.Duration // likewise
		atTheEnd bool          // at the end of its lifetime
	}{
		"never used":                    {0, idle, false},
		"used":                          {time.Hour, 13 * time.Hour, false},
		"used long before the end":      {longest - idle - 1, longest - 1, false},
		"used half a day before it":     {longest - idle, longest, true},
		"used less than that before":    {longest - idle + 1, longest, true},
		"used at the last moment":       {longest - 1, longest, true},
		"used later, by another clock":  {longest + time.Hour, longest, true},
		"used before, by another clock": {-time.Hour, 11 * time.Hour, false},
	} {
		s := session.Session{Created: fixture.Noon, Used: fixture.Noon.Add(c.used)}
		expect.Equal(t, s.EndsAt().Sub(fixture.Noon), longest, "%s: it ends", situation)
		expect.Equal(t, s.ExpiresAt().Sub(fixture.Noon), c.expires, "%s: it expires", situation)
		for after, want := range map[time.Duration]bool{
			-longest:       true, // a clock that went back
			c.expires - 1:  true,
			c.expires:      false,
			c.expires + 1:  false,
			100 * longest:  false,
			longest:        false,
			c.expires / 10: true,
		} {
			expect.Equal(t, s.Active(fixture.Noon.Add(after)), want,
				"%s: active %s after its beginning is", situation, after)
		}
		expect.Equal(t, !s.ExpiresAt().Before(s.EndsAt()), c.atTheEnd, "%s: it expires at its end is", situation)
	}
}

func TestNotEveryUseIsStored(t *testing.T) {
	const every = 10 * time.Minute
	was := session.Session{ID: "id", Reseller: 7, Password: session.Mark{1}, Device: "device", Address: "address",
		Created: fixture.Noon, Used: fixture.Noon.Add(time.Hour)}
	for after, keep := range map[time.Duration]bool{
		-every: false, -1: false, 0: false, every - 1: false, every: true, every + 1: true, 12 * time.Hour: true,
	} {
		now := was.Used.Add(after)
		want := was
		if keep {
			want.Used = now
		}
		if used, keeps := was.Use(now); used != want || keeps != keep {
			t.Errorf("used %s after the last use: got %+v, keep %t, want %+v, %t", after, used, keeps, want, keep)
		}
	}
}

func TestIDsOfSessions(t *testing.T) {
	// The first half of the output of `printf secret | sha256sum`.
	id := session.ID("2bb80d537b1da3e38bd30361aa855686")
	expect.Equal(t, session.IDOf("secret"), id, "the id of a secret is")
	for text, want := range map[string]bool{string(id): true, "": false, string(id) + "0": false, string(id[1:]) + "\n": false,
		string(id[1:]) + "A": false, string(id[1:]) + "g": false} {
		got, ok := session.ParseID(text)
		expect.Equal(t, ok, want, "%q is an id", text)
		expect.Equal(t, ok && string(got) != text, false, "%q is read as %q", text, got)
	}
}

func TestAMarkIsOfOnePasswordHash(t *testing.T) {
	one, other := session.MarkOf("$argon2id$one"), session.MarkOf("$argon2id$other")
	// It is stored: with another mark no session would be valid.
	expect.Equal(t, fmt.Sprintf("%x", one), "250e74221e43737d4ec284d78bf5129ee9d8139dbccd9409faa57c346efb6604",
		"the mark of a hash is")
	if one == other {
		t.Errorf("two hashes have the mark %x", one)
	}
	expect.Equal(t, session.MarkOf("$argon2id$one"), one, "the mark of a hash is %x, and then", one)
}
