import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnAt, columnBy, growth, low, monthOf, stairs, sum, tall, ticks } from '../files/plot.js'

const credit = 10_000n

test('an axis begins at 0, has a round value and twice that, and ends at or above what is shown', () => {
  for (const [most, half] of /** @type {[bigint, bigint][]} */ ([
    [0n, 5000n], [1n, 10n], [credit, 5000n], [3n * credit, 15000n], [6n * credit, 3n * credit], [9n * credit, 5n * credit],
    [3015000n, 160n * credit], [100n * credit, 50n * credit], [99999999999_9999n, 50000000000n * credit],
  ])) assert.deepEqual(ticks(most), [0n, half, 2n * half], String(most))
  for (let most = 21n; most < 10n ** 16n; most = most * 7n + 3n) {
    const [, half, top] = ticks(most)
    assert.match(String(half), /^([1-68]|1[56]|25)0*$/)
    assert.ok(top >= most && top < 2n * most, String(most))
  }
})

test('heights are exact to a ten-thousandth of the axis, also of amounts that no float has', () => {
  assert.equal(tall(0n, 10n), 0)
  assert.equal(tall(-5n, 10n), 0)
  assert.equal(tall(10n, 10n), 100)
  assert.equal(tall(1n, 3n), 33.33)
  assert.equal(tall(99999999999_9999n / 2n, 99999999999_9999n), 49.99)
  assert.equal(tall(2n ** 70n, 2n ** 71n), 50)
})

test('a balance holds until the next movement', () => {
  assert.equal(stairs([20n, 18n, 0n], 20n), 'M0 0H1V10H2V100H3')
  assert.equal(stairs([5n], 10n), 'M0 50H1')
})

test('a place or a key leads to a column, and never beside the chart', () => {
  assert.deepEqual([-5, 0, 9.9, 10, 99, 100, 500].map((x) => columnAt(x, 100, 10)), [0, 0, 0, 1, 9, 9, 9])
  assert.deepEqual(['ArrowLeft', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'a'].map((key) => columnBy(key, 1, 3)), [0, 2, 0, 2, 0, 2, undefined])
  assert.deepEqual([columnBy('ArrowLeft', 0, 3), columnBy('ArrowRight', 2, 3)], [0, 2])
})

const days = [
  { day: '2025-12-31', trials: 9, activations: 9, extensions: 9, spent: '9' },
  { day: '2026-01-01', trials: 1, activations: 0, extensions: 2, spent: '0.1' },
  { day: '2026-01-02', trials: 0, activations: 3, extensions: 0, spent: '0.2' },
  { day: '2026-01-03', trials: 2, activations: 0, extensions: 1, spent: '99999999999.9999' },
]

test('sums are exact, and a month is that of the last day alone', () => {
  assert.deepEqual(monthOf(days).map((d) => d.day), ['2026-01-01', '2026-01-02', '2026-01-03'])
  assert.deepEqual(sum(monthOf(days)), { trials: 3, activations: 3, extensions: 3, spent: '100000000000.2999' })
  assert.equal(sum(days.slice(1, 3)).spent, '0.3')
  assert.deepEqual(sum([]), { trials: 0, activations: 0, extensions: 0, spent: '0' })
})

test('credits are compared with those before, in whole hundredths', () => {
  assert.deepEqual([['63.5', '56.7'], ['1', '2'], ['2', '2'], ['0.0001', '99999999999.9999'], ['0', '0'], ['5', '0.5']].map(([now, before]) => growth(now, before)), [12, -50, 0, -100, undefined, undefined])
})

test('a balance is low below its alert, or below a price where there is none', () => {
  assert.equal(low('9.9999', '10', '1'), '10')
  assert.equal(low('10', '10', '20'), '')
  assert.equal(low('0.5', null, '1'), '1')
  assert.equal(low('1', null, '1'), '')
  assert.equal(low('0', null), '')
})
