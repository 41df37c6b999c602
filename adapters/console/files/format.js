// Times, credits and names of countries as a reader's language writes them. Credits are texts of at most 4 decimal places
// and never become numbers: they are compared and added as whole ten-thousandths.
import { language, t } from './text.js'

/** @type {Map<string, any>} */
const made = new Map()

/** Formatters are made once for each language. @template T @param {string} name @param {(l: string) => T} make @returns {T} */
function formatter(name, make) {
  const key = language.get() + name
  if (!made.has(key)) made.set(key, make(language.get()))
  return made.get(key)
}

/** A date with its time. @param {string | Date} at */
export const dateTime = (at) =>
  formatter('dateTime', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'medium', timeStyle: 'short' })).format(new Date(at))

/** A date. @param {string | Date} at */
export const date = (at) => formatter('date', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'medium' })).format(new Date(at))

/** A time of the day. @param {string | Date} at */
export const time = (at) => formatter('time', (l) => new Intl.DateTimeFormat(l, { timeStyle: 'short' })).format(new Date(at))

const steps = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]])

/** How long until, or since: "in 3 days". @param {string | Date} at @param {number} [now] */
export function left(at, now = Date.now()) {
  const relative = formatter('left', (l) => new Intl.RelativeTimeFormat(l, { numeric: 'always' }))
  const away = new Date(at).getTime() - now
  for (const [unit, length] of steps) {
    if (Math.abs(away) >= length) return relative.format(Math.round(away / length), unit)
  }
  return relative.format(Math.trunc(away / 60_000), 'minute')
}

/** A whole number. @param {number | bigint} n */
export const whole = (n) => formatter('whole', (l) => new Intl.NumberFormat(l)).format(n)

/** Credits as the reader writes numbers. @param {string} text canonical, such as '-1234.5' */
export function credits(text) {
  const [, sign, units, fraction] = /^([-+]?)(\d+)(?:\.(\d+))?$/.exec(text) || []
  if (units === undefined) return text
  const point = formatter('point', (l) => new Intl.NumberFormat(l).formatToParts(1.5).find((p) => p.type === 'decimal')?.value || '.')
  return sign.replace('-', '−') + whole(BigInt(units)) + (fraction ? point + fraction : '')
}

/** Credits that came or went, with their sign. @param {string} text */
export const change = (text) => (text.startsWith('-') ? '' : '+') + credits(text)

/** Credits with the word for them. @param {string} text @param {(text: string) => string} [write] credits or change */
export const inCredits = (text, write = credits) => t(/^-?1$/.test(text) ? 'credit' : 'credits', { amount: write(text) })

/** Credits in whole ten-thousandths. @param {string} text */
export function units(text) {
  const negative = text.startsWith('-')
  const [whole, fraction = ''] = text.replace(/^[-+]/, '').split('.')
  const n = BigInt(whole + fraction.padEnd(4, '0').slice(0, 4))
  return negative ? -n : n
}

/** Ten-thousandths as canonical credits. @param {bigint} n */
export function ofUnits(n) {
  const digits = String(n < 0n ? -n : n).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return (n < 0n ? '-' : '') + digits.slice(0, -4) + (fraction && '.' + fraction)
}

/** What is left of credits after some are taken. @param {string} from @param {string} take */
export const less = (from, take) => ofUnits(units(from) - units(take))

/**
 * Credits as a user types them, in their own writing or with a point, as the API reads them; '' where they are none.
 * @param {string} typed
 */
export function typedCredits(typed) {
  const text = typed.trim().replace(/^(\d*),(\d+)$/, '$1.$2')
  if (!/^\d{0,12}(\.\d{1,4})?$/.test(text) || !/\d/.test(text)) return ''
  return ofUnits(units(text.startsWith('.') ? '0' + text : text))
}

/** The name of a country. @param {string} code of two letters, or any text */
export function country(code) {
  if (!/^[A-Z]{2}$/i.test(code) || code === 'ZZ') return code
  return formatter('country', (l) => new Intl.DisplayNames(l, { type: 'region', fallback: 'code' })).of(code.toUpperCase()) || code
}
