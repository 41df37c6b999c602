// Messages to the users of lines: templates of the account, of an account above, or of the language.
import { useEffect } from './html.js'
import { ask } from './api.js'
import { now } from './clock.js'
import { can, keyOf, me } from './session.js'
import { store } from './store.js'
import { t } from './text.js'
import { dateTime } from './format.js'
import { daysLeft, expand } from './template.js'

/** @typedef {import('./answers').Messages} Messages */
/** @typedef {{ username: string, password?: string | null, expDate: string }} Told the fields of a line that a message has */

/** As read last: whose they are, and whether that has ended, though without an answer. */
const read = store(/** @type {{ of: string, ended: boolean, value: Messages | null }} */ ({ of: '', ended: true, value: null }))

/** Takes the messages that were just saved. @param {Messages} value */
export const setMessages = (value) => read.set({ of: keyOf(me()), ended: true, value })

/** Reads them, unless they are known, or are being read. @param {boolean} [anew] also after a failure */
async function load(anew = false) {
  const of = keyOf(me()), last = read.get()
  if (last.of === of && !(anew && last.ended)) return
  read.set({ of, ended: !can('lines:read'), value: null })
  if (read.get().ended) return
  const value = await ask('GET', `/users/${me().id}/messages`).catch(() => null)
  if (read.get().of === of && !read.get().ended) read.set({ of, ended: true, value })
}

/**
 * The account's messages, which are read once while one is signed in: null before, and where they can't be read.
 * @returns {{ messages: Messages | null, reading: boolean }} reading: textOf does not know them yet
 */
export function useMessages() {
  const { of, ended, value } = read.use(), own = keyOf(me())
  useEffect(() => { load(of === own && ended && !value) }, [own])
  return { messages: of === own ? value : null, reading: of !== own || !ended }
}

/** The text that holds: of the account's own, from above, or of the language. @param {string} kind of template.js, or another text @param {Messages | null} from */
export const templateIn = (kind, from) => {
  const name = /** @type {keyof Messages['inherited']} */ (kind)
  return from?.[name] || from?.inherited[name] || (kind === 'server' || kind === 'apps' ? '' : t('message.default.' + kind))
}

/** The template that the account sends, as known by now. @param {string} kind of template.js */
export const templateOf = (kind) => templateIn(kind, read.get().of === keyOf(me()) ? read.get().value : null)

/** A template with the values of a line. @param {string} template @param {Told} line @param {Messages | null} from where the server and the apps are from */
export const filled = (template, { username, password, expDate }, from) => expand(template, {
  username, password, expires: dateTime(expDate), days: daysLeft(expDate, now()), server: templateIn('server', from), apps: templateIn('apps', from),
})

/** The message to the user of a line. Who shows it has called useMessages. @param {string} kind of template.js @param {Told} line */
export const textOf = (kind, line) => filled(templateOf(kind), line, read.get().of === keyOf(me()) ? read.get().value : null)
