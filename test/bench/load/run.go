package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"resellerd/test/bench/child"
	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
)

// run makes all measurements by turns, audits what they left, and writes the tables.
func run(args []string) (err error) {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	if o.folder, err = os.MkdirTemp(o.folder, "resellerd-bench-"); err != nil {
		return err
	}
	if !o.keep {
		defer func() { err = errors.Join(err, os.RemoveAll(o.folder)) }()
	}
	ctx := context.Background()
	if o.binary == "" {
		if o.binary, err = build(ctx, o.folder); err != nil {
			return err
		}
	}
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	c, err := newContest(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	results, err := c.rounds(os.Stderr)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := c.write(&page, results); err != nil {
		return err
	}
	_, err = os.Stdout.Write(page.Bytes())
	return err
}

// build builds the binary as it is shipped.
func build(ctx context.Context, folder string) (string, error) {
	binary := filepath.Join(folder, "resellerd")
	command := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack", "-trimpath", "-ldflags", "-s -w", "-o", binary, "resellerd/bootstrap/resellerd")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return binary, nil
}

// rounds makes each measurement once a round.
func (c *contest) rounds(progress io.Writer) (*report.Results, error) {
	var results report.Results
	rates := map[report.Key]float64{}
	for round := range c.options.rounds {
		for _, one := range c.all {
			sample, err := c.measure(one, rates[one.Key])
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %d clients: %w", one.Who, one.What, one.Clients, err)
			}
			rates[one.Key] = sample.Rate
			results.Add(one.Key, sample)
			fmt.Fprintf(progress, "round %d  %-17s %-22s %3d clients %9.0f/s %8.0f us CPU %8.0f us of the generator  p50 %7.2f p99 %7.2f ms\n", round+1, one.Who, one.What, one.Clients,
				sample.Rate, us(sample.CPU), us(sample.Generator), us(sample.P50)/1000, us(sample.P99)/1000)
		}
	}
	return &results, nil
}

func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// expected is the rate, in requests a second, for which the first measurement prepares.
const expected = 4000

// measure makes one measurement, of what came to this rate before.
func (c *contest) measure(one contestant, before float64) (report.Sample, error) {
	if one.prepare != nil {
		rate := 1.5 * before
		if before == 0 {
			rate = min(expected, 1500*float64(one.Clients))
		}
		if err := one.prepare(int(rate * c.long.Seconds())); err != nil {
			return report.Sample{}, fmt.Errorf("prepare: %w", err)
		}
	}
	clients, ended := one.clients(one.Clients)
	defer ended()
	served, _ := one.cpu()
	own, _ := child.Own()
	result := c.load(clients)
	servedThen, _ := one.cpu()
	ownThen, _ := child.Own()
	if result.Failed > 0 {
		return report.Sample{}, fmt.Errorf("%d of %d requests failed, the first with %w", result.Failed, result.Failed+result.Count, result.First)
	}
	if result.Count == 0 {
		return report.Sample{}, errors.New("nothing was answered")
	}
	commands := time.Duration(result.Count * one.each)
	return report.Sample{
		Rate:      result.Rate() * float64(one.each),
		CPU:       (servedThen - served) / commands,
		Generator: (ownThen - own) / commands,
		P50:       result.Latency.Quantile(0.5),
		P99:       result.Latency.Quantile(0.99),
	}, nil
}

func (c *contest) load(clients []drive.Client) *drive.Result {
	if c.rate > 0 {
		return drive.Open(clients, c.rate, c.long)
	}
	return drive.Closed(clients, c.long)
}

// write writes the tables, and what the store says of itself in the end.
func (c *contest) write(w io.Writer, results *report.Results) error {
	if err := results.WriteTable(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := report.WriteTargets(w, report.Verdicts(results)); err != nil {
		return err
	}
	if c.service == nil {
		return nil
	}
	if now, most, known := c.service.Memory(); known {
		fmt.Fprintf(w, "\nresellerd holds %d MiB in the end, and held at most %d MiB.\n", now>>20, most>>20)
	}
	verdict, err := c.service.Audit()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe audit in the end: %s\n", verdict)
	return nil
}
