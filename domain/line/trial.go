package line

import (
	"slices"
	"time"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Trial is what a trial starts with.
type Trial struct {
	ID          int64
	Username    profile.Username
	Password    Sealed
	Runs        time.Duration
	Description // its country is the owner's where it has none
}

// NewTrial issues a trial that owner is responsible for, counted against its
// allowance for 24 hours (0: no limit). The refusal is reseller.ErrAllowance.
func NewTrial(owner *reseller.Reseller, t Trial, allowance int, now time.Time) (*Line, error) {
	if err := owner.CountTrial(allowance, now); err != nil {
		return nil, err
	}
	l := &Line{State{
		ID:        t.ID,
		Owner:     owner.Position(),
		Username:  t.Username,
		Password:  slices.Clone(t.Password),
		Trial:     true,
		ExpiresAt: now.Add(t.Runs),
		Known:     Known{Country: owner.Country()},
		CreatedAt: now,
		UpdatedAt: now,
		Version:   1,
	}}
	l.describe(t.Description)
	return l, nil
}
