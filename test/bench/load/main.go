// Command load measures resellerd over HTTP, by turns with another build, with PocketBase, or in stores of several
// sizes. The README of the folder above explains the figures. Its second form makes a store with many lines:
//
//	go run ./test/bench/load [flags]
//	go run ./test/bench/load fill -resellerd binary -dir folder -lines n
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"resellerd/domain/reseller"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

func main() {
	err := command(os.Args[1:], os.Stdout, os.Stderr)
	program.Clean()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func command(args []string, out, progress io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) > 0 && args[0] == "fill" {
		return fill(args[1:], out)
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	return o.run(ctx, out, progress)
}

type options struct {
	binary, base, pocketBase string
	folder                   string
	rounds, owners           int
	long                     time.Duration
	clients, depths, lines   []int
	only                     []string // operations, empty for all
	mongoDB                  bool
	page, part               string
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	numbers := func(to *[]int, name, usage string, standard ...int) {
		*to = standard
		flags.Func(name, fmt.Sprintf("%s (default %v)", usage, standard), func(text string) error {
			*to = nil
			for one := range strings.SplitSeq(text, ",") {
				n, err := strconv.Atoi(one)
				if err != nil || n < 1 {
					return fmt.Errorf("%q is not a positive number", one)
				}
				*to = append(*to, n)
			}
			return nil
		})
	}
	flags.StringVar(&o.binary, "resellerd", "", "`binary` to measure (default: that of this checkout, built now)")
	flags.StringVar(&o.base, "base", "", "another `binary` of resellerd, to compare with")
	flags.StringVar(&o.pocketBase, "pocketbase", "", "`binary` of PocketBase with synchronous FULL, to compare with")
	flags.StringVar(&o.folder, "dir", "", "`folder` on the disk to measure (default: that of temporary files)")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds, whose medians count")
	flags.DurationVar(&o.long, "long", 2*time.Second, "`time` of each measurement")
	flags.IntVar(&o.owners, "owners", 64, "resellers that own the lines; 1 is a contended one")
	numbers(&o.clients, "clients", "numbers of clients", 1, 16, 64)
	numbers(&o.depths, "depths", "levels of the owners below the administrator, a store for each", 2)
	numbers(&o.lines, "lines", "official lines at the beginning, a store for each number", 2560)
	flags.BoolVar(&o.mongoDB, "mongodb", false, "measure two processes on a replica set of three, instead of SQLite")
	flags.Func("only", "operations to measure (default: all)", func(text string) error {
		o.only = strings.Split(text, ",")
		return nil
	})
	flags.StringVar(&o.page, "page", "", "Markdown `file` to write the tables to")
	flags.StringVar(&o.part, "part", "", "`name` of the markers in that file")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.rounds < 1, o.long <= 0, o.owners < 1:
		err = errors.New("-rounds, -long and -owners must be positive")
	case slices.Max(o.depths) > reseller.MaxDepth:
		err = fmt.Errorf("-depths: at most %d", reseller.MaxDepth)
	}
	for _, name := range o.only {
		if err == nil && !slices.ContainsFunc(operations, func(of operation) bool { return of.name == name }) {
			err = fmt.Errorf("-only: there is no operation %q", name)
		}
	}
	return o, err
}

// bench has the servers of a run and the measurements, in the order of the tables.
type bench struct {
	options

	services []*resellerd // each is compared with the first
	rival    *pocketBase
	cluster  *mongotest.Cluster
	all      []*measurement
}

