// What was just done, in words, above the screen that the user came to; an entry of the history keeps it.
import { html, useEffect, useState } from './html.js'
import { kept, place } from './router.js'
import { movementOf } from './form.js'
import { t } from './text.js'
import { change, inCredits, whole } from './format.js'
import { can, keyOf, me } from './session.js'
import { Notice } from './ui.js'
import { Link } from './router.js'

/** @typedef {{ tone?: string, payer?: number, key?: string }} More payer and key: whose statement has the movement, and of which form */

/**
 * What an entry keeps of what was done. It is not shown to anybody else who goes back to the entry.
 * @param {string} text @param {More} [more]
 */
export const done = (text, more) => ({ done: { ...more, text, who: keyOf(me()) } })

export function Done() {
  place.use()
  /** @type {(More & { text: string, who: string }) | undefined} */
  const it = kept('done')
  if (it?.who !== keyOf(me())) return null
  return html`<${Notice} key=${it.key || it.text} tone=${it.tone || 'good'}><p>${it.text}</p>
    ${it.payer && it.key && can('ledger:read') && html`<${Movement} payer=${it.payer} form=${it.key} />`}<//>`
}

/** Says which movement came of a form. @param {{ payer: number, form: string }} props */
function Movement({ payer, form }) {
  const [found, set] = useState(/** @type {import('./answers').Entry | null} */ (null))
  useEffect(() => { movementOf(payer, form).then(set) }, [])
  if (!found) return null
  const to = payer === me().id ? '/statement' : '/resellers/' + payer
  return html`<p data-movement=${found.seq}><${Link} to=${to}>${t('done.movement', {
    seq: whole(found.seq), amount: inCredits(found.amount, change), balance: inCredits(found.balance),
  })}<//></p>`
}
