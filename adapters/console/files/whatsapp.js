// To which number a message may be sent. WhatsApp takes what it is given for a whole number, so that one without its
// country's code is a stranger's in another country: a number counts only where nothing else looks like it.
import { plain } from './typed.js'

/**
 * Mobile numbers as they are written in their country, in which nothing else looks like them: its two letters, its calling code,
 * their digits without it, how they begin, and what is dialled in front of them in the country ("-": nothing). From the metadata
 * of libphonenumber, less what no mobile in use has.
 */
const table = `
AR 54 11 9(11|[23]) 0
BO 591 8 [67] 0
BR 55 11 [1-9][1-9]9 0
CL 56 9 9 0
CO 57 10 3 0
CR 506 8 [5-8] -
CU 53 8 [56] 0
DO 1 10 8[024]9[2-9] 1
EC 593 9 9 0
SV 503 8 [5-7] -
GT 502 8 [3-5] -
HT 509 8 [345] -
HN 504 8 [37-9] -
MX 52 10 [2-9] -
NI 505 8 [5-8] -
PA 507 8 6 -
PY 595 9 9 0
PE 51 9 9 0
PR 1 10 (787|939)[2-9] 1
UY 598 8 9 0
VE 58 10 4[12] 0
BZ 501 7 6 -
GY 592 7 6|7[0-6] -
SR 597 7 [678] -
GF 594 9 69|709 0
GP 590 9 69|709 0
MQ 596 9 69|709 0
JM 1 10 (876|658)[2-9] 1
TT 1 10 868[2-9] 1
US 1 10 [2-9]\\d\\d[2-9] 1
CA 1 10 [2-9]\\d\\d[2-9] 1
PT 351 9 9[1-36] -
ES 34 9 6|7[1-48] -
AD 376 6 [36] -
FR 33 9 [67] 0
DE 49 10,11 1[5-7] 0
IT 39 9,10 3 -
GB 44 10 7[1-57-9] 0
IE 353 9 8[35-9] 0
NL 31 9 6 0
BE 32 9 4[5-9] 0
LU 352 9 6 -
CH 41 9 7[5-9] 0
AT 43 10,12 6(5[0-3579]|6[013-9]|[7-9]) 0
DK 45 8 [2-9] -
SE 46 9 7[023689] 0
NO 47 8 [49] -
FI 358 9,10 4[0-8]|50 0
IS 354 7 [678] -
PL 48 9 45|5[0137]|6[069]|7[2389]|88 -
CZ 420 9 60|7[02379] -
SK 421 9 9[0145] 0
HU 36 9 [2357]0|31 06
RO 40 9 7 0
BG 359 9 8[7-9]|98 0
GR 30 10 69 -
HR 385 8,9 9 0
UA 380 9 39|50|6[36-8]|7[357]|9[1-9] 0
RU 7 10 9 8
KZ 7 10 7[0467] 8
TR 90 10 5 0
IL 972 9 5 0
AE 971 9 5 0
SA 966 9 5 0
MA 212 9 [67] 0
AO 244 9 9 -
MZ 258 9 8 -
CV 238 7 [59] -
GW 245 9 9[56] -
ST 239 7 9 -
TL 670 8 7 -
ZA 27 9 [678] 0
NG 234 10 [789] 0
IN 91 10 [6-9] 0
PH 63 10 9 0
JP 81 10 [789]0 0
CN 86 11 1 0
AU 61 9 4 0
NZ 64 8,10 2 0`

/** @typedef {{ code: string, mobile: RegExp, trunk: string }} Plan */

const plans = /** @type {Record<string, Plan>} */ (Object.fromEntries(table.trim().split('\n').map((row) => {
  const [country, code, digits, begin, trunk] = row.split(' ')
  return [country, { code, mobile: new RegExp(`^(?=\\d{${digits}}$)(?:${begin})`), trunk: trunk === '-' ? '' : trunk }]
})))

