package ports

import (
	"resellerd/domain/bulk"
	"resellerd/domain/principal"
	"resellerd/ports/record"
)

// BulkJobs is the kind of bulk jobs.
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
		record.Objects(f, "would_refuse", &j.RefusalsExpected, func(f *record.Fields, c *bulk.Count) {
			record.Text(f, "code", &c.Code)
			record.Int(f, "times", &c.Times)
		})
		record.Objects(f, "would_leave", &j.BalancesAfter, func(f *record.Fields, l *bulk.BalanceAfter) {
			record.Int(f, "account", &l.Account)
			record.Int(f, "balance", &l.Balance)
		})
		record.Objects(f, "networks", &j.By.Networks, func(f *record.Fields, n *principal.Network) {
			record.Array(f, "address", n.Address[:])
			record.Int(f, "bits", &n.Bits)
		})
		record.Int(f, "plan", &j.Plan, record.Optional)
	},
})

// The indexes of jobs.
var (
	BulkJobsByAccount = BulkJobs.Index("account", func(j *bulk.Job) record.Tuple {
		return record.Tuple{j.By.Account, j.ID}
	})
	// BulkJobsRunning has the running jobs, at most one of an account.
	BulkJobsRunning = BulkJobs.Unique("running", bulk.ErrRunning, func(j *bulk.Job) record.Tuple {
		if j.Status != bulk.Running {
			return nil
		}
		return record.Tuple{j.By.Account}
	})
	// BulkJobsByEnd has the jobs that have ended.
	BulkJobsByEnd = BulkJobs.Index("end", func(j *bulk.Job) record.Tuple {
		if j.Status == bulk.Running {
			return nil
		}
		return record.Tuple{j.Finished}
	})
)

// BulkBatches is the kind of batches of the lines of jobs, with their results.
var BulkBatches = record.Declare(record.Declaration[string, bulk.Batch]{
	Name:    "bulk_part",
	Copied:  true,
	Audited: true,
	Key:     func(p *bulk.Batch) string { return p.Key() },
	Fields: func(f *record.Fields, p *bulk.Batch) {
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

// The indexes of batches.
var (
	BulkBatchesByJob = BulkBatches.Index("job", func(p *bulk.Batch) record.Tuple { return record.Tuple{p.Job, p.Number} })
	// BulkBatchesUndecided has the batches with undecided lines.
	BulkBatchesUndecided = BulkBatches.Index("left", func(p *bulk.Batch) record.Tuple {
		if p.Complete() {
			return nil
		}
		return record.Tuple{p.Job, p.Number}
	})
)
