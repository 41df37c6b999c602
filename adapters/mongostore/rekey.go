package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

// ServiceKey implements ports.Rekeyable. Its documents are read in one snapshot.
func (s *Store) ServiceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	err = s.look(ctx, func(v *view) error {
		found, err := v.find(ctx, settingsName, serviceKeyDocuments(), options.Find())
		key = serviceKeyOf(found)
		return err
	})
	return key, err
}

func serviceKeyDocuments() bson.D { return byIDs([]string{fingerprintSetting, earlierKeysSetting}) }

func serviceKeyOf(found []bson.Raw) (key ports.ServiceKey) {
	for _, raw := range found {
		name, _ := raw.Lookup("_id").StringValueOK()
		value, _ := raw.Lookup("value").StringValueOK()
		switch name {
		case fingerprintSetting:
			key.Fingerprint = value
		case earlierKeysSetting:
			key.Earlier = value
		}
	}
	return key
}

// MoveKey implements ports.Rekeyable. Claiming the key, beginning a copy and moving the key write the fingerprint, so
// of two at once one runs again.
func (s *Store) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	return s.inTransaction(ctx, "replace the service key", func(ctx context.Context) error {
		unfinished, err := unfinishedCopy(ctx, s.db)
		if err != nil {
			return err
		}
		if unfinished {
			return ports.ErrUnfinishedCopy
		}
		settings := s.db.Collection(settingsName)
		cursor, err := settings.Find(ctx, serviceKeyDocuments())
		if err != nil {
			return err
		}
		found, err := all(ctx, cursor)
		if err != nil {
			return err
		}
		if serviceKeyOf(found) != from {
			return ports.ErrKeyMoved
		}
		if err := put(ctx, settings, fingerprintSetting, settingDocument{fingerprintSetting, to.Fingerprint}); err != nil {
			return err
		}
		if to.Earlier == "" {
			_, err := settings.DeleteOne(ctx, byID(earlierKeysSetting))
			return err
		}
		return put(ctx, settings, earlierKeysSetting, settingDocument{earlierKeysSetting, to.Earlier})
	})
}
