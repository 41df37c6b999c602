package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// The meanings of exit codes in the help of a command.
const (
	saysDone     = "0  done"
	saysFailed   = "1  failed; standard error names the cause"
	saysUsage    = "2  the command line or a setting is wrong"
	saysFindings = "3  there are findings; the command prints them"
	saysRefused  = "1  refused, or no answer; standard error names the cause"
	saysNoName   = "1  failed, for example because no account has the name; standard error names the cause"
	saysExists   = "4  the store exists already; the command left it as it is"
)

// saysToken is how commands that call a running service learn for which account they act.
const saysToken = "RESELLERD_TOKEN holds the token of the account, or an API key with the scope manage. Without it the command reads " +
	"the token from a terminal, without echo, or from standard input. A token is never an argument."

// detail is the help of a command below its summary.
type detail struct {
	about    string
	examples []string
	codes    []string // exit codes, each with its meaning
}

func details(about string, examples []string, codes ...string) detail {
	return detail{about, examples, codes}
}

// String returns the text that --help prints.
func (d detail) String() string {
	var b strings.Builder
	if d.about != "" {
		b.WriteString(d.about + "\n\n")
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Examples:", d.examples}, {"Exit codes:", d.codes}} {
		_, _ = fmt.Fprintf(&b, "%s\n\n", part.title)
		for _, line := range part.lines {
			b.WriteString("    " + line + "\n")
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// helps are the help of each command below its summary. The operators' reference pages show it.
//
//go:generate env RESELLERD_TEST_GENERATE=yes go test -tags nomsgpack -count=1 -run TestReferencePagesAreCurrent .
var helps = map[string]detail{
	"serve": details(
		"Each setting comes from a flag or from its variable. Secrets come from a variable or a file. The first start creates an administrator. "+
			"Without a password for the administrator it generates one and prints it once. SIGTERM, SIGINT and SIGHUP stop the service in order.",
		[]string{
			"resellerd serve",
			"RESELLERD_ADMIN_PASSWORD=change-me-now resellerd serve --addr :8080",
			"RESELLERD_STORE='mongodb://a,b,c/resellerd?replicaSet=rs' resellerd serve",
		}, "0  stopped in order", saysFailed, saysUsage),
	"sandbox": details(
		"The sandbox stores everything in memory and loses it at its end. Its default port is 8082, beside a service. It starts with an administrator, resellers "+
			"and lines in each state, and prints their names and passwords. An administrator sets its clock forward, never back, with POST /sandbox/clock: "+
			`{"forward": "36h"} or {"to": "2027-01-31T00:00:00Z"}. `+
			"Every answer has the header X-Resellerd-Sandbox: true. With RESELLERD_STORE or a secret in the environment the sandbox "+
			"does not start: that is the environment of a real service.",
		[]string{"resellerd sandbox", "resellerd sandbox --addr 127.0.0.1:0 --trial-duration 90s"},
		"0  stopped in order", saysFailed,
		"2  the command line or a setting is wrong, or RESELLERD_STORE or a secret is set"),
	"admin create": details("The command prints the password that it generates, unless --password-file names a file with one.",
		[]string{"resellerd admin create second", "resellerd admin create second --password-file /run/secrets/second"},
		saysDone, "1  failed, for example because the name is taken; standard error names the cause", saysUsage),
	"admin password": details(
		"The command works on any account. It prints the password that it generates, unless --password-file names a file with one.",
		[]string{"resellerd admin password admin", "resellerd admin password maria --json"}, saysDone, saysNoName, saysUsage),
	"admin list": details("GET /users lists the other accounts, for an administrator.",
		[]string{"resellerd admin list", "resellerd admin list --json"}, saysDone, saysFailed, saysUsage),
	"rekey": details(
		"First give both service keys to every process. You can interrupt the command and run it again. At its end it prints that the previous service key is no longer needed: remove it then. "+
			"Tokens stay valid, unless --leaked is set.",
		[]string{
			"mv data/resellerd.db.key data/resellerd.db.key.previous && resellerd rekey",
			"RESELLERD_SECRET_PREVIOUS=... RESELLERD_SECRET=... resellerd rekey --leaked",
		},
		saysDone, saysFailed, saysUsage, "3  done, but no service key opens some records; the command names each"),
	"admin block": details(
		"The API can't block an administrator: use this command if one leaves, or if others know the password. Lines stay active. You can repeat the command.",
		[]string{"resellerd admin block second", "resellerd admin block maria --json"}, saysDone, saysNoName, saysUsage),
	"admin unblock": details(
		"An account below that has a block of its own stays blocked. You can repeat the command.",
		[]string{"resellerd admin unblock second"}, saysDone, saysNoName, saysUsage),
	"admin totp-reset": details(
		"The command works on any account and on staff members. Sessions and API keys stay valid. In the API an account above resets the second factor of an account, and "+
			"the owner that of a staff member.",
		[]string{"resellerd admin totp-reset admin", "resellerd admin totp-reset ana --json"},
		saysDone, "1  failed, for example because the name is unknown or has no second factor; standard error names the cause",
		saysUsage),
	"key create": details(saysToken+
		" Standard output has the API key alone; standard error has its rights. A role is read_only, support, cashier or manager. "+
		"--expires takes a time such as 2027-01-31T18:00:00Z, a day of UTC such as 2027-01-31, or a duration from now such as 720h.",
		[]string{
			"resellerd key create --name figures --role read_only --expires 2160h",
			"resellerd key create --name till --role cashier --allow 203.0.113.7,2001:db8::/32 --spend-limit 50 > till.key",
			"resellerd key create --name bot --scopes lines:read,lines:write --url https://panel.example.com/api < token.txt",
		}, saysDone, saysRefused, saysUsage),
	"key list": details(saysToken+" The list leaves out revoked API keys. --json prints the answer of GET /keys.",
		[]string{"resellerd key list", "resellerd key list --url https://panel.example.com/api --json"}, saysDone,
		saysRefused, saysUsage),
	"key revoke": details(saysToken+" You can't undo it.",
		[]string{"resellerd key revoke 12"}, saysDone,
		"1  refused, for example because the account has no API key with this id, or no answer; standard error names the cause", saysUsage),
	"entitlements follow": details(
		"Use an API key with the scope entitlements:read alone: the service then reports blocks, of its own account too, instead of refusing the API key. "+
			"The API key comes from RESELLERD_TOKEN, a terminal or standard input, and is never an argument. Your command does not get it. "+
			"The follower runs your command with sh -c (cmd /C on Windows), once for each change, one after the other. The command gets one line of JSON on standard input: "+
			`{"line": 7, "username", "password", "enabled", "expDate", "external_id", "metadata", "version"}, `+
			`or {"line": 7, "deleted": true, "version"}. `+
			"It is the present state of the line and can come twice. Where a listing of all lines starts, the command first gets {\"start_over\": true}, then all lines, then {\"caught_up\": true}. "+
			"At that point stop serving each line that the listing did not have. If your command fails, the follower runs it again on the same line, after half a second, then longer, up to a minute. "+
			"A slow command delays the changes that follow. The state file belongs to one account of one service, and FILE.lock locks it.",
		[]string{
			"RESELLERD_TOKEN=$(cat follower.key) resellerd entitlements follow --exec ./apply.sh --state follower.json",
			"resellerd entitlements follow --url https://panel.example.com/api --exec ./apply.sh --state f.json < follower.key",
		}, "0  a signal ended the follower, after the command that ran",
		"1  refused, for example because the API key is revoked, or the state file can't be written; standard error names the cause",
		saysUsage),
	"import": details(
		"RESELLERD_TOKEN holds the token of an administrator, or one of its API keys with the scopes manage and users:read. Without it the command reads the token from a terminal, without echo, or from standard input. "+
			"The file is a table with the columns of GET /exports/lines, or the SQLite database of a panel. A table needs username, password and expDate. The command only reads the file; best give it a copy: sqlite3 FILE \".backup COPY\". "+
			"The tables of the database show which panel and version made it. Use marzneshin-plain for AUTH_GENERATION_ALGORITHM=plain. "+
			"The import charges nothing and changes no name and no password. It refuses a row that does not fit, and reports it. "+
			"A customer keeps one password, that of one protocol; --protocol names the protocol that goes first. The import moves no other secret. Two panels of one kind have the same ids: give the second one a --prefix. "+
			"All lines belong to --owner. A disabled customer, or one without traffic left, becomes a suspended line. A customer without an end gets 10 years less a day from the first run on. "+
			"A customer that has not started gets its whole time from the first run on. A customer without a password gets a new one. The --state file (mode 0600) stores these dates and passwords for later runs. "+
			"You can interrupt the command and run it again: existing lines are unchanged.",
		[]string{
			"RESELLERD_TOKEN=$(cat admin.token) resellerd import marzban db.sqlite3 --owner maria --dry-run",
			"resellerd import 3x-ui x-ui.db --owner maria --url https://panel.example.com/api --json < admin.token",
			"resellerd import csv lines.csv --owner maria",
		}, "0  the service has all rows",
		"1  the file can't be read, the service refuses or does not answer, or a signal came: run the same command again",
		saysUsage,
		"3  some rows were refused or left out; the command prints them, and the service has all others"),
	"token": details(
		"The command logs in over HTTP, as any client does, and a failure counts as one of a client. It reads the password from a terminal, without echo, "+
			"or from standard input; a password is never an argument. The token stays the same until the password changes.",
		[]string{"resellerd token", "resellerd token maria --url https://panel.example.com/api",
			"resellerd token maria < /run/secrets/maria"},
		saysDone, saysRefused, saysUsage),
	"audit": details(
		"The command needs no service key. Without --repair-lists it writes nothing: it audits a backup, or a store that is served, with read permission alone.",
		[]string{
			"resellerd audit", "resellerd audit --store sqlite:backups/resellerd-....db",
			"resellerd audit --write-checkpoint data/monday.txt", "resellerd audit --checkpoint data/monday.txt --json",
			"resellerd audit --repair-lists",
		}, "0  all well", saysFailed, saysUsage, saysFindings),
	"events": details(
		"The command reads the journal, which has one entry for each change. It needs no service key and writes nothing. --since and --until take a time such as "+
			"2026-11-23T18:00:00Z, a day of UTC such as 2026-11-23, or a duration before now such as 24h. --account takes the present name or the id. It selects entries that change the account, "+
			"concern its lines, or move its credits. --type takes a type or the beginning of some types, such as line.*, and you can repeat it. "+
			"The format text is for people. The format ndjson is for programs: it has the fields of GET /events for an administrator.",
		[]string{
			"resellerd events --account maria --type reseller.credited --since 2026-11-22 --until 2026-11-23",
			"resellerd events --line 1042", "resellerd events --account maria --type 'reseller.*' --type 'operator.*'",
			"resellerd events --since 24h --format ndjson",
		}, saysDone, saysNoName, saysUsage),
	"report": details(
		"The command reads the whole ledger and sums one month of UTC: this month, unless --month names another one. By account it prints trials, activations and extensions. It also prints the credits received, spent for "+
			"lines, given to accounts below and reclaimed by accounts above, and the balance before and after. before + received - spent - given - reclaimed = after. An administrator holds no credits and receives "+
			"the cost of its lines. By kind it prints the number of movements and their credits.",
		[]string{
			"resellerd report", "resellerd report --month 2026-11 --format csv > november.csv",
			"resellerd report --month 2026-11 --by kind",
		}, saysDone, saysFailed, saysUsage),
	"copy": details(
		"The command only reads the source, which may be served. Changes after the start of the copy are not in it. The copy belongs to the service key of the source. "+
			"Put an address with a password into a variable: every user of the machine can read a flag.",
		[]string{
			"resellerd copy --from sqlite:data/resellerd.db --to sqlite:data/moved/resellerd.db",
			"RESELLERD_COPY_TO='mongodb://a,b,c/resellerd?replicaSet=rs' resellerd copy --from sqlite:data/resellerd.db",
		}, saysDone, "1  failed or interrupted: the copy is not complete", saysUsage,
		"3  the source has findings, which the command prints: nothing was copied"),
	"backup": details(
		"The file is a snapshot of the store. It gets its name, which sorts by time, once it is complete, audited and on the disk; its mode is 0600. "+
			"A restore needs the service key: store it apart from the file, or use --with-key. --keep removes backups of this store and "+
			"nothing else. For a store on MongoDB use the tools of MongoDB, or resellerd copy.",
		[]string{
			"resellerd backup", "resellerd backup --dir /mnt/backups --with-key --json",
			"resellerd backup --dir /mnt/backups --every 1h --keep 24",
		}, "0  done, or a signal ended --every", "1  failed or interrupted: there is no new backup", saysUsage,
		"3  the store has findings, which the command prints: there is no new backup"),
	"restore": details(
		"RESELLERD_STORE or --store names the new store; nothing may exist there. The command takes the service key that is set, else the key file of that path, else "+
			"the key file beside the backup, else it reads one from a terminal. It refuses another service key than the backup's before it writes anything. It disables the webhooks, so that a trial restore calls no receiver.",
		[]string{
			"resellerd restore backups/resellerd-....db",
			"resellerd restore backups/resellerd-....db --store sqlite:data/restored/resellerd.db",
			"RESELLERD_SECRET_FILE=/run/secrets/key resellerd restore /mnt/backups/resellerd-....db",
		}, saysDone, "1  failed, for example because of another service key: there is no new store", saysUsage,
		"3  the backup has findings, which the command prints: there is no new store", saysExists),
	"health": details("The command requests /readyz. It is for containers, which have no curl.",
		[]string{"resellerd health", "resellerd health --url http://10.0.0.7:8080 --timeout 2s --json"},
		"0  ready", "1  not ready, or no answer", saysUsage),
	"openapi": details("", []string{"resellerd openapi > openapi.json"}, saysDone, saysFailed, saysUsage),
	"config": details(
		"The command takes the flags of serve and checks them as serve does. It prints each setting with its source: default, environment, flag or file. It prints of a secret only whether it is set.",
		[]string{"resellerd config", "resellerd config --json"},
		saysDone, saysFailed, "2  a setting is wrong: serve would refuse it, too"),
	"completion": details("In zsh run compinit first.", []string{
		"source <(resellerd completion bash)", "source <(resellerd completion zsh)",
		"resellerd completion fish > ~/.config/fish/completions/resellerd.fish",
	}, saysDone, saysFailed, saysUsage),
	"version": details("", []string{"resellerd version", "resellerd version --json"}, saysDone, saysFailed, saysUsage),
}

// addHelp adds it to the commands below a node; above is the beginning of their names.
func addHelp(node *kong.Node, above string) {
	for _, child := range node.Children {
		if help, has := helps[above+child.Name]; has {
			child.Detail = help.String()
		}
		addHelp(child, above+child.Name+" ")
	}
}
