package usecase

// What a page of a search examines, at most: no index helps it. It ends there, with the cursor of where it came to. The
// records of a read and those that were found before are MostHeld together.
const (
	maxSearched      = 5_000   // records
	maxSearchedBytes = 8 << 20 // of their texts, beyond which no further are read
	leastSearched    = 25      // records of a read, at least
)

// Examined is what a search has read.
type Examined struct {
	Records int
	Bytes   int  // of their texts
	Short   bool // the store has examined as much as it may at once, and there are more
}

// FillPage adds to a page what a search finds, and says in page.Next how far it has come. Next returns the cursor of
// that, nil at the end; read adds what is found among the following records, of which it reads so many, at most.
func FillPage[T any](page *Page[T], limit int, next func() *Cursor, read func(most int) (Examined, error)) error {
	most, sum := min(limit, MostHeld-leastSearched), Examined{}
	for page.Next = next(); page.Next != nil; page.Next = next() {
		if len(page.Items) == most || sum.Short || sum.Records >= maxSearched || sum.Bytes >= maxSearchedBytes {
			return nil
		}
		more, err := read(MostHeld - len(page.Items))
		if err != nil {
			return err
		}
		sum = Examined{sum.Records + more.Records, sum.Bytes + more.Bytes, more.Short}
		if len(page.Items) > most {
			clear(page.Items[most:])
			page.Items = page.Items[:most]
			page.Next = new(page.After(page.Items[most-1]))
			return nil
		}
	}
	return nil
}
