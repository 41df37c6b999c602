// Words of the interface, in the language of who uses it. The texts are one plain object per language, with equal keys.
import { store } from './store.js'

/** The languages there are, with their own names. */
export const languages = { en: 'English', 'pt-BR': 'Português (Brasil)', es: 'Español' }

/** The language in use. */
export const language = store('en')

/** @type {Record<string, string>} */
let texts = {}
/** @type {Intl.PluralRules} */
let plurals

/** The language of ours that is nearest to a tag (BCP 47), '' where none is. @param {string} tag */
export function nearest(tag) {
  const known = Object.keys(languages)
  return known.find((l) => l.toLowerCase() === tag.toLowerCase()) || known.find((l) => l.split('-')[0] === tag.toLowerCase().split('-')[0]) || ''
}

/** The language of the browser. */
export const ofBrowser = () => navigator.languages.map(nearest).find(Boolean) || 'en'

/** Changes to a language. @param {string} wanted one of ours */
export async function speak(wanted) {
  if (wanted === language.get() && plurals) return
  const file = `./text/${wanted}.js` // as a variable, so that the bundle leaves it a file of its own
  texts = (await import(file)).default
  plurals = new Intl.PluralRules(wanted)
  language.set(wanted)
}

/**
 * The text of a key. {name} in it is replaced by a value; where n is given and the key has forms, key.one or key.other is
 * taken by the language's own rules.
 * @param {string} key @param {Record<string, any>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  let text = texts[key]
  if ('n' in values && text === undefined) text = texts[key + '.' + plurals.select(values.n)] ?? texts[key + '.other']
  if (text === undefined) return key
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole))
}

/** Whether there is a text of this key. @param {string} key */
export const has = (key) => key in texts
