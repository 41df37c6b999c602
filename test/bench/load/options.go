package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/reseller"
	"resellerd/test/bench/subject"
)

// options are the options of a run.
type options struct {
	binary     string
	folder     string
	rounds     int
	long       time.Duration // of each measurement
	clients    []int
	only       []string // names of measurements; empty: all
	shape      subject.Shape
	mongoDB    bool // instead of the embedded store
	page       string
	keep       bool
	pocketBase string
}

func parseOptions(args []string) (options, error) {
	var o options
	var clients, only string
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.StringVar(&o.binary, "resellerd", "", "the `binary` to measure; without it, that of this checkout is built")
	flags.StringVar(&o.folder, "dir", "",
		"`folder` for the store, on the disk to measure; it is emptied in the end. Without it, a temporary one")
	flags.IntVar(&o.rounds, "rounds", 3, "how often each measurement is repeated; medians count")
	flags.DurationVar(&o.long, "long", 2*time.Second, "how long each measurement takes")
	flags.StringVar(&clients, "clients", "1,16,64", "`numbers` of clients")
	flags.StringVar(&only, "only", "",
		"measure only these `names`: operations, or bare, disk, pocketbase; separated by commas")
	flags.IntVar(&o.shape.Owners, "owners", 64, "resellers who own the lines; 1 is a contended one")
	flags.IntVar(&o.shape.Depth, "depth", 1, "how deep below the admin the owners are, at most 8")
	flags.IntVar(&o.shape.Lines, "lines", 40, "lines of each owner at the beginning")
	flags.BoolVar(&o.mongoDB, "mongodb", false,
		"measure two processes on a replica set of three members, instead of the embedded store")
	flags.StringVar(&o.page, "page", "", "Markdown `file` whose part between the markers is replaced by the measurements")
	flags.BoolVar(&o.keep, "keep", false, "do not empty the folder in the end")
	flags.StringVar(&o.pocketBase, "pocketbase", "",
		"a PocketBase `binary` to measure beside; it must be one with synchronous FULL: see the README")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.clients, err = numbers("-clients", clients); err != nil {
		return o, err
	}
	for name := range strings.SplitSeq(only, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, err := subject.Find(name); err != nil && !slices.Contains(beside, name) {
			return o, fmt.Errorf("-only: %w, and nothing else of this name", err)
		}
		o.only = append(o.only, name)
	}
	return o, o.check(flags.Args())
}

// beside are the names of the measurements of other programs.
var beside = []string{"bare", "disk", "pocketbase"}

// check refuses what no run can be made of.
func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("what is %q?", rest[0])
	case o.rounds < 1, o.long <= 0, o.shape.Owners < 1:
		return errors.New("-rounds, -long and -owners are more than nothing")
	case o.shape.Depth < 1 || o.shape.Depth > reseller.MaxDepth:
		return fmt.Errorf("-depth: from 1 to %d", reseller.MaxDepth)
	default:
		return nil
	}
}

// String describes a run for the readers of its tables.
func (o options) String() string {
	return fmt.Sprintf("Medians of %d rounds of %s each; %d owners at depth %d with %d lines each at the beginning.",
		o.rounds, o.long, o.shape.Owners, o.shape.Depth, o.shape.Lines)
}

// part is the name of the run's part of the page.
func (o options) part() string {
	if o.mongoDB {
		return "mongodb"
	}
	return "measured"
}
