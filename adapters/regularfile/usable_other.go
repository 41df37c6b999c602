//go:build !unix

package regularfile

// unusable says nothing: the system has no owners and modes of files that this program knows.
func unusable(string, bool, []string) string { return "" }
