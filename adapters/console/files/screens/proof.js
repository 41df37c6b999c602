// The proof that no credit was lost or invented: what was issued is what all accounts hold and what was spent.
import { html } from '../html.js'
import { ask } from '../api.js'
import { now } from '../clock.js'
import { Link } from '../router.js'
import { t } from '../text.js'
import { credits, dateTime, time, whole } from '../format.js'
import { Credits, Facts, Failure, Good, Icon, Notice, Read, Screen, useRead } from '../ui.js'

/** @typedef {import('../answers').Proof} Proof */

/** The latest one of this document. @type {Proof | null} */
let latest = null

/** How long it does where nobody asked for one, in milliseconds: each reads the whole ledger. */
const lasts = 10 * 60_000

/** @param {number} [age] how old it may be */
const useProof = (age = 0) => useRead('/ledger/proof', {}, async (path, _, signal) =>
  latest && now() - Date.parse(latest.at) < age ? latest : latest = await ask('GET', path, { signal }))

export function Proof() {
  const proof = useProof()
  return html`<${Screen} title=${t('nav.proof')}>
    <p>${t('proof.meaning')}</p>
    <${Read} of=${proof}>${(/** @type {Proof} */ p) => html`
      <${Notice} tone=${p.balanced ? 'good' : 'bad'}><p><strong>${t(p.balanced ? 'proof.good' : 'proof.bad')}</strong></p><//>
      <section class="panel"><${Facts} of=${[
        [t('proof.issued'), html`<${Credits} of=${p.issued} />`], [t('proof.held'), html`<${Credits} of=${p.balances} />`], [t('proof.consumed'), html`<${Credits} of=${p.consumed} />`],
        [t('proof.movements'), whole(p.movements)], [t('proof.at'), dateTime(p.at)],
      ]} /></section>`}<//>
    ${!proof.problem && html`<div class="buttons"><button type="button" class="button" disabled=${proof.loading} onClick=${proof.reload}><${Icon} name="rotate-cw" />${t('proof.again')}</button></div>`}
  <//>`
}

/** Its sums and its verdict, in short, with the way to it; each has its place before it is read. */
export function Proven() {
  const { value: p, problem, reload } = useProof(lasts)
  const sums = /** @type {const} */ ([['issued', 'issued'], ['held', 'balances'], ['consumed', 'consumed']])
  return html`<section class="panel numbers"><h2>${t('home.credits')}</h2>
    ${problem && html`<${Failure} problem=${problem} retry=${reload} />`}
    <dl class="tiles">${sums.map(([name, what]) => html`<div key=${what} class="tile" data-figure=${what}>
      <dt>${t('proof.' + name)}</dt><dd class="figure" translate=${false}>${p ? credits(p[what]) : '\u00a0'}</dd></div>`)}</dl>
    <p class="glance"><${Link} class="button" to="/proof">${t('nav.proof')}<//>${p && html`
      <${Good} good=${p.balanced} badge>${t(p.balanced ? 'proof.balanced' : 'proof.unbalanced')}<//>
      <span class="quiet">${t('list.stale', { time: time(p.at) })}</span>`}</p>
  </section>`
}
