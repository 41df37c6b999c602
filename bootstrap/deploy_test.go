package bootstrap

import (
	"os"
	"path/filepath"
	"regexp"
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
		if len(service.Environment) == 0 {
			continue
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
			if c.scheme != "mongodb" || c.addr != "0.0.0.0:8080" || len(c.proxies) != 1 || c.keys.current == nil || c.adminPassword == nil {
				t.Errorf("the settings did not arrive: %+v", c)
			}
		})
	}
	if replicas != 2 {
		t.Errorf("the service runs %d times, want 2", replicas)
	}
}
