package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"resellerd/application/transfer"
	"resellerd/test/expect"
)

func TestErrorsOfACopyNameTheNextStep(t *testing.T) {
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
