package memstore

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTreeIsAnImmutableMap compares trees with maps over a random history. Earlier trees must not change.
func TestTreeIsAnImmutableMap(t *testing.T) {
	type held struct {
		tree tree[int, int]
		want map[int]int
	}
	random := rand.New(rand.NewPCG(1, 2))
	now := held{want: map[int]int{}}
	var history []held
	for step := range 2_000 {
		key := random.IntN(200)
		now.want = maps.Clone(now.want)
		if random.IntN(3) == 0 {
			now.tree = now.tree.without(key)
			delete(now.want, key)
		} else {
			now.tree = now.tree.with(key, step)
			now.want[key] = step
		}
		value, found := now.tree.get(key)
		if want, there := now.want[key]; value != want || found != there {
			t.Fatalf("step %d: key %d: got %d, %t, want %d, %t", step, key, value, found, want, there)
		}
		if step%100 == 0 {
			history = append(history, now)
		}
	}
	for i, h := range append(history, now) {
		var keys []int
		for key, value := range h.tree.all() {
			keys = append(keys, key)
			if want, found := h.want[key]; !found || value != want {
				t.Fatalf("tree %d: key %d: got %d, want %d, %t", i, key, value, want, found)
			}
		}
		want := slices.Sorted(maps.Keys(h.want))
		if !slices.Equal(keys, want) {
			t.Fatalf("tree %d: got keys %v, want %v", i, keys, want)
		}
		for start := -1; start <= 200; start++ {
			from, _ := slices.BinarySearch(want, start)
			if got := firstKeys(h.tree.from(start)); !slices.Equal(got, want[from:min(from+3, len(want))]) {
				t.Fatalf("tree %d: got the keys %v from %d on, and has %v", i, got, start, want)
			}
			before := slices.Clone(want[max(from-3, 0):from])
			slices.Reverse(before)
			if got := firstKeys(h.tree.before(start)); !slices.Equal(got, before) {
				t.Fatalf("tree %d: got the keys %v before %d, and has %v", i, got, start, want)
			}
		}
	}
}

// firstKeys returns up to three keys, so that iterations also end early.
func firstKeys(entries iter.Seq2[int, int]) (keys []int) {
	for key := range entries {
		if keys = append(keys, key); len(keys) == 3 {
			break
		}
	}
	return keys
}