func (o options) run(ctx context.Context, out, progress io.Writer) (err error) {
	for _, path := range []*string{&o.binary, &o.base, &o.pocketBase} { // they run in other folders
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	if o.binary == "" {
		if o.binary, err = program.Binary(); err != nil {
			return err
		}
	}
	if o.folder != "" {
		if err := os.MkdirAll(o.folder, 0o700); err != nil {
			return err
		}
	}
	if o.folder, err = os.MkdirTemp(o.folder, "resellerd-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.folder)) }()
	if o.folder, err = filepath.Abs(o.folder); err != nil {
		return err
	}
	b := &bench{options: o}
	defer b.kill()
	machine := describe(o.folder) // before the load
	if err := b.start(ctx); err != nil {
		return err
	}
	b.plan()
	for round := range o.rounds {
		for i := range b.all {
			m := b.all[i]
			if round%2 == 1 { // the other way round, so that each of two is the first as often
				m = b.all[len(b.all)-1-i]
			}
			if err := m.measure(o.long); err != nil {
				return fmt.Errorf("%s, %s, %d clients: %w", m.name, m.operation, m.clients, err)
			}
			fmt.Fprintf(progress, "round %d: %-24s %-16s %3d clients  %9.0f/s %9.0f µs\n", round+1, m.name, m.operation,
				m.clients, m.rounds[round][rate], m.rounds[round][cpu])
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	text, err := b.tables(machine)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, text); err != nil || o.page == "" {
		return err
	}
	return replace(o.page, o.part, text)
}

func (b *bench) kill() {
	for _, s := range b.services {
		s.kill()
	}
	if b.rival != nil {
		b.rival.kill()
	}
	if b.cluster != nil {
		_ = b.cluster.Close()
	}
}

const (
	members   = 3 // of the replica set
	processes = 2 // of resellerd on it
)

// start starts the servers and creates their records.
func (b *bench) start(ctx context.Context) (err error) {
	if b.mongoDB {
		if b.cluster, err = mongotest.StartCluster(ctx, filepath.Join(b.folder, "members"), members); err != nil {
			return err
		}
	}
	if b.pocketBase != "" {
		if b.rival, err = startPocketBase(b.pocketBase, b.folder); err != nil {
			return err
		}
	}
	for _, binary := range slices.DeleteFunc([]string{b.base, b.binary}, func(path string) bool { return path == "" }) {
		for _, depth := range b.depths {
			for _, lines := range b.lines {
				if err := b.add(binary, lines, depth); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add starts a resellerd with so many lines, of owners at this depth.
func (b *bench) add(binary string, lines, depth int) error {
	name := filepath.Base(binary)
	if len(b.lines)*len(b.depths) > 1 {
		name = fmt.Sprintf("%s lines, depth %d", grouped(lines), depth)
	}
	folder, store, n := filepath.Join(b.folder, fmt.Sprint("store", len(b.services))), "sqlite:resellerd.db", 1
	if b.cluster != nil {
		store, n = b.cluster.URI(filepath.Base(folder)), processes
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	s, err := startResellerd(name, binary, folder, store, n, b.owners, depth)
	if err != nil {
		return err
	}
	b.services = append(b.services, s)
	return s.addLines(lines)
}

// plan lists the measurements: those that are compared with one another run one after the other.
func (b *bench) plan() {
	for _, n := range b.clients {
		rivals := map[string]*measurement{}
		if b.rival != nil {
			for _, name := range []string{"create", "read", "list"} {
				rivals[name] = &measurement{server: &b.rival.server, operation: name, clients: n, request: b.rival.request(name)}
				b.all = append(b.all, rivals[name])
			}
		}
		for _, o := range operations {
			if len(b.only) > 0 && !slices.Contains(b.only, o.name) {
				continue
			}
			first := rivals[o.rival]
			for _, s := range b.services {
				m := &measurement{server: &s.server, operation: o.name, clients: n, beside: first,
					request: func(c *conn) error { return o.request(s, c) }}
				if o.trials {
					m.prepare = s.issueTrials
				}
				if first == nil {
					first = m
				}
				b.all = append(b.all, m)
			}
		}
	}
}

// fill makes a store in a folder, with many lines of one reseller, and prints the reseller's name, its password
// and the setting of the service key.
func fill(args []string, out io.Writer) error {
	var binary, folder string
	var lines int
	flags := flag.NewFlagSet("fill", flag.ContinueOnError)
	flags.StringVar(&binary, "resellerd", "", "`binary` that makes the store")
	flags.StringVar(&folder, "dir", "", "empty `folder` for the store, resellerd.db")
	flags.IntVar(&lines, "lines", 1_000_000, "lines of the reseller")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s, err := startResellerd("fill", binary, folder, "sqlite:resellerd.db", 1, 1, 1)
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.addLines(lines); err != nil {
		return err
	}
	if err := s.processes[0].Stop(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, s.owners[0].name+"\n"+s.owners[0].password+"\n"+serviceKey)
	return err
}
