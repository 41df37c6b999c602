package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Machine describes the machine of a run, and its source. It leaves out unknown facts.
func Machine(folder string, now time.Time) string {
	parts := []string{fmt.Sprintf("%s: %d cores", now.UTC().Format("2006-01-02"), runtime.NumCPU())}
	for _, p := range []string{
		entry("/proc/cpuinfo", "model name"),
		prefixed("Linux ", line("/proc/sys/kernel/osrelease")),
		fileSystem(folder),
		prefixed("load average ",
			strings.Join(strings.Fields(line("/proc/loadavg"))[:min(3, len(strings.Fields(line("/proc/loadavg"))))], " ")),
		runtime.Version(),
		prefixed("SQLite driver ", version("modernc.org/sqlite")),
		prefixed("commit ", commit()),
	} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// line returns the first line of a file.
func line(name string) string {
	text, _ := os.ReadFile(name)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimSpace(first))
}

// entry returns the value of the first entry of this name.
func entry(file, name string) string {
	text, _ := os.ReadFile(file)
	for l := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(l, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// fileSystem returns the kind of that of a folder: of the mount point that it is below, and no other is nearer.
func fileSystem(folder string) string {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ""
	}
	text, _ := os.ReadFile("/proc/mounts")
	nearest, kind := "", ""
	for l := range strings.Lines(string(text)) {
		fields := strings.Fields(l)
		if len(fields) < 3 || len(fields[1]) < len(nearest) {
			continue
		}
		if folder == fields[1] || strings.HasPrefix(folder, strings.TrimSuffix(fields[1], "/")+"/") {
			nearest, kind = fields[1], fields[2]
		}
	}
	return kind
}

// version returns that of a module that this program is built of.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}

func commit() string {
	id, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
	if text := string(bytes.TrimSpace(id)); err != nil || len(changed) == 0 {
		return text
	} else {
		return text + " and changes"
	}
}
