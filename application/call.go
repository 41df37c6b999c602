package application

import "resellerd/application/internal/usecase"

// Types that the use cases of every feature share.
type (
	// Policy is the operator's configuration of the rules.
	Policy = usecase.Policy
	// Dependencies are the outside services that the use cases need.
	Dependencies = usecase.Dependencies
	// Process describes the serving process.
	Process = usecase.Process
	// Call is the part of a request that every use case gets.
	Call = usecase.Call
	// Caller is the authenticated caller.
	Caller = usecase.Caller
	// Receipt is an adapter's form of a result.
	Receipt = usecase.Receipt
	// Render makes the receipt of a result.
	Render[R any] = usecase.Render[R]
	// Page is a part of a list.
	Page[T any] = usecase.Page[T]
	// PageOf is a part of a list with its own type of cursors.
	PageOf[T, C any] = usecase.PageOf[T, C]
	// Cursor is a position in an order.
	Cursor = usecase.Cursor
	// EventCursor is a position in the journal.
	EventCursor = usecase.EventCursor
	// Order is the order of a list.
	Order = usecase.Order
	// CursorUnknown refuses a cursor of another epoch of the journal.
	CursorUnknown = usecase.CursorUnknown
	// DamagedSession refuses a session whose record can't be read.
	DamagedSession = usecase.DamagedSession
)

// Limits.
const (
	// KeyLifetime is how long an idempotency key replays its answer.
	KeyLifetime = usecase.KeyLifetime
	// MostHeld is how many records a page holds at once.
	MostHeld = usecase.MostHeld
	// MostCounted is how many bytes of memory the counts of free changes take.
	MostCounted = usecase.MostCounted
)

// Refusals and failures.
var (
	ErrUnavailable        = usecase.ErrUnavailable
	ErrNotHeld            = usecase.ErrNotHeld
	ErrBadCursor          = usecase.ErrBadCursor
	ErrKeyReused          = usecase.ErrKeyReused
	ErrTooManyFreeChanges = usecase.ErrTooManyFreeChanges
)

// The orders of lists of lines.
var (
	LinesByID     = usecase.LinesByID
	LinesByExpiry = usecase.LinesByExpiry
	LinesByName   = usecase.LinesByName
	NewestLines   = usecase.NewestLines
	LatestExpiry  = usecase.LatestExpiry
)

// IsKey reports whether a bearer credential claims to be a key.
func IsKey(bearer string) bool { return usecase.IsKey(bearer) }
