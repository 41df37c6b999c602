# Build tag: the service answers JSON only, so gin's MessagePack stays out.
GO    ?= go
TAGS  := -tags nomsgpack
TOOLS := $(GO) tool -modfile=test/tools/go.mod

# Tests use the flags of a release, so that Go compiles each package once for both, and for every clone.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath)

# Starts one MongoDB for all packages of a run. A package that runs alone starts its own.
WITH_MONGODB := $(GO) run $(TAGS) ./test/mongotest/with --

# Tests wait more than they compute, so several run at a time on any number of cores. make lint runs go vet with more
# checks. Without symbols, which only debuggers need, the linker is faster.
TOGETHER := -p 4 -parallel 8 -vet=off -ldflags=-w

# A package whose tests start mongod or the program depends on one of these. Two of these packages run at a time, after
# all others. No test runs while a package compiles: on two cores a start or an answer would take minutes.
STARTERS := program|mongotest|interrupt
STARTING := -test -f '{{if eq .Name "main"}}{{.ImportPath}} {{.Deps}}{{end}}'
STARTED  := sed -nE 's!^(.*)\.test .*resellerd/test/($(STARTERS))[] ].*!\1!p'

# Shows the output of the tests, then the slowest packages. A pipe returns the status of its last command, so a command
# that fails prints FAIL.
SLOWEST := { log=$$(mktemp) && tee "$$log" && awk -f test/slowest.awk "$$log"; failed=$$?; rm -f "$$log"; exit $$failed; }

# Run tests with an environment, flags to build with, flags of go test, in packages.
define tests
$(1) $(GO) list $(TAGS) $(2) -export -test $(4) >/dev/null
@servers="$$($(GO) list $(TAGS) $(STARTING) $(4) | $(STARTED))"; \
{ $(1) $(GO) test $(TAGS) $(TOGETHER) $(2) $(3) -timeout 30m $$($(GO) list $(TAGS) $(4) | grep -vxF "$$servers") || echo FAIL; \
  $(WITH_MONGODB) $(1) $(GO) test $(TAGS) $(TOGETHER) -p 2 $(2) $(3) -timeout 30m $$servers || echo FAIL; } | $(SLOWEST)
endef

.DEFAULT_GOAL := help
.PHONY: $(shell awk -F: '/^[a-z-]+:.*## / { print $$1 }' Makefile)

help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## run the service on 127.0.0.1:8080, its records in data/
	$(GO) run $(TAGS) ./bootstrap/resellerd serve

sandbox: ## run the service in memory on 127.0.0.1:8082, with sample accounts and lines and a clock that you can set
	$(GO) run $(TAGS) ./bootstrap/resellerd sandbox

build: ## build bin/resellerd, static
	$(GO) build $(TAGS) -o bin/resellerd ./bootstrap/resellerd

# A snapshot of goreleaser needs no tag and publishes nothing. Newer versions need Go 1.27. The ZIP has local times.
GORELEASER := $(GO) run github.com/goreleaser/goreleaser/v2@v2.17.0
dist: export VERSION = $(patsubst v%,%,$(shell git describe --tags --always))
dist: export DATE    = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
dist: export EPOCH   = $(shell git log -1 --format=%ct)
dist: export TZ      = UTC
dist: ## make a release of the last commit for each platform, into bin/dist: archives, checksums, lists of parts
	@if [ -n "$$(git status --porcelain)" ]; then git status --short; echo "a release is made of the last commit: commit, stash or remove these"; exit 1; fi
	@mkdir -p bin
	bootstrap/deploy/licences.sh >bin/THIRD_PARTY_LICENSES.txt
	$(GORELEASER) release --snapshot --clean $(DIST)

CHECKED := ./domain/... ./application/... ./adapters/credentials ./adapters/httpapi ./adapters/servicekey ./adapters/storekit \
  ./adapters/memstore ./adapters/sqlitestore ./test/architecture ./test/bundle ./test/guide ./test/unfold
check: ## a contributor's loop: the rules, the use cases, the API, the stores without a server; make test has the slow tests
	@{ env GOGC=400 $(GO) test $(TAGS) $(TOGETHER) -short $(CHECKED) || echo FAIL; } | $(SLOWEST)

test: ## run every test; the tests of MongoDB need a mongod, or python3 with pip
	$(call tests,env GOGC=400,,,./...)

interface: ## write openapi.json from openapi.yaml, the reference of errors, events and scopes, and the pages of the guide
	$(GO) generate ./adapters/httpapi

# The path of the program, for tests in other modules.
HANDED := RESELLERD_TEST_PROGRAM='$(CURDIR)/bin/resellerd'

