package webhooks_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a goroutine of a connection is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
