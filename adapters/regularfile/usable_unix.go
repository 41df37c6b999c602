//go:build unix

package regularfile

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// The rights of access(2).
const mayEnter, mayWrite, mayRead uint32 = 1, 2, 4

// refused is a file or a folder that this process may not use.
type refused struct {
	path  string
	found os.FileInfo
	right uint32
	cause error
}

// unusable reports the files and folders that this process may not use: the file at path, those beside it and the
// folders above it. It names the owner, the user of the process and the remedy. It returns "" if nothing is refused.
func unusable(path string, writes bool, beside []string) string {
	above, folder := []string{}, filepath.Dir(path)
	for at := folder; ; at = filepath.Dir(at) {
		if above = append(above, at); at == filepath.Dir(at) {
			break
		}
	}
	for _, at := range slices.Backward(above) {
		if r := refuses(at, mayEnter); r != nil {
			return r.sentence(nil)
		}
	}
	right := mayRead
	if writes {
		right |= mayWrite
	}
	var all []*refused
	for _, suffix := range append([]string{""}, beside...) {
		if r := refuses(path+suffix, right); r != nil {
			all = append(all, r)
		}
	}
	for _, at := range above {
		if _, err := os.Stat(at); err != nil || !writes {
			continue // it will be made in the folder above
		}
		if r := refuses(at, mayWrite|mayEnter); r != nil {
			all = append(all, r)
		}
		break
	}
	if len(all) == 0 {
		return ""
	}
	return all[0].sentence(all)
}

// refuses returns the refusal of an existing file, else nil.
func refuses(path string, right uint32) *refused {
	found, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if err := syscall.Access(path, right); err != nil {
		return &refused{path, found, right, err}
	}
	return nil
}

// sentence describes the refusal and the remedy for all of them. The remedy does not open a folder that this program
// did not make.
func (r *refused) sentence(all []*refused) string {
	owner, runs := uint32(0), uint32(os.Geteuid()) //nolint:gosec // a user's number is not negative
	if of, is := r.found.Sys().(*syscall.Stat_t); is {
		owner = of.Uid
	}
	use, mode := "read it", "u+r"
	switch {
	case r.right == mayEnter:
		use = "enter it"
	case r.found.IsDir():
		use, mode = "create files in it", "u+wx"
	case r.right&mayWrite != 0:
		use, mode = "write to it", "u+rw"
	}
	var paths []string
	for _, other := range all {
		paths = append(paths, quoted(other.path))
	}
	var remedy string
	switch {
	case errors.Is(r.cause, syscall.EROFS):
		use += ", since it is on a read-only file system"
		remedy = "mount that for writing (in a systemd unit: ReadWritePaths=), or name a path on another one"
	case len(all) == 0:
		remedy = fmt.Sprintf("run the command as %s, or name a path in a folder that %s may enter", named(owner),
			named(runs))
	case owner == runs:
		use += fmt.Sprintf(" (mode %04o)", r.found.Mode().Perm())
		remedy = fmt.Sprintf("run `chmod %s %s`", mode, strings.Join(paths, " "))
	default:
		remedy = fmt.Sprintf("run the command as %s, or run `chown %s %s` as root", named(owner), named(runs),
			strings.Join(paths, " "))
	}
	return fmt.Sprintf("%s belongs to %s, and this process runs as %s, which may not %s: %s", r.path, numbered(owner),
		numbered(runs), use, remedy)
}

// named returns the name of a user, or the number of a user without a name.
func named(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if known, err := user.LookupId(number); err == nil {
		return known.Username
	}
	return number
}

// numbered returns the name of a user with the number.
func numbered(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if name := named(uid); name != number {
		return name + " (uid " + number + ")"
	}
	return "uid " + number
}

// quoted quotes a path for a shell.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t\n'\"\\$`!*?[](){}<>|&;#~") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
