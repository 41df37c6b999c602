package bootstrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestSameCommitSameBytes makes a release in two checkouts of the last commit, and runs its binary. A checkout with an
// uncommitted file is refused. The test takes minutes and runs in make test-all only.
func TestSameCommitSameBytes(t *testing.T) {
	if os.Getenv("RESELLERD_TEST_DIST") == "" {
		t.Skip("RESELLERD_TEST_DIST is not set: two releases take minutes to make")
	}
	var sums [2]string
	for i := range sums {
		checkout := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "checkout")
		do(t, ".", "git", "clone", "--quiet", "--no-hardlinks", "..", checkout)
		do(t, checkout, "make", "dist")
		dist := filepath.Join(checkout, "bin", "dist")
		sum, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		must(t, err)
		sums[i] = string(sum)
		name := "resellerd-" + strings.TrimSpace(do(t, checkout, "git", "describe", "--tags", "--always"))
		name = strings.Replace(name, "-v", "-", 1) + "-" + runtime.GOOS + "-" + runtime.GOARCH
		do(t, dist, "tar", "-xzf", name+".tar.gz")
		if said := do(t, dist, "./"+name+"/resellerd", "--version"); !strings.HasPrefix(name, "resellerd-"+
			strings.TrimSpace(said)+"-") {
			t.Errorf("the version in %s is %q", name, said)
		}
		must(t, os.WriteFile(filepath.Join(checkout, "new.go"), []byte("package main\n"), 0o600))
		dirty := exec.Command("make", "dist")
		dirty.Dir = checkout
		if out, err := dirty.CombinedOutput(); err == nil || !strings.Contains(string(out), "new.go") {
			t.Errorf("a release of an uncommitted file: %v, %s", err, out)
		}
	}
	expect.Equal(t, sums[0], sums[1], "two releases of one commit")
}

func do(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

// TestUnitIsHardened runs systemd-analyze security on the unit. Below 2 is "OK", its best grade for a service with a
// network.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	do(t, ".", require.Tool(t, "systemd-analyze"), "security", "--offline=yes", "--threshold=20",
		"deploy/resellerd.service")
}

// TestBackupUnitsAreValid runs systemd-analyze verify on the units of backups. Another program replaces resellerd,
// which is not installed.
func TestBackupUnitsAreValid(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"resellerd-backup.service", "resellerd-backup.timer"} {
		text := strings.Replace(deployed(t, name), "/usr/local/bin/resellerd ", "/bin/true ", 1)
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	said := do(t, folder, require.Tool(t, "systemd-analyze"), "verify", "resellerd-backup.service",
		"resellerd-backup.timer")
	if strings.Contains(said, "resellerd") {
		t.Error(said)
	}
}

// composeFile has the fields of deploy/compose.yaml that the tests check.
type composeFile struct {
	Services map[string]struct {
		Build       struct{ Context, Dockerfile string }
		Environment map[string]string
		Networks    []string
		Ports       []string
		Volumes     []string
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
	}
	Networks map[string]struct{ Internal bool }
	Configs  map[string]struct{ Content string }
}

// deployed returns the content of a file in deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	must(t, err)
	return string(text)
}

func readCompose(t *testing.T) (file composeFile) {
	t.Helper()
	must(t, yaml.Unmarshal([]byte(deployed(t, "compose.yaml")), &file))
	return file
}

// TestComposeFileIsAConfiguration checks the environment of each service in the compose file as the program does.
func TestComposeFileIsAConfiguration(t *testing.T) {
	listed := deployed(t, "docs/reference/settings.md")
	given := regexp.MustCompile(`^\$\{([A-Z_]+):\?.+\}$`)
	replicas := 0
	for name, service := range readCompose(t).Services {
		if service.Build.Dockerfile == "" {
			continue // another program
		}
		replicas++
		t.Run(name, func(t *testing.T) {
			_, err := os.Stat(filepath.Join("deploy", service.Build.Context, service.Build.Dockerfile))
			expect.Error(t, err, nil)
			for variable, value := range service.Environment {
				if from := given.FindStringSubmatch(value); from != nil {
					expect.Equal(t, from[1], variable, "%s is taken from", variable)
					service.Environment[variable] = "a value of the operator"
				}
				if value == "${"+variable+":-}" { // empty, unless the operator sets it
					service.Environment[variable] = ""
				}
				expect.Contains(t, listed, "\n| `"+variable+"` |", "the settings")
			}
			c, err := settings(t, service.Environment)
			must(t, err)
			if c.scheme != "mongodb" || c.addr != "0.0.0.0:8080" || len(c.proxies) != 1 || c.keys.Current == nil ||
				c.adminPassword == nil {
				t.Errorf("the settings are %+v", c)
			}
		})
	}
	expect.Equal(t, replicas, 2, "the service runs")
}

// TestComposeFileIsClosed checks that ports are published on the loopback address only, since the proxy speaks plain
// HTTP. Prometheus scrapes each process at its administrative listener only. All mounted files exist.
func TestComposeFileIsClosed(t *testing.T) {
	file := readCompose(t)
	var prometheus struct {
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	must(t, yaml.Unmarshal([]byte(file.Configs["prometheus"].Content), &prometheus))
	scraped := prometheus.ScrapeConfigs[0]
	expect.Equal(t, scraped.JobName, "resellerd", "the job that the alerts expect")
	expect.Equal(t, file.Networks["watch"].Internal, true, "the network of what watches is internal")
	var processes []string
	published := 0
	for name, service := range file.Services {
		for _, port := range service.Ports {
			if published++; !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s on every address", name, port)
			}
		}
		if admin := service.Environment["RESELLERD_ADMIN_ADDR"]; admin != "" {
			_, port, _ := strings.Cut(admin, ":")
			processes = append(processes, name+":"+port)
			if len(service.Ports) > 0 || !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) ||
				!slices.Contains(service.Networks, "watch") {
				t.Errorf("%s is open: %+v", name, service)
			}
			if !slices.ContainsFunc(service.Networks, func(n string) bool { return !file.Networks[n].Internal }) {
				t.Errorf("%s reaches no receiver of webhooks", name)
			}
		}
		for _, volume := range service.Volumes {
			if from, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(from, "./") {
				_, err := os.Stat(filepath.Join("deploy", from))
				expect.Error(t, err, nil)
			}
		}
	}
	slices.Sort(processes)
	expect.Equal(t, published > 0, true, "a port is published")
	expect.Elements(t, scraped.StaticConfigs[0].Targets, processes, "the targets of Prometheus")
}

// TestReceiversOfWebhooksAreReached from the container and the unit: they have root certificates and a network.
func TestReceiversOfWebhooksAreReached(t *testing.T) {
	if !strings.Contains(deployed(t, "Dockerfile"),
		"COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/\n") {
		t.Error("the image has no root certificates")
	}
	unit := deployed(t, "resellerd.service")
	if !strings.Contains(unit, "\nRestrictAddressFamilies=AF_INET AF_INET6\n") ||
		regexp.MustCompile(`(?m)^(IPAddress|PrivateNetwork|SocketBind|RestrictNetwork)`).MatchString(unit) {
		t.Error("the unit blocks the network")
	}
}
