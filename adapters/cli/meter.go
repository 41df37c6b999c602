package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// meter shows how far a command is: a bar on a terminal, anywhere else a line for each step.
type meter struct {
	out      io.Writer
	terminal bool
	step     fmt.Stringer
	bar      *progressbar.ProgressBar // of the step, nil where it is none
	counted  bool                     // the bar knows its end
}

func isTerminal(w io.Writer) bool {
	file, is := w.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

func (m *meter) show(step fmt.Stringer, done, total int64) {
	if step != m.step {
		m.end()
		m.begin(step, total)
	}
	if m.bar != nil {
		_ = m.bar.Set64(done) // a bar that can't be drawn is no reason to stop
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
		progressbar.OptionSetItsString("records"),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0), // it turns with the count
		progressbar.OptionOnCompletion(func() { _, _ = fmt.Fprintln(m.out) }),
	)
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
