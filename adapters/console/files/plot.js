// Where things stand in a chart, and what a summary's days come to. Credits are whole ten-thousandths (BigInt) here; only places
// on the screen become numbers.
import { ofUnits, units } from './format.js'

/** @typedef {{ day: string, trials: number, activations: number, extensions: number, spent: string }} Day */
/** @typedef {{ trials: number, activations: number, extensions: number, spent: string }} Done */

/** What half of an axis may be, with noughts. */
const halves = [10n, 15n, 16n, 20n, 25n, 30n, 40n, 50n, 60n, 80n]

/**
 * The three labelled values of an axis: 0, a round one, and twice that, which is no less than the most that is shown. Of nothing at
 * all it is one credit high.
 * @param {bigint} most
 */
export function ticks(most) {
  const top = most > 0n ? most : 10_000n
  for (let ten = 1n; ; ten *= 10n) {
    const half = halves.find((n) => n * ten * 2n >= top)
    if (half) return [0n, half * ten, half * ten * 2n]
  }
}

/** How tall a value is where the top of the axis is a hundred. @param {bigint} value @param {bigint} top */
export const tall = (value, top) => (value > 0n ? Number((value * 10_000n) / top) / 100 : 0)

/** The line of values that each hold until the next one, as wide as there are, a hundred high. @param {bigint[]} values @param {bigint} top */
export const stairs = (values, top) => values.map((value, i) => (i ? 'V' : 'M0 ') + (100 - tall(value, top)) + 'H' + (i + 1)).join('')

/** Which of a number of columns lies below a place. @param {number} x from the beginning @param {number} width @param {number} columns */
export const columnAt = (x, width, columns) => Math.max(0, Math.min(columns - 1, Math.floor((x * columns) / width)))

/** To which column a key leads from one; undefined where it leads to none. @param {string} key @param {number} from @param {number} columns */
export function columnBy(key, from, columns) {
  const to = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: from + 1, ArrowUp: from + 1, Home: 0, End: columns - 1 }[key]
  return to === undefined ? undefined : Math.max(0, Math.min(columns - 1, to))
}

/** What was done on some days. @param {Day[]} days @returns {Done} */
export const sum = (days) => days.reduce((sum, d) => ({
  trials: sum.trials + d.trials, activations: sum.activations + d.activations, extensions: sum.extensions + d.extensions, spent: ofUnits(units(sum.spent) + units(d.spent)),
}), { trials: 0, activations: 0, extensions: 0, spent: '0' })

/** By how many hundredths credits are more than before; undefined where there were next to none. @param {string} now @param {string} before */
export function growth(now, before) {
  const [to, from] = [units(now), units(before)]
  return to < from * 10n ? Math.round(Number(((to - from) * 1000n) / from) / 10) : undefined
}

/** The days of a summary's last month, which is that of its last day. @param {Day[]} days */
export const monthOf = (days) => days.filter((d) => d.day.slice(0, 7) === days[days.length - 1].day.slice(0, 7))

/** Whether a balance is low: below the threshold of its alert or, where there is none, below a price. @param {string} balance @param {string | null | undefined} threshold @param {string} [price] */
export function low(balance, threshold, price) {
  const below = threshold || price
  return below && units(balance) < units(below) ? below : ''
}
