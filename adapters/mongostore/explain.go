package mongostore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/auth"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"resellerd/adapters/storekit"
)

// unauthorized is the server's code for a command that the user may not run.
const unauthorized = 13

// watch records the last answer of each server. From these it explains why there is no primary.
type watch struct {
	address  *connstring.ConnString
	database string

	mu             sync.Mutex
	answers        map[string]answer // by the server's address
	noPrimarySince time.Time         // the time since which no primary is known, else zero
}

// answer is a server's description of itself, or the error of its last call.
type answer struct {
	event.ServerDescription

	err error
}

func (w *watch) monitor() *event.ServerMonitor {
	note := func(server string, a answer) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answers[server] = a
	}
	return &event.ServerMonitor{
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceededEvent) {
			note(e.Reply.Addr.String(), answer{ServerDescription: e.Reply})
		},
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailedEvent) {
			server, _, _ := strings.Cut(e.ConnectionID, "[-")
			note(server, answer{err: e.Failure})
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChangedEvent) {
			w.mu.Lock()
			defer w.mu.Unlock()
			switch kind := e.NewDescription.Kind; {
			case kind == "ReplicaSetWithPrimary" || kind == "Sharded":
				w.noPrimarySince = time.Time{}
			case w.noPrimarySince.IsZero():
				w.noPrimarySince = time.Now()
			}
		},
	}
}

// retryTime returns how long a request is retried. An election takes less time than retryTime. Once no primary was
// known for longer, requests fail sooner, until a primary is known again.
func (w *watch) retryTime() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.noPrimarySince.IsZero() && time.Since(w.noPrimarySince) > retryTime {
		return leastRetryTime
	}
	return retryTime
}

// explained is an error of the driver or the server, in a sentence for the operator.
type explained struct {
	sentence string
	err      error
}

// Error implements error.
func (e *explained) Error() string { return e.sentence }

// Unwrap returns the error that is explained.
func (e *explained) Unwrap() error { return e.err }

// unavailable works like storekit.Unavailable, with the cause explained.
func (w *watch) unavailable(doing string, cause error) error {
	return storekit.Unavailable(doing, w.explain(cause))
}

// explain replaces errors whose text is long, or lacks a remedy.
func (w *watch) explain(err error) error {
	server, _ := errors.AsType[mongo.ServerError](err)
	selection, noServer := errors.AsType[topology.ServerSelectionError](err)
	_, login := errors.AsType[*auth.Error](err)
	switch {
	case server != nil && server.HasErrorCode(unauthorized):
		return &explained{w.rights(server.Error()), err}
	case login:
		return &explained{
			fmt.Sprintf("the server rejects the credentials of the address: see that the user %s has this password, and that "+
				"authSource names the database in which the user was made, as a rule authSource=admin", w.address.Username), err}
	case noServer && selection.Desc.CompatibilityErr != nil:
		return &explained{ErrOld.Error(), err}
	case noServer:
		return &explained{w.noPrimary(), err}
	}
	return err
}

// refusedCommand finds the command in the server's message, which also contains all values of the command.
var refusedCommand = regexp.MustCompile(`(?i)execute command \{ (\w+)|command (\w+) requires`)

// rights explains which right is missing.
func (w *watch) rights(said string) string {
	command := "a command"
	if found := refusedCommand.FindStringSubmatch(said); found != nil {
		command = found[1] + found[2]
	}
	if w.address.Username == "" && w.address.AuthMechanism == "" {
		return fmt.Sprintf(
			"the server refuses %s without a user: put a database user and its password into the address, as mongodb://USER:PASSWORD@...", command)
	}
	role := "readWrite"
	switch command {
	case "find", "aggregate", "listCollections", "listIndexes":
		role = "read"
	case "collMod":
		role = "dbAdmin"
	}
	return fmt.Sprintf("the database user %s may not run %s, for which it needs the role %s on the database %s: "+
		"grant it readWrite and dbAdmin there, or read alone for audit and for the source of a copy", w.address.Username,
		command, role, w.database)
}

// noPrimary explains why no server accepts commands.
func (w *watch) noPrimary() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var answering bool // a member of the right replica set does
	var failures []string
	foreign := false // a member has an address that the operator did not write
	for _, server := range slices.Sorted(maps.Keys(w.answers)) {
		a := w.answers[server]
		wanted := w.address.ReplicaSet
		switch {
		case a.err != nil:
			failures = append(failures, server+": "+w.reason(a.err))
			foreign = foreign || !slices.ContainsFunc(w.address.Hosts, func(host string) bool {
				return host == server || host+":27017" == server
			})
		case a.Kind == "RSGhost":
			return fmt.Sprintf("the replica set of %s is not initiated: run rs.initiate() once in mongosh on that server",
				server)
		case a.Kind == "Standalone":
			return ErrStandalone.Error()
		case wanted != "" && a.SetName != "" && a.SetName != wanted:
			return fmt.Sprintf("the address says replicaSet=%s, and %s is a member of the replica set %s: write replicaSet=%s",
				wanted, server, a.SetName, a.SetName)
		default:
			answering = answering || a.SetName != ""
		}
	}
	all := strings.Join(failures, "; ")
	switch {
	case answering && foreign:
		return "no primary answers; the configuration of the replica set (rs.conf() in mongosh) has members that this machine can't reach: " + all
	case answering:
		return strings.TrimSuffix(
			"no primary answers: most members of the replica set must run and reach each other, which rs.status() in mongosh shows; "+all, "; ")
	case all == "":
		return "no primary answers: check that the servers run, and that the address names them"
	}
	return "no primary answers: " + all
}

// reason explains why a server did not answer.
func (w *watch) reason(err error) string {
	if name, is := errors.AsType[*net.DNSError](err); is {
		return unresolved(name)
	}
	if certificate, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Sprintf("its certificate is not accepted (%v): tlsCAFile names a file with that of its authority",
			certificate.Err)
	}
	wait, isNet := errors.AsType[net.Error](err)
	cause, isSystem := errors.AsType[syscall.Errno](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: check that the server runs, and that the address and port are right"
	case isNet && wait.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return "it does not answer in time: check that it runs, and that no firewall blocks the port"
	case (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)) &&
		w.address.SSL:
		return "it closes the connection during the TLS handshake: leave tls=true out if it does not use TLS; set a certificate with tlsCertificateKeyFile if it requires one"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET):
		return "it closes the connection: add tls=true to the address if it requires TLS"
	case isSystem:
		return cause.Error()
	}
	if alert, is := errors.AsType[tls.AlertError](err); is {
		return fmt.Sprintf("it ends the TLS handshake (%v)", alert)
	}
	return "the program that listens there is not a MongoDB server: check the port"
}

// unresolved explains that a name has no address yet.
func unresolved(name *net.DNSError) string {
	return fmt.Sprintf("the name %s can't be resolved (%s): check that it is right, and that the name server answers",
		name.Name, name.Err)
}
