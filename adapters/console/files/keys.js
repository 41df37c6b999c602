// The keyboard: / and Ctrl+K search, j and k go through rows, x selects one, r renews its line, . goes to what can be done with those
// selected, Enter opens, Esc goes back, ? shows these keys. Single letters can be turned off, for those who speak to their computer (WCAG 2.1.4).
import { html, useEffect, useRef } from './html.js'
import { base } from './api.js'
import { recall, remember, store } from './store.js'
import { closeForm, place } from './router.js'
import { t } from './text.js'

const off = `resellerd${base} keys off`

/** Whether single letters do something. */
export const letters = store(!recall(off))
/** Whether the help is shown. */
export const help = store(false)

/** @param {boolean} on */
function setLetters(on) {
  on ? localStorage.removeItem(off) : remember(off, 'yes')
  letters.set(on)
}

/** Opens the search, unless something lies over the screen. @param {Event} e */
function search(e) {
  const button = document.querySelector('[data-search]')
  if (!(button instanceof HTMLElement) || document.querySelector('dialog[open]')) return
  e.preventDefault()
  button.focus() // to which the search returns it
  button.click()
}

addEventListener('keydown', (e) => {
  if (e.key === 'k' && (e.ctrlKey || e.metaKey) && !e.altKey) search(e)
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return
  const at = e.target instanceof HTMLElement ? e.target : document.body
  const typing = at.matches('input:not([type=checkbox]), textarea, select')
  if (e.key === 'Escape' && !help.get()) {
    if (typing) at.blur()
    else if (place.get().query.get('do') && !document.querySelector('[data-form=sending], [data-form=unknown]')) closeForm()
    return
  }
  if (typing || !letters.get() || help.get()) return
  if (e.key === '/') {
    search(e)
  } else if (e.key === 'x') {
    /** @type {HTMLElement | null} */ (at.closest('tr')?.querySelector('.pick input') || null)?.click()
  } else if (e.key === 'r') {
    /** @type {HTMLElement | null} */ (at.closest('tr')?.querySelector('[data-renew]') || null)?.click()
  } else if (e.key === '.') {
    /** @type {HTMLElement | null} */ (document.querySelector('.pick-bar button'))?.focus()
  } else if (e.key === '?') {
    e.preventDefault()
    help.set(true)
  } else if (e.key === 'j' || e.key === 'k') {
    const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-row]')])
    const present = rows.findIndex((r) => r === at || (r.closest('tr') || r.previousElementSibling)?.contains(at))
    // From nowhere the way begins at the first row in view.
    const next = present >= 0 ? present + (e.key === 'j' ? 1 : -1) : rows.findIndex((r) => r.getBoundingClientRect().top >= 0)
    if (!rows[next]) return
    e.preventDefault()
    rows[next].focus()
    rows[next].scrollIntoView({ block: 'nearest' })
  }
})

const meanings = [['/ Ctrl+K', 'search'], ['j', 'next'], ['k', 'previous'], ['x', 'select'], ['r', 'renew'], ['.', 'act'], ['Enter', 'open'], ['Esc', 'leave'], ['?', 'help']]

export function Help() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const shown = help.use(), on = letters.use()
  useEffect(() => {
    if (shown) dialog.current?.showModal()
    else dialog.current?.close()
  }, [shown])
  return html`<dialog class="dialog" ref=${dialog} aria-labelledby="keys" onClose=${() => help.set(false)}>
    <h2 id="keys">${t('keys.title')}</h2>
    <dl class="facts">${meanings.map(([key, meaning]) => html`<div key=${key}><dt>${key.split(' ').map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${t('keys.' + meaning)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${on} onChange=${(/** @type {any} */ e) => setLetters(e.target.checked)} />${t('keys.letters')}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${() => help.set(false)}>${t('close')}</button></div>
  </dialog>`
}
