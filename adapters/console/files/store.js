// A value that components watch.
import { useState, useEffect } from './html.js'

/**
 * @template T
 * @param {T} value the first one
 */
export function store(value) {
  const watchers = new Set()
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      value = next
      for (const tell of [...watchers]) tell()
    },
    /** Calls tell after each change until the returned function is called. @param {() => void} tell */
    watch(tell) {
      watchers.add(tell)
      return () => { watchers.delete(tell) }
    },
    /** The value, in a component that is shown again when it changes. @returns {T} */
    use() {
      const [, again] = useState(0)
      useEffect(() => {
        const tell = () => again((n) => n + 1)
        tell() // it may have changed between the first showing and now
        return this.watch(tell)
      }, [])
      return value
    },
  }
}

/** Stores a choice in the browser, which may have no room for it: then it holds in this page. @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // It is chosen again the next time.
  }
}

/** What the browser keeps, null for nothing, also where it blocks that. @param {string} key */
export function recall(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
