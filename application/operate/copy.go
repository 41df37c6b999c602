package operate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"resellerd/application/transfer"
	"resellerd/ports"
)

// Copy is a copy of a store into another one.
type Copy struct {
	From Store
	To   func(ctx context.Context) (ports.CopyTarget, io.Closer, error)
}

// Run opens both ends, the target only if the source is there, and copies. Neither needs its service key: encrypted
// content is copied as it is.
func (c Copy) Run(ctx context.Context, o transfer.Options) (result transfer.Result, err error) {
	if err := c.From.Exists(); err != nil {
		return result, fmt.Errorf("--from: %w", err)
	}
	source, err := c.From.Archive(ctx)
	if err != nil {
		if err = foundAltered(err, &result.Verdict, o.Report); err != nil {
			err = fmt.Errorf("--from: %w", err)
		}
		return result, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, closing, err := c.To(ctx)
	if err != nil {
		return result, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, closing.Close()) }()
	return transfer.Run(ctx, source, target, o)
}
