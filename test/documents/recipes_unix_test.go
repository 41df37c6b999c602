//go:build unix

package documents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/test/require"
)

// deploy has the units, which the recipes of the operators' how-tos use.
const deploy = "bootstrap/deploy"

// systemctl does what systemd does with the units below ROOT. Like systemd with a unit that is not of Type=notify it
// does not wait until the service listens.
const systemctl = `#!/bin/bash
set -eu
units=$ROOT/etc/systemd/system
stop() {
	if [ -e "$ROOT/pid" ]; then
		kill "$(cat "$ROOT/pid")"
		while kill -0 "$(cat "$ROOT/pid")" 2>/dev/null; do sleep 0.05; done
		rm "$ROOT/pid"
	fi
}
start() {
	mkdir -p -m 0700 "$ROOT/var/lib/resellerd" "$ROOT/run"
	sed -n 's/^LoadCredential=\([^:]*\):/\1 /p' $units/resellerd.service | while read -r name file; do
		[ ! -e "$file" ] || cp "$file" "$ROOT/run/$name"
	done
	sed -n 's/^Environment=//p' $units/resellerd.service | sed "s,%S,$ROOT/var/lib,; s,%d,$ROOT/run," | grep -v ^RESELLERD_ADDR= >"$ROOT/environment"
	umask 077
	cd "$ROOT"
	nohup env $(cat "$ROOT/environment") $(sed -n 's/^ExecStart=//p' $units/resellerd.service) >>"$ROOT/journal" 2>&1 </dev/null &
	echo $! >"$ROOT/pid"
}
case "$*" in
daemon-reload) ;;
"enable --now resellerd-backup.timer") test -s $units/resellerd-backup.timer ;;
"enable --now resellerd" | "start resellerd") start ;;
"stop resellerd") stop ;;
"restart resellerd" | "try-restart resellerd") stop; start ;;
"start resellerd-backup.service") cd "$ROOT"; umask 077; env -u RESELLERD_STORE $(sed -n 's/^ExecStart=//p' $units/resellerd-backup.service) ;;
*) echo "systemctl $*: the recipes' test does not know this" >&2; exit 1 ;;
esac
`

// commented are the commands in the comment at the top of a unit.
var commented = regexp.MustCompile(`(?m)^#   (.*)$`)

// TestRecipes runs the recipes for the service under systemd, from its installation to an upgrade, below a folder in
// place of /.
func TestRecipes(t *testing.T) {
	t.Parallel()
	bash := require.Tool(t, "bash")
	for _, tool := range []string{"curl", "openssl", "install"} {
		require.Tool(t, tool)
	}
	checkedOut, root := checkout(t), t.TempDir()
	below := strings.NewReplacer("/etc/systemd/", root+"/etc/systemd/", "/etc/resellerd", root+"/etc/resellerd",
		"/etc/letsencrypt", root+"/etc/letsencrypt",
		"/var/", root+"/var/", "/usr/local/bin/", root+"/usr/local/bin/").Replace
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), mode))
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(checkedOut, deploy, name))
		require.NoError(t, err)
		return string(text)
	}
	install := ""
	for _, unit := range []string{"resellerd.service", "resellerd-backup.service", "resellerd-backup.timer"} {
		write("release/"+unit, below(read(unit)), 0o600)
	}
	for _, command := range commented.FindAllStringSubmatch(read("resellerd.service"), -1) {
		install += command[1] + "\n"
	}
	program, err := os.ReadFile(filepath.Join(binaries, "resellerd"))
	require.NoError(t, err)
	write("release/resellerd", string(program), 0o700)
	write("usr/local/bin/systemctl", systemctl, 0o700)
	write("usr/local/bin/journalctl", "#!/bin/sh\nexec tail \"$ROOT/journal\"\n", 0o700)
	for _, folder := range []string{"etc/systemd/system", "var/backups"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o700))
	}
	address := freeAddress(t)
	environment := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "RESELLERD_") || strings.HasPrefix(v, "PATH=")
	})
	environment = append(environment, "ROOT="+root, "RESELLERD_ADDR="+address, "RESELLERD_ADMIN_ADDR=off",
		"PATH="+filepath.Join(root, "usr/local/bin")+":"+os.Getenv("PATH"))
	run := func(script string) (printed string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", script)
		command.Dir, command.Env = filepath.Join(root, "release"), environment
		out, err := command.CombinedOutput()
		if err != nil {
			journal, _ := os.ReadFile(filepath.Join(root, "journal"))
			t.Fatalf("%v\n%s\nprinted: %s\nthe journal: %s", err, script, out, journal)
		}
		return string(out)
	}
	defer func() {
		stop := exec.Command(bash, "-c", "systemctl stop resellerd")
		stop.Env = environment
		_ = stop.Run()
	}()
	ready := "until resellerd health 2>/dev/null; do sleep 0.1; done\n"
	login := fmt.Sprintf("base=http://%s\njson='Content-Type: application/json'\n", address) +
		`auth="Authorization: Bearer $(curl -sf $base/auth/static-token -H "$json" -d '{"username":"admin","password":"change-me-now"}' | sed 's/.*"token":"\([^"]*\)".*/\1/')"` + "\n"
	run(below(install) + ready + login +
		`curl -sf $base/users -H "$json" -H "$auth" -d '{"username":"maria","password":"s3cret-maria","is_master":1,"credits":"20","country":"BR"}'`)

	ran := 0
	var blocks []Block
	for _, page := range []string{"install.md", "backups.md", "replace-the-key.md", "tls.md", "upgrade.md"} {
		blocks = append(blocks, Parse(page, read("docs/how-to/"+page)).Blocks...)
	}
	for _, b := range blocks {
		if !recipe(b) {
			continue
		}
		script := below(b.Text)
		if strings.Contains(script, "FILE.db") {
			script = `FILE=$(basename $(ls ` + root + `/var/backups/resellerd/*.db | tail -1))` + "\n" +
				strings.ReplaceAll(script, "FILE.db", "$FILE")
		}
		printed := run(script)
		run(ready)
		served := run(login + `curl -sf $base/service -H "$auth"; curl -sf "$base/users?username=maria" -H "$auth"`)
		if !strings.Contains(served, `"username":"maria"`) {
			t.Errorf("after\n%s\nmaria is gone: %s", script, served)
		}
		if strings.Contains(script, "start resellerd-backup.service") && strings.Contains(served, `"last_backup_at":null`) {
			t.Errorf("after\n%s\nthe service does not know its backup: %s", script, served)
		}
		if strings.Contains(script, "resellerd audit") && !strings.Contains(printed, "all well: ") {
			t.Errorf("%s\nprinted %s", script, printed)
		}
		ran++
	}
	if ran != 6 {
		t.Errorf("%d recipes were run, want 6: the first password, backup, restore, key, certificates, upgrade", ran)
	}
}
