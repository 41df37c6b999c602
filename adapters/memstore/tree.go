package memstore

import (
	"cmp"
	"iter"
	"math/rand/v2"
)

// tree is an immutable ordered map, a treap. with and without return a changed tree that shares all but one path with
// the old one, in O(log n). A tree never changes, so a snapshot is a copy of its root.
type tree[K cmp.Ordered, V any] struct{ root *node[K, V] }

type node[K cmp.Ordered, V any] struct {
	key         K
	value       V
	priority    uint64 // random, and never less than that of a child
	left, right *node[K, V]
}

func (t tree[K, V]) empty() bool { return t.root == nil }

func (t tree[K, V]) get(key K) (value V, found bool) {
	for n := t.root; n != nil; {
		switch order := cmp.Compare(key, n.key); {
		case order < 0:
			n = n.left
		case order > 0:
			n = n.right
		default:
			return n.value, true
		}
	}
	return value, false
}

func (t tree[K, V]) with(key K, value V) tree[K, V] {
	less, more := t.split(t.root, key)
	//nolint:gosec // it balances the tree and is no secret
	added := &node[K, V]{key: key, value: value, priority: rand.Uint64()}
	return tree[K, V]{join(join(less, added), more)}
}

func (t tree[K, V]) without(key K) tree[K, V] {
	less, more := t.split(t.root, key)
	return tree[K, V]{join(less, more)}
}

// all yields the entries in the order of their keys.
func (t tree[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walk(yield) }
}

func (n *node[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.key, n.value) && n.right.walk(yield)
}

// from yields the entries whose keys are key or more, in order.
func (t tree[K, V]) from(key K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.walkFrom(t.root, key, yield) }
}

func (t tree[K, V]) walkFrom(n *node[K, V], key K, yield func(K, V) bool) bool {
	switch {
	case n == nil:
		return true
	case cmp.Compare(n.key, key) < 0:
		return t.walkFrom(n.right, key, yield)
	}
	return t.walkFrom(n.left, key, yield) && yield(n.key, n.value) && n.right.walk(yield)
}

// before yields the entries whose keys are less than key, the last first.
func (t tree[K, V]) before(key K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.walkBefore(t.root, key, yield) }
}

func (t tree[K, V]) walkBefore(n *node[K, V], key K, yield func(K, V) bool) bool {
	switch {
	case n == nil:
		return true
	case cmp.Compare(n.key, key) >= 0:
		return t.walkBefore(n.left, key, yield)
	}
	return t.walkBefore(n.right, key, yield) && yield(n.key, n.value) && t.walkBefore(n.left, key, yield)
}

// split returns the entries before key and the entries after it.
func (t tree[K, V]) split(n *node[K, V], key K) (less, more *node[K, V]) {
	if n == nil {
		return nil, nil
	}
	switch order := cmp.Compare(key, n.key); {
	case order < 0:
		less, more = t.split(n.left, key)
		return less, n.over(more, n.right)
	case order > 0:
		less, more = t.split(n.right, key)
		return n.over(n.left, less), more
	default:
		return n.left, n.right
	}
}

// join returns a tree of both. All keys in less come before those in more.
func join[K cmp.Ordered, V any](less, more *node[K, V]) *node[K, V] {
	switch {
	case less == nil:
		return more
	case more == nil:
		return less
	case less.priority > more.priority:
		return less.over(less.left, join(less.right, more))
	default:
		return more.over(join(less, more.left), more.right)
	}
}

// over returns a copy of n with these children.
func (n *node[K, V]) over(left, right *node[K, V]) *node[K, V] {
	return &node[K, V]{key: n.key, value: n.value, priority: n.priority, left: left, right: right}
}
