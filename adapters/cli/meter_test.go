package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/expect"
)

// TestAMeterWithoutATotalTurnsWithTheCount, and not with the time.
func TestAMeterWithoutATotalTurnsWithTheCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := newMeter(&visible{out: &out})
		m.terminal = true
		m.onTerminal(auditing, 1, 0)
		time.Sleep(100 * time.Millisecond)
		m.onTerminal(auditing, 2, 0)
		expect.Contains(t, out.String(), "| auditing (1/-")
		expect.Contains(t, out.String(), "\r/ auditing (2/-")
		m.end()
	})
}
