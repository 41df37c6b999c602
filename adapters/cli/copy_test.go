package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"resellerd/application/transfer"
	"resellerd/test/expect"
)

func TestAnOperatorIsToldWhatToDoNext(t *testing.T) {
	for _, c := range []struct {
		err  error
		says []string
	}{
		{fmt.Errorf("%w: the disk is full", transfer.ErrLeftUnfinished),
			[]string{"the copy was not finished", "the disk is full", "--restart"}},
		{fmt.Errorf("begin a copy: %w", transfer.ErrNotEmpty), []string{"--to: ", "not empty", "name a new one"}},
		{transfer.ErrUnfinishedCopy, []string{"--to: ", "--restart"}},
		{transfer.ErrSourceUnfinished, []string{"--from: "}},
		{transfer.ErrSourceUnused, []string{"--from: ", "never served"}},
	} {
		said := whatNext(c.err)
		expect.Error(t, said, c.err, "%v became", c.err)
		for _, text := range c.says {
			expect.Contains(t, said.Error(), text)
		}
	}
	for _, err := range []error{fmt.Errorf("%w: %w", transfer.ErrLeftUnfinished, transfer.ErrCopyEnded),
		context.Canceled} {
		if said := whatNext(err).Error(); strings.Contains(said, "--restart") {
			t.Errorf("%v: to start over is no remedy: %q", err, said)
		}
	}
}

func TestTheMeterShowsEachStep(t *testing.T) {
	steps := func(m *meter) {
		m.show(transfer.AuditSource, 0, 0)
		m.show(transfer.AuditSource, 500, 0)
		m.show(transfer.AuditSource, 620, 0)
		m.show(transfer.CopyRecords, 500, 620)
		m.show(transfer.CopyRecords, 620, 620)
		m.show(transfer.CopyKeys, 7, 0)
		m.show(transfer.Compare, 0, 627)
		m.show(transfer.Compare, 500, 627)
		m.end() // interrupted
		m.end()
	}
	var plain bytes.Buffer
	steps(&meter{out: &plain})
	want := "resellerd: auditing the source\nresellerd: copying records\nresellerd: copying idempotency keys\nresellerd: comparing the copy with the source\n"
	expect.Equal(t, plain.String(), want, "in a file")

	var drawn bytes.Buffer
	steps(&meter{out: &drawn, terminal: true})
	lines := strings.Split(strings.TrimSuffix(drawn.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("on a terminal: got %d lines, want one for each step: %q", len(lines), lines)
	}
	for i, texts := range [][]string{{"auditing the source", "620"}, {"copying records", "100%", "620/620"},
		{"copying idempotency keys", "7"}, {"comparing", "/627"}} {
		for _, text := range texts {
			expect.Contains(t, lines[i], text, "line %d", i)
		}
	}
}
