package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"rsc.io/qr"

	"resellerd/application"
	"resellerd/domain/profile"
)

type beginFactorBody struct {
	Password text `json:"password" validate:"required"`
}

type newFactorRecord struct {
	Secret string `json:"secret"`
	URL    string `json:"otpauth_url"`
	QR     string `json:"qr_svg"` // of the URL, drawn here: no other service sees it
}

func (a *api) beginFactor(ctx context.Context, c *gin.Context) error {
	var body beginFactorBody
	_, call, err := a.receive(c, &body, true)
	if err != nil {
		return err
	}
	command := application.BeginFactor{Client: client(a.address(c.Request))}
	command.Password, _ = profile.ParsePassword(body.Password.literal, 1) // as for a login
	done, err := a.Service.BeginFactor(ctx, call, command, factorBegun)
	return hand(c, done, err)
}

func factorBegun(f application.NewFactor) application.Receipt {
	return answer(http.StatusOK, newFactorRecord{f.Secret.Reveal(), f.URL, drawn(f.URL)})
}

// quiet is the margin of a QR code, in modules, that readers need.
const quiet = 4

// drawn returns a QR code as an SVG image, "" for a text that is too long for one.
func drawn(text string) string {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return ""
	}
	var b strings.Builder
	side := code.Size + 2*quiet
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, side, side)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1H%dz", from+quiet, y+quiet, x-from, from+quiet)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.String()
}

type confirmFactorBody struct {
	Code text `json:"code" validate:"required"`
}

func (a *api) confirmFactor(ctx context.Context, c *gin.Context) error {
	var body confirmFactorBody
	_, call, err := a.receive(c, &body, true)
	if err != nil {
		return err
	}
	command := application.ConfirmFactor{Code: body.Code.literal, Client: client(a.address(c.Request))}
	done, err := a.Service.ConfirmFactor(ctx, call, command, factorConfirmed)
	return hand(c, done, err)
}

type recoveryRecord struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

func factorConfirmed(codes []profile.Secret) application.Receipt {
	record := recoveryRecord{}
	for _, code := range codes {
		record.RecoveryCodes = append(record.RecoveryCodes, code.Reveal())
	}
	return answer(http.StatusOK, record)
}

type removeFactorBody struct {
	Password text `json:"password" validate:"required"`
	TOTP     text `json:"totp" validate:"required"`
}

func (a *api) removeFactor(ctx context.Context, c *gin.Context) error {
	var body removeFactorBody
	_, call, err := a.receive(c, &body, true)
	if err != nil {
		return err
	}
	command := application.RemoveFactor{Code: body.TOTP.literal, Client: client(a.address(c.Request))}
	command.Password, _ = profile.ParsePassword(body.Password.literal, 1) // as for a login
	done, err := a.Service.RemoveFactor(ctx, call, command, factorRemoved)
	return hand(c, done, err)
}

func factorRemoved(struct{}) application.Receipt { return factorReset(0) }

func factorReset(int64) application.Receipt {
	return answer(http.StatusOK, messageRecord{http.StatusOK, "There is no second factor any more."})
}