test-clients: build ## generate clients in Go, Python, TypeScript and Java, and call the program; needs node, python3, java, mvn and the network once
	cd test/clients && $(GO) vet . && $(HANDED) $(GO) test -count=1 -v -timeout 1h .

# The race detector runs on packages that start goroutines, or use locks or atomic values. The domain uses nothing of
# this kind. Below test it runs on simulated years only: they run the service in the process with several clients. Other
# tests run a child process, which the detector can't see, or do one step after the other, or use stores with planted
# faults. Interrupted commands are child processes, too. Each store runs the suite once: the suite that runs each update
# again uses one goroutine. The engine of SQLite is C translated to Go, with memory that the detector does not know: a
# run that watches the engine takes ten times as long. The short form of a test has the same goroutines, less often.
CONCURRENT := $$(grep -rlE '(^|[[:space:]])go (func\(|[a-z])|\.Go\(|[^a-z](sync|atomic|synctest)\.' --include='*.go' adapters application bootstrap test/simulate | xargs -n 1 dirname | sort -u | sed 's|^|./|')
UNWATCHED  := -gcflags='modernc.org/...=-race=false'
ALONE      := -short -skip 'IsInterrupted$$|IsCutOff$$|^TestEveryCall|^TestEachStore$$|^TestStore/again|^TestStore/cached/again'

test-race: ## the tests of packages that share memory, under the race detector; needs a C compiler
	$(call tests,env CGO_ENABLED=1 GOGC=400,-race $(UNWATCHED),$(ALONE),$(CONCURRENT))

# make lint is not part of it. If the tools of a step are missing, a line names them, and the other steps run.
test-all: ## run test, test-browser, test-clients and test-race if their tools are installed, each campaign in short, and make a release twice
	$(MAKE) test
	@if command -v "$${RESELLERD_TEST_BROWSER:-chromium}" >/dev/null; then RESELLERD_TEST_BROWSER_REQUIRED=1 $(MAKE) test-browser; else echo "no Chromium: the pages were not shown to a browser"; fi
	@for tool in node npm python3 java javac mvn; do command -v $$tool >/dev/null || { echo "no $$tool: no client was generated"; exit 0; }; done; \
	  RESELLERD_TEST_CLIENTS_REQUIRED=1 $(MAKE) test-clients
	$(MAKE) simulate SEEDS=40
	$(MAKE) simulate SEEDS=4 STORE=sqlite
	$(MAKE) simulate SEEDS=2 STORE=mongodb
	$(MAKE) interrupt EVERY=10
	$(MAKE) soak SOAK=40s
	RESELLERD_TEST_HOSTILE=short $(GO) test $(TAGS) -count=1 -v -timeout 30m -parallel 1 ./test/hostile
	RESELLERD_TEST_BENCH=short $(GO) test $(TAGS) ./test/bench/load
	RESELLERD_TEST_DIST=yes $(GO) test $(TAGS) -count=1 -v -timeout 1h -run '^TestSameCommitSameBytes$$$$' ./bootstrap
	@if command -v gcc >/dev/null || command -v clang >/dev/null; then $(MAKE) test-race; else echo "no C compiler: the race detector was not run"; fi
	$(MAKE) disks POINTS=5000
	$(MAKE) kills KILLS=20
	$(MAKE) deliveries KILLS=10
	$(MAKE) jobs SIZE=2000 KILLS=3
	$(MAKE) prices KILLS=5
	$(MAKE) moves SIZE=1000
	$(MAKE) followers
	$(MAKE) upgrades ROUNDS=5
	$(MAKE) fuzz FUZZTIME=20000x FUZZFILES=1000x
	$(MAKE) faults FAULTS=8

# Campaigns are rows of test/campaign: a workload and failures, KILLS times or for a time such as 10m. SIZE is the size
# of the workload, SEED repeats the choices of a run, ON is part of the row's name, such as MongoDB.
ON   ?= .
SEED ?=
SIZE ?= 0
CAMPAIGN = $(GO) test $(TAGS) -count=1 -v -timeout 0 -parallel 1 -run '^TestCampaign$$/^$@$$/$(ON)' ./test/campaign \
  -campaign.size=$(SIZE) -campaign.seed=$(or $(SEED),0) -campaign.many

kills: KILLS = 1000
kills: ## kill and stop the program KILLS (1000) times under load, on each store; ON=part of a row's name
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

FAULTS ?= 10m
faults: ## break a new replica set under load for FAULTS (10m), or FAULTS times: elections, partitions, disks, clocks
	RESELLERD_TEST_MONGODB_REQUIRED=1 $(CAMPAIGN)=$(FAULTS)

deliveries: KILLS = 100
deliveries: ## kill, stop and pause the program KILLS (100) times while webhooks are sent to receivers that fail; set its clock forward
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

