// Where the user is: the address below /console, which screens read and change. Each entry of the browser's history keeps
// what is needed to show the same place again, such as how far it was scrolled.
import { html } from './html.js'
import { store } from './store.js'
import { base } from './api.js'
import { now } from './clock.js'

const home = base + '/console'

/** @typedef {{ path: string, query: URLSearchParams, entry: string }} Place entry names the entry of the history */

/** @returns {Place} */
function here() {
  if (!history.state?.entry) keep(newEntry())
  return { path: location.pathname.slice(home.length).replace(/\/$/, '') || '/', query: new URLSearchParams(location.search), entry: history.state.entry }
}

/** What each entry keeps: its name. */
const newEntry = () => ({ entry: crypto.getRandomValues(new Uint32Array(2)).join('-') })

/** The present place. */
export const place = store(here())

/** The paths of the entries behind the present one, the nearest last, as far as they are of the console. @returns {string[]} */
const trail = () => history.state?.trail || []

history.scrollRestoration = 'manual'

/** The functions that are called before the user leaves the present entry, to store something in it. @type {Set<() => void>} */
export const leaving = new Set()

function leave() { for (const keep of [...leaving]) keep() }

/** The state to store in the entry to which the user returns. @type {object | null} */
let brought = null

addEventListener('popstate', () => {
  const before = place.get()
  if (brought) keep(brought)
  brought = null
  const now = here()
  place.set(now)
  if (another(before, now)) arrive(before.path === now.path)
  else restoreScroll()
})
addEventListener('pagehide', leave)

/**
 * Goes to a place.
 * @param {string} to a path below /console with its query, such as '/lines?status=1'
 * @param {{ replace?: boolean, state?: object }} [options] replace: in place of the present entry; state: what the new entry keeps
 */
export function go(to, { replace = false, state = {} } = {}) {
  const before = place.get()
  if (!replace) leave()
  const entry = { ...state, ...newEntry(), trail: replace ? trail() : [...trail(), before.path].slice(-20) }
  const address = href(to)
  if (replace) history.replaceState(entry, '', address)
  else history.pushState(entry, '', address)
  place.set(here())
  if (another(before, place.get())) arrive(before.path === place.get().path)
}

/** Whether another screen, or another form, is shown. @param {Place} before @param {Place} now */
const another = (before, now) => before.path !== now.path || before.query.get('do') !== now.query.get('do')

/** @param {number} steps @param {object} state more state of the entry there */
function goBack(steps, state) {
  leave()
  brought = state
  history.go(-steps)
}

/** Goes back to the last entry that showed a path, so that its list is where it was, or else to that path. @param {string} path @param {object} [state] */
export function returnTo(path, state = {}) {
  const steps = trail().length - trail().lastIndexOf(path)
  if (trail().includes(path)) goBack(steps, state)
  else go(path, { replace: true, state })
}

/** Opens a form of the present screen, as an entry of its own, which "back" closes. @param {string} name @param {object} [state] what the entry keeps */
export const openForm = (name, state) => setQuery({ do: name }, { push: true, state })

/** Closes the form of the present screen. @param {object} [state] of the entry there */
export function closeForm(state = {}) {
  const { path } = place.get()
  if (trail().at(-1) === path) goBack(1, state)
  else {
    const query = new URLSearchParams(location.search)
    query.delete('do')
    go(path + (query.size ? '?' + query : ''), { replace: true, state })
  }
}

/** What the present entry keeps under a name. @param {string} name */
export const kept = (name) => history.state?.[name]

/**
 * Keeps something in the present entry; it survives a reload. The address may change with it, without notice.
 * @param {object} what @param {string} [query] the new query, with its question mark
 */
export function keep(what, query) {
  history.replaceState({ ...history.state, ...what }, '', query === undefined ? undefined : location.pathname + query)
}

/** When the present entry was first shown, in milliseconds: over an hour ago only in the midst of its list. */
export function made() {
  if (!(kept('made') > now() - 3600_000) && !kept('list')?.anchor) keep({ made: now(), list: null })
  return kept('made')
}

/** Keeps something in the present entry, and has it shown. @param {object} what */
export function announce(what) {
  keep(what)
  place.set({ ...place.get() })
}

/**
 * Changes values of the address's query, in place; '' and null remove one.
 * @param {Record<string, string | null>} values @param {{ push?: boolean, state?: object }} [options] push: as a new entry, so that "back" undoes it;
 *   state: what it keeps
 */
export function setQuery(values, { push = false, state } = {}) {
  const query = new URLSearchParams(location.search)
  query.delete('at') // the place in a list that may be another now
  for (const [name, value] of Object.entries(values)) value ? query.set(name, value) : query.delete(name)
  go(place.get().path + (query.size ? '?' + query : ''), { replace: !push, state })
}

/** The address of a place, for links. That of the first screen has no slash at its end. @param {string} to */
export const href = (to) => home + to.replace(/^\/(?=$|\?)/, '')

/** A link within the console. What it is given besides to is the link's. @param {any} props */
export function Link({ to, children, replace = false, ...rest }) {
  const follow = (/** @type {MouseEvent} */ e) => {
    if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
    e.preventDefault()
    go(to, { replace })
  }
  return html`<a href=${href(to)} onClick=${follow} ...${rest}>${children}</a>`
}

/**
 * Finds the screen of a path.
 * @template T
 * @param {[string, T][]} routes patterns such as '/lines/:id', where :id is digits
 * @param {string} path
 * @returns {{ screen: T, id: string } | undefined}
 */
export function match(routes, path) {
  for (const [pattern, screen] of routes) {
    const found = new RegExp('^' + pattern.replace(':id', '([1-9][0-9]*)') + '$').exec(path)
    if (found) return { screen, id: found[1] || '' }
  }
  return undefined
}

// Scrolling. Lists come back to a row by themselves (list.js); other screens to the height at which they were left.

leaving.add(() => { if (!kept('list')) keep({ y: scrollY }) })
let scrolled = 0
addEventListener('scroll', () => {
  clearTimeout(scrolled)
  scrolled = setTimeout(() => { if (!kept('list') && !restoring) keep({ y: scrollY }) }, 200)
}, { passive: true })

let restoring = false

/** Scrolls to where the entry was left, as soon as the screen is long enough, unless the user scrolls first. */
export function restoreScroll() {
  if (kept('list')?.anchor) return
  const y = kept('y') || 0
  scrollTo(0, y)
  if (!y) return
  restoring = true
  const over = () => {
    restoring = false
    grows.disconnect()
    clearTimeout(late)
    for (const kind of ['wheel', 'touchstart', 'keydown']) removeEventListener(kind, over)
  }
  const grows = new ResizeObserver(() => {
    scrollTo(0, y)
    if (Math.abs(scrollY - y) < 2) over()
  })
  const late = setTimeout(over, 5000)
  for (const kind of ['wheel', 'touchstart', 'keydown']) addEventListener(kind, over, { passive: true })
  grows.observe(document.body)
}

/**
 * Another screen is shown: it is read from its top, or from where it was left, and its heading has the focus. The screen
 * below a panel stays as it is.
 * @param {boolean} [same] only a form of the screen comes or goes
 */
export function arrive(same = false) {
  requestAnimationFrame(() => {
    if (document.querySelector('dialog[open]')) return
    restoreScroll()
    if (same && document.activeElement !== document.body) return // a panel has returned the focus
    const heading = document.querySelector('h1')
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true })
  })
}
