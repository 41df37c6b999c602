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

// Check refuses an address that can never work. Its error does not hold the address. A name that can't be resolved now
// may be later.
func Check(uri string) error {
	_, err := parse(uri)
	if _, waits := errors.AsType[*net.DNSError](err); waits {
		return nil // Open says so if it stays
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
		err = options.Client().ApplyURI(uri).Validate() // the files that it names, too
	}
	return cs, err
}

// readableFiles refuses files of certificates and keys that the driver should not read: it reads them whole.
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

// unreadable says what is wrong with an address. The driver quotes pieces of what it can't read (if the @ is missing,
// the password stands in place of a port), so it is asked about the address without its secrets.
func unreadable(uri string) error {
	shown := withoutSecrets(uri)
	if _, err := readAddress(shown); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), shown, "the address"))
	}
	return errors.New(
		"the password, or another secret, can't be read: percent-encode what is neither a letter nor a digit")
}

// secretOption is an option whose value is a secret, up to that value, and the value.
var secretOption = regexp.MustCompile(`(?i)([?&;][^=&;]*(?:password|properties|token|secret)[^=&;]*=)[^&;]*`)

// withoutSecrets has "..." in place of what may be secret in an address: all from the user's colon to the last @, or to
// the end if there is none, and the values of options.
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
