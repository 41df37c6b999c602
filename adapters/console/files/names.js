// The names of resellers: a line knows its owner by number alone. Each name is asked for once, and a few at a time.
import { useEffect, useState } from './html.js'
import { ask } from './api.js'
import { can, me } from './session.js'

/** @type {Map<number, string>} */
const known = new Map()
/** @type {Map<number, Promise<string>>} */
const asked = new Map()
/** Each waits for its last request. */
const queues = Array.from({ length: 4 }, () => /** @type {Promise<any>} */ (Promise.resolve()))

/** Names that may be others by now, or are of another account's resellers. */
export function forgetNames() {
  known.clear()
  asked.clear()
}

/** @param {number} id */
function read(id) {
  const turn = asked.size % queues.length
  const name = queues[turn].then(async () => {
    const { username } = await ask('GET', `/users/${id}`)
    if (asked.get(id) === name) known.set(id, username)
    return username
  })
  asked.set(id, name)
  queues[turn] = name.catch(() => {})
  return name
}

/** The name of the own account, or of a reseller below; '' until it is known. @param {number} id */
export function useName(id) {
  const now = id === me().id ? me().username : known.get(id) || ''
  const [, draw] = useState(0)
  useEffect(() => {
    if (now || !can('users:read')) return
    let shown = true
    const name = asked.get(id) || read(id)
    name.then(() => { if (shown) draw((n) => n + 1) }, () => {}) // the number does
    return () => { shown = false }
  }, [id, now])
  return now
}
