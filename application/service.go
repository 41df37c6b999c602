// Package application implements the use cases, a folder for each feature: one method is one use case, and its effect
// is one transaction. The methods are the driving port: an adapter calls them with parsed values and gets a result or a
// fault.
//
// Every use case but the login decides in the same order: is the credential still valid, has it the scope, is the
// reseller blocked, was this request answered before, may the caller see the object, may it do this, does the state
// allow it, is it paid for. Package internal/usecase applies the first four, and the other steps that use cases share.
package application

import (
	"resellerd/application/access"
	"resellerd/application/events"
	"resellerd/application/internal/usecase"
	"resellerd/application/jobs"
	"resellerd/application/ledger"
	"resellerd/application/lines"
	"resellerd/application/prices"
	"resellerd/application/rekey"
	"resellerd/application/reminders"
	"resellerd/application/reports"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
)

// Service runs the use cases, by feature. It is safe for concurrent use and stores no record itself.
type Service struct {
	Authentication usecase.Authentication
	Access         access.Service
	Principals     access.Principals
	Resellers      resellers.Service
	Credits        resellers.Credits
	Lines          lines.Service
	Prices         prices.Service
	Jobs           jobs.Service
	Ledger         ledger.Service
	Events         events.Service
	Reports        reports.Service
	Webhooks       webhooks.Service

	// Background work, of one process at a time. No API operation reaches it.

	Leases          usecase.Leases
	JobWorker       jobs.Worker
	Deliveries      webhooks.Dispatch
	Reminders       reminders.Service
	IdempotencyKeys usecase.IdempotencyKeys

	// Work of an operator with access to the store. No API operation reaches it.

	Admins access.Admins
	Epochs usecase.Epochs
	Rekey  rekey.Service
}

// New returns the service.
func New(dependencies Dependencies, policy Policy) *Service {
	k := usecase.New(dependencies, policy)
	s := &Service{
		Authentication: k.Authentication(), Lines: lines.New(k), Ledger: ledger.New(k), Events: events.New(k),
		Prices: prices.New(k), Reports: reports.New(k), Reminders: reminders.New(k), Leases: k.Leases(), Epochs: k.Epochs(),
		IdempotencyKeys: k.IdempotencyKeys(), Rekey: rekey.New(k),
	}
	s.Access, s.Principals, s.Admins = access.New(k)
	s.Resellers, s.Credits = resellers.New(k)
	s.Jobs, s.JobWorker = jobs.New(k)
	s.Webhooks, s.Deliveries = webhooks.New(k)
	return s
}
