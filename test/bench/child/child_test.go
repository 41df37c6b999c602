package child_test

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/bench/child"
)

// TestMain is the child, too.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) < 2 || os.Args[1] != "child":
		os.Exit(m.Run())
	case len(os.Args) > 2:
		fmt.Fprintln(os.Stderr, "no such port")
		os.Exit(1)
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Fprintln(os.Stderr, "starting")
	fmt.Fprintln(os.Stderr, `{"msg":"listening","addr":"127.0.0.1:1"}`)
	<-asked
}

func TestAProcessTellsItsAddressAndItsCosts(t *testing.T) {
	p, err := child.Start(t.TempDir(), "server", os.Environ(), os.Args[0], "child")
	if err != nil {
		t.Fatal(err)
	}
	if p.Address != "127.0.0.1:1" || p.Started <= 0 {
		t.Errorf("it listens on %q after %v", p.Address, p.Started)
	}
	if cpu, known := p.CPU(); known && (cpu < 0 || cpu > p.Started*100) {
		t.Errorf("it has used %v", cpu)
	}
	if now, most, known := p.Memory(); known && (now < 1<<20 || most < now) {
		t.Errorf("it holds %d bytes, and held %d", now, most)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAProcessThatFailsSaysWhy(t *testing.T) {
	_, err := child.Start(t.TempDir(), "server", os.Environ(), os.Args[0], "child", "fails")
	if err == nil || !strings.Contains(err.Error(), "no such port") {
		t.Errorf("the error is %v", err)
	}
}
