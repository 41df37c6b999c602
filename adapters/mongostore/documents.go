package mongostore

import (
	"fmt"
	"math/big"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/ports"
)

// The documents of records whose fields are not listed elsewhere.
type (
	// holder is the record that has a name. It makes the name unique: in a sharded collection a unique index over names
	// would have to contain the shard key, while an _id need not.
	holder struct {
		Key string `bson:"_id"`
		ID  int64  `bson:"holder"`
	}

	keyID struct {
		Reseller int64  `bson:"account"`
		Key      string `bson:"key"`
	}
	keyDocument struct {
		ID      keyID     `bson:"_id"`
		Request []byte    `bson:"request"`
		Status  int64     `bson:"status"`
		Body    []byte    `bson:"body"` // encrypted
		Expires time.Time `bson:"expires"`
	}
)

var nameCodec = asWritten[holder]()

var keyCodec = codecOf(
	func(r ports.KeyRecord, _ int64) keyDocument {
		return keyDocument{
			ID:      keyID{r.Reseller, r.Key},
			Request: storekit.OrEmpty(r.Request),
			Status:  int64(r.Status),
			Body:    storekit.OrEmpty(r.Body),
			Expires: r.Expires,
		}
	},
	func(d keyDocument) (ports.KeyRecord, int64, error) {
		return ports.KeyRecord{
			Reseller: d.ID.Reseller,
			Key:      d.ID.Key,
			Request:  d.Request,
			Status:   int(d.Status),
			Body:     d.Body,
			Expires:  d.Expires,
		}, 0, nil
	},
)

// creditsOf returns an amount as a decimal with four decimal places.
func creditsOf(a credit.Amount) bson.Decimal128 {
	d, _ := bson.ParseDecimal128FromBigInt(big.NewInt(a.Units()), -credit.Scale) // 34 digits hold every int64
	return d
}

// amountOf reads a decimal of creditsOf. Another form shows when the document is written again.
func amountOf(d bson.Decimal128) (credit.Amount, error) {
	digits, exponent, err := d.BigInt()
	if err != nil || !digits.IsInt64() || exponent != -credit.Scale {
		return credit.Amount{}, fmt.Errorf("%s is no amount of credits", d)
	}
	return credit.FromUnits(digits.Int64())
}

// sumOf reads a sum of amounts, which may have more digits than an amount. The zero value, an empty sum, is 0.
func sumOf(d bson.Decimal128) (decimal.Decimal, error) {
	digits, exponent, err := d.BigInt()
	if err == nil && digits.Sign() == 0 {
		return decimal.Decimal{}, nil
	}
	if err != nil || exponent < -credit.Scale || exponent > 0 {
		return decimal.Decimal{}, fmt.Errorf("%w: %s is no sum of credits", storekit.ErrDamaged, d)
	}
	return decimal.NewFromBigInt(digits, int32(exponent)), nil
}
