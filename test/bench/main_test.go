package bench

import (
	"os"
	"testing"

	"resellerd/test/mongotest"
)

func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }
