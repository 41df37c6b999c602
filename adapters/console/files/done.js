// What was just done, in one line that lies over the screen that the user came to, and goes away by itself: nothing moves for
// it. An entry of the history keeps it until then, so that a reload does not swallow it.
import { html, useEffect, useRef, useState } from './html.js'
import { announce, go, kept, Link, place } from './router.js'
import { movementOf, useDone, useForm } from './form.js'
import { t } from './text.js'
import { change, inCredits } from './format.js'
import { can, keyOf, me } from './session.js'
import { exact, Failure, Icon, Notice, Unknown } from './ui.js'

/**
 * @typedef {{ name: string, method: string, path: string, title: string, body?: any, said: string }} Reverse a form (form.js) without fields;
 *   said: what is shown once it is done
 * @typedef {{ tone?: string, payer?: number, key?: string, undo?: Reverse }} More payer and key: whose statement has the movement, and of which
 *   form; undo: what undoes all of it
 */

/** How long it is shown, in milliseconds, unless it has the focus or the pointer: then it waits. */
const shownFor = 8000

/**
 * What an entry keeps of what was done. It is not shown to anybody else who goes back to the entry.
 * @param {string} text @param {More} [more]
 */
export const done = (text, more) => ({ done: { ...more, text, who: keyOf(me()) } })

export function Done() {
  place.use()
  /** @type {(More & { text: string, who: string }) | undefined} */
  const it = kept('done')
  return it?.who === keyOf(me()) ? html`<${Toast} key=${it.key || it.text} of=${it} />` : null
}

/** @param {{ of: More & { text: string } }} props */
function Toast({ of: { text, tone = 'good', payer, key, undo } }) {
  const root = useRef(/** @type {HTMLElement | null} */ (null))
  const close = () => announce({ done: null })
  useEffect(() => {
    if (tone !== 'good') return // what went wrong stays until it was read
    let left = shownFor, last = Date.now()
    const every = setInterval(() => {
      const now = Date.now(), at = root.current
      const waits = document.hidden || at?.matches(':hover, :focus-within') || at?.querySelector('[data-form]:not([data-form=editing])')
      if (!waits) left -= now - last
      last = now
      if (left <= 0) close()
    }, 250)
    return () => clearInterval(every)
  }, [])
  return html`<div class="toast" ref=${root}><${Notice} tone=${tone}><p>${text}${payer && key && can('ledger:read') && html`<${Movement} payer=${payer} form=${key} />`}</p>
    ${undo && html`<${Undo} of=${undo} />`}
    <button type="button" class="button ghost only" aria-label=${t('close')} onClick=${close}><${Icon} name="x" /></button><//></div>`
}

/** @param {{ of: Reverse }} props */
function Undo({ of: { body, said, ...about } }) {
  const form = useForm({ ...about, fields: {} })
  const { state, problem } = form
  // A new entry in place of this one: what the screen shows is read again.
  useDone(form, () => go(place.get().path + location.search, { replace: true, state: done(said) }))
  return html`<div data-form=${state}>${state === 'unknown' ? html`<${Unknown} form=${form} />`
    : html`<button type="button" class="button link" data-undo disabled=${form.frozen} onClick=${() => form.send(body)}>${t(state === 'sending' ? 'form.sending' : 'undo')}</button>`}
    ${state === 'refused' && problem && html`<${Failure} problem=${problem} />`}</div>`
}

/** The credits that a form moved, and the rest. @param {{ payer: number, form: string }} props */
function Movement({ payer, form }) {
  const [found, set] = useState(/** @type {import('./answers').Entry | null} */ (null))
  useEffect(() => { movementOf(payer, form).then(set) }, [])
  if (!found) return null
  const to = payer === me().id ? '/statement' : '/resellers/' + payer
  return html` <${Link} to=${to} data-movement=${found.seq}>${exact('done.movement', { amount: inCredits(found.amount, change), balance: inCredits(found.balance) })}<//>`
}
