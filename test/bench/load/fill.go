package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"resellerd/test/bench/subject"
)

// fill makes a store with many lines of one reseller, and leaves it in its folder for other experiments. It prints the
// reseller's sign-in.
func fill(args []string, out io.Writer) (err error) {
	var binary, folder string
	var lines int
	flags := flag.NewFlagSet("fill", flag.ContinueOnError)
	flags.StringVar(&binary, "resellerd", "", "the `binary` that makes the store")
	flags.StringVar(&folder, "dir", "", "an empty `folder` for the store, resellerd.db")
	flags.IntVar(&lines, "lines", 1_000_000, "how many lines the reseller has")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if binary == "" || folder == "" || lines < 1 || flags.NArg() > 0 {
		return errors.New("fill needs -resellerd, -dir, and a positive -lines")
	}
	s, err := subject.Start(folder, binary, subject.Shape{Owners: 1, Depth: 1}, "serve")
	if err != nil {
		return err
	}
	if err := s.Fill(context.Background(), lines, 0); err != nil {
		return err
	}
	if err := s.Stop(); err != nil {
		return err
	}
	name, password := s.Owner(0)
	_, err = fmt.Fprintf(out, "%s\n%s\n", name, password)
	return err
}
