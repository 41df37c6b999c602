package rival

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
)

// Spike are the clients of a spike.
type Spike struct {
	address string
	keys    atomic.Int64
	tokens  [accounts]string
}

// NewSpike returns the clients of the spike at the address.
func NewSpike(address string) *Spike {
	s := &Spike{address: address}
	for i := range s.tokens {
		s.tokens[i] = spikeToken(int64(i + 1))
	}
	return s
}

// Commands returns what makes clients who have commands of a path run.
func (s *Spike) Commands(path string) func(n int) (clients []drive.Client, ended func()) {
	return func(n int) (clients []drive.Client, ended func()) {
		return clientsOf(s.address, n, func(_ int, to []byte) []byte {
			key := s.keys.Add(1)
			return wire.Request{
				Method: "POST", Path: path, Token: s.tokens[key%accounts], Key: strconv.AppendInt([]byte("bench-"), key, 10),
				Body: []byte(`{"amount":1,"username":"k3v9x0q2m4t7","password":"b8n1c5z6h2j4","country":"BR"}`),
			}.Append(to)
		})
	}
}

// Reads returns clients that read a row by its key.
func (s *Spike) Reads(n int) (clients []drive.Client, ended func()) {
	return clientsOf(s.address, n, func(_ int, to []byte) []byte {
		i := rand.IntN(accounts)
		return wire.Request{Method: "GET", Path: "/accounts/" + strconv.Itoa(i+1), Token: s.tokens[i]}.Append(to)
	})
}
