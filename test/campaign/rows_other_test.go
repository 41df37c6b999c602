//go:build !linux

package campaign

// ofMachine are the rows that need Linux.
var ofMachine []row
