package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// outcome is what a run of go test -json said.
type outcome struct {
	depth    int        // of the innermost test that ran, 0 for none
	failed   []testName // the innermost ones
	packages []string   // that failed
	builds   []string   // what did not compile
	output   map[testName]string
}

// testName is a test, or its package where test is "".
type testName struct{ pkg, test string }

func (n testName) String() string { return strings.TrimSpace(n.pkg + " " + n.test) }

// top returns the test that a subtest is part of.
func (n testName) top() testName {
	n.test, _, _ = strings.Cut(n.test, "/")
	return n
}

// read reads the events to their end.
func read(events io.Reader) (o outcome, err error) {
	o.output = map[testName]string{}
	decoder := json.NewDecoder(events)
	for {
		var e struct{ Action, Package, ImportPath, Test, Output string }
		if err := decoder.Decode(&e); err == io.EOF {
			return o, nil
		} else if err != nil {
			return o, err
		}
		name := testName{e.Package, e.Test}
		switch {
		case e.Action == "run":
			o.depth = max(o.depth, depth(e.Test))
		case e.Action == "output":
			o.output[name] += e.Output
		case e.Action == "build-fail":
			o.builds = append(o.builds, e.ImportPath)
		case e.Action == "build-output":
			o.output[testName{pkg: e.ImportPath}] += e.Output
		case e.Action == "fail" && e.Test == "":
			o.packages = append(o.packages, e.Package)
		case e.Action == "fail" && !slices.ContainsFunc(o.failed, func(inner testName) bool {
			return inner.pkg == e.Package && strings.HasPrefix(inner.test, e.Test+"/")
		}):
			o.failed = append(o.failed, name)
		}
	}
}

// depth is of how many tests a test is a part, itself included, or how deep those are that a pattern of -run names.
func depth(name string) int { return 1 + strings.Count(name, "/") }

// causes returns the tests that failed, and for a package that failed without one
// (in TestMain, or by a process that ended itself) the package.
func (o outcome) causes() []testName {
	causes := slices.Clone(o.failed)
	for _, p := range o.packages {
		if !slices.ContainsFunc(o.failed, func(n testName) bool { return n.pkg == p }) {
			causes = append(causes, testName{pkg: p})
		}
	}
	return causes
}
