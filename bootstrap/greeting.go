package bootstrap

import (
	"fmt"
	"io"
	"net"

	"resellerd/adapters/cli"
)

// greet prints the addresses of the service and the command to log in. Without a terminal it prints only for a sandbox.
// The service also runs if it can't write.
func greet(stdout io.Writer, listens net.Addr, c config) {
	g := cli.Greeting{URL: urlOf(listens, c), Admin: c.admin.String()}
	if c.sandbox != nil {
		g.Sandbox = sandboxGreeting(c)
	} else if !cli.IsTerminal(stdout) {
		return
	}
	cli.Greet(stdout, g)
}

// urlOf returns the URL of the service for clients on the same machine.
func urlOf(listens net.Addr, c config) string {
	scheme := "http"
	if c.certificate != nil {
		scheme = "https"
	}
	host := listens.String()
	if tcp, is := listens.(*net.TCPAddr); is && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return scheme + "://" + host + c.basePath
}
