// Package storekit is what stores share: parts for a ports.Store that keeps its records on a disk or beyond a network.
// sqlitestore and mongostore are made of them; so can a store of your own, in this module or another.
//
// A store needs none of this to keep the promises of package ports. Take what saves
// work:
//
//   - Gate lets Close wait for the calls under way and refuses those that come later.
//   - Queue passes updates to the one goroutine that writes, all that wait together, so that they can share a
//     transaction (group commit). Work runs there; its panic is raised again at its caller.
//   - IDs gives ids from blocks, so that most calls of NextID cost nothing.
//   - Examined bounds what a page of a list may cost.
//   - Watch reports commits: see ports.Observable.
//   - Fill adds a batch of a copy.
//   - EncodeEntry and DecodeEntry keep an entry of the journal as one text, EventLists says in which lists it is.
//   - Signal wakes who waits for an entry.
//   - Sides keeps the postings of a movement beside its two parties.
//   - Unavailable makes the error of a store that can't answer.
//
// In outline:
//
//	type Store struct {
//		users storekit.Gate
//		queue *storekit.Queue[*transaction]
//	}
//
//	func Open() *Store {
//		s := &Store{queue: storekit.NewQueue[*transaction](128, 0)}
//		go s.queue.Serve(func(batch []*storekit.Command[*transaction]) {
//			tx := ...              // begin
//			for _, c := range batch {
//				c.Run(&transaction{tx}) // run its work; undo it unless it was kept
//			}
//			err := ...             // commit
//			for _, c := range batch {
//				c.End(err)
//			}
//		})
//		return s
//	}
//
//	func (s *Store) Update(ctx context.Context, work func(context.Context, ports.Tx) error, _ ...ports.Reads) error {
//		if err := s.users.Enter(ctx); err != nil {
//			return err
//		}
//		defer s.users.Leave()
//		return s.queue.Do(ctx, func(tx *transaction) error { return work(ctx, tx.ports()) })
//	}
//
//	func (s *Store) Close() error {
//		if s.users.Shut() {
//			s.queue.Close()
//		}
//		return nil
//	}
package storekit
