//go:build !unix

package regularfile

// unusable returns "": this program knows no owners and modes of files on this system.
func unusable(string, bool, []string) string { return "" }
