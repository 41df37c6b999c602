package mongostore

import (
	"errors"
	"net"
	"regexp"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"resellerd/adapters/regularfile"
)

// Check refuses an address that can never work. Its error does not contain the address. A name that can't be resolved
// is accepted, because that may change.
func Check(uri string) error {
	_, err := parse(uri)
	if _, waits := errors.AsType[*net.DNSError](err); waits {
		return nil // Open reports it if it lasts
	}
	return err
}

func parse(uri string) (*connstring.ConnString, error) {
	cs, err := readAddress(uri)
	name, waits := errors.AsType[*net.DNSError](err)
	switch {
	case waits:
		return nil, &explained{unresolved(name), err}
	case err != nil:
		return nil, unreadable(uri)
	case cs.DirectConnection:
		return nil, ErrDirect
	}
	return cs, nil
}

func readAddress(uri string) (*connstring.ConnString, error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err == nil {
		err = readableFiles(cs)
	}
	if err == nil {
		err = options.Client().ApplyURI(uri).Validate() // including the files that it names
	}
	return cs, err
}

// readableFiles refuses files of certificates and keys that are no regular files or too large: the driver reads them
// whole.
func readableFiles(cs *connstring.ConnString) error {
	for _, name := range []string{cs.SSLCaFile, cs.SSLCertificateFile, cs.SSLPrivateKeyFile,
		cs.SSLClientCertificateKeyFile} {
		if name == "" {
			continue
		}
		if _, err := regularfile.Read(name, regularfile.PEM); err != nil {
			return err
		}
	}
	return nil
}

// unreadable explains the fault of an address. The driver quotes the part that it can't read. Without an @ that part
// has the password in the position of the port. The driver therefore gets the address without its secrets.
func unreadable(uri string) error {
	shown := withoutSecrets(uri)
	if _, err := readAddress(shown); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), shown, "the address"))
	}
	return errors.New(
		"the password, or another secret, can't be read: percent-encode each character that is neither a letter nor a digit")
}

// secretOption matches an option whose value is a secret: the text up to the value, and the value.
var secretOption = regexp.MustCompile(`(?i)([?&;][^=&;]*(?:password|properties|token|secret)[^=&;]*=)[^&;]*`)

// withoutSecrets replaces the parts of an address that may be secret with "...". These are the values of options, and
// the text from the user's colon to the last @, or to the end without an @.
func withoutSecrets(uri string) string {
	scheme, rest, found := strings.Cut(uri, "://")
	if !found {
		return "..."
	}
	user, servers := rest, ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, servers = rest[:at], rest[at:]
	}
	if name, _, has := strings.Cut(user, ":"); has {
		user = name + ":..."
	}
	return secretOption.ReplaceAllString(scheme+"://"+user+servers, "$1...")
}
