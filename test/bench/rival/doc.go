// Package rival has the programs that resellerd is compared with, on the same machine and in the same minutes: programs
// that only use the disk or the HTTP stack, and PocketBase.
package rival

import (
	"fmt"
	"time"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
)

const patience = 30 * time.Second

// clientsOf returns clients that each send requests over a connection of their own, and a function to call when all
// have ended. request appends a client's next request.
func clientsOf(address string, n int, request func(client int, to []byte) []byte) (clients []drive.Client,
	ended func()) {
	connections := make([]*wire.Conn, n)
	for i := range n {
		c := wire.New(address, patience)
		connections[i] = c
		var buffer []byte
		clients = append(clients, func() error {
			buffer = request(i, buffer[:0])
			r, err := c.Do(buffer)
			if err == nil && r.Status >= 300 {
				err = fmt.Errorf("%d %s", r.Status, r.Body)
			}
			return err
		})
	}
	return clients, func() {
		for _, c := range connections {
			_ = c.Close()
		}
	}
}