/** Calling codes: of one digit, of two digits, and all others. */
const codes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d*)$/

/** What people leave out, or still put in front of a mobile number; the rest of it as WhatsApp knows it. @type {Record<string, (rest: string) => string>} */
const mend = {
  // The 15 behind an area of two, three or four digits is dialled within the country alone, the 9 in front from elsewhere.
  54: (rest) => {
    const [own, ...others] = [/^9?(11)15(\d{8})$/, /^9?([23]\d\d)15(\d{7})$/, /^9?([23]\d{3})15(\d{6})$/].filter((is) => is.test(rest)).map((is) => rest.replace(is, '9$1$2'))
    return own && !others.length ? own : /^(11|[23])\d+$/.test(rest) && rest.length === 10 ? '9' + rest : rest
  },
  // Since 2016 each has nine digits behind its area.
  55: (rest) => rest.replace(/^([1-9][1-9])([6-9]\d{7})$/, '$19$2'),
  // Until 2019 a mobile was dialled with 044 or 045, and with a 1 from elsewhere.
  52: (rest) => rest.replace(/^(?:01|04[45]|1)(?=[2-9]\d{9}$)/, ''),
}

/** A number without its country's code as WhatsApp knows it. @param {string} code @param {string} rest */
const mended = (code, rest) => mend[code]?.(rest) ?? rest

/** A mobile number of a country, '' where it is none. @param {Plan} plan @param {string} digits without the calling code */
function mobileOf({ code, mobile, trunk }, digits) {
  const all = [digits, ...(trunk && digits.startsWith(trunk) ? [digits.slice(trunk.length)] : [])]
  return all.map((own) => mended(code, own)).find((own) => mobile.test(own)) || ''
}

/**
 * The digits of a number with its country's code, '' where that is not certain.
 * @param {string | null} written as users write it @param {string} country of the line
 */
export function dialled(written, country) {
  const text = plain(written || '').replace(/^(https?:\/\/)?wa\.me\/\+?/, '+')
  if (!/^(\+|00)?[\d\s().\-/]+$/.test(text)) return ''
  const digits = text.replace(/\D/g, '')
  if (/^(\+|00)/.test(text)) {
    const [, code = '', rest = ''] = codes.exec(digits.replace(/^00/, '')) || []
    const zero = Object.values(plans).some((plan) => plan.code === code && plan.trunk === '0')
    const whole = code + mended(code, zero ? rest.replace(/^0/, '') : rest)
    return /^[1-9]\d{7,14}$/.test(whole) ? whole : ''
  }
  const plan = plans[country.toUpperCase()]
  if (!plan) return ''
  const own = mobileOf(plan, digits) || (digits.startsWith(plan.code) && mobileOf(plan, digits.slice(plan.code.length)))
  return own ? plan.code + own : ''
}

/** The groups of digits, by calling code, unless they are groups of three. @type {Record<string, RegExp>} */
const groups = {
  1: /^(\d{3})(\d{3})(\d{4})$/, 33: /^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, 52: /^(\d\d)(\d{4})(\d{4})$/, 54: /^(9)(11|\d{3})(\d{3,4})(\d{4})$/,
  55: /^(\d\d)(\d{4,5})(\d{4})$/, 56: /^(\d)(\d{4})(\d{4})$/,
}

/** A number as it is dialled, for people: +55 11 98765 4321. @param {string} number that dialled returned */
export function spelled(number) {
  const [, code = '', rest = ''] = codes.exec(number) || []
  const parts = groups[code]?.exec(rest)?.slice(1) || (rest.length === 8 ? [rest.slice(0, 4), rest.slice(4)] : rest.match(/\d{3}(?=\d{3})|\d+$/g) || [])
  return ['+' + code, ...parts].join(' ')
}

/** Where a message is written by WhatsApp, which asks to whom where the number is ''. @param {string} number @param {string} text */
export const toWhatsApp = (number, text) => `https://wa.me/${number}?text=${encodeURIComponent(text)}`
