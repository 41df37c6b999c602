package bootstrap

import (
	"errors"

	"resellerd/application/audit"
	"resellerd/ports"
)

// foundAltered tells of a store whose schema somebody has changed so that its records can't be read, as an audit tells of
// what it finds. Any other error comes back.
func foundAltered(err error, v *audit.Verdict, report func(finding string)) error {
	altered, is := errors.AsType[*ports.Altered](err)
	if !is {
		return err
	}
	for _, finding := range altered.Findings {
		report(finding)
	}
	v.Findings += int64(len(altered.Findings))
	return nil
}
