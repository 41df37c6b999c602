package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// languages are the languages of the console. .ci/run drives the first one.
var languages = []string{"en", "pt-BR", "es"}

// words are the console's texts in a language, by key.
type words map[string]string

// wordsOf reads adapters/console/files/text, in which each is on a line.
func wordsOf(t *testing.T, language string) words {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "adapters", "console", "files", "text", language+".js"))
	if err != nil {
		t.Fatal(err)
	}
	found := words{}
	for _, line := range regexp.MustCompile(`(?m)^  '([^']+)': '((?:[^'\\]|\\.)*)',$`).FindAllStringSubmatch(
		string(source), -1) {
		found[line[1]] = strings.NewReplacer(`\n`, "\n", `\'`, "'", `\\`, `\`).Replace(line[2])
	}
	if len(found) < 100 {
		t.Fatalf("%d texts were read of %s", len(found), language)
	}
	return found
}

// of returns the text of a key, in which names are replaced by values: name, value, name, value.
func (w words) of(t *testing.T, key string, values ...string) string {
	t.Helper()
	text := w[key]
	if text == "" {
		t.Fatalf("there is no text %q", key)
	}
	for pair := range slices.Chunk(values, 2) {
		text = strings.ReplaceAll(text, "{"+pair[0]+"}", pair[1])
	}
	return text
}

// credits writes credits as the language does, with the word for them.
func (w words) credits(t *testing.T, amount string) string {
	t.Helper()
	return w.of(t, "credits", "amount", w.decimal(amount))
}

// decimal writes an amount below a thousand as the language does.
func (w words) decimal(amount string) string {
	if w["save"] != "Save" { // all but English have a comma
		amount = strings.ReplaceAll(amount, ".", ",")
	}
	return amount
}

// isWorded checks that a screen shows texts and none of their keys. It must not show a name in braces that was not
// replaced, except in templates. Texts of users have neither.
func (v *tab) isWorded(t *testing.T, screen string, w words) {
	t.Helper()
	var keys []string
	for key, text := range w {
		if key != text {
			keys = append(keys, key)
		}
	}
	list, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range ask[[]string](t, v, fmt.Sprintf(`(() => {
		const keys = new Set(%s), found = []
		const look = (text) => {
			text = text.trim()
			if (keys.has(text) && !/^\w+$/.test(text) || /\{\w+\}/.test(text) || /\bundefined\b|\[object /.test(text)) found.push(text)
		}
		const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
		while (all.nextNode()) look(all.currentNode.data)
		for (const e of document.querySelectorAll('[aria-label], [placeholder]:not(.template *), [title]')) for (const a of ['aria-label', 'placeholder', 'title']) look(e.getAttribute(a) || '')
		look(document.title)
		return found
	})()`, list)) {
		t.Errorf("%s shows %q instead of a text", screen, shown)
	}
}

// pressKey presses what has the text of a key on it.
func (d *day) pressKey(key string, values ...string) {
	d.t.Helper()
	d.press(d.t, d.w.of(d.t, key, values...))
}

// seesKey waits until the screen has the text of a key.
func (d *day) seesKey(key string, values ...string) {
	d.t.Helper()
	d.sees(d.t, d.w.of(d.t, key, values...))
}

// speak chooses a language, on whichever screen has the choice.
func (v *tab) speak(t *testing.T, language string) {
	t.Helper()
	ask[bool](t, v,
		fmt.Sprintf(
			`(() => { const b = document.querySelector('[data-lang=%[1]s]'); if (b) return !b.click(); const s = document.querySelector('select:has(option[lang])'); s.value = %[1]q; s.dispatchEvent(new Event('change', { bubbles: true })); return true })()`, language))
	v.until(t, fmt.Sprintf(`document.documentElement.lang === %q`, language))
}
