// The period of a statement in the time zone of the browser: its bounds, and what its movements come to. Credits are texts.
import { ofUnits, units } from './format.js'

/** The choices: this month, last month, and dates of the user. */
export const periods = ['month', 'last', 'dates']

/** A date as a date field has it. @param {Date} at */
export const dateField = (at) => [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-')

/** The day that begins so many days later. @param {Date} day @param {number} days */
const later = (day, days) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days)

/** The beginning of the day in a date field, undefined where it has none. @param {string | null} text */
function dayOf(text) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text || '') || []
  return year ? new Date(Number(year), Number(month) - 1, Number(day)) : undefined
}

/**
 * The period in the address.
 * @param {URLSearchParams} query @param {number} now
 * @returns {{ which: string, from: Date, to: Date, last: Date }} to: the first instant after it; last: its last day
 */
export function periodOf(query, now) {
  const which = periods.find((one) => one === query.get('period')) || 'month'
  const today = later(new Date(now), 0), month = (/** @type {number} */ n) => new Date(today.getFullYear(), today.getMonth() + n, 1)
  if (which === 'last') return { which, from: month(-1), to: month(0), last: later(month(0), -1) }
  if (which === 'month') return { which, from: month(0), to: month(1), last: today }
  const [from, last] = [dayOf(query.get('from')) || month(0), dayOf(query.get('to')) || today].sort((a, b) => a.getTime() - b.getTime())
  return { which, from, to: later(last, 1), last }
}

/** @typedef {{ amount: string, balance: string, at: string }} Moved */

/** What came in, and what went out, without a sign. @param {Moved[]} entries */
export function sums(entries) {
  let came = 0n, went = 0n
  for (const { amount } of entries) amount.startsWith('-') ? went -= units(amount) : came += units(amount)
  return { came: ofUnits(came), went: ofUnits(went) }
}

/**
 * The balance at the end of each day of a period.
 * @param {Moved[]} entries the newest first @param {string} opening @param {{ from: Date, last: Date }} period
 */
export function balances(entries, opening, { from, last }) {
  const days = []
  let balance = opening, next = entries.length - 1
  for (let day = from; day <= last; day = later(day, 1)) {
    for (const end = later(day, 1); next >= 0 && new Date(entries[next].at) < end; next--) balance = entries[next].balance
    days.push({ day, balance })
  }
  return days
}
