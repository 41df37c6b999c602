package ports

import (
	"time"

	"resellerd/domain/bulk"
	"resellerd/domain/lease"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports/record"
)

// Kinds returns every kind of records, declared below: what is small or seldom written. A store keeps them all alike,
// and archives, copies, audits and rekey follow what is declared.
func Kinds() []*record.Kind { return record.Kinds() }

// Sessions is the kind of browser sessions. Neither a copy nor a restored backup has any.
var Sessions = record.Declare(record.Declaration[session.ID, session.Session]{
	Name:    "session",
	Audited: true,
	Key:     func(s *session.Session) session.ID { return s.ID },
	Fields: func(f *record.Fields, s *session.Session) {
		record.Text(f, "id", &s.ID)
		record.Int(f, "account", &s.Reseller)
		record.Array(f, "password", s.Password[:]) // mark of the password that it began with
		record.Text(f, "device", &s.Device)
		record.Text(f, "address", &s.Address)
		record.Time(f, "created_at", &s.Created)
		record.Time(f, "used_at", &s.Used)
		record.Int(f, "staff", &s.Staff)
	},
})

// The indexes of sessions.
var (
	SessionsByHolder = Sessions.Index("account", func(s *session.Session) record.Tuple {
		return record.Tuple{int64(s.Of()), s.Created}
	})
	SessionsByEnd = Sessions.Index("end", func(s *session.Session) record.Tuple { return record.Tuple{s.ExpiresAt()} })
)

// Leases is the kind of leases: which process does what only one may do at a time. A copy begins without any.
var Leases = record.Declare(record.Declaration[string, lease.Lease]{
	Name: "lease",
	Key:  func(l *lease.Lease) string { return l.Name },
	Fields: func(f *record.Fields, l *lease.Lease) {
		record.Text(f, "name", &l.Name)
		record.Text(f, "holder", &l.Holder)
		record.Int(f, "asked", &l.Asked)
		record.Int(f, "answered", &l.Answered)
	},
})

// Webhooks is the kind of webhooks.
var Webhooks = record.Declare(record.Declaration[int64, webhook.Webhook]{
	Name:     "webhook",
	Sequence: "webhooks",
	Copied:   true,
	Audited:  true,
	Key:      func(w *webhook.Webhook) int64 { return w.ID },
	Fields: func(f *record.Fields, w *webhook.Webhook) {
		record.Int(f, "id", &w.ID)
		record.Int(f, "account", &w.Account)
		record.Int(f, "slot", &w.Slot)
		record.Text(f, "url", &w.URL)
		record.Texts(f, "types", &w.Types)
		record.Text(f, "scope", &w.Scope)
		record.Text(f, "description", &w.Description)
		record.Bool(f, "enabled", &w.Enabled)
		record.Text(f, "disabled_reason", &w.Disabled)
		record.Time(f, "created_at", &w.Created)
		record.Bytes(f, "secret", &w.Secret, record.Secret)
		record.Bytes(f, "previous", &w.Previous, record.Secret)
		record.Time(f, "previous_until", &w.PreviousUntil)
	},
})

// The indexes of webhooks.
var (
	WebhooksByAccount = Webhooks.Unique("account", webhook.ErrSlotTaken, func(w *webhook.Webhook) record.Tuple {
		return record.Tuple{w.Account, int64(w.Slot)}
	})
	WebhooksByID = Webhooks.Index("id", func(w *webhook.Webhook) record.Tuple { return record.Tuple{w.ID} })
)

