// Texts as QR codes. A file of its own, which is read when a code is asked for.
import { encode } from './vendor/uqr.js'

/**
 * A code with its light margin: how many modules its side has, and its dark modules as the path of an SVG. Null for a
 * text that is too long.
 * @param {string} text
 */
export function drawing(text) {
  const bytes = [...new TextEncoder().encode(text)]
  if (bytes.length > 2953) return null // the largest code has no room for more
  const { size, data } = encode(bytes, { ecc: 'L', border: 4 })
  return { side: size, path: data.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('') }
}
