package logging

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
)

func TestTheLogSaysHowFarAMigrationIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var bytes int64
		ended := Migrations(slog.New(slog.NewJSONHandler(&log, nil)))(1, 2, func() int64 { bytes += 1_000; return bytes })
		time.Sleep(2*goesOn + time.Second)
		ended(nil)
		time.Sleep(2 * goesOn) // after its end nothing is said
		for said, want := range map[string]int{
			`"msg":"the store is still being brought up to date","from":1,"to":2,"took_ms":10000,"written":1000}`: 1,
			`"msg":"the store is still being brought up to date","from":1,"to":2,"took_ms":20000,"written":2000}`: 1,
			"still being brought up to date": 2,
			"was brought up to date":         1,
		} {
			expect.Equal(t, strings.Count(log.String(), said), want, "%s in the log:\n%s", said, log.String())
		}
	})
}
