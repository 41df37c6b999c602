package program

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of times in /proc, the same on every architecture that Go runs on.
const tick = time.Second / 100

// CPU returns the CPU time that a process has used so far: the 14th and 15th field, after the name of the program,
// which may have spaces.
func CPU(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(text, ')')
	if err != nil || end < 0 {
		return 0, false
	}
	fields := bytes.Fields(text[end+1:])
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(string(fields[11]), 10, 64)
	if err != nil {
		return 0, false
	}
	system, err := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * tick, err == nil
}

// Memory returns the memory that a process uses now, and its peak, in bytes.
func Memory(pid int) (now, most int64, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, false
	}
	for line := range bytes.Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		kilobytes, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
		switch {
		case err != nil:
		case string(name) == "VmRSS":
			now = kilobytes << 10
		case string(name) == "VmHWM":
			most = kilobytes << 10
		}
	}
	return now, most, now > 0 && most > 0
}
