package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tables returns the results as Markdown. It stops the services, whose upkeep is the second table.
func (b *bench) tables(machine string) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%d resellers. Medians of %d measurements of %v. Each audit passed.\n\n", machine, b.owners,
		b.rounds, b.long)
	text.WriteString("| Operation | Clients | Program | " + strings.Join(headings[:], " | ") + " |\n|---|---:|---|" +
		strings.Repeat("---:|", columns) + "\n")
	for _, m := range b.all {
		fmt.Fprintf(&text, "| %s | %d | %s |", m.operation, m.clients, m.name)
		for column := range columns {
			value, ratio := m.figure(column)
			fmt.Fprintf(&text, " %s", short(value))
			if m.beside != nil {
				fmt.Fprintf(&text, " (%.2f)", ratio)
			}
			text.WriteString(" |")
		}
		text.WriteByte('\n')
	}
	text.WriteString("\n| Program | start, ms | memory idle, MB | memory at most, MB | binary, MB | audit, s |\n" +
		"|---|---:|---:|---:|---:|---:|\n")
	for _, s := range b.services {
		u, err := s.stop()
		if err != nil {
			return "", err
		}
		binary, err := os.Stat(s.binary)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", s.name, short(u.start.Seconds()*1e3),
			short(float64(u.memory)/1e6), short(float64(u.mostUsed)/1e6), short(float64(binary.Size())/1e6),
			short(u.audit.Seconds()))
	}
	return text.String(), nil
}

// short returns a number with three digits that count.
func short(v float64) string {
	if v >= 1000 {
		return grouped(int(math.Round(v/10) * 10))
	}
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Log10(max(v, 1)))), 64)
}

// grouped returns a number with a comma between thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// replace replaces the text between two markers of a Markdown file, <!-- name --> and <!-- end of name -->.
func replace(file, name, text string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, found := strings.Cut(string(content), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no markers of the name %q", file, name)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}

// describe describes the machine and the source. It leaves out unknown facts.
func describe(folder string) string {
	read := func(file string) string {
		text, _ := os.ReadFile(file)
		return strings.TrimSpace(string(text))
	}
	_, model, _ := strings.Cut(read("/proc/cpuinfo"), "model name\t: ")
	model, _, _ = strings.Cut(model, "\n")
	load, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	commit, _ := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	return fmt.Sprintf("%s, commit %s, %s. Load average before: %s.\n%d cores, %s, Linux %s. One fsync of 4 KiB takes %s ms.",
		time.Now().UTC().Format(time.DateOnly), bytes.TrimSpace(commit), runtime.Version(), load,
		runtime.NumCPU(), model, read("/proc/sys/kernel/osrelease"), short(fsync(folder)))
}

// fsync returns how long it takes to append 4 KiB to a file and to wait until they are on the disk: the median, in
// milliseconds, 0 if it fails.
func fsync(folder string) float64 {
	f, err := os.Create(filepath.Join(folder, "fsync"))
	if err != nil {
		return 0
	}
	defer f.Close()
	took := make([]float64, 100)
	for i := range took {
		began := time.Now()
		_, err := f.Write(make([]byte, 4<<10))
		if err != nil || f.Sync() != nil {
			return 0
		}
		took[i] = time.Since(began).Seconds() * 1e3
	}
	return median(took)
}
