package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/reseller"
	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
	"resellerd/test/bench/subject"
)

// growthOptions are the stores to compare.
type growthOptions struct {
	options

	sizes, depths, ledgers []int
}

func parseGrowth(args []string) (growthOptions, error) {
	var o growthOptions
	var sizes, depths, ledgers string
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.StringVar(&o.binary, "resellerd", "", "the `binary` to measure; without it, that of this checkout is built")
	flags.StringVar(&o.folder, "dir", "",
		"`folder` for the stores, on the disk to measure; a million lines take about a gigabyte")
	flags.IntVar(&o.rounds, "rounds", 3, "how often each measurement is repeated; medians count")
	flags.DurationVar(&o.long, "long", 2*time.Second, "how long each measurement takes")
	flags.StringVar(&sizes, "lines", "1000,100000,1000000", "`numbers` of lines that stores have")
	flags.StringVar(&depths, "depths", "1,8", "depths of the owners in the tree, each with each number of lines")
	flags.StringVar(&ledgers, "ledgers", "10,1000000",
		"`numbers` of movements that a reseller has, each in a store of its own")
	flags.IntVar(&o.shape.Owners, "owners", 64, "resellers who own the lines")
	flags.StringVar(&o.page, "page", "", "Markdown `file` whose part between the markers is replaced by the measurements")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var errs [3]error
	o.sizes, errs[0] = numbers("-lines", sizes)
	o.depths, errs[1] = numbers("-depths", depths)
	o.ledgers, errs[2] = numbers("-ledgers", ledgers)
	o.shape.Depth = 1 // and those of depths
	if slices.Max(append(o.depths, 1)) > reseller.MaxDepth {
		return o, fmt.Errorf("-depths: from 1 to %d", reseller.MaxDepth)
	}
	return o, errors.Join(append(errs[:], o.check(flags.Args()))...)
}

// numbers parses a list of positive numbers.
func numbers(flag, text string) (list []int, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		n, err := strconv.Atoi(one)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: %q is no positive number", flag, one)
		}
		list = append(list, n)
	}
	return list, nil
}

// The measurements of a growing store, at many clients, and of a growing ledger.
var (
	growing       = []string{"activation", "extension", "trial", "recharge", "read of a line", "list of 30"}
	ledgerGrowing = []string{"recharge", "statement of 30"}
)

// grown is a store of a size, served.
type grown struct {
	report.Size

	service *subject.Service
}

// growth measures the same operations, by turns, in stores of several sizes.
func growth(args []string, out, progress io.Writer) (err error) {
	o, err := parseGrowth(args)
	if err != nil {
		return err
	}
	ctx, end, err := o.prepare()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	machine := report.Machine(o.folder, time.Now())
	var stores []*grown
	defer func() {
		for _, g := range stores {
			err = errors.Join(err, g.service.Stop())
		}
	}()
	for _, size := range o.all() {
		g, err := o.grow(ctx, size, progress)
		if err != nil {
			return err
		}
		stores = append(stores, g)
	}
	c := &contest{options: o.options}
	for _, g := range stores {
		c.addGrown(g)
	}
	results, err := c.rounds(ctx, progress)
	if err != nil {
		return err
	}
	passes, err := examineAll(stores)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	page.WriteString(report.Prose(fmt.Sprintf("%s. Medians of %d rounds of %s each, by turns, at %d clients.", machine,
		o.rounds, o.long, report.Many)))
	fmt.Fprintln(&page)
	if err := report.WriteGrowth(&page, results, o.all(), passes); err != nil {
		return err
	}
	if _, err := out.Write(page.Bytes()); err != nil || o.page == "" {
		return err
	}
	return report.Replace(o.page, "growth", page.String())
}

// all returns the sizes of stores, those of ledgers last.
func (o growthOptions) all() (sizes []report.Size) {
	for _, depth := range o.depths {
		for _, lines := range o.sizes {
			sizes = append(sizes, report.Size{Lines: lines, Depth: depth})
		}
	}
	const fewLines = 1000
	for _, ledger := range o.ledgers {
		sizes = append(sizes, report.Size{Lines: fewLines, Depth: 1, Ledger: ledger})
	}
	return sizes
}

// grow makes a store of a size, and serves it.
func (o growthOptions) grow(ctx context.Context, size report.Size, progress io.Writer) (*grown, error) {
	began := time.Now()
	folder := filepath.Join(o.folder, strings.ReplaceAll(size.String(), " ", "-"))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	owners := o.shape.Owners
	if size.Ledger > 0 {
		owners = 1
	}
	s, err := subject.Start(folder, o.binary, subject.Shape{Owners: owners, Depth: size.Depth}, "serve")
	if err != nil {
		return nil, err
	}
	if err := s.Fill(ctx, size.Lines, size.Ledger); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "%s: made in %.0f s, starts in %v\n", size, time.Since(began).Seconds(), s.Started)
	return &grown{size, s}, nil
}

func (c *contest) addGrown(g *grown) {
	names := growing
	if g.Ledger > 0 {
		names = ledgerGrowing
	}
	for _, name := range names {
		o, _ := subject.Find(name)
		c.all = append(c.all, contestant{
			Key:     g.Key(name),
			prepare: func(requests int) error { return g.service.Prepare(o, requests) },
			clients: func(n int) ([]drive.Client, func()) { return g.service.Clients(o, n) },
			cpu:     g.service.CPU,
		})
	}
}

// examineAll has every store proved, audited and copied.
func examineAll(stores []*grown) (passes map[report.Size]report.Passes, err error) {
	passes = map[report.Size]report.Passes{}
	for _, g := range stores {
		p := report.Passes{Started: g.service.Started}
		_, p.Memory, _ = g.service.Memory()
		movements, proof, err := g.service.Prove()
		if err != nil {
			return nil, err
		}
		verify, err := g.service.Verify()
		if err != nil {
			return nil, err
		}
		copied, err := g.service.Copy()
		if err != nil {
			return nil, err
		}
		records, err := verify.Records()
		if err != nil {
			return nil, err
		}
		p.Proof, p.Verify, p.Copy = float64(movements)/proof.Took.Seconds(), float64(records)/verify.Took.Seconds(),
			float64(records)/copied.Took.Seconds()
		p.VerifyMemory, p.CopyMemory = verify.Memory, copied.Memory
		passes[g.Size] = p
	}
	return passes, nil
}
