// Lists that go on as they are scrolled, and are where one left them.
//
// The service gives pages by cursor, in one direction. Pages far from view are dropped and leave their height, so that a
// list of any length takes little memory; they are read again when they come near. Each entry of the history keeps the
// cursors and heights of its list and the row at the top: back, reload and the return from an edit show the same row at
// the same place. The address has the cursor of the page in view: it leads near there in another browser, too.
import { html, useState, useEffect, useLayoutEffect, useRef } from './html.js'
import { ask, pagesInARow } from './api.js'
import { now } from './clock.js'
import { keep, kept, leaving, place } from './router.js'
import { t } from './text.js'
import { time, whole } from './format.js'
import { Failure, Icon, Notice, useAgain } from './ui.js'

/** How many rows a page has. */
const limit = 50
/** How many records the service examines for a page of a search, at most. */
const examined = 5000
/** The age at which shown rows are called old, in milliseconds. */
const fresh = 60_000
/** How many pages are held with their rows, and how many an entry of the history keeps. */
const held = 12, remembered = 400

/**
 * @typedef {{ cursor: string, rows: any[] | null, height: number, at: number, loading?: boolean, damaged?: number }} Page
 *   cursor: '' of the first; rows: null where they are not held; damaged: how many records could not be read and are missing; height: in pixels, where it was shown
 */

/** A list of one entry of the history. */
class Listing {
  /** @param {string} path @param {Record<string, any>} query @param {number} size */
  constructor(path, query, size) {
    this.path = path
    this.query = query
    this.size = size
    this.entry = kept('entry')
    /** @type {Set<() => void>} */
    this.watchers = new Set()
    /** @type {any} */
    this.problem = null
    this.loading = false
    /** How many of the last pages were empty: after some of them the list asks the user whether to go on. */
    this.empty = 0
    /** About how many records a search has looked through so far. */
    this.looked = 0
    this.leaves = new AbortController()
    const before = kept('list')
    const from = place.get().query.get('at') || ''
    /** @type {Page[]} */
    this.pages = before?.pages.map((/** @type {[string, number]} */ [cursor, height]) => ({ cursor, rows: null, height, at: 0 })) || []
    /** The cursor of the page after the last, null at the end. @type {string | null} */
    this.next = before ? before.next : from
    /** Whether rows exist before the first page: the list was entered in its middle. */
    this.midst = !!(this.pages[0] ? this.pages[0].cursor : from)
    /** The row at the top of the view: page, id, and how far below the view's top it was. @type {{ page: number, id: string, top: number } | null} */
    this.anchor = before?.anchor || null
    /** Which pages are in view: the first, and the one after the last. @type {[number, number]} */
    this.view = [0, 1]
  }

  tell() { for (const w of [...this.watchers]) w() }

  /** Whether it found nothing on many pages, and goes on only when the user wants it. */
  get pauses() { return this.next !== null && this.empty >= pagesInARow }

  /** Reads the page that follows, and goes on while pages are empty. */
  async more() {
    while (!this.loading && !this.problem && this.next !== null && !this.pauses) {
      this.loading = true
      this.tell()
      const { signal } = this.leaves = new AbortController()
      try {
        const cursor = this.next
        const { data, next_cursor, damaged } = await ask('GET', this.path, { query: { ...this.query, limit: this.size, cursor }, signal })
        if (cursor !== this.next) continue // the page before it has changed
        if (data.length || damaged || !this.pages.length) this.pages = [...this.pages, { cursor, rows: data, height: 0, at: now(), damaged: damaged?.length }]
        this.next = next_cursor
        this.empty = data.length ? 0 : this.empty + 1
        this.looked += next_cursor !== null && data.length < this.size ? examined : data.length
        if (data.length) return
        if (!this.watchers.size) return
      } catch (/** @type {any} */ problem) {
        if (signal.aborted) return // the list is not shown any more
        if (problem.code === 'validation-failed' && this.midst) {
          // The place in the address is not one of this list.
          this.next = ''
          this.midst = false
        } else this.problem = problem
      } finally {
        this.loading = false
        this.tell()
      }
    }
  }

