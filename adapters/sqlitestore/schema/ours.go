package schema

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
)

// Errors of refused files.
var (
	ErrForeign = errors.New("the file is not a store of this program: name another file, or a new one")
	ErrNewer   = errors.New("the file was made by a newer version of this program: run that version, or restore a backup from before the upgrade")
)

const applicationID = 1920167026 // "rslr", as the first migration writes it

// Ours returns ErrForeign for a file of another program. An empty one may become
// ours.
func Ours(c *engine.Conn) error {
	var id, others int64
	err := c.Ask("SELECT (SELECT application_id FROM pragma_application_id), count(*) FROM sqlite_schema WHERE tbl_name <> '"+versions+"' AND tbl_name NOT GLOB 'sqlite_*'", func(r *engine.Row) { id, others = r.Integer(), r.Integer() })
	switch {
	case err != nil:
		return Foreign(err)
	case id != applicationID && (id != 0 || others > 0):
		return ErrForeign
	}
	return nil
}

// Foreign makes ErrForeign of SQLite's error for a file that is no database.
func Foreign(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNotADB {
		return fmt.Errorf("%w (%w)", ErrForeign, err)
	}
	return err
}

// Functions are those that migrations may use besides SQLite's own.
var Functions = map[string]*sqlite.FunctionImpl{
	// The checksum of columns.
	"resellerd_checksum": {NArgs: -1, Deterministic: true, Scalar: func(_ sqlite.Context, columns []sqlite.Value) (sqlite.Value, error) {
		var c engine.Content
		for _, column := range columns {
			switch column.Type() {
			case sqlite.TypeNull:
				c = c.Null()
			case sqlite.TypeInteger:
				c = c.Integer(column.Int64())
			case sqlite.TypeText:
				c = c.Text(column.Text())
			case sqlite.TypeBlob:
				c = c.Blob(column.Blob())
			case sqlite.TypeFloat:
				return sqlite.Value{}, fmt.Errorf("a checksum of %v", column.Type())
			}
		}
		return sqlite.IntegerValue(c.Checksum()), nil
	}},
}

func addFunctions(c *engine.Conn) error {
	for name, f := range Functions {
		if err := c.CreateFunction(name, f); err != nil {
			return fmt.Errorf("add the function %s: %w", name, err)
		}
	}
	return nil
}
