package usecase

import (
	"testing"

	"resellerd/test/expect"
)

// The labels are bound into stored ciphertexts: with another spelling none can be opened.
func TestLabelsStayAsTheyAre(t *testing.T) {
	for want, got := range map[string]string{
		"line/[70]":         Label("line", 70),
		"key/[7 grant-1]":   KeyLabel(7, "grant-1"),
		"client/[10.0.0.1]": LabelText("client", "10.0.0.1"),
	} {
		expect.Equal(t, got, want)
	}
}
