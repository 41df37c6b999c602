// The names of records of which only a number is known: of a line's owner, or of a key. Each is requested once: resellers one by
// one, a few at a time, and the keys, the staff and the webhooks of the account as a list.
import { useEffect, useState } from './html.js'
import { ask } from './api.js'
import { can, me } from './session.js'

/** By path. @type {Map<string, string>} */
const known = new Map()
/** @type {Map<string, Promise<string>>} */
const asked = new Map()
/** The lists of the account, by path. @type {Map<string, Promise<any[]>>} */
const lists = new Map()
/** Each waits for its last request. */
const queues = Array.from({ length: 4 }, () => /** @type {Promise<any>} */ (Promise.resolve()))

/** Names that may be others by now, or are of another account's resellers. */
export function forgetNames() {
  known.clear()
  asked.clear()
  lists.clear()
}

/** @param {string} path */
function read(path) {
  const turn = asked.size % queues.length
  const name = queues[turn].then(async () => {
    const { username } = await ask('GET', path)
    if (asked.get(path) === name) known.set(path, username)
    return username
  })
  asked.set(path, name)
  queues[turn] = name.catch(() => {})
  return name
}

/** The name of the own account, or of a reseller below; '' until it is known. @param {number} id */
export function useName(id) {
  const path = `/users/${id}`, now = id === me().id ? me().username : known.get(path) || ''
  const [, draw] = useState(0)
  useEffect(() => {
    if (now || !can('users:read')) return
    let shown = true
    const name = asked.get(path) || read(path)
    name.then(() => { if (shown) draw((n) => n + 1) }, () => {}) // the number does
    return () => { shown = false }
  }, [path, now])
  return now
}

/** The name of a key, a member of the staff or a webhook; '' until it is known. @param {string} path of the list, '' for none @param {number} id */
export function useListed(path, id) {
  const [found, set] = useState('')
  useEffect(() => {
    if (!path || !can('manage')) return
    let shown = true
    /** @type {Promise<any[]>} */
    const all = lists.get(path) || ask('GET', path).then(({ data }) => data)
    lists.set(path, all)
    all.then((rows) => {
      const one = rows.find((row) => row.id === id)
      if (shown && one) set(one.name || one.username || one.description || new URL(one.url).host)
    }, () => {}) // the number does
    return () => { shown = false }
  }, [path, id])
  return found
}
