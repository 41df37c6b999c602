package console

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What modules say on the first letters of a line: what they take from another, and what they give. Those of vendor have
// no line of their own for it.
var (
	takes    = regexp.MustCompile(`^import\s*(?:\{([^}]*)\}\s*from|(\w+)\s+from|)\s*['"]([^'"]+)['"];?\n?`)
	gives    = regexp.MustCompile(`^export (async function|function|class|const) (\w+)`)
	givesAll = regexp.MustCompile(`export\s*\{([^}]*)\};?`)
	givesOne = []byte("export default ")
	remains  = regexp.MustCompile(`^(?:import\s*[{'"*\w]|export\b).*`) // where it is said in another way
)

// joined returns a module with all that it imports as one, so that a browser asks once for all of them. Each keeps its
// own names: it becomes a function that is given what it takes, after those that give it.
func joined(modules map[string][]byte, first string) ([]byte, error) {
	j := joining{modules: modules, state: map[string]int{}}
	err := j.add(first)
	return j.into.Bytes(), err
}

type joining struct {
	modules map[string][]byte
	state   map[string]int
	into    bytes.Buffer
}

// How far a module is.
const (
	_ = iota
	begun
	added
)

func (j *joining) add(name string) error {
	source, there := j.modules[name]
	switch {
	case !there:
		return fmt.Errorf("%s is imported, and is not there", name)
	case j.state[name] == begun:
		return fmt.Errorf("%s imports itself by way of others", name)
	case j.state[name] == added:
		return nil
	}
	j.state[name] = begun
	var head strings.Builder
	var body []byte
	var all, given []string
	for line := range bytes.Lines(source) {
		if !bytes.Contains(line, []byte("import")) && !bytes.Contains(line, []byte("export")) { // regular expressions would take most of a start
			body = append(body, line...)
			continue
		}
		if m := takes.FindSubmatch(line); m != nil {
			from := path.Join(path.Dir(name), string(m[3]))
			if err := j.add(from); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if names := string(m[1]); names != "" {
				fmt.Fprintf(&head, "const {%s} = %s\n", strings.ReplaceAll(names, " as ", ": "), variable(from))
			} else if one := m[2]; len(one) > 0 {
				fmt.Fprintf(&head, "const {default: %s} = %s\n", one, variable(from))
			}
			line = line[len(m[0]):]
		}
		for _, m := range givesAll.FindAllSubmatch(line, -1) {
			for _, one := range strings.Split(string(m[1]), ",") {
				own, as, renamed := strings.Cut(strings.TrimSpace(one), " as ")
				if !renamed {
					as = own
				}
				all = append(all, as+": "+own)
			}
		}
		line = givesAll.ReplaceAll(line, nil)
		if m := gives.FindSubmatch(line); m != nil {
			given = append(given, string(m[2]))
			line = bytes.TrimPrefix(line, []byte("export "))
		}
		if before, after, is := bytes.Cut(line, givesOne); is {
			given = append(given, "default: $default")
			line = slices.Concat(before, []byte("const $default = "), after)
		}
		if left := remains.Find(line); left != nil {
			return fmt.Errorf("%s: this cannot be joined: %s", name, bytes.TrimSpace(left))
		}
		body = append(body, line...)
	}
	fmt.Fprintf(&j.into, "const %s = (() => {\n%s%s\nreturn {%s}\n})()\n", variable(name), head.String(), bytes.TrimSpace(body), strings.Join(append(all, given...), ", "))
	j.state[name] = added
	return nil
}

// variable is what a module's exports are called in the joined one.
func variable(name string) string {
	return "$" + strings.NewReplacer("/", "_", "-", "_").Replace(strings.TrimSuffix(name, ".js"))
}
