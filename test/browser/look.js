// What a look at a page would find, found by the page itself. It is there before the page's own scripts.
window.look = (() => {
  const jumped = []
  let shifted = 0, moved = false, acted = false, waiting = 0
  /** By path and filters: the cursors that pages offered, those that were asked for, and those of empty pages. */
  const lists = new Map()

  const at = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join()
  const shifts = new PerformanceObserver((list) => note(list.getEntries()))
  const note = (entries) => { for (const e of entries) if (!acted) { shifted += e.value; if (e.value > 0.02) jumped.push(...e.sources.map((s) => (s.node?.nodeType === 1 ? name(s.node) : s.node?.data) + ' ' + at(s.previousRect) + ' to ' + at(s.currentRect))) } }
  shifts.observe({ type: 'layout-shift', buffered: true })

  // What comes of a click or a key may move what is shown; what comes of the service's answers may not.
  for (const kind of ['click', 'change', 'keydown', 'resize']) addEventListener(kind, () => { acted = true }, true)

  /** Another screen, or another form of it, begins. */
  const another = () => {
    moved = true
    lists.clear()
  }
  const screenOf = (address) => new URL(address).pathname + new URL(address).searchParams.get('do')
  /** What is listed: where one is in it is no part of that. */
  const listedOf = (address) => {
    const { searchParams } = new URL(address)
    searchParams.delete('at')
    return String(searchParams)
  }
  for (const name of ['pushState', 'replaceState']) {
    const change = history[name].bind(history)
    history[name] = (...what) => {
      const before = location.href
      change(...what)
      if (screenOf(location.href) !== screenOf(before)) another()
      if (listedOf(location.href) !== listedOf(before)) lists.clear()
    }
  }
  addEventListener('popstate', another)
  addEventListener('submit', () => { moved = true }, true)

  const ask = window.fetch
  window.fetch = async (...what) => {
    const follows = /[?&]wait=/.test(String(what[0])) // it is answered when something happens
    if (!follows) waiting++
    const answer = await ask(...what).finally(() => { if (!follows) waiting-- })
    const asked = new URL(answer.url || location.href), limit = asked.searchParams.get('limit')
    if (!answer.ok || limit === null || limit === '5' || Number(limit) < 50 && /\/(events|bulk)$/.test(asked.pathname)) return answer // few are shown beside a list or by the search, begin a feed, or tell of a job that runs
    const { data, next_cursor } = await answer.clone().json().catch(() => ({}))
    if (!Array.isArray(data)) return answer
    const cursor = asked.searchParams.get('cursor') || ''
    for (const name of ['cursor', 'limit']) asked.searchParams.delete(name)
    const name = asked.pathname + asked.search
    if (!lists.has(name)) lists.set(name, { offered: new Set(), asked: new Set(), empty: new Set() })
    const list = lists.get(name)
    list.asked.add(cursor)
    if (next_cursor) list[data.length ? 'offered' : 'empty'].add(next_cursor)
    return answer
  }

  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
  const name = (e) => e.tagName.toLowerCase() + (e.className?.baseVal ?? e.className ? '.' + (e.className.baseVal ?? e.className).replaceAll(' ', '.') : '')
  const pixels = (e, property) => parseFloat(getComputedStyle(e)[property]) || 0

  /** Every text that can be seen, with its boxes. */
  function* texts() {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange()
    while (all.nextNode()) {
      const node = all.currentNode, parent = node.parentElement
      if (!node.data.trim() || parent.closest('script, style, noscript, select, textarea, .skip, .hush') || !parent.checkVisibility({ visibilityProperty: true })) continue
      if (getComputedStyle(parent).clipPath !== 'none') continue // for screen readers alone
      range.selectNodeContents(node)
      yield { node, parent, text: node.data.trim(), boxes: [...range.getClientRects()].filter((b) => b.width && b.height) }
    }
  }

  // What users wrote may be cut where it is told in full elsewhere.
  const theirs = '.name, .text, dd, code, .note, .clip, [aria-label] + h1, section:has(> form) > h2, dialog h2'
  const short = '.row .notes, .clip, .clip *, .top .credits *'
  const holders = 'a, button, p, span, strong, b, em, mark, h1, h2, h3, label, legend, figcaption, dt, dd, li, code, kbd, time, option, td, th, summary, pre, text'

  /** What a width has no part in. */
  async function once() {
    for (let quiet = 0; quiet < 2;) {
      await drawn()
      quiet = waiting || document.querySelector('[aria-busy=true]') ? 0 : quiet + 1
    }
    note(shifts.takeRecords())
    const found = []
    for (const { node, parent, text } of texts()) {
      if (!parent.matches(holders) || parent.childElementCount && /^(0|NaN|null|undefined|true|false)$/.test(text)) found.push(`the bare text "${text}" in ${name(parent)}`)
    }
    if (moved && (!document.activeElement || document.activeElement === document.body)) found.push('nothing has the focus')
    if (shifted > 0.05) found.push(`what is shown jumped by ${shifted.toFixed(2)}: ${jumped.join(', ')}`)
    const ended = document.querySelector('.end > :not([role=status])')
    for (const [list, { offered, asked, empty }] of lists) {
      for (const cursor of empty) if (!asked.has(cursor)) found.push(`${list} was left at an empty page that is not its last`)
      if (ended && !(list.includes('/users?') && document.querySelector('.branch > button'))) {
        for (const cursor of offered) if (!asked.has(cursor)) found.push(`${list} has a page more, and the list has ended`)
      }
    }
    for (const e of document.querySelectorAll('time[datetime]')) {
      const at = new Date(e.dateTime), h = at.getHours(), m = String(at.getMinutes()).padStart(2, '0')
      if (![h, String(h).padStart(2, '0'), h % 12 || 12].some((h) => new RegExp(`(^|\\D)${h}:${m}`).test(e.textContent))) found.push(`${e.dateTime} is called "${e.textContent}" at ${-at.getTimezoneOffset() / 60} h from UTC`)
    }
    return [...new Set(found)]
  }

  /** How it is laid out. */
  async function layout() {
    const root = document.documentElement, wide = root.clientWidth, found = []
    await drawn()
    if (root.scrollWidth > wide) found.push(`it is ${root.scrollWidth - wide} pixels wider than the device`)
    const least = matchMedia('(max-width: 47.99em)').matches ? 43.5 : 27.5 // a thumb, or a pointer
    for (const e of document.querySelectorAll('button, select, input:not([type=radio], [type=checkbox]), nav a, .row, .button, .choice label')) {
      const { height, width } = e.getBoundingClientRect()
      if (e.checkVisibility() && !e.closest('.sort') && (height < least || width < least)) found.push(`a target that is too small: ${e.outerHTML.slice(0, 100)}`)
    }
    for (const table of document.querySelectorAll('table')) {
      const columns = {}
      for (const cell of table.querySelectorAll('tbody > tr > *')) {
        if (getComputedStyle(cell).display === 'table-cell') (columns[cell.cellIndex] ??= new Set()).add(Math.round(cell.getBoundingClientRect().left))
      }
      for (const [column, at] of Object.entries(columns)) if (at.size > 1) found.push(`column ${column} of ${name(table)} begins at ${[...at]}`)
    }
    const boxes = []
    for (const { node, parent, text, boxes: own } of texts()) {
      const what = `"${text.slice(0, 40)}" in ${name(parent)}`, font = pixels(parent, 'fontSize')
      let block = parent
      while (/^inline$|contents/.test(getComputedStyle(block).display)) block = block.parentElement
      const room = block.clientWidth - pixels(block, 'paddingLeft') - pixels(block, 'paddingRight')
      const lines = new Set(own.map((b) => Math.round(b.bottom / font))).size
      if (text.length > 1 && room < 1.1 * font || lines > 2 && text.length < 3 * lines) found.push(`${what} has ${Math.round(room)} pixels, ${lines} lines`)
      if (lines > 1 && !parent.closest(theirs)) {
        const range = document.createRange()
        for (const word of node.data.matchAll(/(?<![\p{L}\p{N}])\p{L}{2,12}(?![\p{L}\p{N}])/gu)) {
          range.setStart(node, word.index)
          range.setEnd(node, word.index + word[0].length)
          const rects = [...range.getClientRects()].filter((b) => b.width)
          if (rects.length && rects.at(-1).top - rects[0].top > font / 2) found.push(`${what} is broken within "${word[0]}"`)
        }
      }
      const layer = parent.closest('nav.places, header.top, .menu, .pick-bar, .toasts, .screen > form > .buttons, .side-panel form > .buttons, dialog')
      for (const b of own) {
        let { top, bottom } = b
        const strip = parent.closest('.tabs')?.getBoundingClientRect() // it is scrolled sideways, and one may be in sight in part
        if (!parent.closest(short) && !(strip && (b.right > strip.right || b.left < strip.left))) {
          for (let e = parent; e !== document.body && !e.matches('dialog, .menu'); e = e.parentElement) {
            const { overflowX, overflowY } = getComputedStyle(e), r = e.getBoundingClientRect()
            if (/auto|scroll/.test(overflowY)) [top, bottom] = [Math.max(top, r.top), Math.min(bottom, r.bottom)] // what is not seen lies over nothing
            const boxed = e.matches('button, .button, .row, .panel, .state, .note, .choice label, header, nav.places > a')
            if ((boxed || /hidden|clip/.test(overflowX)) && (b.left < r.left - 1 || b.right > r.right + 1) ||
              (boxed || /hidden|clip/.test(overflowY)) && (b.top + b.height / 5 < r.top || b.bottom - b.height / 5 > r.bottom)) { found.push(`${what} is cut, or sticks out of ${name(e)}`); break }
          }
          if (b.left < -1 || b.right > wide + 1) found.push(`${what} is beside the screen`)
        }
        boxes.push({ what, node, layer, left: b.left + 1, right: b.right - 1, top: top + b.height / 4, bottom: bottom - b.height / 4 })
      }
    }
    boxes.sort((a, b) => a.top - b.top)
    boxes.forEach((a, i) => {
      for (let n = i + 1; n < boxes.length && boxes[n].top < a.bottom; n++) {
        const b = boxes[n]
        if (a.node !== b.node && a.layer === b.layer && a.left < b.right && b.left < a.right && !a.node.parentElement.closest(short)
          && !b.node.parentElement.closest(short)) found.push(`${a.what} lies over ${b.what}`)
      }
    })
    // Where letters are large, a part of a choice or of a hint has to do: all of it is told elsewhere.
    const pen = document.createElement('canvas').getContext('2d')
    for (const e of document.querySelectorAll('select, input[placeholder]')) {
      if (!e.checkVisibility() || pixels(root, 'fontSize') > 16) continue
      pen.font = getComputedStyle(e).font
      const text = e.tagName === 'SELECT' ? e.selectedOptions[0]?.text ?? '' : e.placeholder
      // The arrow of a select takes a letter and a half.
      const room = e.clientWidth - pixels(e, 'paddingLeft') - pixels(e, 'paddingRight') - (e.tagName === 'SELECT' ? 1.25 * pixels(e, 'fontSize') : 0)
      if (pen.measureText(text).width > room + 1) found.push(`"${text}" is cut in ${name(e)}: ${Math.round(pen.measureText(text).width)} of ${Math.round(room)} pixels`)
    }
    return [...new Set(found)]
  }

  return { once, layout }
})()
