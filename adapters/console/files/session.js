// Who is signed in. The cookie is the browser's: no script can read it, and none needs to.
import { ask, hooks, base, Problem } from './api.js'
import { remember, store } from './store.js'
import { canHaveBelow, canManage } from './rights.js'
import { nearest, ofBrowser, speak } from './text.js'

/** @typedef {import('./answers').SignedIn} Who */

/**
 * - starting: the answer is awaited
 * - out: signed out; ended if a session was in use until now; dropped if the browser did not store the new session
 * - in: signed in
 * - blocked: signed in, but the account or one above it is blocked
 * - failed: the service does not answer
 * @type {ReturnType<typeof store<{ is: 'starting' } | { is: 'out', ended: boolean, dropped: boolean } | { is: 'in' | 'blocked', who: Who } | { is: 'failed', problem: any }>>}
 */
export const session = store(/** @type {any} */ ({ is: 'starting' }))

/** Who is signed in; only where somebody is. @returns {Who} */
export const me = () => /** @type {any} */ (session.get()).who

/** Names somebody among all who sign in: an account, or a member of its staff. @param {Who} who */
export const keyOf = ({ id, staff }) => (staff ? `${id}.${staff.id}` : String(id))

/** The name by which one is signed in: of the account, or of who acts for it. */
export const ownName = () => (me().staff || me()).username

/** The own account's record, as last read: for its balance. @type {ReturnType<typeof store<import('./answers').Account | null>>} */
export const account = store(/** @type {any} */ (null))

hooks.refused = (problem) => {
  const now = session.get()
  if (now.is !== 'in') return
  if (problem.signedOut) out(true, !proven)
  if (problem.code === 'account-blocked') session.set({ is: 'blocked', who: now.who })
  // The rights may have changed.
  if (problem.code === 'insufficient-scope') ask('GET', '/auth/session').then((who) => { if (session.get() === now) session.set({ is: 'in', who }) }, () => {})
}

/**
 * The key of the signed-in account in the browser: without one no request is made, and refused, and the other tabs,
 * which have the same cookie, notice when it changes.
 */
const known = `resellerd${base} signed in`

/** Whether somebody was signed in here, as far as the browser knows. */
export const wasIn = () => !!localStorage.getItem(known)

addEventListener('storage', (e) => { if (e.key === known) sameAccount() })
addEventListener('pageshow', (e) => { if (e.persisted) beginAgain() })

/** Whether the cookie is still that of the account that this tab shows; if not, it shows another from now on. */
export function sameAccount() {
  const now = session.get()
  if ('who' in now && localStorage.getItem(known) === keyOf(now.who)) return true
  beginAgain()
  return false
}

const beginAgain = () => begin().catch((problem) => session.set({ is: 'failed', problem }))

/** Finds out who is signed in. */
export async function begin() {
  if (!wasIn()) {
    await speakHere(chosen('0') || ofBrowser())
    out(false)
    return
  }
  try {
    const who = await ask('GET', '/auth/session')
    proven = true
    await entered(who)
  } catch (/** @type {any} */ problem) {
    await speakHere(chosen('0') || ofBrowser())
    if (problem.status === 401) out(true)
    else if (problem.code === 'account-blocked') out(false)
    else session.set({ is: 'failed', problem })
  }
}

/** How often a sign-in is tried that comes while many others do. */
const turns = 6

/** Signs in; throws the refusal. @param {{ username: string, password: string, totp?: string }} by totp: a code of the second factor */
export async function signIn(by) {
  const body = JSON.stringify(by)
  for (let turn = 1; ; turn++) {
    try {
      const who = await ask('POST', '/auth/session', { body })
      proven = false
      return await entered(who)
    } catch (/** @type {any} */ refused) {
      if (refused.code !== 'logins-busy' || turn === turns) throw refused
      await new Promise((done) => setTimeout(done, Math.max(1, refused.wait) * 1000))
    }
  }
}

/** Whether the service knew the session again: until then the browser may have dropped its cookie. */
let proven = false

/** @param {Who} who */
async function entered(who) {
  if (account.get()?.id !== who.id) account.set(null)
  try {
    localStorage.setItem(known, keyOf(who))
  } catch {
    throw new Problem('no-room')
  }
  await speakHere(chosen(keyOf(who)) || nearest(who.language) || ofBrowser())
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

/**
 * Nobody is signed in any more.
 * @param {boolean} ended whether that is the session's end, and not the user's wish @param {boolean} [dropped] by the browser, as soon as it began
 */
function out(ended, dropped = false) {
  localStorage.removeItem(known)
  session.set({ is: 'out', ended, dropped })
}

/** Why the own account could not be read when that was last tried, null if it was. */
export const unread = store(/** @type {any} */ (null))

/** Reads the own account again, after what may have changed its balance. */
export async function refresh() {
  try {
    account.set(await ask('GET', '/users/logged'))
    proven = true
    unread.set(null)
  } catch (problem) {
    unread.set(problem)
  }
}

// A language that the user chose in this browser comes before the account's, for that can't be changed.

const choice = (/** @type {string} */ key) => `resellerd${base} language ${key}`

/**
 * Speaks a language, and has begin.js ask for its texts at once the next time. A tab that is older than an update does not
 * find its texts any more: then it loads again.
 * @param {string} language
 */
async function speakHere(language) {
  try {
    await speak(language)
  } catch {
    // Once: two versions may answer in turn.
    const again = performance.getEntriesByType('navigation').some((page) => /** @type {any} */ (page).type === 'reload') && performance.now() < 10_000
    if (again || !await outdated()) throw new Problem('no-answer')
    location.reload()
    await new Promise(() => {}) // nothing more is done in this page
  }
  document.documentElement.lang = language
  remember(`resellerd${base} spoken`, language)
}

/** Whether the service has another version of the console than this. */
async function outdated() {
  const [, version = ''] = /\/console\/(\w+)\/[^/]*$/.exec(import.meta.url) || []
  const page = await fetch(base + '/console', { cache: 'no-store' }).then((answer) => answer.text(), () => '')
  return page.includes('/app.js"') && !page.includes(version)
}

/** The language that somebody chose here, '' for none. @param {string} key */
const chosen = (key) => nearest(localStorage.getItem(choice(key)) || '')

/** @param {string} language one of ours */
export async function choose(language) {
  const now = session.get()
  remember(choice('who' in now ? keyOf(now.who) : '0'), language)
  await speakHere(language)
}

/**
 * Whether the user has a scope: the account has all scopes, its staff the granted ones.
 * @param {string} scope '' is everybody's
 */
export const can = (scope) => !scope || !me().staff || !!me().staff?.scopes.some((own) => own === scope)

/** What one may do, as the service decides it: no button is shown without the right to it. */
export const may = {
  haveBelow: () => canHaveBelow(me()),
  seeResellers: () => may.haveBelow() && can('users:read'),
  createResellers: () => may.haveBelow() && can('users:write'),
  /** Add and take back credits, block. @param {{ id: number, is_admin: number }} other @param {string} scope */
  manage: (other, scope) => canManage(me(), other) && can(scope),
}
