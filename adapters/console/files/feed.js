// What happens while a screen is looked at: the journal, followed by requests that wait for the next entry.
import { useEffect, useState } from './html.js'
import { ask } from './api.js'

/** Seconds that a request waits. The service gives up after 10. */
const wait = 9
/** Milliseconds until another attempt once one has failed. */
const pause = 5000
/** How many new entries are held until the user shows them. */
const most = 200

/**
 * What happens from now on.
 * @param {Record<string, any>} query as the API takes it
 * @returns {{ from: number | null, entries: import('./answers').Event[], problem: any, reload: () => void }} from: the number of the
 *   last entry from before, null while it is not known; entries: those after it, the newest first; problem: why it is not known
 */
export function useFeed(query) {
  const [feed, set] = useState(/** @type {any} */ ({}))
  const [turn, setTurn] = useState(0)
  const what = JSON.stringify(query)
  useEffect(() => {
    const end = new AbortController()
    follow(query, end.signal, (from) => set({ what, from, entries: [] }),
      (more) => set((/** @type {any} */ f) => ({ ...f, entries: [...more.reverse(), ...f.entries].slice(0, most) })),
      (problem) => set((/** @type {any} */ f) => (f.what === what && f.from !== null ? f : { what, from: null, entries: [], problem })))
    return () => end.abort()
  }, [what, turn])
  return { ...(feed.what === what ? feed : { from: null, entries: [] }), reload: () => setTurn(turn + 1) }
}

/**
 * @param {Record<string, any>} query @param {AbortSignal} signal
 * @param {(from: number) => void} begin @param {(more: import('./answers').Event[]) => void} add @param {(problem: any) => void} fail
 */
async function follow(query, signal, begin, add, fail) {
  let cursor = /** @type {string | null} */ (null), last = 0
  while (!signal.aborted) {
    await seen(signal)
    const { stop, done } = untilHidden(signal)
    try {
      if (cursor === null) {
        const { data, next_cursor } = await ask('GET', '/events', { query: { ...query, order: 'desc', limit: 1 }, signal: stop })
        last = data[0]?.seq || 0
        cursor = next_cursor || ''
        begin(last)
      }
      const page = await ask('GET', '/events', { query: { ...query, cursor, wait }, signal: stop })
      const more = page.data.filter((/** @type {any} */ e) => e.seq > last)
      cursor = page.next_cursor
      if (!more.length) continue
      last = more[more.length - 1].seq
      add(more)
    } catch (problem) {
      if (stop.aborted) continue
      if (/** @type {any} */ (problem).status === 410) cursor = null // the service was restored from a backup
      else {
        fail(problem)
        await slept(signal, pause)
      }
    } finally {
      done()
    }
  }
}

/** Resolves once the tab is seen. @param {AbortSignal} signal @returns {Promise<void>} */
export const seen = (signal) => new Promise((resolve) => {
  const look = () => {
    if (document.hidden && !signal.aborted) return
    document.removeEventListener('visibilitychange', look)
    resolve()
  }
  document.addEventListener('visibilitychange', look)
  signal.addEventListener('abort', look, { once: true })
  look()
})

/** A signal that ends when the tab is hidden, or with another. @param {AbortSignal} signal */
function untilHidden(signal) {
  const ends = new AbortController()
  const look = () => { if (document.hidden || signal.aborted) ends.abort() }
  document.addEventListener('visibilitychange', look)
  signal.addEventListener('abort', look)
  look()
  return {
    stop: ends.signal,
    done: () => {
      document.removeEventListener('visibilitychange', look)
      signal.removeEventListener('abort', look)
    },
  }
}

/** @param {AbortSignal} signal @param {number} long in milliseconds @returns {Promise<void>} */
export const slept = (signal, long) => new Promise((resolve) => {
  const over = setTimeout(resolve, long)
  signal.addEventListener('abort', () => { clearTimeout(over); resolve() }, { once: true })
})
