// Where things stand in a chart, and what a summary's days come to. Credits are whole ten-thousandths (BigInt) here; only places
// on the screen become numbers.
import { ofUnits, units } from './format.js'

/** @typedef {{ day: string, trials: number, activations: number, extensions: number, spent: string }} Day */
/** @typedef {{ trials: number, activations: number, extensions: number, spent: string }} Done */

/**
 * The labelled values of an axis: from 0, equally far apart, 1, 2 or 5 with noughts, the last one no less than the most that is
 * shown. Of nothing at all it is one credit high.
 * @param {bigint} most @param {bigint} [steps] how many there are at most
 */
export function ticks(most, steps = 4n) {
  const top = most > 0n ? most : 10_000n
  for (let ten = 1n; ; ten *= 10n) {
    for (const n of [1n, 2n, 5n]) {
      const step = n * ten
      if (step * steps < top) continue
      const last = (top + step - 1n) / step
      return Array.from({ length: Number(last) + 1 }, (_, i) => BigInt(i) * step)
    }
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

/** The days of a summary's last month, which is that of its last day. @param {Day[]} days */
export const monthOf = (days) => days.filter((d) => d.day.slice(0, 7) === days[days.length - 1].day.slice(0, 7))

/** Whether a balance is low: below the threshold of its alert or, where there is none, below a price. @param {string} balance @param {string | null | undefined} threshold @param {string} [price] */
export function low(balance, threshold, price) {
  const below = threshold || price
  return below && units(balance) < units(below) ? below : ''
}
