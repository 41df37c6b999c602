// Command resellerd is the reseller and client management service.
package main

import (
	"os"

	"resellerd/bootstrap"
)

func main() {
	os.Exit(bootstrap.Run(os.Args[1:], os.Stdout, os.Stderr, bootstrap.DefaultStores()))
}
