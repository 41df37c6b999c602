package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
	"resellerd/test/program"
)

// run makes all measurements by turns, audits what they left, and writes the tables.
func run(args []string, out, progress io.Writer) (err error) {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	built := o.binary == ""
	ctx, end, err := o.prepare()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	var size int64 // of a binary that is known to be stripped
	if built {
		info, err := os.Stat(o.binary)
		if err != nil {
			return err
		}
		size = info.Size()
	}
	if o.pocketBase != "" { // it runs in the folder
		if o.pocketBase, err = filepath.Abs(o.pocketBase); err != nil {
			return err
		}
	}
	machine := report.Machine(o.folder, time.Now()) // before others change the checkout
	c, err := newContest(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	results, err := c.rounds(ctx, progress)
	if err != nil {
		return err
	}
	results.Binary = size
	verdict := ""
	if c.service != nil {
		if verdict, err = c.examine(results); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := c.write(&page, results, machine, verdict); err != nil {
		return err
	}
	if _, err := out.Write(page.Bytes()); err != nil || o.page == "" {
		return err
	}
	return report.Replace(o.page, o.part(), page.String())
}

// prepare makes the folder of a run, and the binary to measure where the options name none. The context ends with the
// signal to end. end removes the folder, unless the options keep it.
func (o *options) prepare() (ctx context.Context, end func() error, err error) {
	if o.folder, err = newFolder(o.folder); err != nil {
		return nil, nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	end = func() error {
		stop()
		if o.keep {
			return nil
		}
		return os.RemoveAll(o.folder)
	}
	if o.binary == "" {
		o.binary, err = program.Binary()
	} else {
		o.binary, err = filepath.Abs(o.binary) // it runs in the folder
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return ctx, end, nil
}

// newFolder makes a folder of its own in that of a path, or in that for temporary files.
func newFolder(path string) (string, error) {
	if path != "" {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return "", err
		}
	}
	made, err := os.MkdirTemp(path, "resellerd-bench-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(made)
}

const idle = 2 * time.Second // after which what a start needed is no longer in use

// examine starts resellerd again, on what it has stored, and audits that. It adds what the program needed and needs.
func (c *contest) examine(results *report.Results) (verdict string, err error) {
	_, results.Most, _ = c.service.Memory()
	if err := c.service.Restart(); err != nil {
		return "", err
	}
	results.Started = c.service.Started
	time.Sleep(idle)
	results.Idle, _, _ = c.service.Memory()
	return c.service.Audit()
}

// rounds makes each measurement once a round.
func (c *contest) rounds(ctx context.Context, progress io.Writer) (*report.Results, error) {
	keys := make([]report.Key, len(c.all))
	for i, one := range c.all {
		keys[i] = one.Key
	}
	results, rates := report.NewResults(keys...), map[report.Key]float64{}
	turns := c.turns()
	for round := range c.options.rounds {
		for _, one := range turns {
			if ctx.Err() != nil {
				return nil, errors.New("interrupted")
			}
			sample, err := c.measure(one, rates[one.Key])
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %d clients: %w", one.Who, one.What, one.Clients, err)
			}
			rates[one.Key] = sample.Rate
			results.Add(one.Key, sample)
			fmt.Fprintf(progress,
				"round %d  %-17s %-22s %3d clients %9.0f/s %8.0f us CPU %8.0f us of the generator  p50 %7.2f p99 %7.2f ms\n",
				round+1, one.Who, one.What, one.Clients,
				sample.Rate, us(sample.CPU), us(sample.Generator), us(sample.P50)/1000, us(sample.P99)/1000)
		}
	}
	return results, nil
}

// turns returns the measurements in the order of a round. Measurements that are compared run close together: those with
// the same number of clients follow each other. Measurements without clients follow those with the most.
func (c *contest) turns() []contestant {
	order := func(one contestant) int {
		if one.alone {
			return math.MaxInt
		}
		return one.Clients
	}
	return slices.SortedStableFunc(slices.Values(c.all), func(a, b contestant) int {
		return cmp.Compare(order(a), order(b))
	})
}

func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// expected is the rate, in requests a second, for which the first measurement prepares, and oneExpected that of a
// client.
const (
	expected    = 4000
	oneExpected = 1500
)

// measure makes one measurement. before is its rate in the round before.
func (c *contest) measure(one contestant, before float64) (report.Sample, error) {
	if one.prepare != nil {
		rate := 1.5 * before
		if before == 0 {
			rate = min(expected, oneExpected*float64(one.Clients))
		}
		if err := one.prepare(int(rate * c.long.Seconds())); err != nil {
			return report.Sample{}, fmt.Errorf("prepare: %w", err)
		}
	}
	clients, ended := one.clients(one.Clients)
	defer ended()
	served, own := one.costs()
	result := drive.Closed(clients, c.long)
	servedThen, ownThen := one.costs()
	if result.Failed > 0 {
		return report.Sample{}, fmt.Errorf("%d of %d requests failed, the first with %w", result.Failed, result.Failed+
			result.Count, result.First)
	}
	if result.Count+result.Refused == 0 {
		return report.Sample{}, errors.New("nothing was answered")
	}
	commands := time.Duration(result.Count + result.Refused)
	return report.Sample{
		Rate:      result.Rate(),
		CPU:       (servedThen - served) / commands,
		Generator: (ownThen - own) / commands,
		Refused:   float64(result.Refused) / float64(result.Count+result.Refused),
		P50:       result.Quantile(0.5),
		P99:       result.Quantile(0.99),
	}, nil
}

// ownCPU returns the CPU time that this process has used so far.
func ownCPU() (time.Duration, bool) { return program.CPU(os.Getpid()) }

// costs returns the CPU that was used so far.
func (one contestant) costs() (served, generator time.Duration) {
	served, _ = one.cpu()
	generator, _ = ownCPU()
	return served, generator
}

// write writes the tables, and the result of the audit.
func (c *contest) write(w io.Writer, results *report.Results, machine, verdict string) error {
	if verdict != "" {
		verdict = "The audit in the end: " + verdict + "."
	}
	fmt.Fprintln(w, report.Prose(fmt.Sprintf("%s. %s %s", machine, c.options, verdict)))
	if err := report.WriteTargets(w, report.Verdicts(results)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return results.WriteTable(w)
}
