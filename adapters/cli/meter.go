package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// doing is a step of a command.
type doing string

const (
	auditing   doing = "auditing"
	backingUp  doing = "backing up"
	restoring  doing = "restoring"
	accounting doing = "reading the ledger"

	importingRows doing = "importing"
)

// String returns the name of the step.
func (d doing) String() string { return string(d) }

// meter shows the progress of a command: a bar on a terminal, elsewhere a line for each step.
type meter struct {
	out      io.Writer
	terminal bool
	step     fmt.Stringer
	bar      *progressbar.ProgressBar // of the step, nil for none
	counted  bool                     // the total is known
}

func newMeter(out io.Writer) *meter { return &meter{out: plain(out), terminal: IsTerminal(out)} }

// onTerminal shows the progress on a terminal only.
func (m *meter) onTerminal(step fmt.Stringer, done, total int64) {
	if m.terminal {
		m.show(step, done, total)
	}
}

func (m *meter) show(step fmt.Stringer, done, total int64) {
	if step != m.step {
		m.end()
		m.begin(step, total)
	}
	if m.bar != nil {
		_ = m.bar.Set64(done) // a failure to draw is no reason to stop
	}
}

func (m *meter) begin(step fmt.Stringer, total int64) {
	m.step, m.counted = step, total > 0
	if !m.terminal {
		_, _ = fmt.Fprintln(m.out, "resellerd:", step)
		return
	}
	if !m.counted {
		total = -1
	}
	m.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(m.out),
		progressbar.OptionSetDescription(step.String()),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(unitOf(step)),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // turns with the count
		progressbar.OptionOnCompletion(func() { _, _ = fmt.Fprintln(m.out) }),
	)
}

// unitOf returns the unit in which a step counts.
func unitOf(step fmt.Stringer) string {
	if step == backingUp || step == restoring {
		return "pages"
	}
	return "records"
}

// end leaves the bar as it is and goes to the next line.
func (m *meter) end() {
	if m.bar == nil {
		return
	}
	if m.counted && !m.bar.IsFinished() {
		_ = m.bar.Exit()
	} else if !m.counted {
		_ = m.bar.Finish()
	}
	m.bar = nil
}
