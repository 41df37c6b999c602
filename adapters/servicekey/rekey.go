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

// ErrKeyID refuses a service key with the same id as another of the store. One in four thousand million has it.
var ErrKeyID = errors.New(
	"two service keys of this store begin alike in their fingerprints: make another one with `openssl rand -hex 32`")

// earlierLabel is the label under which earlier keys are sealed.
const earlierLabel = "earlier-keys"

// earlier is what is needed of the service keys that a store had before.
type earlier struct {
	// Signing signs the tokens, so that their texts stay: of the key that the store had when its tokens were last
	// changed, nil if that is the present one.
	TokenKey *subkey `json:"signing,omitempty"`
	// Digests compare what was recorded under idempotency keys, in the order in which the store had them. Digests that
	// name no key are of the first.
	Digests []subkey `json:"digests"`
	// Sealing open what is not sealed under the present key yet.
	Sealing []subkey `json:"sealing,omitempty"`
	// Leaked says that Sealing must be removed once nothing is sealed under it any more: others have it as well.
	Leaked bool `json:"leaked,omitempty"`
}

// subkey is a key for one use, and the id of the service key that it was derived from.
type subkey struct {
	ID  keyID  `json:"id"`
	Key []byte `json:"key"`
}

// readEarlier takes over what the store keeps of earlier keys.
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

// learn adds a key to those of its use.
func learn(keys map[keyID][]byte, s subkey) error {
	if known, is := keys[s.ID]; is && !bytes.Equal(known, s.Key) {
		return ErrKeyID
	}
	keys[s.ID] = s.Key
	return nil
}

// MoveTo returns what is to be recorded to move the store to this service key, with all that is needed of the recorded
// one, which may be the same. Tokens stay unless the key has leaked.
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
			return k.recorded, nil // resealed it would be a different text
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

// Settled returns what is to be recorded once nothing is sealed under an earlier key any more: from then on nothing
// sealed under a leaked key is opened.
func (k *Keyring) Settled() (ports.ServiceKey, error) {
	if !k.earlier.Leaked {
		return k.recorded, nil
	}
	e := k.earlier
	e.Sealing, e.Leaked = nil, false
	return record(k.active, e)
}

// with returns keys with one more, unless it is there.
func with(keys []subkey, s subkey) []subkey {
	if slices.ContainsFunc(keys, func(other subkey) bool { return other.ID == s.ID }) {
		return keys
	}
	return append(slices.Clone(keys), s)
}

// record seals what is needed of earlier keys under the one that is to be recorded.
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
