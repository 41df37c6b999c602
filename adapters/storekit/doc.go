// Package storekit is what stores share: parts for a ports.Store that keeps its
// records on a disk or beyond a network. sqlitestore and mongostore are made of
// them; a store of your own, in this module or another, can be as well.
//
// A store needs none of this to keep the promises of package ports. Take what saves
// work:
//
//   - Gate lets Close wait for the calls under way and refuses those that come later.
//   - Queue hands each update to the one goroutine that writes, all that wait
//     together, so that they can share a transaction. Work runs there; a panic of it
//     is raised again where it belongs, at its caller.
//   - IDs gives ids out of blocks, so that most calls of NextID cost nothing.
//   - Examined bounds what a page of a list may cost.
//   - Watch tells whoever runs the service of commits: see ports.Observable.
//   - Sides keeps the postings of a movement beside its two parties.
//   - Unavailable makes the error that every store owes when it can't answer.
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
