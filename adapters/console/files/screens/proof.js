// The proof that no credit was lost or invented: what was issued is what all accounts hold and what was spent.
import { html } from '../html.js'
import { t } from '../text.js'
import { dateTime, inCredits, whole } from '../format.js'
import { Facts, Icon, Notice, Read, Screen, useRead } from '../ui.js'

export function Proof() {
  const proof = useRead('/ledger/proof')
  return html`<${Screen} title=${t('nav.proof')}>
    <p>${t('proof.meaning')}</p>
    <${Read} of=${proof}>${(/** @type {import('../answers').Proof} */ p) => html`
      <${Notice} tone=${p.balanced ? 'good' : 'bad'}><p><strong>${t(p.balanced ? 'proof.good' : 'proof.bad')}</strong></p><//>
      <section class="panel"><${Facts} of=${[
        [t('proof.issued'), inCredits(p.issued)], [t('proof.held'), inCredits(p.balances)], [t('proof.consumed'), inCredits(p.consumed)],
        [t('proof.movements'), whole(p.movements)], [t('proof.at'), dateTime(p.at)],
      ]} /></section>`}<//>
    ${!proof.problem && html`<div class="buttons"><button type="button" disabled=${proof.loading} onClick=${proof.reload}><${Icon} name="again" />${t('proof.again')}</button></div>`}
  <//>`
}
