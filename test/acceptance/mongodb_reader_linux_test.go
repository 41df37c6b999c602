package acceptance

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/test/api"
	"resellerd/test/mongotest"
	"resellerd/test/program"
	"resellerd/test/require"
)

// guarded starts a replica set of one member with authentication. It returns the address of a database in it, by the
// role of its user on that database, and without a user. The owner's roles are those that the operators' page on
// MongoDB names.
func guarded(t *testing.T, roles map[string][]string) map[string]string {
	t.Helper()
	mongod, err := mongotest.Binary(t.Context())
	if err != nil {
		mongodb.available(t)
		t.Skip(err) // the replica set that there is runs elsewhere
	}
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(key, []byte("members of this replica set know each other by it"[:40]), 0o400))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	require.NoError(t, listener.Close())
	member := exec.Command(mongod, "--dbpath", dir, "--bind_ip", "127.0.0.1", "--port", port, "--nounixsocket",
		"--replSet", "rs",
		"--auth", "--keyFile", key, "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64", "--setParameter",
		"diagnosticDataCollectionEnabled=false")
	log := new(program.Output)
	member.Stdout, member.Stderr = log, log
	member.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // it dies with the thread that started it
	t.Cleanup(runtime.UnlockOSThread)
	require.NoError(t, member.Start())
	t.Cleanup(func() {
		_ = member.Process.Kill()
		_ = member.Wait() // killed
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := func(user string, database string, commands ...bson.D) {
		t.Helper()
		client, err := mongo.Connect(
			options.Client().ApplyURI("mongodb://" + user + address + "/?directConnection=true").SetServerSelectionTimeout(
				patience))
		require.NoError(t, err)
		defer func() { err = errors.Join(err, client.Disconnect(ctx)) }()
		for _, c := range commands {
			for err = client.Database(database).RunCommand(ctx, c).Err(); err != nil; err = client.Database(database).RunCommand(
				ctx, c).Err() {
				// NotWritablePrimary: not yet
				if server, said := errors.AsType[mongo.ServerError](err); said && !server.HasErrorCode(10107) || ctx.Err() != nil {
					t.Fatalf("%s: %v\n%s", c[0].Key, err, log)
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
	}
	made := func(name string, granted bson.A) bson.D {
		return bson.D{{Key: "createUser", Value: name}, {Key: "pwd", Value: name + "-password"},
			{Key: "roles", Value: granted}}
	}
	const login = "root:root-password@"
	command("", "admin", bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: "rs"},
		{Key: "members", Value: bson.A{bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: address}}}},
	}}}, made("root", bson.A{"root"}))
	addresses := map[string]string{}
	for name, granted := range roles {
		all := bson.A{}
		for _, role := range granted {
			all = append(all, bson.D{{Key: "role", Value: role}, {Key: "db", Value: "resellerd"}})
		}
		command(login, "admin", made(name, all))
		addresses[name] = "mongodb://" + name + ":" + name + "-password@" + address +
			"/resellerd?replicaSet=rs&authSource=admin"
	}
	addresses[""] = "mongodb://" + address + "/resellerd?replicaSet=rs"
	return addresses
}

// TestOnMongoDBTheRoleToReadIsEnoughToExamine verifies and copies as a user that has only the role to read.
func TestOnMongoDBTheRoleToReadIsEnoughToExamine(t *testing.T) {
	t.Parallel()
	users := guarded(t, map[string][]string{"owner": {"readWrite", "dbAdmin"}, "reader": {"read"}, "stranger": nil})
	dir := t.TempDir()
	as := func(user string) *server {
		return serverOn(mongodb, dir, map[string]string{
			"RESELLERD_ADDR": "127.0.0.1:0", "RESELLERD_STORE": users[user], "RESELLERD_SECRET": copySecret,
			"RESELLERD_ADMIN_PASSWORD": api.AdminPassword,
		})
	}
	reader := as("reader")
	if v := reader.audit(t); v.status != 1 {
		t.Errorf("an audit of a missing store ended with status %d", v.status)
	} else {
		says(t, v.stderr, "RESELLERD_STORE", "holds no records of this program")
	}
	owner := as("owner")
	owner.start(t)
	newHistory(t, owner)
	for _, served := range []bool{true, false} {
		if !served {
			owner.stop(t)
		}
		reader.audit(t).well()
		to := newServer(t, sqlite, nil)
		reader.copyTo(t, to).well()
		to.audit(t).well()
	}
	for user, c := range map[string]struct {
		command string
		says    []string
	}{
		"reader": {"serve", []string{"the database user reader may not run", "the role readWrite on the database resellerd",
			"dbAdmin"}},
		"stranger": {"audit", []string{"the database user stranger may not run", "the role read on the database resellerd"}},
		"":         {"audit", []string{"without a user", "mongodb://USER:PASSWORD@"}},
	} {
		_, _, said := as(user).command(t, c.command)
		if says(t, said, c.says...); strings.Contains(said, "lsid") {
			t.Errorf("%s %q: the message shows the command: %s", c.command, user, said)
		}
	}
}
