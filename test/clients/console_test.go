package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// console is where the modules of the console are, and the types that they name.
var console = filepath.Join("..", "..", "adapters", "console")

// checkConsole has TypeScript check the console's modules strictly, by the types in their comments, against those that
// openapi-typescript makes of the document. With them goes one more module. It returns what TypeScript said.
func checkConsole(t *testing.T, more string) string {
	t.Helper()
	packages, dir := node(t), t.TempDir()
	for _, from := range []string{"files", "types"} {
		if err := copyInto(dir, filepath.Join(console, from)); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"tsconfig.json": string(text), "more.js": more} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, err := try(dir, nil, "node", filepath.Join(packages, "typescript", "bin", "tsc"), "--pretty", "false")
	if err != nil {
		return err.Error()
	}
	return said
}

// copyInto copies what is in a folder, folders in it included, over what is there.
func copyInto(dir, from string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(dir, below), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, below), content, 0o644)
	})
}

func TestConsoleTypes(t *testing.T) {
	silent(t, checkConsole(t, "export {}\n"))
}

// TestConsoleTypesFind takes from answers what is not in them: a check that does not see this sees nothing.
func TestConsoleTypesFind(t *testing.T) {
	said := checkConsole(t, `import { ask } from './api.js'
import { useRead } from './ui.js'
export const right = [(await ask('GET', '/users/logged')).credits.length, useRead('/prices').value?.prices[0].credits.length, (await ask('POST', '/lines/test')).code]
export const line = (await ask('GET', `+"`/lines/${7}`"+`)).expires
export const entry = (await ask('GET', `+"`/users/${7}/ledger`"+`)).data[0].sum
export const proof = useRead('/ledger/proof').value?.isBalanced
export const nowhere = useRead(`+"`/nowhere/${7}`"+`).value?.id
`)
	found := strings.Count(said, "more.js(")
	for _, want := range []string{"more.js(4,", "more.js(5,", "more.js(6,", "more.js(7,"} {
		if !strings.Contains(said, want) {
			found = 0
		}
	}
	if found != 4 || strings.Count(said, "error TS") != 4 {
		t.Errorf("TypeScript said\n%s", said)
	}
}
