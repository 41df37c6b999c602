// Who is signed in. The cookie is the browser's: no script can read it, and none needs to.
import { ask, hooks, base } from './api.js'
import { store } from './store.js'
import { nearest, ofBrowser, speak } from './text.js'

/** @typedef {import('./answers').SignedIn} Who */

/**
 * - starting: the answer is awaited
 * - out: signed out; ended if a session was in use until now
 * - in: signed in
 * - blocked: signed in, but the account or one above it is blocked
 * - failed: the service does not answer
 * @type {ReturnType<typeof store<{ is: 'starting' } | { is: 'out', ended: boolean } | { is: 'in' | 'blocked', who: Who } | { is: 'failed', problem: any }>>}
 */
export const session = store(/** @type {any} */ ({ is: 'starting' }))

/** Who is signed in; only where somebody is. @returns {Who} */
export const me = () => /** @type {any} */ (session.get()).who

/** The own account's record, as last read: for its balance. @type {ReturnType<typeof store<import('./answers').Account | null>>} */
export const account = store(/** @type {any} */ (null))

hooks.refused = (problem) => {
  const now = session.get()
  if (now.is !== 'in') return
  if (problem.signedOut) out(true)
  if (problem.code === 'account-blocked') session.set({ is: 'blocked', who: now.who })
}

/**
 * The key of the signed-in account in the browser: without one no request is made, and refused, and the other tabs,
 * which have the same cookie, notice when it changes.
 */
const known = `resellerd${base} signed in`

addEventListener('storage', (e) => { if (e.key === known) sameAccount() })
addEventListener('pageshow', (e) => { if (e.persisted) begin() })

/** Whether the cookie is still that of the account that this tab shows; if not, it shows another from now on. */
export function sameAccount() {
  const now = session.get()
  if ('who' in now && localStorage.getItem(known) === String(now.who.id)) return true
  begin()
  return false
}

/** Finds out who is signed in. */
export async function begin() {
  if (!localStorage.getItem(known)) {
    await speak(chosen(0) || ofBrowser())
    session.set({ is: 'out', ended: false })
    return
  }
  try {
    await entered(await ask('GET', '/auth/session'))
  } catch (/** @type {any} */ problem) {
    await speak(chosen(0) || ofBrowser())
    if (problem.status === 401) out(true)
    else if (problem.code === 'account-blocked') out(false)
    else session.set({ is: 'failed', problem })
  }
}

/** How often a sign-in is tried that comes while many others do. */
const turns = 6

/** Signs in; throws the refusal. @param {string} username @param {string} password */
export async function signIn(username, password) {
  const body = JSON.stringify({ username, password })
  for (let turn = 1; ; turn++) {
    try {
      return await entered(await ask('POST', '/auth/session', { body }))
    } catch (/** @type {any} */ refused) {
      if (refused.code !== 'logins-busy' || turn === turns) throw refused
      await new Promise((done) => setTimeout(done, Math.max(1, refused.wait) * 1000))
    }
  }
}

/** @param {Who} who */
async function entered(who) {
  if (account.get()?.id !== who.id) account.set(null)
  await speak(chosen(who.id) || nearest(who.language) || ofBrowser())
  localStorage.setItem(known, String(who.id))
  session.set({ is: 'in', who })
  refresh()
}

/** The account has another name from now on. @param {string} username */
export const renamed = (username) => session.set({ is: 'in', who: { ...me(), username } })

/** Signs out; throws if it is unknown whether that was done. */
export async function signOut() {
  try {
    await ask('DELETE', '/auth/session')
  } catch (/** @type {any} */ problem) {
    if (problem.status !== 401) throw problem
  }
  account.set(null)
  out(false)
}

/** Nobody is signed in any more. @param {boolean} ended whether that is the session's end, and not the user's wish */
function out(ended) {
  localStorage.removeItem(known)
  session.set({ is: 'out', ended })
}

/** Reads the own account again, after what may have changed its balance. */
export async function refresh() {
  try {
    account.set(await ask('GET', '/users/logged'))
  } catch {
    // What is shown is as it was: who needs it newer asks by themselves.
  }
}

// A language that the user chose in this browser comes before the account's, for that can't be changed.

const choice = (/** @type {number} */ id) => `resellerd${base} language ${id}`

/** The language that an account's user chose here, '' for none. @param {number} id */
const chosen = (id) => nearest(localStorage.getItem(choice(id)) || '')

/** @param {string} language one of ours */
export async function choose(language) {
  const now = session.get()
  localStorage.setItem(choice('who' in now ? now.who.id : 0), language)
  await speak(language)
}

/** What an account may do, as the service decides it: no button is shown without the right to it. */
export const may = {
  seeResellers: () => !!me().is_master || !!me().is_admin,
  createResellers: () => !!me().is_master || !!me().is_admin,
  /** Add and take back credits, block: those below, never oneself, never an admin. @param {{ id: number, is_admin: number }} other */
  manage: (other) => may.createResellers() && other.id !== me().id && !other.is_admin,
  prove: () => !!me().is_admin,
}
