// What was just done, in words, above the screen that the user came to; an entry of the history keeps it.
import { html, useEffect, useState } from './html.js'
import { kept, place } from './router.js'
import { movementOf } from './form.js'
import { t } from './text.js'
import { change, inCredits, whole } from './format.js'
import { me } from './session.js'
import { Notice } from './ui.js'
import { Link } from './router.js'

/**
 * What an entry keeps under "done".
 * @typedef {{ text: string, tone?: string, payer?: number, key?: string }} What payer and key: whose statement has the movement, and of which form
 */

export function Done() {
  place.use()
  /** @type {What | undefined} */
  const done = kept('done')
  if (!done) return null
  return html`<${Notice} key=${done.key || done.text} tone=${done.tone || 'good'}><p>${done.text}</p>
    ${done.payer && done.key && html`<${Movement} payer=${done.payer} form=${done.key} />`}<//>`
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