  /** Reads a page again, one that was dropped or is old. @param {number} i */
  async load(i) {
    const page = this.pages[i]
    if (!page || page.loading) return
    page.loading = true
    this.tell()
    try {
      const { data, next_cursor, damaged } = await ask('GET', this.path, { query: { ...this.query, limit: this.size, cursor: page.cursor } })
      if (this.pages[i] !== page) return // one before it was read again, too, and this is none of the list any more
      page.rows = data
      page.damaged = damaged?.length
      page.at = now()
      const after = this.pages[i + 1]
      if (after ? after.cursor !== next_cursor : this.next !== next_cursor) {
        // Rows came or went: what follows begins elsewhere now.
        this.pages = this.pages.slice(0, i + 1)
        this.next = next_cursor
      }
    } catch (problem) {
      if (!page.rows) this.problem = problem
      else page.at = now() - fresh // it is old, and says so
    } finally {
      page.loading = false
      this.tell()
    }
  }

  retry() {
    this.problem = null
    const missing = this.pages.findIndex((p, i) => !p.rows && i === (this.anchor?.page ?? -1))
    if (missing >= 0) this.load(missing)
    else this.more()
    this.tell()
  }

  /** Looks further, where it paused. */
  further() {
    this.empty = 0
    this.more()
  }

  /** Begins at the first row. */
  restart() {
    this.pages = []
    this.next = ''
    this.midst = false
    this.anchor = null
    this.problem = null
    this.empty = this.looked = 0
    this.tell()
    this.more()
  }

  /** Holds only the rows of pages near one. @param {number} i */
  thin(i) {
    if (this.pages.filter((p) => p.rows).length <= held) return
    this.pages.forEach((p, n) => { if (Math.abs(n - i) > held / 2 && p.height) p.rows = null })
  }

  /** What the history keeps of it. */
  state() {
    const { anchor, pages, next } = this
    const from = Math.max(0, Math.min(anchor?.page ?? 0, pages.length) - remembered / 2)
    return {
      pages: pages.slice(from, from + remembered).map((p) => [p.cursor, p.height]),
      next: pages.length > from + remembered ? pages[from + remembered].cursor : next,
      anchor: anchor && { ...anchor, page: anchor.page - from },
    }
  }
}

/** The lists of this document, by entry of the history and what they list. @type {Map<string, Listing>} */
const listings = new Map()

/** After a change, pages are read again, at once or when they are next in view. @param {boolean} [kept] whether the shown rows stay as they are */
export function forget(kept = false) {
  for (const l of listings.values()) {
    if (kept && l.watchers.size) continue
    for (const p of l.pages) p.at = 0
    l.tell()
  }
}

/** Lists of an account that has gone are not another's. */
export const forgetAll = () => listings.clear()

/** The name of a list in this document. @param {string} path @param {Record<string, any>} query */
const nameOf = (path, query) => place.get().entry + ' ' + path + JSON.stringify(query)

/**
 * @param {{ path: string, query?: Record<string, any>, row: (item: any) => any, id?: (item: any) => any, empty: any, label: string, lasting?: boolean, head?: any, look?: string, count?: (n: number) => string,
 *   size?: number, arrange?: (rows: any[]) => any[], told?: (rows: any[] | false | null) => void }} props
 *   path and query: of the API; row: what is shown of an item, with a link that has the attribute data-row;
 *   empty: the text of an empty list; label: names the list; lasting: rows never change, so that
 *   it does not say how old it is; head: of a table, of which row makes a row with data-id; look: the table's class;
 *   count: says how many rows a list has at its end; size: how many rows a page has;
 *   arrange: what is shown of a table of one page, and in which order; told: takes the rows of such a list, false where it has more, null
 *   while that is not known
 */
export function List({ path, query = {}, row, id = (item) => item.id, empty, label, lasting = false, head, look = '', count, size = limit, arrange = (rows) => rows, told }) {
  const name = nameOf(path, query)
  return html`<${Rows} key=${name} ...${{ name, path, query, row, id, empty, label, lasting, head, look, count, size, arrange, told }} />`
}

