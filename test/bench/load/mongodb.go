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
	"time"

	"resellerd/test/bench/child"
	"resellerd/test/bench/drive"
	"resellerd/test/bench/report"
	"resellerd/test/bench/rival"
	"resellerd/test/bench/subject"
	"resellerd/test/mongotest"
)

const (
	members   = 3                // of the replica set
	processes = 2                // of resellerd on each database
	startTime = 10 * time.Minute // to start the members, a download included
)

func parseMongoDB(args []string) (options, error) {
	o := options{shape: subject.Shape{Owners: report.Many, Depth: 1, Shared: true}}
	var only string
	flags := flag.NewFlagSet("mongodb", flag.ContinueOnError)
	flags.StringVar(&o.binary, "resellerd", "", "the `binary` to measure; without it, that of this checkout is built")
	flags.StringVar(&o.folder, "dir", "", "`folder` for what is stored, on the disk to measure; it is emptied in the end. Without it, a temporary one")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each measurement is repeated; medians count")
	flags.DurationVar(&o.long, "long", 2*time.Second, "how long each measurement takes")
	flags.IntVar(&o.shape.Lines, "lines", 5, "lines of each owner at the beginning")
	flags.StringVar(&only, "only", "", "measure only one of `lone, many, hot`")
	flags.StringVar(&o.page, "page", "", "Markdown `file` whose part between the markers is replaced by what was measured")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if only != "" {
		if what := onMongoDBOnly[only]; what == "" {
			return o, fmt.Errorf("-only: there is no %q", only)
		}
		o.only = []string{onMongoDBOnly[only]}
	}
	return o, o.check(flags.Args())
}

// onMongoDBOnly are the names of what is measured.
var onMongoDBOnly = map[string]string{"lone": report.LoneActivation, "many": report.Activations, "hot": report.HotActivations}

// onMongoDB measures activations over HTTP on a replica set, beside a plain loop of the driver, by turns.
func onMongoDB(args []string, out, progress io.Writer) (err error) {
	o, err := parseMongoDB(args)
	if err != nil {
		return err
	}
	ctx, end, err := o.prepare()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	machine := report.Machine(o.folder, time.Now())
	m := &onReplicaSet{contest: contest{options: o}}
	defer func() { err = errors.Join(err, m.end()) }()
	if err := m.start(ctx); err != nil {
		return err
	}
	results, err := m.rounds(ctx, progress)
	if err != nil {
		return err
	}
	verdict, err := m.audit(ctx)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	fmt.Fprintln(&page, report.Prose(fmt.Sprintf("%s; MongoDB %s, %d members. Medians of %d rounds of %s each, closed loop, by turns. The audits in the end: %s.",
		machine, m.server, members, o.rounds, o.long, verdict)))
	if err := errors.Join(report.WriteTargets(&page, report.MongoDBVerdicts(results)), page.WriteByte('\n'), results.WriteMongoDB(&page)); err != nil {
		return err
	}
	if _, err := out.Write(page.Bytes()); err != nil || o.page == "" {
		return err
	}
	return report.Replace(o.page, "mongodb", page.String())
}

// onReplicaSet is a contest on a replica set of its own.
type onReplicaSet struct {
	contest

	cluster  *mongotest.Cluster
	server   string // its version
	services []*subject.Service
	loops    []*rival.Loop
}

// start starts the members, and what is measured: the service and the loop on a database each with many resellers, and
// the same with a hot one. Services without a load cost next to nothing.
func (m *onReplicaSet) start(ctx context.Context) (err error) {
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if m.cluster, err = mongotest.StartCluster(starting, filepath.Join(m.folder, "members"), members); err != nil {
		return err
	}
	m.ends = append(m.ends, m.cluster.Close)
	for _, place := range []struct {
		database string
		owners   int
		what     map[int]string // by the number of clients
	}{
		{"many", m.shape.Owners, map[int]string{1: report.LoneActivation, report.Many: report.Activations}},
		{"hot", 1, map[int]string{report.Many: report.HotActivations}},
	} {
		shape := m.shape
		shape.Owners = place.owners
		service, err := m.startService(place.database, shape)
		if err != nil {
			return err
		}
		loop, err := rival.OpenLoop(ctx, m.cluster.URI(place.database+"-loop"), place.database+"-loop", place.owners)
		if err != nil {
			return err
		}
		m.ends = append(m.ends, loop.Close)
		m.services, m.loops = append(m.services, service), append(m.loops, loop)
		for clients, what := range place.what {
			if !m.wanted(what) {
				continue
			}
			m.addPair(service, loop, what, clients)
		}
	}
	m.server, err = m.loops[0].Server(ctx)
	return err
}

func (m *onReplicaSet) startService(database string, shape subject.Shape) (*subject.Service, error) {
	folder := filepath.Join(m.folder, database)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	s, err := subject.StartOnMongoDB(folder, m.binary, m.cluster.URI(database), processes, shape)
	if err == nil {
		m.ends = append(m.ends, func() error { return s.Stop() }) // of then: it is started again
	}
	return s, err
}

// addPair adds a measurement of the service, and of the loop right after it.
func (m *onReplicaSet) addPair(s *subject.Service, l *rival.Loop, what string, clients int) {
	activation, _ := subject.Find("activation")
	m.all = append(m.all, contestant{
		Key:      report.Key{Who: report.Resellerd, What: what, Clients: clients},
		prepare:  func(requests int) error { return s.Prepare(activation, requests) },
		expected: map[int]float64{1: 200, report.Many: 1500}[clients],
		clients:  func(n int) ([]drive.Client, func()) { return s.Clients(activation, n) },
		cpu:      s.CPU,
		servers:  m.serversCPU,
		each:     1,
	}, contestant{
		Key:     report.Key{Who: report.PlainLoop, What: what, Clients: clients},
		clients: l.Clients,
		cpu:     child.Own,
		servers: m.serversCPU,
		each:    1,
	})
}

// serversCPU returns what all members have used so far.
func (m *onReplicaSet) serversCPU() (all time.Duration, known bool) {
	for _, member := range m.cluster.Members {
		one, known := child.CPUOf(member.PID())
		if !known {
			return 0, false
		}
		all += one
	}
	return all, true
}

// audit starts each service again, and audits what it and the loops have stored.
func (m *onReplicaSet) audit(ctx context.Context) (verdict string, err error) {
	for i, s := range m.services {
		if err := s.Restart(); err != nil {
			return "", err
		}
		one, err := s.Audit()
		if err != nil {
			return "", err
		}
		if err := m.loops[i].Audit(ctx); err != nil {
			return "", err
		}
		if verdict != "" {
			verdict += ", and of the hot reseller "
		}
		verdict += one
	}
	return verdict, nil
}
