package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
	"resellerd/test/bench/rival"
	"resellerd/test/bench/subject"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// contestant is one measurement, which each round makes once.
type contestant struct {
	report.Key

	prepare func(requests int) error // not measured; nil where there is nothing to prepare

	clients func(n int) (clients []drive.Client, ended func())
	cpu     func() (time.Duration, bool) // of the server
	alone   bool                         // done in this process, without clients
}

// contest has the measurements and their servers, and ends them.
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
	if err := c.startService(ctx); err != nil {
		return c, err
	}
	for _, start := range []struct {
		name string
		do   func() error
	}{
		{"bare", c.startBare},
		{"disk", c.startDisk},
		{"pocketbase", c.startPocketBase},
	} {
		if !c.wanted(start.name) {
			continue
		}
		if err := start.do(); err != nil {
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
		of.Clients = n
		c.all = append(c.all, of)
	}
}

func (c *contest) startService(ctx context.Context) (err error) {
	wanted := slices.DeleteFunc(slices.Clone(subject.Operations), func(o subject.Operation) bool {
		return !c.wanted(o.Name)
	})
	if len(wanted) == 0 {
		return nil
	}
	if c.mongoDB {
		c.service, err = c.startOnMongoDB(ctx)
	} else {
		c.service, err = subject.Start(c.folder, c.binary, c.shape, "serve")
	}
	if err != nil {
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

const (
	members   = 3                // of the replica set
	processes = 2                // of resellerd on it
	startTime = 10 * time.Minute // to start the members, a download included
)

// startOnMongoDB starts two processes of the service on a replica set of its own.
func (c *contest) startOnMongoDB(ctx context.Context) (*subject.Service, error) {
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cluster, err := mongotest.StartCluster(starting, filepath.Join(c.folder, "members"), members)
	if err != nil {
		return nil, err
	}
	c.ends = append(c.ends, cluster.Close)
	return subject.StartOnMongoDB(c.folder, c.binary, cluster.URI("bench"), processes, c.shape)
}

// startOwn starts this program as a server of another command.
func (c *contest) startOwn(args ...string) (*program.Process, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := program.Serve(context.Background(), c.folder, []string{"HOME=" + c.folder}, own, args...)
	if err == nil {
		c.ends = append(c.ends, p.Stop)
	}
	return p, err
}

func (c *contest) startBare() error {
	p, err := c.startOwn(serveBare)
	if err != nil {
		return err
	}
	c.add(contestant{
		Key:     report.Key{Who: report.Bare, What: report.Answer},
		clients: func(n int) ([]drive.Client, func()) { return rival.Bare(p.ListensOn, n) },
		cpu:     p.CPU,
	})
	return nil
}

func (c *contest) startDisk() error {
	d, err := rival.OpenDisk(filepath.Join(c.folder, "disk"))
	if err != nil {
		return err
	}
	c.ends = append(c.ends, d.Close)
	c.alone(report.Key{Who: report.Disk, What: report.Fsync, Clients: 1}, d.Append)
	return nil
}

func (c *contest) startPocketBase() error {
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
func (c *contest) alone(k report.Key, do func() error) {
	c.all = append(c.all, contestant{
		Key:     k,
		clients: func(int) ([]drive.Client, func()) { return []drive.Client{do}, func() {} },
		cpu:     ownCPU,
		alone:   true,
	})
}
