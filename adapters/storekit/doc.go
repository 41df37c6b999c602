// Package storekit implements the parts that stores share: helpers for a ports.Store that has its records on a disk or
// behind a network. sqlitestore and mongostore are made of them. Your own store can use them too, in this module or in
// another one.
//
// A store can fulfil the promises of package ports without these parts. Use the ones that save work:
//
//   - Gate lets Close wait for the calls in progress and refuses later ones.
//   - Queue passes updates to the one goroutine that writes. Updates that wait together can share a transaction (group
//     commit). The work of an update runs there; its panic is raised again in its caller.
//   - IDs assigns ids from blocks, so that most calls of NextID cost nothing.
//   - Examined bounds the cost of a page of a list.
//   - Watch reports commits: see ports.Observable.
//   - Fill adds a batch of a copy.
//   - EncodeEntry and DecodeEntry convert an entry of the journal to and from one text. EventLists returns its lists.
//   - Signal wakes the goroutines that wait for an entry.
//   - Sides splits a movement into its two parties with their postings.
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
//				c.Run(&transaction{tx}) // run its work; undo it unless its outcome is Succeeded
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
