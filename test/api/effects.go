package api

import "testing"

// Fund sends credits to an account.
func (c Caller) Fund(t testing.TB, account int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/users/credits", account), Fields{"credits": credits}, headers...)
}

// Reclaim takes credits back from an account.
func (c Caller) Reclaim(t testing.TB, account int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "POST", Path("/users", account, "/credits/reclaim"), Fields{"credits": credits}, headers...)
}

// Block blocks an account.
func (c Caller) Block(t testing.TB, account int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PUT", Path("/users", account, "/block"), nil, headers...)
}

// Unblock lifts the block of an account.
func (c Caller) Unblock(t testing.TB, account int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "DELETE", Path("/users", account, "/block"), nil, headers...)
}

// Activate makes a trial official for so many credits, under the name that it has.
func (c Caller) Activate(t testing.TB, trial Line, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/lines/active", trial.ID), trial.Activation(credits), headers...)
}

// Extend makes an official line run longer for so many credits.
func (c Caller) Extend(t testing.TB, line int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/lines/extend", line), Fields{"credits": credits}, headers...)
}

// DeleteLine deletes a line.
func (c Caller) DeleteLine(t testing.TB, line int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "DELETE", Path("/lines", line), nil, headers...)
}
