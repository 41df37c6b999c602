package acceptance

import (
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// TestAStandaloneServerIsRefused starts a mongod that is no member of a replica set, on a socket of its own.
func TestAStandaloneServerIsRefused(t *testing.T) {
	t.Parallel()
	mongodb.available(t)
	mongod, err := mongotest.Binary(t.Context())
	if err != nil {
		t.Skip(err) // the replica set that there is runs elsewhere
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "mongod.sock")
	standalone := exec.Command(mongod, "--dbpath", dir, "--bind_ip", socket, "--wiredTigerCacheSizeGB", "0.25",
		"--setParameter", "diagnosticDataCollectionEnabled=false")
	log := new(program.Output)
	standalone.Stdout, standalone.Stderr = log, log
	standalone.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // it dies with the thread that started it
	defer runtime.UnlockOSThread()
	if err := standalone.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = standalone.Process.Kill()
		_ = standalone.Wait() // killed
	}()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			_ = connection.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("mongod does not listen: %v\n%s", err, log)
		}
	}
	env := map[string]string{"RESELLERD_ADDR": "127.0.0.1:0",
		"RESELLERD_STORE": "mongodb://" + url.QueryEscape(socket) + "/resellerd", "RESELLERD_SECRET": secret}
	says(t, fails(t, 1, env), "no member of a replica set", "--replSet", "rs.initiate()")
	status, _, stderr := (&server{env: env}).command(t, "audit")
	if status != 1 {
		t.Errorf("the audit ended with status %d, want 1", status)
	}
	says(t, stderr, "--replSet", "rs.initiate()")
}
