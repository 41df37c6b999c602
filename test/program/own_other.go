//go:build !unix

package program

import "time"

// Own returns what this process itself has used so far; here it is not known.
func Own() (time.Duration, bool) { return 0, false }