jobs: KILLS = 5
jobs: SIZE  = 100000
jobs: ## kill the program KILLS (5) times while it works on a job for SIZE (100000) lines, on each store
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

prices: KILLS = 50
prices: ## kill the program KILLS (50) times while prices change and 64 clients activate lines, on each store
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

moves: KILLS = 6
moves: SIZE  = 10000
moves: ## move SIZE (10000) customers of a panel in, extend some in a job, both under KILLS (6), and move all on to an empty service
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

followers: KILLS = 20
followers: ## kill the program KILLS (20) times, and a follower of its entitlements as often, while lines change
	$(WITH_MONGODB) $(CAMPAIGN)=$(KILLS)

SOAK ?= 2h
soak: ## request every operation for SOAK (2h), restart the program now and then, and watch its memory and open files
	$(CAMPAIGN)=$(SOAK)

ROUNDS ?= 1000
upgrades: ## upgrade an embedded store with eight processes at once to a schema of the tests, ROUNDS (1000) times
	$(GO) test $(TAGS) -count=1 -v -timeout 0 -run '^TestProcessesUpgradeAFileTogether$$' ./adapters/sqlitestore -upgrade.rounds=$(ROUNDS)

POINTS ?= 50000
disks: ## cut the power at POINTS (50000) points of the writes of the embedded store, let each call fail, damage flushed data; SEED is the first, to repeat it
	$(GO) test $(TAGS) -count=1 -v -timeout 0 -run '^Test(PowerCuts|EveryCall|Damage)' ./test/disk \
	  -disk.points=$(POINTS) -disk.every -disk.damages=$$(( $(POINTS) / 25 )) -disk.seed=$(or $(SEED),0)

test-browser: build ## show the pages in a real Chromium; RESELLERD_TEST_BROWSER=its path if it is not on the PATH
	cd test/browser && $(GO) vet ./... && $(HANDED) $(GO) test -count=1 -parallel 4 -timeout 20m ./...

CONSOLE ?= .
test-console: build ## the same in the long form, hours: 1,000 trials, three languages, both stores, 1,000,000 lines; CONSOLE=part of a test's name
	$(WITH_MONGODB) env $(HANDED) RESELLERD_TEST_CONSOLE=long $(GO) test -C test/browser -count=1 -v -timeout 0 -parallel 4 -run '$(CONSOLE)' .

screenshots: build ## make a picture of each screen of the console, light and dark, on a desk and on a phone, into bin/screenshots
	@mkdir -p bin/screenshots
	cd test/browser && $(HANDED) RESELLERD_TEST_SCREENSHOTS='$(CURDIR)/bin/screenshots' $(GO) test -count=1 -run '^TestScreens$$' .

hostile: ## attack the program with slow, greedy and malformed clients; report the cost for the program and for other clients
	RESELLERD_TEST_HOSTILE=long $(GO) test $(TAGS) -count=1 -v -timeout 1h -parallel 1 ./test/hostile

lint: ## run the linters and check that go.mod is tidy
	$(GO) mod tidy -diff
	$(TOOLS) golangci-lint run ./...

SEEDS ?= 10000
STORE ?=
simulate: ## run SEEDS (10000) years of the whole service under faults, in virtual time; SEED is the first, to repeat it; STORE=sqlite, mongodb or memory: in real time, without faults
	$(GO) test $(TAGS) -count=1 -v -timeout 0 -run '^TestYears$$' ./test/simulate -simulate.seeds=$(SEEDS) -simulate.seed=$(or $(SEED),0) -simulate.store=$(STORE)

EVERY ?= 1
interrupt: ## interrupt backup, restore, copy, rekey and migrations at EVERY (1st) step: killed, failing, the disk full; Linux on amd64
	$(WITH_MONGODB) $(GO) test $(TAGS) -count=1 -v -timeout 0 -run 'IsInterrupted$$|IsCutOff$$' ./bootstrap ./adapters/sqlitestore ./adapters/mongostore -interrupt.every=$(EVERY)

IN      ?=
WITH    ?= $(CHECKED) ./adapters/cli/... ./adapters/storekit/... ./adapters/sqlitestore/... ./adapters/mongostore/... ./test/simulate
MUTANTS := env GOGC=400 $(GO) run $(TAGS) ./test/mutants -own adapters/mongostore -with '$(WITH)'
mutation: ## plant 400 bugs that SEED draws, in IN=packages, and name the test that catches each: WITH=packages whose tests run
	@mkdir -p bin
	$(WITH_MONGODB) $(MUTANTS) -seed $(or $(SEED),1) $(if $(IN),-in '$(IN)')

