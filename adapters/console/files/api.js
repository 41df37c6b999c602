// The public API: one function that sends requests, and its results.
import { heard } from './clock.js'

/** Where the service is: '' or a base path without a slash at its end. */
export const base = new URL('../../', import.meta.url).pathname.replace(/\/$/, '')

/** How long to wait for an answer, in milliseconds. The service gives up after 10 seconds. */
const patience = 15_000

/** Why there is no answer, or a refusal. */
export class Problem extends Error {
  /**
   * @param {string} code of the problem document, or 'no-answer'
   * @param {{ status?: number, body?: any, wait?: number, request?: string }} about
   */
  constructor(code, { status = 0, body = {}, wait = 0, request = '' } = {}) {
    super(code)
    this.code = code
    /** The HTTP status, 0 where no answer came. */
    this.status = status
    /** The problem document. @type {import('./answers').Refusal & { [other: string]: any }} */
    this.body = body
    /** Seconds to wait before another attempt, 0 if unknown. */
    this.wait = wait
    /** The id of the request in the service's log. */
    this.request = request
  }

  /** Whether the session has ended. A wrong password ends no session. */
  get signedOut() { return this.status === 401 && this.code !== 'invalid-credentials' }

  /**
   * Whether the outcome is unknown: no answer came, or one that is not the service's own refusal.
   * A refusal of the service, which has a code, has changed nothing.
   */
  get unknown() { return this.status < 400 || this.status >= 500 || this.code === 'no-answer' }
}

/** Told of each refusal: set by session.js. @type {{ refused: (problem: Problem) => void }} */
export const hooks = { refused: () => {} }

/**
 * Asks the service.
 * @template {string} M
 * @template {string} P
 * @param {M} method
 * @param {P} path below the base path, such as '/lines/7'
 * @param {{ query?: Record<string, any>, body?: string, key?: string, signal?: AbortSignal }} [options]
 *   query: values that are null, undefined or '' are left out, and of an array each is one; body: JSON; key: of exactly-once, which names the request as
 *   well, so that the statement says which movement came of it
 * @returns {Promise<import('./answers').Answer<M, P>>} the answer's body, in which credits are texts
 */
export async function ask(method, path, { query = {}, body, key, signal } = {}) {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== null && one !== undefined && one !== '') asked.append(name, one)
  }
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (key) {
    headers['Idempotency-Key'] = key
    headers['X-Request-Id'] = key
  }
  const late = AbortSignal.timeout(patience)
  let answer, text
  try {
    answer = await fetch(base + path + (asked.size ? '?' + asked : ''), {
      method, headers, body, signal: signal ? either(signal, late) : late, credentials: 'same-origin', cache: 'no-store', redirect: 'error',
    })
    heard(answer.headers.get('Date'))
    text = await answer.text()
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new Problem('no-answer')
  }
  const said = read(text)
  if (answer.ok && said) return said
  const problem = new Problem(!answer.ok && said?.code || 'no-answer', {
    status: answer.status, body: said || {}, wait: Number(answer.headers.get('Retry-After')) || 0, request: answer.headers.get('X-Request-Id') || '',
  })
  hooks.refused(problem)
  throw problem
}

/** How many pages a search reads before it asks the user whether to go on. A page examines thousands of records. */
export const pagesInARow = 20

/**
 * Reads the rows of a list that come next: pages may be short, or empty, and not the last.
 * @param {string} path @param {Record<string, any>} query @param {number} wanted how many rows suffice
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ data: any[], next_cursor: string | null }>} fewer rows than wanted where the list ends, or after
 *   pagesInARow pages; next_cursor: where it goes on, null at its end
 */
export async function rowsOf(path, query, wanted, signal) {
  const data = []
  let next = query.cursor ?? ''
  for (let pages = 0; next !== null && data.length < wanted && pages < pagesInARow; pages++) {
    const page = await ask('GET', path, { query: { ...query, cursor: next }, signal })
    data.push(...page.data)
    next = page.next_cursor
  }
  return { data, next_cursor: next }
}

/**
 * Reads rows of JSON as they come, of which a job may have a million.
 * @param {string} path @param {(row: any) => boolean} take whether it wants more of them @param {AbortSignal} signal
 */
export async function stream(path, take, signal) {
  const end = new AbortController()
  const answer = await fetch(base + path, { signal: either(signal, end.signal), credentials: 'same-origin', cache: 'no-store' })
  const text = answer.ok && answer.body?.getReader()
  if (!text) throw new Problem('no-answer', { status: answer.status })
  const decoder = new TextDecoder()
  for (let rest = '', more = true; more;) {
    const { done, value } = await text.read()
    if (done) return
    const rows = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = rows.pop() || ''
    more = rows.every((row) => take(JSON.parse(row)))
  }
  end.abort()
}

/** A signal that ends with the first of two. @param {AbortSignal} a @param {AbortSignal} b */
function either(a, b) {
  const both = new AbortController()
  const end = () => both.abort()
  for (const s of [a, b]) s.aborted ? end() : s.addEventListener('abort', end, { once: true })
  return both.signal
}

/**
 * Reads JSON; undefined where it is none. Credits that are written as numbers become texts before anything reads them as
 * numbers: a quotation mark within a text of JSON has a backslash before it, so that no text is mistaken for this.
 * @param {string} text
 */
export function read(text) {
  try {
    return JSON.parse(text.replace(/"credits":\s*(-?\d[\d.eE+-]*)/g, '"credits":"$1"'))
  } catch {
    return undefined
  }
}
