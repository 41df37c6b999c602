package mongostore_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/test/expect"
)

// serve answers each connection with answer, until the test ends.
func serve(t *testing.T, listener net.Listener, answer func(net.Conn)) {
	t.Helper()
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go answer(c)
		}
	}()
}

// says answers a driver's first command with the description of a server.
func says(hello bson.D) func(net.Conn) {
	document, _ := bson.Marshal(append(hello, bson.E{Key: "ok", Value: 1}, bson.E{Key: "maxWireVersion", Value: 17},
		bson.E{Key: "minWireVersion", Value: 0}))
	return func(c net.Conn) {
		header := make([]byte, 16)
		for {
			if _, err := io.ReadFull(c, header); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, c, int64(binary.LittleEndian.Uint32(header))-16); err != nil {
				return
			}
			reply := make([]byte, 36, 36+len(document))
			binary.LittleEndian.PutUint32(reply, uint32(cap(reply)))
			copy(reply[8:12], header[4:8])                 // the request that is answered
			binary.LittleEndian.PutUint32(reply[12:16], 1) // OP_REPLY
			binary.LittleEndian.PutUint32(reply[32:36], 1) // one document
			if _, err := c.Write(append(reply, document...)); err != nil {
				return
			}
		}
	}
}

// TestOpenExplainsWhyThereIsNoPrimary opens stores on servers that are no primary, one for each kind of answer.
func TestOpenExplainsWhyThereIsNoPrimary(t *testing.T) {
	t.Parallel()
	closes := func(c net.Conn) { _ = c.Close() }
	member := func(set string, more ...bson.E) func(net.Conn) {
		return says(append(bson.D{{Key: "setName", Value: set}, {Key: "secondary", Value: true}}, more...))
	}
	for name, c := range map[string]struct {
		answer func(net.Conn)
		query  string
		want   []string // HOST means the server's address
	}{
		"a set that is not initiated": {says(bson.D{{Key: "isreplicaset", Value: true}}), "",
			[]string{"the replica set of HOST is not initiated", "run rs.initiate() once"}},
		"another name of the set": {member("north"), "",
			[]string{"replicaSet=rs", "HOST", "the replica set north", "write replicaSet=north"}},
		"a member without a majority": {member("rs"), "",
			[]string{"no primary answers", "most members", "rs.status()"}},
		"nothing": {nil, "", []string{"HOST: nothing listens there"}},
		"silence": {func(net.Conn) {}, "&connectTimeoutMS=200",
			[]string{"HOST: it does not answer in time"}},
		"a server that speaks no TLS": {closes, "&tls=true",
			[]string{"HOST: it closes the connection during the TLS handshake", "leave tls=true out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			host := listener.Addr().String()
			if c.answer == nil {
				must(t, listener.Close())
			} else {
				serve(t, listener, c.answer)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err = mongostore.OpenWith(ctx, "mongodb://user:s3cr3t@"+host+"/d?replicaSet=rs"+c.query, options.Client())
			if err == nil {
				t.Fatal("the store was opened")
			}
			said := strings.ReplaceAll(err.Error(), host, "HOST")
			for _, want := range c.want {
				expect.Contains(t, said, want)
			}
			if strings.Contains(said, "topology") || strings.Contains(said, "\n") || strings.Contains(said, "s3cr3t") {
				t.Errorf("got %q, want one sentence without the password", said)
			}
		})
	}
}
