// Package rapidflags keeps the checkout clean of what pgregory.net/rapid writes
// beside a test that fails. Each test package with properties imports it:
//
//	import _ "resellerd/test/rapidflags"
//
// A failure prints the seed that repeats it, -rapid.seed; -rapid.nofailfile=false
// writes the file again.
package rapidflags

import (
	"flag"

	_ "pgregory.net/rapid" // has made its flags when init runs
)

func init() { //nolint:gochecknoinits // an import is all that a package needs
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
}
