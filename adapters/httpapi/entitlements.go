package httpapi

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// mostEntitlements is the maximum length of a page of entitlements.
const mostEntitlements = 5_000

func (a *api) listEntitlements(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	after := q.cursor()
	command := lines.ListEntitlements{Limit: valueOr(q, "limit", defaultLimit, limitUpTo(mostEntitlements))}
	command.After = position(q, after, lines.ParseEntitlementCursor)
	if err := q.err(); err != nil {
		return err
	}
	under, err := a.answers.begin(ctx, caller(c).Reseller(), command.Limit, batchOf(command.Limit))
	if err != nil {
		return err
	}
	defer under.release()
	made, err := readFeed(command.After, command.Limit,
		func(after *lines.EntitlementCursor, limit int) (
			application.PageOf[lines.Entitlement, lines.EntitlementCursor], bool, error) {
			found, err := a.Service.Lines.ListEntitlements(ctx, callOf(c), command.PageAfter(after, limit))
			return found.PageOf, found.More, err
		}, func(e lines.Entitlement) entitlementRecord { return entitlementRecord{e} })
	if err != nil {
		return err
	}
	a.deliver(ctx, c, under, made)
	return nil
}

type entitlementRecord struct{ lines.Entitlement }

func (r entitlementRecord) appendJSON(b []byte) []byte {
	b = appendNumber(b, `{"line":`, r.Line)
	if r.Deleted {
		b = append(b, `,"deleted":true`...)
		return append(appendNumber(b, `,"version":`, r.Version), '}')
	}
	b = appendText(b, `,"username":`, r.Username)
	b = appendNullable(b, `,"password":`, r.Password.Reveal())
	b = appendTruth(b, `,"enabled":`, r.Enabled)
	b = appendTime(b, `,"expDate":`, r.ExpiresAt)
	b = appendNullable(b, `,"external_id":`, r.ExternalID)
	b = appendMetadata(b, `,"metadata":`, r.Metadata)
	b = appendTerms(b, r.Plan, r.Terms)
	return append(appendNumber(b, `,"version":`, r.Version), '}')
}

// customerRecord authorizes a customer, in the form that rlm_rest of FreeRADIUS reads: each member is an attribute of a
// list.
//
// The module expands each value before it uses it. A seller of lines could choose a password such as %{echo:/bin/sh
// ...}, which would run a command on the RADIUS server. quoted prevents that.
type customerRecord struct {
	Password *string `json:"control:Cleartext-Password"` // null: the caller may not see it
	Timeout  int64   `json:"reply:Session-Timeout"`      // in seconds
	Sessions int64   `json:"control:Simultaneous-Use,omitzero"`
	Auth     string  `json:"control:Auth-Type,omitempty"`
	Message  string  `json:"reply:Reply-Message,omitempty"`
}

// rejection returns the attributes that reject a customer, with the reason.
func rejection(e line.Effect) customerRecord {
	rejected := customerRecord{Timeout: 1, Auth: "Reject", Message: "Your access is suspended."}
	switch e {
	case line.Expired:
		rejected.Message = "Your access has expired."
	case line.OwnerBlocked:
		rejected.Message = "Your access is blocked."
	case line.Suspended, line.Running:
	}
	return rejected
}

// quoted escapes a text so that the module expands it to the original.
var quoted = strings.NewReplacer("%", "%%", `\`, `\\`)

func (a *api) authorizeCustomer(ctx context.Context, c *gin.Context) error {
	name, err := profile.ParseUsername(strings.TrimPrefix(c.Param("username"), "/"))
	if err != nil {
		return fault.ErrNotFound // no line has this name
	}
	q := queryOf(c)
	replies := valueOr(q, "reply_message", false, parseTruth)
	if err := q.err(); err != nil {
		return err
	}
	l, err := a.Service.Lines.AuthorizeCustomer(ctx, callOf(c), name)
	if refused, is := errors.AsType[*lines.NotServed](err); is && replies {
		ok(c, rejection(refused.Effect))
		return nil
	}
	if err != nil {
		return err
	}
	left := max(1, int64(l.ExpiresAt().Sub(l.At)/time.Second))
	ok(c, customerRecord{Password: nullable(quoted.Replace(l.Password.Reveal())), Timeout: left,
		Sessions: l.Shown().Connections})
	return nil
}
