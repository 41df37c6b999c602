package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// released is the version of a release. The linker sets it: -X resellerd/adapters/cli.released=1.2.3.
var released string

// versionRecord is the version and the build of the program.
type versionRecord struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the checkout had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func version() versionRecord {
	v := versionRecord{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	if released != "" {
		v.Version = released
	}
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Version returns the program's version.
func Version() string { return version().Version }

type versionCommand struct{ OutputFlags }

// Run runs the command.
func (c versionCommand) Run(s *session) error {
	v := version()
	return s.printed(c.OutputFlags, v, v.String())
}

// String returns the text of the command.
func (v versionRecord) String() string {
	text := fmt.Sprintf("resellerd %s (%s, %s)", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		text += "\nrevision " + v.Revision
		if v.Modified {
			text += ", with changes"
		}
	}
	return text
}
