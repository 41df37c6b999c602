package bootstrap

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestComposeFileIsAConfiguration gives the environment of each service in the
// compose file to the program's own check of its settings.
func TestComposeFileIsAConfiguration(t *testing.T) {
	text, err := os.ReadFile("deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Build       struct{ Context, Dockerfile string }
			Environment map[string]string
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	given := regexp.MustCompile(`^\$\{([A-Z_]+):\?.+\}$`)
	replicas := 0
	for name, service := range file.Services {
		if service.Build.Dockerfile == "" {
			continue // of others
		}
		replicas++
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join("deploy", service.Build.Context, service.Build.Dockerfile)); err != nil {
				t.Error(err)
			}
			for variable, value := range service.Environment {
				if from := given.FindStringSubmatch(value); from != nil {
					if from[1] != variable {
						t.Errorf("%s is taken from %s", variable, from[1])
					}
					service.Environment[variable] = "what the operator gives"
				}
				if value == "${"+variable+":-}" { // nothing, unless the operator gives it
					service.Environment[variable] = ""
				}
				if !strings.Contains(string(readme), "\n| `"+variable+"` |") {
					t.Errorf("%s is no setting", variable)
				}
			}
			c, err := settings(t, service.Environment)
			if err != nil {
				t.Fatal(err)
			}
			if c.scheme != "mongodb" || c.addr != "0.0.0.0:8080" || len(c.proxies) != 1 || c.keys.Current == nil || c.adminPassword == nil {
				t.Errorf("the settings did not arrive: %+v", c)
			}
		})
	}
	if replicas != 2 {
		t.Errorf("the service runs %d times, want 2", replicas)
	}
}

// TestComposeFilePublishesOnLoopbackOnly since the proxy in it speaks plain HTTP.
func TestComposeFilePublishesOnLoopbackOnly(t *testing.T) {
	text, err := os.ReadFile("deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct{ Ports []string }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	published := 0
	for name, service := range file.Services {
		for _, port := range service.Ports {
			if published++; !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s on every address", name, port)
			}
		}
	}
	if published == 0 {
		t.Error("no port is published")
	}
}

// TestComposeFileIsWatched reads what is given to Prometheus and Grafana: each process is scraped where it listens, and
// the files that are mounted are there.
func TestComposeFileIsWatched(t *testing.T) {
	text, err := os.ReadFile("deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
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
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var prometheus struct {
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(file.Configs["prometheus"].Content), &prometheus); err != nil {
		t.Fatal(err)
	}
	if len(prometheus.ScrapeConfigs) != 1 || prometheus.ScrapeConfigs[0].JobName != "resellerd" || len(prometheus.ScrapeConfigs[0].StaticConfigs) != 1 {
		t.Fatalf("Prometheus has %+v, and the alerts expect one job named resellerd", prometheus)
	}
	if !file.Networks["watch"].Internal {
		t.Error("the network of what watches is not internal")
	}
	var processes []string
	for name, service := range file.Services {
		if admin := service.Environment["RESELLERD_ADMIN_ADDR"]; admin != "" {
			_, port, _ := strings.Cut(admin, ":")
			processes = append(processes, name+":"+port)
			if len(service.Ports) > 0 || !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) || !slices.Contains(service.Networks, "watch") {
				t.Errorf("%s is open: %+v", name, service)
			}
		}
		for _, volume := range service.Volumes {
			if from, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(from, "./") {
				if _, err := os.Stat(filepath.Join("deploy", from)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	slices.Sort(processes)
	if got := prometheus.ScrapeConfigs[0].StaticConfigs[0].Targets; len(processes) != 2 || !slices.Equal(got, processes) {
		t.Errorf("Prometheus asks %q, and the service listens at %q", got, processes)
	}
}

// TestReceiversOfWebhooksAreReached from where the service is deployed: it has root certificates, and ways out.
func TestReceiversOfWebhooksAreReached(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if !strings.Contains(read("Dockerfile"), "COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/\n") {
		t.Error("the image has no root certificates")
	}
	unit := read("resellerd.service")
	if !strings.Contains(unit, "\nRestrictAddressFamilies=AF_INET AF_INET6\n") || regexp.MustCompile(`(?m)^(IPAddress|PrivateNetwork|SocketBind|RestrictNetwork)`).MatchString(unit) {
		t.Error("the unit keeps the service from the network")
	}
	var file struct {
		Services map[string]struct{ Networks []string }
		Networks map[string]struct{ Internal bool }
	}
	if err := yaml.Unmarshal([]byte(read("compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"resellerd1", "resellerd2"} {
		out := slices.ContainsFunc(file.Services[name].Networks, func(n string) bool { return !file.Networks[n].Internal })
		if !out {
			t.Errorf("%s is on no network with a way out", name)
		}
	}
}
