package usecase

import (
	"context"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// ReleaseName releases a name that this owner has claimed.
func ReleaseName(ctx context.Context, tx ports.Tx, folded string, by profile.NameClaim) error {
	claims := ports.NameClaims.In(tx.Records)
	claim, err := claims.Get(ctx, folded)
	if by.Folded = folded; IsNotFound(err) || err == nil && claim != by {
		return nil
	}
	if err != nil {
		return err
	}
	return claims.Delete(ctx, folded)
}

// ClaimName reserves a name for one record, and releases its previous name. The refusal is profile.ErrUsernameTaken; of
// two concurrent claims one gets record.ErrExists, possibly at the end of the transaction.
func ClaimName(ctx context.Context, tx ports.Tx, was, is profile.Username, by profile.NameClaim) error {
	claims := ports.NameClaims.In(tx.Records)
	if was.String() != "" {
		if was.Key() == is.Key() {
			return nil
		}
		if err := ReleaseName(ctx, tx, was.Key(), by); err != nil {
			return err
		}
	}
	by.Folded = is.Key()
	_, err := claims.Get(ctx, by.Folded)
	if err == nil {
		return profile.ErrUsernameTaken
	}
	if !IsNotFound(err) {
		return err
	}
	return claims.Insert(ctx, by)
}

// CheckResellerNameFree returns profile.ErrUsernameTaken if another reseller than except has a name.
func CheckResellerNameFree(ctx context.Context, resellers ports.ResellerReader, name profile.Username,
	except int64) error {
	return CheckNameFree(except, func() (int64, error) {
		holder, err := resellers.FindByUsername(ctx, name)
		if err != nil {
			return 0, err
		}
		return holder.ID(), nil
	})
}

// CheckNameFree returns profile.ErrUsernameTaken if another record than except has a name. The store decides: a name
// may still be taken at the insert, or at the commit.
func CheckNameFree(except int64, find func() (holder int64, err error)) error {
	switch holder, err := find(); {
	case IsNotFound(err):
		return nil
	case err != nil:
		return err
	case holder != except:
		return profile.ErrUsernameTaken
	}
	return nil
}
