package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"resellerd/test/bench/child"
	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
	"resellerd/test/bench/rival"
	"resellerd/test/bench/subject"
)

// contestant is one measurement, which each round makes once.
type contestant struct {
	report.Key

	prepare  func(requests int) error // not measured; nil where there is nothing to prepare
	expected float64                  // the rate for which the first measurement prepares; 0 for that of most

	clients func(n int) (clients []drive.Client, ended func())
	cpu     func() (time.Duration, bool) // of whoever serves
	servers func() (time.Duration, bool) // the CPU of the database's; nil where it has none
	each    int                          // how many commands a request stands for
	alone   bool                         // done in this process, without clients
}

// contest has what is measured, and ends it.
type contest struct {
	options

	service *subject.Service
	all     []contestant
	ends    []func() error
}

// newContest starts what is measured.
func newContest(ctx context.Context, o options) (c *contest, err error) {
	c = &contest{options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.end())
		}
	}()
	if err := c.startService(); err != nil {
		return c, err
	}
	for _, start := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"spike", c.startSpike},
		{"rows", c.startRows},
		{"bare", c.startBare},
		{"raw", c.startRaw},
		{"disk", c.startDisk},
		{"pocketbase", c.startPocketBase},
	} {
		if !c.wanted(start.name) {
			continue
		}
		if err := start.do(ctx); err != nil {
			return c, fmt.Errorf("%s: %w", start.name, err)
		}
	}
	return c, nil
}

func (c *contest) wanted(name string) bool { return len(c.only) == 0 || slices.Contains(c.only, name) }

// end ends what was started, the last first.
func (c *contest) end() (err error) {
	for _, end := range slices.Backward(c.ends) {
		err = errors.Join(err, end())
	}
	return err
}

// add adds a measurement for each number of clients.
func (c *contest) add(of contestant) {
	for _, n := range c.clients {
		of.Clients, of.each = n, 1
		c.all = append(c.all, of)
	}
}

func (c *contest) startService() (err error) {
	wanted := slices.DeleteFunc(slices.Clone(subject.Operations), func(o subject.Operation) bool { return !c.wanted(o.Name) })
	if len(wanted) == 0 {
		return nil
	}
	if c.service, err = subject.Start(c.folder, c.binary, c.shape, "serve"); err != nil {
		return err
	}
	c.ends = append(c.ends, func() error { return c.service.Stop() }) // of then: it is started again
	for _, o := range wanted {
		c.add(contestant{
			Key:     report.Key{Who: report.Resellerd, What: o.Name},
			prepare: func(requests int) error { return c.service.Prepare(o, requests) },
			clients: func(n int) ([]drive.Client, func()) { return c.service.Clients(o, n) },
			cpu:     c.service.CPU,
		})
	}
	return nil
}

// startOwn starts this program as a server of another command.
func (c *contest) startOwn(name string, args ...string) (*child.Process, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := child.Start(c.folder, name, []string{"HOME=" + c.folder}, own, args...)
	if err == nil {
		c.ends = append(c.ends, p.Stop)
	}
	return p, err
}

func (c *contest) startSpike(context.Context) error {
	p, err := c.startOwn("spike", serveSpike, filepath.Join(c.folder, "spike.db"))
	if err != nil {
		return err
	}
	s := rival.NewSpike(p.Address)
	c.add(contestant{Key: report.Key{Who: report.Spike, What: report.Command}, clients: s.Commands(rival.Commands), cpu: p.CPU})
	c.add(contestant{Key: report.Key{Who: report.Spike, What: report.ReadByKey}, clients: s.Reads, cpu: p.CPU})
	return nil
}

func (c *contest) startRows(context.Context) error {
	p, err := c.startOwn("rows", serveRows, filepath.Join(c.folder, "spike-rows.db"))
	if err != nil {
		return err
	}
	s := rival.NewSpike(p.Address)
	for _, kind := range []struct{ what, path string }{
		{report.RawCommand, rival.Activations}, {report.ExtensionRows, rival.Extensions}, {report.TrialRows, rival.Trials},
	} {
		c.add(contestant{Key: report.Key{Who: report.Spike, What: kind.what}, clients: s.Commands(kind.path), cpu: p.CPU})
	}
	return nil
}

func (c *contest) startBare(context.Context) error {
	p, err := c.startOwn("bare", serveBare)
	if err != nil {
		return err
	}
	c.add(contestant{
		Key:     report.Key{Who: report.Bare, What: report.Answer},
		clients: func(n int) ([]drive.Client, func()) { return rival.Bare(p.Address, n) },
		cpu:     p.CPU,
	})
	return nil
}

func (c *contest) startRaw(ctx context.Context) error {
	for _, kind := range []struct {
		who   string
		file  string
		lists bool
	}{{report.RawStore, "raw.db", true}, {report.RawRows, "rows.db", false}} {
		r, err := rival.OpenRaw(ctx, filepath.Join(c.folder, kind.file), c.batch, kind.lists)
		if err != nil {
			return err
		}
		c.ends = append(c.ends, r.Close)
		c.alone(report.Key{Who: kind.who, What: report.RawCommand, Clients: 1}, c.batch, r.Write)
	}
	return nil
}

func (c *contest) startDisk(context.Context) error {
	d, err := rival.OpenDisk(filepath.Join(c.folder, "disk"))
	if err != nil {
		return err
	}
	c.ends = append(c.ends, d.Close)
	c.alone(report.Key{Who: report.Disk, What: report.Fsync, Clients: 1}, 1, d.Append)
	return nil
}

func (c *contest) startPocketBase(context.Context) error {
	if c.pocketBase == "" {
		return nil
	}
	p, err := rival.StartPocketBase(c.folder, c.pocketBase)
	if err != nil {
		return err
	}
	c.ends = append(c.ends, p.Stop)
	c.add(contestant{Key: report.Key{Who: report.PocketBase, What: report.CreateEntry}, clients: p.Creates, cpu: p.CPU})
	c.add(contestant{Key: report.Key{Who: report.PocketBase, What: report.ReadEntry}, clients: p.Reads, cpu: p.CPU})
	c.add(contestant{Key: report.Key{Who: report.PocketBase, What: report.ListEntries}, clients: p.Lists, cpu: p.CPU})
	return nil
}

// alone adds what this process does itself.
func (c *contest) alone(k report.Key, each int, do func() error) {
	c.all = append(c.all, contestant{
		Key:     k,
		clients: func(int) ([]drive.Client, func()) { return []drive.Client{do}, func() {} },
		cpu:     child.Own,
		each:    each,
		alone:   true,
	})
}
