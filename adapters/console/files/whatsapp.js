// To which number an access may be sent. WhatsApp takes what it is given for a whole number, so that one without its
// country's code is a stranger's in another country.

/** Whole mobile numbers by country, without the code: where nothing else looks like one, the code is certain. @type {Record<string, [string, RegExp]>} */
const mobiles = { BR: ['55', /^[1-9][1-9]9\d{8}$/] }

/**
 * The digits of a number with its country's code, '' where that is not certain.
 * @param {string | null} written as users write it @param {string} country of the line
 */
export function dialled(written, country) {
  const text = (written || '').trim()
  if (!/^(\+|00)?[\d\s().\-/]+$/.test(text)) return ''
  const digits = text.replace(/\D/g, '')
  const begun = text.startsWith('+') ? digits : text.startsWith('00') ? digits.slice(2) : ''
  if (begun) return /^[1-9]\d{7,14}$/.test(begun) ? begun : ''
  const [code, mobile] = mobiles[country.toUpperCase()] || []
  if (!code || !mobile) return ''
  const own = digits.replace(/^0/, '')
  return mobile.test(own) ? code + own : own.startsWith(code) && mobile.test(own.slice(code.length)) ? own : ''
}
