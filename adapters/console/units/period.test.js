import test from 'node:test'
import assert from 'node:assert/strict'
import { balances, dateField, periodOf, sums } from '../files/period.js'

const now = +new Date(2026, 2, 3, 15, 30) // the 3rd of March

/** @param {string} query */
const said = (query) => {
  const { which, from, to, last } = periodOf(new URLSearchParams(query), now)
  return [which, ...[from, to, last].map(dateField)].join(' ')
}

test('a period begins and ends at midnight of the browser', () => {
  for (const [query, want] of [
    ['', 'month 2026-03-01 2026-04-01 2026-03-03'],
    ['period=none', 'month 2026-03-01 2026-04-01 2026-03-03'],
    ['period=last', 'last 2026-02-01 2026-03-01 2026-02-28'],
    ['period=dates&from=2025-12-31&to=2026-01-01', 'dates 2025-12-31 2026-01-02 2026-01-01'],
    ['period=dates&from=2026-01-02&to=2026-01-01', 'dates 2026-01-01 2026-01-03 2026-01-02'],
    ['period=dates&from=x', 'dates 2026-03-01 2026-03-04 2026-03-03'],
  ]) assert.equal(said(query), want, query)
  assert.equal(periodOf(new URLSearchParams(), now).from.getHours(), 0)
})

const at = (/** @type {number} */ day) => new Date(2026, 2, day, 12).toISOString()
const entries = [{ amount: '-0.5', balance: '9.5', at: at(3) }, { amount: '-1', balance: '10', at: at(1) }, { amount: '10', balance: '11', at: at(1) }]

test('sums are exact, and a day without movements has the balance of the day before', () => {
  assert.deepEqual(sums(entries), { came: '10', went: '1.5' })
  assert.deepEqual(sums([]), { came: '0', went: '0' })
  const days = (/** @type {any[]} */ some) => balances(some, '1', periodOf(new URLSearchParams(), now)).map(({ balance }) => balance)
  assert.deepEqual(days(entries), ['10', '10', '9.5'])
  assert.deepEqual(days([]), ['1', '1', '1'])
})
