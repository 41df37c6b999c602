package archive

import "resellerd/ports"

// Helped returns what the other connection of an audit reads, nil where it has none.
func Helped(r ports.Records) ports.Records {
	of := r.(records).audit
	if of.helper == nil {
		return nil
	}
	return Records(of.helper.Tx, of.schema)
}

// Helpless has the other connection of an audit fail from now on.
func Helpless(r ports.Records) { r.(records).audit.helper.End(false) }
