package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mistaken uses members that answers do not have, from its fourth line on.
const mistaken = `import { ask } from './api.js'
import { useRead } from './ui.js'
export const right = [(await ask('GET', '/users/logged')).credits.length, useRead('/prices').value?.prices[0].credits.length, (await ask('POST', '/lines/test')).code]
export const line = (await ask('GET', ` + "`/lines/${7}`" + `)).expires
export const entry = (await ask('GET', ` + "`/users/${7}/ledger`" + `)).data[0].sum
export const proof = useRead('/ledger/proof').value?.isBalanced
export const nowhere = useRead(` + "`/nowhere/${7}`" + `).value?.id
`

// TestConsoleTypes has TypeScript check the console's modules strictly. It compares the types in their comments with
// those that openapi-typescript makes from the document. It finds the mistakes of one more module, and no others.
func TestConsoleTypes(t *testing.T) {
	packages, dir := node(t), t.TempDir()
	for _, from := range []string{"files", "types"} {
		must(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "adapters", "console", from))))
	}
	run(t, dir, nil, "node", filepath.Join(packages, "openapi-typescript", "bin", "cli.js"), document(t), "-o",
		"openapi.d.ts")
	text, err := json.Marshal(map[string]any{
		"include": []string{"**/*.js", "*.d.ts"}, "exclude": []string{"vendor"},
		"compilerOptions": map[string]any{
			"allowJs": true, "checkJs": true, "strict": true, "noEmit": true, "target": "ES2022", "types": []string{},
			"lib": []string{"ES2023", "DOM", "DOM.Iterable"}, "module": "ES2022", "moduleResolution": "Bundler",
		},
	})
	must(t, err)
	for name, content := range map[string]string{"tsconfig.json": string(text), "more.js": mistaken} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	_, err = try(dir, nil, "node", filepath.Join(packages, "typescript", "bin", "tsc"), "--pretty", "false")
	if err == nil {
		t.Fatal("TypeScript finds nothing")
	}
	said := err.Error()
	for _, want := range []string{"more.js(4,", "more.js(5,", "more.js(6,", "more.js(7,"} {
		if !strings.Contains(said, want) {
			t.Errorf("TypeScript does not find %s", want)
		}
	}
	if strings.Count(said, "error TS") != 4 {
		t.Errorf("TypeScript said\n%s", said)
	}
}
