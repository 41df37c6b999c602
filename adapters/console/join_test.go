package console

import (
	"strings"
	"testing"
)

func TestJoined(t *testing.T) {
	t.Parallel()
	got, err := joined(map[string][]byte{
		"app.js":         []byte("import './first.js'\nimport { a, b as c } from './a/two-words.js'\nimport d from './vendor/d.js'\nc(a, d)\n"),
		"first.js":       []byte("import { a } from './a/two-words.js'\nexport class One {}\nconst own = a\n"),
		"a/two-words.js": []byte("import{x as y}from\"../vendor/d.js\";export const a = y\n" + "export async function b() {}\nfunction own() {}\nexport { own, own as $ }\n"),
		"vendor/d.js":    []byte("var n=1;export default function(s){return s}\nvar x=2;export{n as x};\n"),
		"unused.js":      []byte("left()"),
	}, "app.js")
	if err != nil {
		t.Fatal(err)
	}
	const want = `const $vendor_d = (() => {
var n=1;const $default = function(s){return s}
var x=2;
return {x: n, default: $default}
})()
const $a_two_words = (() => {
const {x: y} = $vendor_d
const a = y
async function b() {}
function own() {}
return {own: own, $: own, a, b}
})()
const $first = (() => {
const { a } = $a_two_words
class One {}
const own = a
return {One}
})()
const $app = (() => {
const { a, b: c } = $a_two_words
const {default: d} = $vendor_d
c(a, d)
return {}
})()
`
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWhatCannotBeJoined(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why     string
		modules map[string][]byte
	}{
		{"a.js: b.js is imported, and is not there", map[string][]byte{"a.js": []byte("import './b.js'\n")}},
		{"a.js imports itself by way of others", map[string][]byte{"a.js": []byte("import './b.js'\n"), "b.js": []byte("import { c } from './a.js'\n")}},
		{"this cannot be joined: export let c", map[string][]byte{"a.js": []byte("export let c\n")}},
		{"this cannot be joined: import * as c", map[string][]byte{"a.js": []byte("import * as c from './b.js'\n")}},
		{"this cannot be joined: import {", map[string][]byte{"a.js": []byte("import {\n  c,\n")}},
		{"this cannot be joined: export * from", map[string][]byte{"a.js": []byte("export * from './b.js'\n")}},
	} {
		if _, err := joined(row.modules, "a.js"); err == nil || !strings.Contains(err.Error(), row.why) {
			t.Errorf("%q: %v, want %s", row.modules, err, row.why)
		}
	}
}
