// Package rapidflags stops pgregory.net/rapid from writing a file into the checkout
// when a test fails. Each test package with properties imports it:
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