// WebhookProgress is the kind of how far deliveries are. It is apart from Webhooks, which people change.
var WebhookProgress = record.Declare(record.Declaration[int64, webhook.Progress]{
	Name:    "webhook_progress",
	Copied:  true,
	Audited: true,
	Key:     func(p *webhook.Progress) int64 { return p.Webhook },
	Fields: func(f *record.Fields, p *webhook.Progress) {
		record.Int(f, "webhook", &p.Webhook)
		record.Int(f, "cursor", &p.Cursor)
		record.Objects(f, "waiting", &p.Waiting, func(f *record.Fields, w *webhook.Waiting) {
			record.Int(f, "seq", &w.Seq)
			record.Int(f, "attempts", &w.Attempts)
			record.Time(f, "began", &w.Began)
			record.Time(f, "due", &w.Due)
		})
		record.Objects(f, "attempts", &p.Attempts, func(f *record.Fields, a *webhook.Attempt) {
			record.Text(f, "event", &a.Event)
			record.Int(f, "number", &a.Number)
			record.Int(f, "status", &a.Status)
			record.Int(f, "took", &a.Took)
			record.Text(f, "failure", &a.Failure)
			record.Time(f, "at", &a.At)
			record.Time(f, "next", &a.Next)
		})
		record.Time(f, "succeeded", &p.Succeeded)
		record.Int(f, "tests", &p.Tests)
		record.Time(f, "test_asked", &p.TestAsked)
		record.Int(f, "asked", &p.Asked)
		record.Int(f, "heeded", &p.Heeded)
		record.Objects(f, "details", &p.Details, func(f *record.Fields, d *webhook.Detail) {
			record.Text(f, "event", &d.Event)
			record.Int(f, "number", &d.Number)
			record.Time(f, "at", &d.At)
			record.Text(f, "cause", &d.Cause)
			record.Text(f, "excerpt", &d.Excerpt)
		})
	},
})

// WebhooksAsked has the progress of webhooks that what delivers has to look at, though no entry of the journal says so.
var WebhooksAsked = WebhookProgress.Index("asked", func(p *webhook.Progress) record.Tuple {
	if p.Asked == p.Heeded {
		return nil
	}
	return record.Tuple{p.Webhook}
})

// Reminder is how far the owners of lines were told, so many days before their expiry: up to a line in the order of
// expiry.
type Reminder struct {
	Days   int64 // 0: that they have expired
	Expiry time.Time
	Line   int64
	Told   time.Time // lines that expire until then may have been told of before it was set back, the zero value: none
	// how many lines others may have seen only when they were due: a step that looked before one is no good
	Late int64
}

// Reminders is the kind of how far the owners of lines were told of their expiry.
var Reminders = record.Declare(record.Declaration[int64, Reminder]{
	Name:    "reminder",
	Copied:  true,
	Audited: true,
	Key:     func(r *Reminder) int64 { return r.Days },
	Fields: func(f *record.Fields, r *Reminder) {
		record.Int(f, "days", &r.Days)
		record.Time(f, "expiry", &r.Expiry)
		record.Int(f, "line", &r.Line)
		record.Time(f, "told", &r.Told)
		record.Int(f, "late", &r.Late)
	},
})

// Principals is the kind of keys and staff.
var Principals = record.Declare(record.Declaration[int64, principal.Principal]{
	Name:     "principal",
	Sequence: "principals",
	Copied:   true,
	Audited:  true,
	Key:      func(p *principal.Principal) int64 { return p.ID },
	Fields: func(f *record.Fields, p *principal.Principal) {
		record.Int(f, "id", &p.ID)
		record.Text(f, "kind", &p.Kind)
		record.Int(f, "account", &p.Account)
		record.Int(f, "slot", &p.Slot)
		record.Text(f, "name", &p.Name)
		record.Text(f, "folded", &p.Folded)
		record.Array(f, "secret", p.Secret[:])
		record.Text(f, "password_hash", &p.PasswordHash)
		record.Text(f, "role", &p.Role)
		record.Texts(f, "scopes", &p.Given)
		record.Objects(f, "networks", &p.Networks, func(f *record.Fields, n *principal.Network) {
			record.Array(f, "address", n.Address[:])
			record.Int(f, "bits", &n.Bits)
		})
		record.Time(f, "expires_at", &p.Expires)
		record.Int(f, "limit", &p.Limit)
		record.Int(f, "spent", &p.Spent)
		record.Time(f, "day", &p.Day)
		record.Time(f, "used_at", &p.Used)
		record.Text(f, "used_from", &p.UsedFrom)
		record.Time(f, "created_at", &p.Created)
		record.Time(f, "revoked_at", &p.Revoked)
	},
})

