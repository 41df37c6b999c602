package mongotest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
)

// Network relays the messages between the members of a cluster and to its clients. Each member has an address at which
// a relay listens, and is known by no other address. So a test can cut the way between two members, which loopback
// can't.
//
// A cut way delivers nothing and reports nothing: connections stay open, and the held messages arrive after Restore, as
// with TCP. The other end of a connection is known from the first message: a server names itself in it, as it does for
// MongoDB's own relay, mongobridge, where enableTestCommands is set. A connection without a name comes from a client.
type Network struct {
	mu        sync.Mutex
	cut       map[way]bool
	apart     map[string]bool // clients, by their names
	changed   chan struct{}   // closed at the next change
	members   map[int]*Member
	listeners []net.Listener
}

// way is one direction between two members; nil means all clients.
type way struct{ from, to *Member }

func newNetwork() *Network {
	return &Network{cut: map[way]bool{}, apart: map[string]bool{}, changed: make(chan struct{}),
		members: map[int]*Member{}}
}

// Cut lets nothing pass between two members. A nil one means all clients.
func (n *Network) Cut(a, b *Member) { n.set(true, way{a, b}, way{b, a}) }

// CutOneWay lets nothing pass from one member to the other, while what the other sends arrives.
func (n *Network) CutOneWay(from, to *Member) { n.set(true, way{from, to}) }

// CutClient lets nothing pass between the clients of a name, the appName in their URI, and any member.
func (n *Network) CutClient(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.apart[name] = true
	n.tell()
}

// Restore lets everything pass again, the held messages first.
func (n *Network) Restore() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.cut)
	clear(n.apart)
	n.tell()
}

func (n *Network) set(cut bool, ways ...way) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range ways {
		n.cut[w] = cut
	}
	n.tell()
}

// tell wakes all waiting relays. The caller has the lock.
func (n *Network) tell() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// pass waits until something of a client, "" for none, may pass on a way.
func (n *Network) pass(w way, client string) {
	for {
		n.mu.Lock()
		cut, changed := n.cut[w] || n.apart[client], n.changed
		n.mu.Unlock()
		if !cut {
			return
		}
		<-changed
	}
}

// front listens at the address by which a member is known.
func (n *Network) front(m *Member) error {
	listener, err := net.Listen("tcp", m.Address())
	if err != nil {
		return errors.Join(errPortTaken, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners = append(n.listeners, listener)
	n.members[m.port] = m
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return // it was closed
			}
			go n.relay(caller, m)
		}
	}()
	return nil
}

// relay carries a connection to a member, in both directions, until either side ends it.
func (n *Network) relay(caller net.Conn, to *Member) {
	defer caller.Close()
	first, err := readMessage(caller)
	if err != nil {
		return
	}
	from, client := n.memberOf(first), ""
	if from == nil {
		client = textOf(first, "application\x00", "\x02name\x00")
	}
	n.pass(way{from, to}, client)
	server, err := net.Dial("tcp", to.own())
	if err != nil {
		if tcp, ok := caller.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // refused, as far as that can be said now
		}
		return
	}
	defer server.Close()
	if _, err := server.Write(first); err != nil {
		return
	}
	ended := make(chan struct{}, 2)
	carry := func(w way, to, from net.Conn) {
		defer func() { ended <- struct{}{} }()
		chunk := make([]byte, 32<<10)
		for {
			count, err := from.Read(chunk)
			n.pass(w, client) // the end of a connection has to arrive as well
			if _, failed := to.Write(chunk[:count]); err != nil || failed != nil {
				return
			}
		}
	}
	go carry(way{from, to}, server, caller)
	go carry(way{to, from}, caller, server)
	<-ended
}

// mostFirst is larger than the first message on a connection can be.
const mostFirst = 1 << 20

// readMessage reads one message of MongoDB's wire protocol, which begins with its length.
func readMessage(from io.Reader) ([]byte, error) {
	header := make([]byte, 4)
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(header)
	if length < 16 || length > mostFirst {
		return nil, errors.New("no message")
	}
	message := make([]byte, length)
	copy(message, header)
	_, err := io.ReadFull(from, message[4:])
	return message, err
}

// textOf returns the text that follows all of these in a message, one after the other, "" where it has no such text.
func textOf(message []byte, behind ...string) string {
	after := message
	for _, name := range behind {
		_, left, found := bytes.Cut(after, []byte(name))
		if !found {
			return ""
		}
		after = left
	}
	if len(after) < 4 {
		return ""
	}
	length := binary.LittleEndian.Uint32(after)
	if after = after[4:]; length < 1 || uint64(length) > uint64(len(after)) {
		return ""
	}
	return string(after[:length-1]) // it ends with a zero byte
}

// memberOf finds which member sent the first message on a connection, nil where it is a client.
func (n *Network) memberOf(first []byte) *Member {
	_, text, err := net.SplitHostPort(textOf(first, "\x02hostInfo\x00"))
	if err != nil {
		return nil
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.members[port]
}

// close is for when no member runs any more: with them all connections end.
func (n *Network) close() (err error) {
	n.Restore()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}