MUTANT ?=
mutants: ## plant the bugs of test/mutants/mutants.txt; a test must catch each: MUTANT=part of a line
	@mkdir -p bin
	$(WITH_MONGODB) $(MUTANTS) -only test/mutants/mutants.txt $(if $(MUTANT),'$(MUTANT)')

# The coverage of the target's package and of the domain guides the fuzzer. By default go test instruments all packages
# and the standard library: this costs about eight times as much, and guides to inputs that are new to those. A worker
# runs one thread, so it waits for no other. It minimizes a new input for 5 seconds, not 60.
FUZZTIME  ?= 1000000x
FUZZFILES ?= 20000x
FUZZ      ?= .
LIBFUZZER := -d=libfuzzer
WORKERS   := $$(getconf _NPROCESSORS_ONLN)
fuzz: ## fuzz every target, FUZZTIME executions each (1000000x; 10000000x is the long form), FUZZFILES where each writes a file (20000x); FUZZ=part of a name
	@for target in $$(grep -rlE '^func Fuzz' --include='*_test.go' .); do folder=$$(dirname $$target); \
	  names=$$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+).*/\1/p' $$target | grep -E '$(FUZZ)') || continue; \
	  $(GO) test $(TAGS) -c -gcflags='resellerd/domain/...=$(LIBFUZZER)' -gcflags="resellerd/$${folder#./}=$(LIBFUZZER)" -o bin/fuzz.test $$folder || exit 1; \
	  for name in $$names; do ran=1; \
	    case $$name in *File) times=$(FUZZFILES);; *) times=$(FUZZTIME);; esac; echo "$$name, $$times"; \
	    (cd $$folder && GOMAXPROCS=1 '$(CURDIR)/bin/fuzz.test' -test.run '^$$' -test.fuzz "^$$name$$" -test.fuzztime $$times -test.parallel $(WORKERS) -test.fuzzminimizetime 5s -test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/resellerd/$$folder") || exit 1; \
	  done; \
	done; [ "$$ran" ] || { echo "no target has $(FUZZ) in its name"; exit 1; }

# Measurements print their tables. With PAGE they replace the part of that file between the markers of their name.
CLIENTS    ?= 1,16,64
SECONDS    ?= 2
POCKETBASE ?=
PAGE       ?=
LOAD = $(GO) run $(TAGS) ./test/bench/load -dir bin -rounds $(ROUNDS) -long $(SECONDS)s -page '$(PAGE)' -part $@
performance: ## measure all of test/bench/PERFORMANCE.md, on a quiet machine; POCKETBASE=its binary
	$(MAKE) bench-budget bench growth bench-mongodb PAGE=test/bench/PERFORMANCE.md

bench bench-budget bench-mongodb growth: ROUNDS = 3
bench: ## measure the program over HTTP, ROUNDS (3) of SECONDS (2) at CLIENTS; POCKETBASE=its binary compares
	$(LOAD) -clients $(CLIENTS) -depths 1 -pocketbase '$(POCKETBASE)'

# A release of a commit, as far as it is measured.
bin/resellerd-%:
	@mkdir -p bin
	folder=$$(mktemp -d) && git archive $* | tar -x -C "$$folder" && \
	  $(GO) build -C "$$folder" $(TAGS) -ldflags '-s -w' -o '$(CURDIR)/$@' ./bootstrap/resellerd; status=$$?; rm -rf "$$folder"; exit $$status

BASE ?= bin/resellerd-$(shell sed 's/ .*//' test/bench/base.txt)
bench-budget: $(BASE) ## measure the program by turns with the commit in test/bench/base.txt, below a master; BASE=another binary
	$(LOAD) -clients $(CLIENTS) -depths 2 -base $(BASE)

bench-mongodb: ## measure two processes on a replica set of three, ROUNDS (3) of SECONDS (2) at CLIENTS
	$(LOAD) -clients $(CLIENTS) -depths 1 -lines 320 -only trial,activation,extension,recharge -mongodb

LINES ?= 1000,100000,1000000
growth: ## measure the same operations in stores of LINES (1000,100000,1000000), below one master and seven
	$(LOAD) -clients 64 -depths 2,8 -lines $(LINES)

operation: ## print where an operation of the API is described, and where it is missing: NAME=its operationId
	@$(GO) test -C test/api $(TAGS) -v -run '^TestEachOperationIsDescribed$$' -operation='$(NAME)'

figures: ## count lines of code outside of test/, and print how many files a recipe of .github/RECIPES.md changes
	@git ls-files '*.go' '*.js' '*.sql' | grep -vE '^(test|adapters/console/served)/' | xargs awk -f test/figures.awk
	@cat test/figures.txt

tidy: ## tidy go.mod and format the code
	$(GO) mod tidy
	$(TOOLS) golangci-lint fmt ./...