// The indexes of principals. A revoked one is in neither.
var (
	PrincipalsByAccount = Principals.Unique("account", principal.ErrSlotTaken, func(p *principal.Principal) record.Tuple {
		if !p.Revoked.IsZero() {
			return nil
		}
		return record.Tuple{p.Account, string(p.Kind), int64(p.Slot)}
	})
	StaffByName = Principals.Unique("name", profile.ErrUsernameTaken, func(p *principal.Principal) record.Tuple {
		if p.Kind != principal.Staff || !p.Revoked.IsZero() {
			return nil
		}
		return record.Tuple{p.Folded}
	})
)

// NameClaim keeps a name, by which somebody signs in, to one of those who have such names: accounts and staff.
type NameClaim struct {
	Folded string // the name, as names are compared
	Staff  bool
	ID     int64 // of the account, or of the member of the staff
}

// NameClaims is the kind of them.
var NameClaims = record.Declare(record.Declaration[string, NameClaim]{
	Name:    "name_claim",
	Copied:  true,
	Audited: true,
	Key:     func(c *NameClaim) string { return c.Folded },
	Fields: func(f *record.Fields, c *NameClaim) {
		record.Text(f, "name", &c.Folded)
		record.Bool(f, "staff", &c.Staff)
		record.Int(f, "id", &c.ID)
	},
})

// SecondFactors is the kind of what is needed at a sign-in besides the password.
var SecondFactors = record.Declare(record.Declaration[string, secondfactor.Factor]{
	Name:    "second_factor",
	Copied:  true,
	Audited: true,
	Key:     func(s *secondfactor.Factor) string { return s.Of },
	Fields: func(f *record.Fields, s *secondfactor.Factor) {
		record.Text(f, "of", &s.Of)
		record.Bytes(f, "secret", &s.Secret, record.Secret)
		record.Bytes(f, "pending", &s.Pending, record.Secret)
		record.Int(f, "step", &s.Step)
		record.Texts(f, "recovery", &s.Recovery)
		record.Time(f, "since", &s.Since)
		record.Int(f, "wrong", &s.Wrong)
		record.Time(f, "wrong_by", &s.WrongBy)
		record.Text(f, "under", &s.Under) // mark of a password
		record.Int(f, "before", &s.Before)
		record.Texts(f, "clients", &s.Clients)
	},
})

// Messages is the kind of what accounts tell their customers. An account that has nothing of its own has no record.
var Messages = record.Declare(record.Declaration[int64, message.Own]{
	Name:    "messages",
	Copied:  true,
	Audited: true,
	Key:     func(m *message.Own) int64 { return m.Account },
	Fields: func(f *record.Fields, m *message.Own) {
		record.Int(f, "account", &m.Account)
		record.Text(f, "server", &m.Server)
		record.Text(f, "apps", &m.Apps)
		record.Text(f, "access", &m.Access)
		record.Text(f, "reminder", &m.Reminder)
		record.Text(f, "expired", &m.Expired)
		record.Text(f, "welcome", &m.Welcome)
		record.Text(f, "whatsapp", &m.Whatsapp)
		record.Text(f, "telegram", &m.Telegram)
	},
})

