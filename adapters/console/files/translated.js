// A browser that translates the page puts other nodes in place of its texts. Preact would go on writing into the texts
// that were taken out, where nobody sees it, and fail where it inserts beside one. So before it draws, they are put back;
// those that are the same afterwards are taken out again, and those that changed stay, to be translated again.
import { options } from './vendor/preact.js'

/** Nodes that something else added. @type {WeakSet<Node>} */
const foreign = new WeakSet()

/** The replacements of texts, in their order. @type {Map<ChildNode, Text[]>} */
const replaced = new Map()

const watch = new MutationObserver(note)

/** Notes what something else did to the page; what Preact does is not among it. @param {MutationRecord[]} records */
function note(records) {
  for (const { target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    let at = /** @type {Node | null} */ (target)
    while (at && !foreign.has(at)) at = at.parentNode
    if (at) continue // within what it added
    for (const added of addedNodes) if (!(added instanceof Text)) foreign.add(added)
    const near = /** @type {ChildNode[]} */ ([...addedNodes, previousSibling, nextSibling].filter((node) => node && foreign.has(node)))
    const stand = near.find((node) => !replaced.has(node)) || near[0]
    if (!stand) continue
    for (const text of removedNodes) if (text instanceof Text) replaced.set(stand, [...replaced.get(stand) || [], text])
  }
}

/** Draws with the page's own texts in their places. @param {() => void} draw */
function drawn(draw) {
  note(watch.takeRecords())
  const back = [...replaced].filter(([stand]) => stand.parentNode).map(([stand, texts]) => ({ stand, texts, was: texts.map((text) => text.data), apart: texts.every((text) => !text.parentNode) }))
  replaced.clear()
  for (const { stand, texts } of back) stand.replaceWith(...texts)
  try {
    draw()
  } finally {
    for (const { stand, texts, was, apart } of back) {
      if (!apart || !texts.every((text, i) => text.parentNode && text.data === was[i] && (!i || text.previousSibling === texts[i - 1]))) continue
      texts[0].before(stand)
      for (const text of texts) text.remove()
      replaced.set(stand, texts)
    }
    watch.takeRecords()
  }
}

options.debounceRendering = (/** @type {() => void} */ draw) => queueMicrotask(() => drawn(draw))

/** Begins, once Preact has drawn for the first time. */
export const keepTexts = () => watch.observe(document.body, { childList: true, subtree: true })
