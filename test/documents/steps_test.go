package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// step is a part of an example that is run by itself.
type step struct {
	of     string // document:line
	script string // what bash runs
	answer string // the last answer in JSON, "" for any
	prints string // of a console, "" where it is none
	shown  bool   // it is a command of a console
	serves bool
	tool   string // what it needs and not every machine has, "" for nothing
}

var (
	assignments = `((?:[A-Z_]+=(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'$])+ )*)`
	serving     = regexp.MustCompile(`(?m)^` + assignments +
		`(make run|\S*resellerd serve.*|\S*resellerd sandbox|\./panel serve)\n\z`)
	calls = regexp.MustCompile(
		`(?m)\bcurl\b|\bresellerd (serve|sandbox|audit|verify|copy|admin|token|key|import|backup|restore|health|config)\b`)
	underSystemd = regexp.MustCompile(`(?m)\bsystemctl .*\bresellerd\b|^cd /var/lib/resellerd$`)
	fileName     = map[string]*regexp.Regexp{
		"go":     regexp.MustCompile(`\A// (\S+\.go)\n`),
		"python": regexp.MustCompile(`\A# (\S+\.py)\n`),
	}
)

// steps returns the examples of a document in their order.
func steps(d Document) (all []step, err error) {
	for _, b := range d.Blocks {
		of := fmt.Sprintf("%s:%d", d.Name, b.Number)
		switch b.Language {
		case "sh":
			all = append(all, step{of: of, script: b.Text, serves: serving.MatchString(b.Text)})
		case "json":
			if !b.Follows || len(all) == 0 || all[len(all)-1].shown || all[len(all)-1].answer != "" {
				return nil, fmt.Errorf("%s: a json block is the answer of the sh block right before it", of)
			}
			all[len(all)-1].answer = b.Text
		case "console":
			commands, err := console(of, b.Text)
			if err != nil {
				return nil, err
			}
			all = append(all, commands...)
		case "go", "python":
			name := fileName[b.Language].FindStringSubmatch(b.Text)
			if name == nil {
				return nil, fmt.Errorf("%s: a %s block begins with the name of its file, as in // main.go or # main.py",
					of, b.Language)
			}
			all = append(all, step{of: of, script: "cat >" + name[1] + " <<'END OF FILE'\n" + b.Text + "END OF FILE\n"})
		case "text":
			if call := calls.FindString(b.Text); call != "" && !recipe(b) {
				return nil, fmt.Errorf("%s: a text block is not run, but this one has %q", of, call)
			}
		default:
			return nil, fmt.Errorf("%s: %q is no language of an example: sh, json, console, go, python or text", of, b.Language)
		}
	}
	for i := range all {
		all[i].script = serving.ReplaceAllString(all[i].script, "${1}start $2\n")
		if strings.Contains(all[i].script, "sqlite3 ") {
			all[i].tool = "sqlite3"
		}
	}
	return all, nil
}

// recipe reports whether a block is a recipe for the service under systemd, which TestRecipes runs.
func recipe(b Block) bool { return b.Language == "text" && underSystemd.MatchString(b.Text) }

// console splits a block into its commands and their output. A command that uses the result of the one before is a step
// of its own, but needs the same tools.
func console(of, text string) (all []step, err error) {
	for line := range strings.Lines(text) {
		command, begins := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch {
		case begins:
			all = append(all, step{of: of, script: command, shown: true})
		case len(all) == 0:
			return nil, fmt.Errorf("%s: a console begins with a command after $", of)
		case goesOn && all[len(all)-1].prints == "":
			all[len(all)-1].script += more
		default:
			all[len(all)-1].prints += line
		}
	}
	return all, nil
}

var (
	instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	uuid    = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	epoch   = regexp.MustCompile(`^evt_[0-9a-f]{8}_`) // of the journal
)

// matches returns where an answer differs from the example, "" for nowhere. Fields that the example does not show are
// not compared. Any instant matches any other, and so does any request id and any epoch of the journal. "..." matches
// any text.
func matches(at string, shown, got any) string {
	switch shown := shown.(type) {
	case map[string]any:
		fields, is := got.(map[string]any)
		if !is {
			return fmt.Sprintf("%s is %v and no object", at, got)
		}
		for name, value := range shown {
			field, there := fields[name]
			if !there {
				return fmt.Sprintf("%s has no %s", at, name)
			}
			if difference := matches(at+"."+name, value, field); difference != "" {
				return difference
			}
		}
		return ""
	case []any:
		elements, is := got.([]any)
		if !is || len(elements) != len(shown) {
			return fmt.Sprintf("%s is %v and no list of %d", at, got, len(shown))
		}
		for i := range shown {
			if difference := matches(fmt.Sprintf("%s[%d]", at, i), shown[i], elements[i]); difference != "" {
				return difference
			}
		}
		return ""
	case string:
		text, is := got.(string)
		sameEntry := epoch.MatchString(shown) && epoch.MatchString(text) &&
			epoch.ReplaceAllString(shown, "") == epoch.ReplaceAllString(text, "")
		if is && (shown == "..." || sameEntry || instant.MatchString(shown) && instant.MatchString(text) ||
			uuid.MatchString(shown) && uuid.MatchString(text)) {
			return ""
		}
	}
	if shown != got {
		return fmt.Sprintf("%s is %v, and %v is shown", at, got, shown)
	}
	return ""
}

// answers reads the output of a block, as far as it is JSON.
func answers(printed string) (all []any) {
	decoder := json.NewDecoder(strings.NewReader(printed))
	decoder.UseNumber()
	for {
		var answer any
		if err := decoder.Decode(&answer); err != nil {
			return all
		}
		all = append(all, answer)
	}
}

// answered compares the last answer with the one that is shown, and returns the
// status that is expected of it, 0 for success.
func answered(shown, printed string) (status, difference string) {
	decoder := json.NewDecoder(strings.NewReader(shown))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		return "", "the answer that is shown is no JSON: " + err.Error()
	}
	if _, err := decoder.Token(); err != io.EOF {
		return "", "more than one answer is shown"
	}
	all := answers(printed)
	if len(all) == 0 {
		return "", "there was no answer"
	}
	if fields, is := want.(map[string]any); is {
		if s, is := fields["status"].(json.Number); is && len(s) == 3 && s >= "400" {
			status = s.String()
		}
	}
	return status, matches("the answer", want, all[len(all)-1])
}

var wild = regexp.MustCompile(`[0-9a-f]{32}|\.\.\.`)

// pattern returns an expression that matches every output that a console may print for the example.
func pattern(shown string) *regexp.Regexp {
	var b bytes.Buffer
	b.WriteString(`\A`)
	end := 0
	for _, at := range wild.FindAllStringIndex(shown, -1) {
		b.WriteString(regexp.QuoteMeta(shown[end:at[0]]))
		if shown[at[0]:at[1]] == "..." {
			b.WriteString(`.+`)
		} else {
			b.WriteString(`[0-9a-f]{32}`)
		}
		end = at[1]
	}
	b.WriteString(regexp.QuoteMeta(shown[end:]) + `\z`)
	return regexp.MustCompile(b.String())
}
