package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// resellers implements ports.Resellers.
type resellers struct{ transaction }

// Get implements ports.Resellers.
func (rs resellers) Get(_ context.Context, id int64) (*reseller.Reseller, error) {
	s, err := rs.resellers.Get(rs.run, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(s)
}

// FindByUsername implements ports.Resellers.
func (rs resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	found, err := rs.resellerNames.Get(rs.run, name.Key())
	if err != nil {
		return nil, err
	}
	return rs.Get(ctx, found.ID)
}

// AnyBlocked implements ports.Resellers.
func (rs resellers) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	rs.resellers.Want(rs.run, ids...)
	for _, id := range ids {
		if s, err := rs.resellers.Get(rs.run, id); err == nil && s.Blocked {
			return true, nil
		} else if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// Insert implements ports.Resellers.
func (rs resellers) Insert(_ context.Context, r *reseller.Reseller) error {
	s := r.State()
	if err := rs.resellerNames.Insert(rs.run, s.Username.Key(), holder{s.Username.Key(), s.ID},
		profile.ErrUsernameTaken); err != nil {
		return err
	}
	return rs.resellers.Insert(rs.run, s.ID, s, fmt.Errorf("insert account %d: it exists already", s.ID))
}

// Save implements ports.Resellers.
func (rs resellers) Save(_ context.Context, r *reseller.Reseller) error {
	s := r.State()
	before, err := rs.resellers.Get(rs.run, s.ID)
	if err != nil {
		return err
	}
	if err := rs.rename(rs.resellerNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return rs.resellers.Put(rs.run, s.ID, s)
}

// resellerDirectory implements ports.ResellerDirectory.
type resellerDirectory struct{ *view }

// Get implements ports.ResellerDirectory.
func (d resellerDirectory) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	s, err := one(ctx, d.view, resellersName, resellerCodec, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(s)
}

// FindByUsername implements ports.ResellerDirectory.
func (d resellerDirectory) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	found, err := one(ctx, d.view, resellerNamesName, nameCodec, name.Key())
	if err != nil {
		return nil, err
	}
	return d.Get(ctx, found.ID)
}

// AnyBlocked implements ports.ResellerDirectory.
func (d resellerDirectory) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	blocked, err := d.Blocked(ctx, ids)
	return len(blocked) > 0, err
}

// Blocked implements ports.ResellerDirectory.
func (d resellerDirectory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return d.among(ctx, ids, "blocked")
}

// Suspending implements ports.ResellerDirectory.
func (d resellerDirectory) Suspending(ctx context.Context, ids []int64) ([]int64, error) {
	return d.among(ctx, ids, suspendsName)
}

// AnySuspending implements ports.ResellerDirectory.
func (d resellerDirectory) AnySuspending(ctx context.Context) (bool, error) {
	found, err := d.find(ctx, resellersName, bson.D{{Key: suspendsName, Value: true}},
		options.Find().SetHint(bySuspending).SetProjection(onlyID).SetLimit(1))
	return len(found) > 0, err
}

// among returns the resellers of ids that have a true field.
func (d resellerDirectory) among(ctx context.Context, ids []int64, field string) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := d.find(ctx, resellersName, with(byIDs(ids), field, true), options.Find().SetProjection(onlyID))
	if err != nil {
		return nil, err
	}
	those := make([]int64, len(found))
	for i, raw := range found {
		those[i] = number(raw, "_id")
	}
	return those, nil
}

// Empty implements ports.ResellerDirectory.
func (d resellerDirectory) Empty(ctx context.Context) (bool, error) {
	found, err := d.find(ctx, resellersName, byID(beyond(int64(0))), options.Find().SetProjection(onlyID).SetLimit(1))
	return len(found) == 0, err
}

// List implements ports.ResellerDirectory.
func (d resellerDirectory) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	if q.Scope.Reseller != 0 && !q.Scope.Tree {
		return storekit.OnlyReseller(ctx, d, q)
	}
	s := search{collection: resellersName, index: onlyID, order: onlyID, rare: byNames(q.Username), limit: q.Limit,
		examined: storekit.Examined(q.Limit)}
	var list bson.D
	switch {
	case q.Master != 0:
		if q.Scope.Reseller != 0 {
			within, err := d.find(ctx, resellersName, with(byID(q.Master), "path", q.Scope.Reseller),
				options.Find().SetProjection(onlyID))
			if err != nil {
				return ports.ResellerPage{}, err
			}
			if len(within) == 0 {
				return storekit.OnlyReseller(ctx, d, q) // only the root of the tree can be directly below
			}
		}
		list, s.index = bson.D{{Key: "parent", Value: q.Master}}, childrenByID
	case q.Scope.Reseller != 0:
		list, s.index = bson.D{{Key: "path", Value: q.Scope.Reseller}}, resellerTreeByID
	}
	s.ranges = []bson.D{with(list, "_id", beyond(q.After))}
	s.filters = s.rare.filter
	found, last, err := d.list(ctx, s)
	if err != nil {
		return ports.ResellerPage{}, err
	}
	var page ports.ResellerPage
	if last != nil {
		page.Next = number(last, "_id")
	}
	page.Resellers, page.Damaged, err = many(found, resellerCodec, reseller.Restore)
	return page, err
}
