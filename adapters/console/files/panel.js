// A form over the screen, in a panel: at the end side of a desk, from the foot of a phone.
import { html, useId, useLayoutEffect, useRef } from './html.js'
import { t } from './text.js'
import { Icon } from './ui.js'

/** Whether a press on a dialog is beside it, on what it covers. @param {PointerEvent} e */
export function isOutside(e) {
  const { left, right, top, bottom } = /** @type {Element} */ (e.currentTarget).getBoundingClientRect()
  return e.clientX < left || e.clientX > right || e.clientY < top || e.clientY > bottom
}

/** Whether a form in it is being sent: then it stays open. One whose outcome is unknown goes on without it (shell.js). @param {Element} dialog */
const waits = (dialog) => dialog.querySelector('[data-form=sending]')

/**
 * It is shown for as long as it is rendered. Esc, a tap outside and its button close it; what was typed stays (form.js). Then
 * the focus returns to where it was.
 * @param {{ title: any, about?: any, look?: string, onClose: () => void, children?: any }} props about: a line below the title; look: its
 *   classes; onClose: stops rendering it
 */
export function Panel({ title, about, look = 'side-panel', onClose, children }) {
  const id = useId()
  const root = useRef(/** @type {any} */ (null)), outside = useRef(false), gone = useRef(false)
  const leave = () => {
    if (gone.current || waits(root.current)) return
    gone.current = true
    onClose()
  }
  useLayoutEffect(() => {
    const dialog = /** @type {HTMLDialogElement} */ (root.current)
    dialog.showModal()
    const first = /** @type {HTMLElement | null} */ (dialog.querySelector('input:checked, [autofocus]') || dialog.querySelector('h2'))
    first?.focus()
    return () => {
      gone.current = true
      dialog.close()
    }
  }, [])
  // Some browsers close it at a second Esc whatever the page says.
  const closed = () => { if (!gone.current) waits(root.current) ? root.current.showModal() : leave() }
  return html`<dialog class=${look} ref=${root} aria-labelledby=${id} onCancel=${(/** @type {Event} */ e) => { e.preventDefault(); leave() }} onClose=${closed}
    onKeyDown=${(/** @type {Event} */ e) => e.stopPropagation()} onPointerDown=${(/** @type {PointerEvent} */ e) => { outside.current = isOutside(e) }} onClick=${(/** @type {Event} */ e) => { if (outside.current && e.target === root.current) leave() }}>
    <span class="grip"></span>
    <header class="side-head"><div><h2 id=${id} tabindex="-1">${title}</h2>${about && html`<p class="quiet small">${about}</p>`}</div>
      <button type="button" class="button ghost only" aria-label=${t('close')} onClick=${leave}><${Icon} name="x" /></button></header>
    ${children}
  </dialog>`
}