/** @param {any} props */
function Rows({ name, path, query, row, id, empty, label, lasting, head, look, count, size, arrange, told }) {
  const [list] = useState(() => {
    let l = listings.get(name)
    if (l) l.anchor = kept('list')?.anchor || l.anchor
    else {
      listings.set(name, l = new Listing(path, query, size))
      if (listings.size > 20) listings.delete(listings.keys().next().value ?? '')
    }
    return l
  })
  const [, again] = useState(0)
  const root = useRef(/** @type {HTMLElement | null} */ (null))
  const end = useRef(/** @type {HTMLElement | null} */ (null))
  // The row to return to, until its page is loaded or the user scrolls.
  const wanted = useRef(list.anchor)

  useEffect(() => {
    const tell = () => again((n) => n + 1)
    list.watchers.add(tell)
    tell() // of what came since it was drawn
    if (wanted.current) {
      const page = list.pages[wanted.current.page]
      if (page && (!page.rows || now() - page.at > fresh / 2)) list.load(wanted.current.page)
    } else if (!list.pages.length) list.more()
    return () => {
      list.watchers.delete(tell)
      if (!list.watchers.size && query.q) list.leaves.abort()
    }
  }, [])

  // Come back to the row: to its page until it is there, and again while pages near it take their places. The browser, which
  // holds what is in view where it is, must not move it as well.
  useLayoutEffect(() => {
    const w = wanted.current
    document.documentElement.style.setProperty('overflow-anchor', w ? 'none' : '')
    if (!w || !root.current) return
    const page = root.current.querySelector(`[data-page="${w.page}"]`)
    const found = page?.querySelector(`[data-id="${CSS.escape(w.id)}"]`)
    if (found) scrollBy(0, found.getBoundingClientRect().top - w.top)
    else if (page) scrollTo(0, page.getBoundingClientRect().top + scrollY - w.top)
    if (!list.pages[w.page] || list.pages[w.page].rows && list.pages.every((p) => !p.loading)) arrived()
  })
  const arrived = () => {
    wanted.current = null
    document.documentElement.style.setProperty('overflow-anchor', '')
  }
  useEffect(() => arrived, [])

  useEffect(() => {
    const over = arrived
    const note = () => { if (!wanted.current) remember(list, root.current) }
    let later = 0
    const scrolls = () => {
      clearTimeout(later)
      later = setTimeout(note, 200)
      near(list, root.current, end.current)
    }
    for (const kind of ['wheel', 'touchstart', 'keydown']) addEventListener(kind, over, { passive: true })
    addEventListener('scroll', scrolls, { passive: true })
    addEventListener('resize', scrolls, { passive: true })
    leaving.add(note)
    return () => {
      clearTimeout(later)
      for (const kind of ['wheel', 'touchstart', 'keydown']) removeEventListener(kind, over)
      removeEventListener('scroll', scrolls)
      removeEventListener('resize', scrolls)
      leaving.delete(note)
    }
  }, [])

  // What was just shown may not fill the view.
  useEffect(() => near(list, root.current, end.current))

  const { pages, problem, loading, next } = list
  useAgain(problem, () => list.retry())
  const damaged = pages.reduce((sum, p) => sum + (p.damaged || 0), 0)
  const looked = query.q && list.looked >= examined && t('list.looked', { count: whole(list.looked) })
  const all = !pages.length || list.midst ? null : pages.length > 1 || next !== null ? false : pages[0].rows
  useEffect(() => told?.(all), [all])
  const shown = (/** @type {any[] | null} */ rows) => rows && (all ? arrange(rows) : rows)
  const found = pages.some((p) => shown(p.rows)?.length || !p.rows && p.height)
  const none = next === null && !damaged && pages.every((p) => shown(p.rows)?.length === 0)
  return html`
    <div ref=${root} aria-busy=${loading}>
      ${list.midst && html`<button type="button" class="button wide" onClick=${() => list.restart()}>${t('list.start')}</button>`}
      ${!lasting && html`<${Age} list=${list} />`}
      ${damaged > 0 && html`<${Notice} tone="bad"><p>${t('list.damaged', { n: damaged })}</p><//>`}
      ${head ? found && html`<table class="table ${look}" aria-label=${label}><thead>${head}</thead>
        ${pages.map((page, i) => html`<tbody key=${page.cursor} data-page=${i}>${shown(page.rows)?.map((/** @type {any} */ item) => row(item)) || html`<tr><td colspan="9" style=${{ blockSize: (page.height || 400) + 'px' }}></td></tr>`}</tbody>`)}</table>`
      : pages.map((page, i) => html`
        <ul key=${page.cursor} class="rows" data-page=${i} aria-label=${label} style=${page.rows ? undefined : { blockSize: (page.height || 400) + 'px' }}>
          ${page.rows?.map((item) => html`<li key=${id(item)} data-id=${id(item)}>${row(item)}</li>`)}
        </ul>`)}
      <div ref=${end} key=${pages.length ? 'end' : 'begin'} class="end">
        ${problem ? html`<${Failure} problem=${problem} retry=${() => list.retry()} />`
          : none ? html`<div class="empty"><${Icon} name="search" /><p>${empty}</p></div>`
          : next === null ? html`<p class="quiet">${t('list.end')}${count && found && !list.midst && pages[pages.length - 1].rows && html` · <span role="status">${count(pages.reduce((sum, p) => sum + (shown(p.rows)?.length ?? size), 0))}</span>`}</p>`
          : list.pauses ? html`<p class="quiet" role="status">${!(looked && found) && t('list.paused')} ${looked}</p><button type="button" class="button wide" onClick=${() => list.further()}>${t('list.further')}</button>`
          : html`<p class="quiet" role="status">${looked || t(found || !loading ? 'list.more' : 'list.loading')}</p>`}
      </div>
    </div>`
}

/** Says from when a list is that is not new any more, while the tab is seen. @param {{ list: Listing }} props */
function Age({ list }) {
  const [at, setAt] = useState(now)
  useEffect(() => {
    const look = () => { if (!document.hidden) setAt(now()) }
    const every = setInterval(look, 15_000)
    document.addEventListener('visibilitychange', look)
    return () => { clearInterval(every); document.removeEventListener('visibilitychange', look) }
  }, [])
  const read = list.pages.slice(...list.view).filter((p) => p.rows && p.at).map((p) => p.at)
  const oldest = Math.min(...read)
  if (!read.length || at - oldest < fresh) return null
  const again = () => {
    for (const p of list.pages) p.at = 0
    list.tell()
  }
  return html`<p class="stale"><span>${t('list.stale', { time: time(new Date(oldest)) })}</span>
    <button type="button" class="button" onClick=${again}><${Icon} name="rotate-cw" />${t('list.refresh')}</button></p>`
}

/** Reads the missing pages in view or near it. @param {Listing} list @param {HTMLElement | null} root @param {HTMLElement | null} end */
function near(list, root, end) {
  if (!root || !end || document.hidden) return
  const ahead = 800
  let first = -1
  for (const page of root.querySelectorAll('[data-page]')) {
    const i = Number(page.getAttribute('data-page')), { top, bottom, height } = page.getBoundingClientRect()
    const held = list.pages[i]
    if (!held) continue
    if (held.rows) held.height = height
    if (bottom < -ahead || top > innerHeight + ahead) continue
    if (first < 0) first = i
    list.view = [first, i + 1]
    if (!(held.rows && held.at) && !list.problem) list.load(i)
  }
  if (first >= 0) list.thin(first)
  if (end.getBoundingClientRect().top < innerHeight + ahead && list.pages.every((p) => !p.loading)) list.more()
}

/** Keeps the row at the top of the view. @param {Listing} list @param {HTMLElement | null} root */
function remember(list, root) {
  if (!root || kept('entry') !== list.entry) return
  const covered = document.querySelector('header')?.getBoundingClientRect().bottom || 0
  list.anchor = null
  if (scrollY > 0) {
    for (const item of root.querySelectorAll('[data-id]')) {
      const { top, bottom } = item.getBoundingClientRect()
      if (bottom <= covered) continue
      list.anchor = { page: Number(item.parentElement?.getAttribute('data-page')), id: item.getAttribute('data-id') || '', top }
      break
    }
  }
  const query = new URLSearchParams(location.search)
  const cursor = list.anchor && list.pages[list.anchor.page]?.cursor
  cursor ? query.set('at', cursor) : query.delete('at')
  keep({ list: list.state() }, query.size ? '?' + query : '')
}
