package webhooks_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain finds what is left of connections.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
