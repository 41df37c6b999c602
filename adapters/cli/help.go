package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// The meanings of exit codes in the help of a command.
const (
	saysDone     = "0  done"
	saysFailed   = "1  failed; standard error says why"
	saysUsage    = "2  the command line or a setting is wrong"
	saysFindings = "3  there are findings, which are printed"
	saysRefused  = "1  refused, or no answer; standard error says why"
	saysExists   = "4  there is something in the place of the store; it was left alone"
)

// saysToken is how commands that ask a running service know for which account.
const saysToken = "The account is that of the token, or of a key with the scope manage, in RESELLERD_TOKEN; without it, it is typed on a terminal, where it is not shown, or read from standard input. " +
	"It is never an argument."

// details formats a text, examples and exit codes.
func details(about string, examples []string, codes ...string) string {
	var b strings.Builder
	if about != "" {
		b.WriteString(about + "\n\n")
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Examples:", examples}, {"Exit codes:", codes}} {
		_, _ = fmt.Fprintf(&b, "%s\n\n", part.title)
		for _, line := range part.lines {
			b.WriteString("    " + line + "\n")
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// helps are the help of each command below its summary.
var helps = map[string]string{
	"serve": details(
		"Each setting comes from a flag or from its variable, secrets from a variable or a file. The first start makes an admin and, "+
			"without a password for it, prints the one that it generated, once. SIGTERM, SIGINT and SIGHUP end the service in order.",
		[]string{
			"resellerd serve",
			"RESELLERD_ADMIN_PASSWORD=change-me-now resellerd serve --addr :8080",
			"RESELLERD_STORE='mongodb://a,b,c/resellerd?replicaSet=rs' resellerd serve",
		}, "0  stopped in order", saysFailed, saysUsage),
	"sandbox": details(
		"Nothing is kept: all ends with the process. It listens on port 8082, beside a service. It starts with an admin, a small tree of resellers and lines in each state, whose names and "+
			"passwords it prints. POST /sandbox/clock, by an admin, sets the clock forward, never back: {\"forward\": \"36h\"}, or {\"to\": \"2027-01-31T00:00:00Z\"}. "+
			"Every answer has the header X-Resellerd-Sandbox: true, and bodies are those of the service. With RESELLERD_STORE or a secret in the environment it "+
			"refuses to start: that is the environment of a real service.",
		[]string{"resellerd sandbox", "resellerd sandbox --addr 127.0.0.1:0 --trial-duration 90s"},
		"0  stopped in order", saysFailed,
		"2  the command line or a setting is wrong, or RESELLERD_STORE or a secret is set"),
	"admin create": details("It prints the password that it generates, unless --password-file gives one.",
		[]string{"resellerd admin create second", "resellerd admin create second --password-file /run/secrets/second"},
		saysDone, "1  failed, such as a name that is taken; standard error says why", saysUsage),
	"admin password": details(
		"It works on any account. The password that it generates is printed, unless --password-file gives one.",
		[]string{"resellerd admin password admin", "resellerd admin password maria --json"},
		saysDone, "1  failed, such as a name that no account has; standard error says why", saysUsage),
	"admin list": details("Other accounts are listed by GET /users, for an admin.",
		[]string{"resellerd admin list", "resellerd admin list --json"}, saysDone, saysFailed, saysUsage),
	"rekey": details(
		"First every process is given both keys. Interrupted, it goes on when it is repeated; when it says so, the previous key can be thrown away. "+
			"Tokens stay as they are, unless the previous key has leaked.",
		[]string{
			"mv data/resellerd.db.key data/resellerd.db.key.previous && resellerd rekey",
			"RESELLERD_SECRET_PREVIOUS=... RESELLERD_SECRET=... resellerd rekey --leaked",
		},
		saysDone, saysFailed, saysUsage, "3  done, but some records can't be opened under any key: each is named"),
	"admin block": details(
		"Over the API nobody can block an admin: this is how one who left, or whose password is known to others, is shut out. Lines run on. It may be repeated.",
		[]string{"resellerd admin block second", "resellerd admin block maria --json"},
		saysDone, "1  failed, such as a name that no account has; standard error says why", saysUsage),
	"admin unblock": details(
		"Accounts below are again what they were: one that is blocked itself stays so. It may be repeated.",
		[]string{"resellerd admin unblock second"},
		saysDone, "1  failed, such as a name that no account has; standard error says why", saysUsage),
	"admin totp-reset": details(
		"It works on any account, and on members of a staff. Sessions and keys go on. Over the API those above an account do it, and an owner for the staff.",
		[]string{"resellerd admin totp-reset admin", "resellerd admin totp-reset ana --json"},
		saysDone, "1  failed, such as a name that nobody has, or that has no second factor; standard error says why",
		saysUsage),
	"key create": details(saysToken+
		" The key alone is printed on standard output, and what it may on standard error. A role is read_only, support, cashier or manager. "+
		"--expires is a time such as 2027-01-31T18:00:00Z, a day of UTC such as 2027-01-31, or in how long, such as 720h.",
		[]string{
			"resellerd key create --name figures --role read_only --expires 2160h",
			"resellerd key create --name till --role cashier --allow 203.0.113.7,2001:db8::/32 --spend-limit 50 > till.key",
			"resellerd key create --name bot --scopes lines:read,lines:write --url https://panel.example.com/api < token.txt",
		}, saysDone, saysRefused, saysUsage),
	"key list": details(saysToken+" Keys that were revoked are not listed. --json prints what GET /keys shows.",
		[]string{"resellerd key list", "resellerd key list --url https://panel.example.com/api --json"}, saysDone,
		saysRefused, saysUsage),
	"key revoke": details(saysToken+" It can't be undone.",
		[]string{"resellerd key revoke 12"}, saysDone,
		"1  refused, such as an id that is no key of the account, or no answer; standard error says why", saysUsage),
	"entitlements follow": details(
		"The key is best one with the scope entitlements:read alone: it learns of blocks, its own account's included, rather than being refused. It comes from RESELLERD_TOKEN, or is typed or read "+
			"from standard input, and is never an argument; the command does not get it. sh -c (cmd /C on Windows) runs the command once for each change, one after the other, with one line of JSON on its standard input: "+
			`{"line": 7, "username", "password", "enabled", "expDate", "external_id", "metadata", "version"}, `+
			`or {"line": 7, "deleted": true, "version"}. `+
			"It is the line's present state, and may come again: apply it as it comes. Where it begins anew the command first gets {\"start_over\": true}, then all lines, then {\"caught_up\": true}, at which what was not "+
			"told again is to be dropped. A command that fails is run again on the same line, after half a second, then longer, up to a minute. A slow one delays all that follows. "+
			"The state file belongs to one account of one service, and FILE.lock keeps others from using it.",
		[]string{
			"RESELLERD_TOKEN=$(cat follower.key) resellerd entitlements follow --exec ./apply.sh --state /var/lib/panel/follower.json",
			"resellerd entitlements follow --url https://panel.example.com/api --exec 'jq -c . >> lines.ndjson' --state follower.json < follower.key",
		}, "0  asked to end; the command that ran has ended",
		"1  refused, such as a key that was revoked, or the state file can't be kept; standard error says why", saysUsage),
	"import": details(
		"It takes the token of an admin, or a key of one with the scopes manage and users:read, from RESELLERD_TOKEN; without it, it is typed on a terminal, where it is not shown, or read from standard input. "+
			"The file is a table with the columns of GET /exports/lines, of which external_id, username, password and expDate are needed, or the SQLite database of a panel, which "+
			"is only read: best a copy that sqlite3 FILE \".backup COPY\" makes. Its tables say which panel and version it is of; marzneshin-plain is one with AUTH_GENERATION_ALGORITHM=plain. "+
			"Nothing is charged, names and passwords stay as they are, and what does not fit is refused, row by row, and reported. "+
			"A user has one password, that of one protocol, and --protocol names the one that goes first; no other secret is moved. Two panels of one kind have the same ids: give the second one a --prefix. "+
			"The owner of all lines is --owner, whatever the table says. Disabled users, and those whose traffic is used up, are suspended. A user without an end gets 10 years less a day, and one who has not begun the time that it has, "+
			"both from the first run on; a user without a password gets one. These are kept in the --state file, whose mode is 0600, so that another run has them, too, and the report names the users with such a "+
			"password. It can be interrupted and repeated: what is there "+
			"already is unchanged.",
		[]string{
			"RESELLERD_TOKEN=$(cat admin.token) resellerd import marzban db.sqlite3 --owner maria --dry-run",
			"resellerd import 3x-ui x-ui.db --owner maria --url https://panel.example.com/api --json < admin.token",
			"resellerd import csv lines.csv --owner maria",
		}, "0  all rows are in, or were",
		"1  the file can't be read, the service refuses or can't be reached, or interrupted: the same command goes on",
		saysUsage,
		"3  some rows were refused or left out, and are printed; all others are in"),
	"token": details(
		"It logs in over HTTP, as any client does, and counts as one where it fails. The password is typed on a terminal, where it is not shown, or read "+
			"from standard input; it is never an argument. The token stays the same until the password changes.",
		[]string{"resellerd token", "resellerd token maria --url https://panel.example.com/api",
			"resellerd token maria < /run/secrets/maria"},
		saysDone, saysRefused, saysUsage),
	"audit": details(
		"It needs no service key and, without --repair-lists, writes nothing, so that a backup, or a store that is served, can be audited by who may only read it.",
		[]string{
			"resellerd audit", "resellerd audit --store sqlite:backups/resellerd-....db",
			"resellerd audit --write-checkpoint data/monday.txt", "resellerd audit --checkpoint data/monday.txt --json",
			"resellerd audit --repair-lists",
		}, "0  all well", saysFailed, saysUsage, saysFindings),
	"events": details(
		"It reads the journal, which has an entry for each command that changed something, needs no service key and writes nothing. An instant is a time such as "+
			"2026-11-23T18:00:00Z, a day of UTC such as 2026-11-23, or how long ago it was, such as 24h. An account is named by its present name or its id; entries concern it "+
			"where it was changed or owns the line, and on either side of credits. --type takes a name or the beginning of some, such as line.*, and may be repeated. "+
			"Lines of text are for people; programs ask for --format ndjson, which has what GET /events shows an admin.",
		[]string{
			"resellerd events --account maria --type reseller.credited --since 2026-11-22 --until 2026-11-23",
			"resellerd events --line 1042", "resellerd events --account maria --type 'reseller.*' --type 'operator.*'",
			"resellerd events --since 24h --format ndjson",
		}, saysDone, "1  failed, such as a name that no account has; standard error says why", saysUsage),
	"report": details(
		"It sums the ledger, which it reads whole, for a month of UTC: this one, unless another is named. By account: trials, activations, extensions, credits received, spent for "+
			"lines, given to accounts below and reclaimed by those above, and the balance before and after: before + received - spent - given - reclaimed = after. An admin holds nothing, and receives "+
			"what its lines cost. By kind: how often credits moved, and how many.",
		[]string{
			"resellerd report", "resellerd report --month 2026-11 --format csv > november.csv",
			"resellerd report --month 2026-11 --by kind",
		}, saysDone, saysFailed, saysUsage),
	"copy": details(
		"The source is only read and may be served; what is written to it meanwhile is not in the copy. The copy belongs to the service key of the source. "+
			"An address with a password in it is better given by its variable than by a flag, which every user of the machine can read.",
		[]string{
			"resellerd copy --from sqlite:data/resellerd.db --to sqlite:data/moved/resellerd.db",
			"RESELLERD_COPY_TO='mongodb://a,b,c/resellerd?replicaSet=rs' resellerd copy --from sqlite:data/resellerd.db",
		}, saysDone, "1  failed or interrupted: the copy was not finished", saysUsage,
		"3  the source has findings, which are printed: nothing was copied"),
	"backup": details(
		"The file is the store as it stood at one instant. It gets its name, which sorts by time, once it is whole, was audited and is on the disk; its mode is 0600. "+
			"Without the service key it is of no use: keep that apart from it, or have it put beside it with --with-key. --keep removes backups of this very store and "+
			"nothing else. A store on MongoDB is backed up by its own tools, or by resellerd copy.",
		[]string{
			"resellerd backup", "resellerd backup --dir /mnt/backups --with-key --json",
			"resellerd backup --dir /mnt/backups --every 1h --keep 24",
		}, "0  done, or asked to end after --every", "1  failed or interrupted: nothing was kept of it", saysUsage,
		"3  the store has findings, which are printed: nothing was kept of it"),
	"restore": details(
		"The store is made where RESELLERD_STORE or --store says, where nothing may be. Its service key is the one that is set, or in the key file of that place, or "+
			"beside the backup, or is asked for on a terminal; another one than the backup's is refused before anything is written. Its webhooks are disabled, so that a rehearsal calls nobody.",
		[]string{
			"resellerd restore backups/resellerd-....db",
			"resellerd restore backups/resellerd-....db --store sqlite:data/restored/resellerd.db",
			"RESELLERD_SECRET_FILE=/run/secrets/key resellerd restore /mnt/backups/resellerd-....db",
		}, saysDone, "1  failed, such as another service key: nothing was made", saysUsage,
		"3  the backup has findings, which are printed: nothing was made", saysExists),
	"health": details("For containers without curl. It asks /readyz.",
		[]string{"resellerd health", "resellerd health --url http://10.0.0.7:8080 --timeout 2s --json"},
		"0  ready", "1  not ready, or no answer", saysUsage),
	"openapi": details("", []string{"resellerd openapi > openapi.json"}, saysDone, saysFailed, saysUsage),
	"config": details(
		"It takes the flags of serve, and says what serve would say of them. It prints all settings, each with its source: default, environment, flag or file. Of a secret it prints whether it is set.",
		[]string{"resellerd config", "resellerd config --json"},
		saysDone, saysFailed, "2  a setting is wrong: serve would refuse it, too"),
	"completion": details("In zsh run compinit before it.", []string{
		"source <(resellerd completion bash)", "source <(resellerd completion zsh)",
		"resellerd completion fish > ~/.config/fish/completions/resellerd.fish",
	}, saysDone, saysFailed, saysUsage),
	"version": details("", []string{"resellerd version", "resellerd version --json"}, saysDone, saysFailed, saysUsage),
}

// addHelp adds it to the commands below a node; above is the beginning of their names.
func addHelp(node *kong.Node, above string) {
	for _, child := range node.Children {
		child.Detail = helps[above+child.Name]
		addHelp(child, above+child.Name+" ")
	}
}
