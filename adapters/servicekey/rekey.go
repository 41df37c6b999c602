package servicekey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// ErrKeyID refuses a service key that has the same id as another one of the store. The probability is one in four
// billion.
var ErrKeyID = errors.New(
	"the fingerprints of two service keys of this store begin with the same 8 digits: make another key with `openssl rand -hex 32`")

// earlierLabel is the label under which earlier keys are sealed.
const earlierLabel = "earlier-keys"

// earlier has the required parts of the earlier service keys of a store.
type earlier struct {
	// TokenKey signs the tokens, so that their texts do not change. It comes from the service key that the store had
	// when its tokens last changed. It is nil if that is the present service key.
	TokenKey *subkey `json:"signing,omitempty"`
	// Digests compare the digests that idempotency records have, in the order of the service keys. A digest that names
	// no key belongs to the first.
	Digests []subkey `json:"digests"`
	// Sealing opens content that is not sealed under the present key yet.
	Sealing []subkey `json:"sealing,omitempty"`
	// Leaked requires that Sealing is removed once no content is sealed under it, because other people know the key.
	Leaked bool `json:"leaked,omitempty"`
}

// subkey is a key for one use, and the id of the service key that it was derived from.
type subkey struct {
	ID  keyID  `json:"id"`
	Key []byte `json:"key"`
}

// readEarlier adds the parts of earlier service keys that the store has recorded.
func (k *Keyring) readEarlier() error {
	sealed, err := base64.StdEncoding.DecodeString(k.recorded.Earlier)
	if err != nil {
		return ErrDamaged
	}
	plain, err := k.Open(sealed, earlierLabel)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(plain, &k.earlier); err != nil || len(k.earlier.Digests) == 0 {
		return errors.Join(ErrDamaged, err)
	}
	if k.earlier.TokenKey != nil {
		k.tokenKey = *k.earlier.TokenKey
	}
	k.first = k.earlier.Digests[0].Key
	for _, s := range k.earlier.Digests {
		if err := learn(k.digests, s); err != nil {
			return err
		}
	}
	for _, s := range k.earlier.Sealing {
		if k.sealing[s.ID], err = newSealer(s.ID, s.Key); err != nil {
			return err
		}
	}
	return nil
}

// learn adds a key to the map of its use.
func learn(keys map[keyID][]byte, s subkey) error {
	if known, is := keys[s.ID]; is && !bytes.Equal(known, s.Key) {
		return ErrKeyID
	}
	keys[s.ID] = s.Key
	return nil
}

// MoveTo returns the service key to record in the store to move it to secret. The result includes the required parts of
// the recorded key, which may be the same. Tokens do not change unless the key has leaked.
func (k *Keyring) MoveTo(secret profile.Secret, leaked bool) (ports.ServiceKey, error) {
	next, err := derive(secret)
	if err != nil {
		return ports.ServiceKey{}, err
	}
	e := k.earlier
	if leaked {
		e.TokenKey = nil
	} else if current := k.tokenKey; current.ID != next.id {
		e.TokenKey = &current
	}
	if next.fingerprint == k.active.fingerprint {
		if !leaked || k.earlier.TokenKey == nil && (k.earlier.Leaked || len(k.earlier.Sealing) == 0) {
			return k.recorded, nil // sealing it again would give a different text
		}
	} else {
		if err := learn(k.digests, subkey{next.id, next.digests}); err != nil {
			return ports.ServiceKey{}, err
		}
		e.Digests = with(e.Digests, subkey{k.active.id, k.active.digests})
		e.Sealing = with(e.Sealing, subkey{k.active.id, k.active.sealing})
	}
	e.Leaked = e.Leaked || leaked
	return record(next, e)
}

// Settled returns the service key to record once no content is sealed under an earlier key. From then on content that
// is sealed under a leaked key can't be opened.
func (k *Keyring) Settled() (ports.ServiceKey, error) {
	if !k.earlier.Leaked {
		return k.recorded, nil
	}
	e := k.earlier
	e.Sealing, e.Leaked = nil, false
	return record(k.active, e)
}

// with returns keys with one more, unless they contain it.
func with(keys []subkey, s subkey) []subkey {
	if slices.ContainsFunc(keys, func(other subkey) bool { return other.ID == s.ID }) {
		return keys
	}
	return append(slices.Clone(keys), s)
}

// record seals the required parts of earlier keys under the key that is to be recorded.
func record(key *subkeys, e earlier) (ports.ServiceKey, error) {
	recorded := ports.ServiceKey{Fingerprint: key.fingerprint}
	if len(e.Digests) == 0 {
		return recorded, nil
	}
	plain, err := json.Marshal(e)
	if err != nil {
		return ports.ServiceKey{}, err
	}
	sealing := &Keyring{active: key}
	recorded.Earlier = base64.StdEncoding.EncodeToString(sealing.seal(plain, earlierLabel))
	return recorded, nil
}
