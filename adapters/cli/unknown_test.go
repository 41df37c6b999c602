package cli

import (
	"bytes"
	"strings"
	"testing"

	"resellerd/test/expect"
)

// unknown is the message about RESELLERD_TRIAL_PER_DAY.
const unknown = "RESELLERD_TRIAL_PER_DAY: this is not a setting; the nearest one is RESELLERD_TRIALS_PER_DAY"

// commandsWithSettings returns each command that reads settings, with the arguments that it needs.
func commandsWithSettings(t *testing.T) (all [][]string) {
	t.Helper()
	arguments := map[string][]string{
		"admin create": {"maria"}, "admin password": {"maria"}, "admin block": {"maria"}, "admin unblock": {"maria"},
		"admin totp-reset": {"maria"},
		"key create":       {"--name=a", "--role=cashier", "--url=http://127.0.0.1:1"},
		"key list":         {"--url=http://127.0.0.1:1"},
		"key revoke":       {"1", "--url=http://127.0.0.1:1"},
		"copy":             {"--from=a", "--to=b"}, "restore": {"a"}, "token": {"--url=http://127.0.0.1:1"},
		"health":              {"--url=http://127.0.0.1:1"},
		"entitlements follow": {"--exec=true", "--state=a", "--timeout=never"},
		"import":              {"csv", "a.csv", "--owner=maria", "--url=http://127.0.0.1:1"},
	}
	for _, leaf := range parserOf(t).Model.Leaves(false) {
		name, _, _ := strings.Cut(leaf.Path(), " (") // without its alias
		if name != "completion" && name != "version" {
			all = append(all, append(strings.Fields(name), arguments[name]...))
		}
	}
	return all
}

// TestAVariableThatIsNoSettingIsNamed by each command that reads settings. RESELLERD_STRICT makes it an error, beside
// all other faults.
func TestAVariableThatIsNoSettingIsNamed(t *testing.T) {
	t.Setenv("RESELLERD_TRIAL_PER_DAY", "a value that is not shown")
	t.Setenv("RESELLERD_STROE", "sqlite:other.db")
	var wrong Misconfiguration
	wrong.Add("RESELLERD_ADDR", errFails)
	for _, args := range commandsWithSettings(t) {
		name := strings.Join(args, " ")
		for _, strict := range []string{"0", "1", "yes"} {
			var stdout, stderr bytes.Buffer
			t.Setenv("RESELLERD_STRICT", strict)
			code := run(args, strings.NewReader("password"), &stdout, &stderr, fake{wrong: errFails, err: wrong.Err()})
			said := stderr.String()
			if !strings.Contains(said, unknown) && strict != "yes" || strings.Contains(said, "not shown") {
				t.Errorf("%s with %s prints %s", name, strict, said)
			}
			refuses := strings.Contains(said,
				"the configuration is wrong:\n  RESELLERD_STROE: this is not a setting; the nearest one is RESELLERD_STORE\n  "+
					unknown+"\n")
			if refuses != (strict == "1") || refuses && code != ExitUsage {
				t.Errorf("%s with RESELLERD_STRICT=%s refuses: %t, and ends with %d:\n%s", name, strict, refuses, code, said)
			}
			if name == "serve" && strict != "0" && !strings.Contains(said, "RESELLERD_ADDR: it fails") {
				t.Errorf("the other fault is missing:\n%s", said)
			}
			if strict == "yes" && (code != ExitUsage || !strings.Contains(said, `RESELLERD_STRICT: "yes" is neither 0 nor 1`)) {
				t.Errorf("%s with RESELLERD_STRICT=yes ends with %d:\n%s", name, code, said)
			}
		}
	}
}

func TestWhatIsASetting(t *testing.T) {
	root := parserOf(t).Model.Node
	for variable, nearest := range map[string]string{
		"RESELLERD_TRIALS_PER_DAY=5":          "",
		"RESELLERD_SECRET=x":                  "", // has no flag
		"RESELLERD_TEST_MONGODB=x":            "",
		"RESELLERD_SERVICE_HOST=10.0.0.1":     "", // by Kubernetes
		"RESELLERD_PORT_8080_TCP_PROTO=tcp":   "",
		"OTHER_TRIAL_PER_DAY=5":               "",
		"RESELLERD_TRIALS_PER_DYA=5":          "RESELLERD_TRIALS_PER_DAY",
		"RESELLERD_MAX_CONNECTION_PER_ADDR=1": "RESELLERD_MAX_CONNECTIONS_PER_ADDRESS",
		"RESELLERD_=x":                        "RESELLERD_URL",
	} {
		wrong := unknownVariables(root, []string{variable})
		got := ""
		if err := wrong.Err(); err != nil {
			_, got, _ = strings.Cut(err.Error(), "the nearest one is ")
		}
		expect.Equal(t, got, nearest, "%s: the nearest setting", variable)
	}
}
