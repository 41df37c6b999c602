// Keeps the focus on the screen. What has it may be disabled while an answer is awaited, or go away with one: the browser
// then gives the focus to nothing, and users of a keyboard or a screen reader start again at its top.

/** What had the focus last, and all that is around it; empty once the user has left it. @type {Element[]} */
let trail = []

addEventListener('focusin', (e) => {
  trail = []
  for (let at = e.target; at instanceof Element; at = at.parentElement) trail.push(at)
})
addEventListener('focusout', () => {
  const [own] = trail
  // It also happens while an element is removed: only an element that still exists was left by the user.
  queueMicrotask(() => { if (own && own === trail[0] && own !== document.activeElement && can(own) && document.hasFocus()) trail = [] })
})

/** Whether something can have the focus. @param {Element} at */
const can = (at) => at.isConnected && !at.matches(':disabled') && at.checkVisibility({ visibilityProperty: true })

/** Gives the focus to it. @param {Element | null | undefined} to */
const give = (to) => { if (to instanceof HTMLElement) to.focus({ preventScroll: true }) }

function look() {
  const [own] = trail, now = document.activeElement
  if (!own || own === document.body || now !== own && now !== document.body) return
  if (can(own)) {
    if (now !== own) give(own)
    return
  }
  if (own.isConnected && own.matches(':disabled')) return // it will come back
  // It has gone. Within a form something else can be pressed now; elsewhere one reads on at the heading.
  const near = trail.find((at) => at.isConnected)
  const form = near?.closest('[data-form]')
  const next = form && [...form.querySelectorAll('button, input, select, textarea')].find(can)
  give(next || near?.closest('.screen')?.querySelector('h1') || document.querySelector('h1'))
}

new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden'] })