// BulkJobs is the kind of orders for many lines.
var BulkJobs = record.Declare(record.Declaration[int64, bulk.Job]{
	Name:     "bulk_job",
	Sequence: "bulk_jobs",
	Copied:   true,
	Audited:  true,
	Key:      func(j *bulk.Job) int64 { return j.ID },
	Fields: func(f *record.Fields, j *bulk.Job) {
		record.Int(f, "id", &j.ID)
		record.Int(f, "account", &j.By.Account)
		record.Int(f, "principal", &j.By.Principal)
		record.Text(f, "scope", &j.By.Scope)
		record.Array(f, "token", j.By.Token[:])
		record.Bool(f, "session", &j.By.Session)
		record.Array(f, "password", j.By.Password[:]) // mark of the password of the session
		record.Text(f, "request", &j.By.Request)
		record.Text(f, "address", &j.By.Address)
		record.Text(f, "action", &j.Action)
		record.Text(f, "price", &j.Price)
		record.Text(f, "reason", &j.Reason)
		record.Objects(f, "details", &j.Details, func(f *record.Fields, d *bulk.Detail) {
			record.Text(f, "name", &d.Name)
			record.Text(f, "value", &d.Value)
		})
		record.Bool(f, "filtered", &j.Filtered)
		record.Int(f, "owner", &j.Filter.Owner)
		record.Int(f, "tree", &j.Filter.Tree)
		record.Int(f, "running", &j.Filter.Running)
		record.Text(f, "effect", &j.Filter.Effect)
		record.Int(f, "suspended", &j.Filter.Suspended)
		record.Int(f, "trial", &j.Filter.Trial)
		record.Time(f, "expires_after", &j.Filter.ExpiresAfter)
		record.Time(f, "expires_before", &j.Filter.ExpiresBefore)
		record.Text(f, "username", &j.Filter.Username)
		record.Text(f, "external_id", &j.Filter.ExternalID)
		record.Text(f, "search", &j.Filter.Search)
		record.Bool(f, "dry_run", &j.DryRun)
		record.Text(f, "status", &j.Status)
		record.Int(f, "matched", &j.Matched)
		record.Int(f, "succeeded", &j.Succeeded)
		record.Int(f, "refused", &j.Refused)
		record.Int(f, "charged", &j.Charged)
		record.Time(f, "created_at", &j.Created)
		record.Time(f, "finished_at", &j.Finished)
		record.Objects(f, "would_refuse", &j.WouldRefuse, func(f *record.Fields, c *bulk.Count) {
			record.Text(f, "code", &c.Code)
			record.Int(f, "times", &c.Times)
		})
		record.Objects(f, "would_leave", &j.WouldLeave, func(f *record.Fields, l *bulk.Left) {
			record.Int(f, "account", &l.Account)
			record.Int(f, "balance", &l.Balance)
		})
		record.Objects(f, "networks", &j.By.Networks, func(f *record.Fields, n *principal.Network) {
			record.Array(f, "address", n.Address[:])
			record.Int(f, "bits", &n.Bits)
		})
	},
})

// The indexes of jobs.
var (
	BulkJobsByAccount = BulkJobs.Index("account", func(j *bulk.Job) record.Tuple {
		return record.Tuple{j.By.Account, j.ID}
	})
	// BulkJobsRunning has the jobs that are under way, one of an account.
	BulkJobsRunning = BulkJobs.Unique("running", bulk.ErrRunning, func(j *bulk.Job) record.Tuple {
		if j.Status != bulk.Running {
			return nil
		}
		return record.Tuple{j.By.Account}
	})
	// BulkJobsByEnd has those that have ended.
	BulkJobsByEnd = BulkJobs.Index("end", func(j *bulk.Job) record.Tuple {
		if j.Status == bulk.Running {
			return nil
		}
		return record.Tuple{j.Finished}
	})
)

// BulkParts is the kind of the lines of jobs, and of what became of them.
var BulkParts = record.Declare(record.Declaration[string, bulk.Part]{
	Name:    "bulk_part",
	Copied:  true,
	Audited: true,
	Key:     func(p *bulk.Part) string { return p.Key() },
	Fields: func(f *record.Fields, p *bulk.Part) {
		record.Int(f, "job", &p.Job)
		record.Int(f, "number", &p.Number)
		record.Text(f, "lines", &p.Lines)
		record.Int(f, "decided", &p.Decided)
		record.Objects(f, "refused", &p.Refused, func(f *record.Fields, r *bulk.Refusal) {
			record.Int(f, "line", &r.Line)
			record.Text(f, "code", &r.Code)
		})
	},
})

// The indexes of parts.
var (
	BulkPartsByJob = BulkParts.Index("job", func(p *bulk.Part) record.Tuple { return record.Tuple{p.Job, p.Number} })
	// BulkPartsLeft has those with lines that are not decided.
	BulkPartsLeft = BulkParts.Index("left", func(p *bulk.Part) record.Tuple {
		if p.Complete() {
			return nil
		}
		return record.Tuple{p.Job, p.Number}
	})
)
