// Marks in a text what a search has found there.
import { html } from './html.js'

/** Without case and accents, of the same length. @param {string} text */
const folded = (text) => text.split('').map((unit) => unit.normalize('NFD')[0].toLowerCase()).join('')

/**
 * Where a search finds something in a text: its begin and its end. Four or more digits also find a number that is written in
 * another way.
 * @param {string | null | undefined} text @param {string} wanted @returns {[number, number] | null}
 */
export function found(text, wanted) {
  if (!text || !wanted) return null
  const at = folded(text).indexOf(folded(wanted))
  if (at >= 0) return [at, at + wanted.length]
  const digits = wanted.replace(/[\s+\-().]/g, '')
  const hit = /^\d{4,}$/.test(digits) && new RegExp(digits.split('').join('[\\s+\\-().]*')).exec(text)
  return hit ? [hit.index, hit.index + hit[0].length] : null
}

/** @param {{ text: string | null | undefined, by: string }} props by: what is searched for */
export function Marked({ text, by }) {
  const at = found(text, by)
  return text && at ? html`${text.slice(0, at[0])}<mark>${text.slice(...at)}</mark>${text.slice(at[1])}` : text
}
