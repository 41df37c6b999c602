package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"rsc.io/qr"

	"resellerd/application"
	"resellerd/application/access"
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

func (b beginFactorBody) command(client string) access.BeginFactor {
	return access.BeginFactor{Password: attempted(b.Password), Client: client}
}

func factorBegun(f access.NewFactor) application.Receipt {
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
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, side, side)
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

func (b confirmFactorBody) command(client string) access.ConfirmFactor {
	return access.ConfirmFactor{Code: b.Code.literal, Client: client}
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

func (b removeFactorBody) command(client string) access.RemoveFactor {
	return access.RemoveFactor{Password: attempted(b.Password), Code: b.TOTP.literal, Client: client}
}

const withoutFactor = "There is no second factor any more."

var (
	factorRemoved = messageShown[struct{}](http.StatusOK, withoutFactor)
	factorReset   = messageShown[int64](http.StatusOK, withoutFactor)
)
