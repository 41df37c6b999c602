// Times, credits and names of countries as a reader's language writes them. Credits are texts of at most 4 decimal places
// and never become numbers: they are compared and added as whole ten-thousandths.
import { language, t } from './text.js'
import { now } from './clock.js'
import { plain } from './typed.js'

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

/** The dates of a period, as a language writes them together. @param {Date} from @param {Date} to */
export const range = (from, to) => formatter('range', (l) => new Intl.DateTimeFormat(l, { dateStyle: 'long' })).formatRange(from, to)

/** What makes a file for a spreadsheet one of the user's language and time. */
export const localised = () => ({ language: language.get().slice(0, 2), time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone })

/** A date in few letters: without its year, where that is the nearest of this day. @param {string | Date} at @param {string} [zone] other than here */
export function near(at, zone) {
  const far = Math.abs(new Date(at).getTime() - now()) > 300 * 1440 * minute
  return formatter('near' + far + zone, (l) => new Intl.DateTimeFormat(l, { day: 'numeric', month: 'short', year: far ? 'numeric' : undefined, timeZone: zone })).format(new Date(at))
    .replace(/ de /g, ' ').replace('.', '') // as it is said, in Portuguese
}

/** The same with the time. @param {string | Date} at */
export const nearTime = (at) => `${near(at)}, ${time(at)}`

/** Several things, as a language lists them. @param {string[]} all */
export const listed = (all) => formatter('listed', (l) => new Intl.ListFormat(l)).format(all)

/** A time of the day. @param {string | Date} at */
export const time = (at) => formatter('time', (l) => new Intl.DateTimeFormat(l, { timeStyle: 'short' })).format(new Date(at))

/** How many days of the calendar here it is to an instant; negative for the past. @param {string | Date} at */
export function daysTo(at) {
  const midnight = (/** @type {Date} */ of) => Date.UTC(of.getFullYear(), of.getMonth(), of.getDate())
  return (midnight(new Date(at)) - midnight(new Date(now()))) / 86_400_000
}

/** How far away a day is, as a calendar shows it; the time as well if it is this day. @param {string | Date} at */
export function relative(at) {
  const days = daysTo(at), numeric = Math.abs(days) < 2 ? 'auto' : 'always'
  const said = formatter('relative' + numeric, (l) => new Intl.RelativeTimeFormat(l, { numeric })).format(days, 'day').replace(/^dentro de /, 'en ')
  return days ? said : `${said}, ${time(at)}`
}

/** When a line ends or has ended, in words. @param {string} at */
export const ends = (at) => t(Date.parse(at) > now() ? 'ends' : 'ended', { when: relative(at) })

const minute = 60_000
/** Units, how long they are, and from when on they are used: two days may not be a day and a half. */
const steps = /** @type {[Intl.RelativeTimeFormatUnit, number, number][]} */ ([['day', 1440 * minute, 2880 * minute], ['hour', 60 * minute, 60 * minute]])

/** How long until, or since, in whole units: "in 3 days" is never less. @param {string | Date} at */
export function left(at) {
  const relative = formatter('left', (l) => new Intl.RelativeTimeFormat(l, { numeric: 'always' }))
  const said = (/** @type {number} */ n, /** @type {Intl.RelativeTimeFormatUnit} */ unit) => relative.format(n, unit).replace(/^dentro de /, 'en ') // shorter, in Spanish
  const away = new Date(at).getTime() - now()
  // What was bought for 30 days a moment ago has 30 days left.
  const whole = away + Math.sign(away) * minute
  for (const [unit, length, from] of steps) {
    if (Math.abs(whole) >= from) return said(Math.trunc(whole / length), unit)
  }
  return said(Math.trunc(away / minute), 'minute')
}

/** A whole number, with its thousands apart in each language, as they may be typed. @param {number | bigint} n */
export const whole = (n) => formatter('whole', (l) => new Intl.NumberFormat(l, { useGrouping: 'always' })).format(n)

/** A percentage. @param {number} n */
export const percent = (n) => formatter('percent', (l) => new Intl.NumberFormat(l, { style: 'percent' })).format(n / 100)

/** Credits as the reader writes numbers. @param {string} text canonical, such as '-1234.5' */
export function credits(text) {
  const [, sign, units, fraction] = /^([-+]?)(\d+)(?:\.(\d+))?$/.exec(text) || []
  if (units === undefined) return text
  return sign.replace('-', '−') + whole(BigInt(units)) + (fraction ? signs().point + fraction : '')
}

/** What a language writes between thousands, and before decimals. @returns {{ group: string, point: string }} */
export const signs = () => formatter('signs', (l) => {
  const parts = new Intl.NumberFormat(l).formatToParts(1_234_567.5)
  const of = (/** @type {string} */ type) => parts.find((p) => p.type === type)?.value || ''
  return { group: of('group'), point: of('decimal') }
})

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
 * Credits as a user types them, by the signs of their language alone: what would be another amount in another language is
 * none, and nothing is guessed. Thousands are in groups of three, or not grouped.
 * @param {string} typed
 * @returns {{ amount: string, wrong?: string, perhaps?: string }} amount: canonical, '' where there is none; wrong: the key of
 *   what is said then; perhaps: what it is by the signs of other languages
 */
export function typedCredits(typed) {
  const { group, point } = signs()
  const text = plain(typed).replaceAll('٬', group).replaceAll('٫', point), amount = read(text, group, point)
  if (amount === undefined) {
    const perhaps = read(text, point, group)
    return perhaps ? { amount: '', wrong: 'amount.unclear', perhaps } : { amount: '', wrong: 'amount.none' }
  }
  const [whole, fraction = ''] = amount.split('.')
  if (whole.length > 12) return { amount: '', wrong: 'field.too-large' }
  if (fraction.length > 4) return { amount: '', wrong: 'field.too-many-decimal-places' }
  return { amount }
}

/** Reads a text by these signs; '' where it is empty, undefined where it is no number. @param {string} text @param {string} group @param {string} point */
function read(text, group, point) {
  if (!text) return ''
  const [, whole = '', fraction = ''] = new RegExp(`^([1-9]\\d{0,2}(?:[${group}\\s]\\d{3})+|\\d*)(?:[${point}](\\d*))?$`).exec(text) || []
  if (!/\d/.test(whole + fraction)) return undefined
  const decimals = fraction.replace(/0+$/, '')
  return (whole.replace(/\D/g, '').replace(/^0+/, '') || '0') + (decimals && '.' + decimals)
}

/** The name of a country. @param {string} code of two letters, or any text */
export function country(code) {
  if (!/^[A-Z]{2}$/i.test(code) || code === 'ZZ') return code
  return formatter('country', (l) => new Intl.DisplayNames(l, { type: 'region', fallback: 'code' })).of(code.toUpperCase()) || code
}
