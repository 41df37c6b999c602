// The price table: what how long costs.
import { html } from '../html.js'
import { t } from '../text.js'
import { periodText } from '../prices.js'
import { Credits, Facts, Read, Screen, useRead } from '../ui.js'

export function Prices() {
  const table = useRead('/prices')
  return html`<${Screen} title=${t('nav.prices')}>
    <${Read} of=${table}>${(/** @type {import('../answers').Answer<'GET', '/prices'>} */ { prices }) => html`<section class="panel">
      <${Facts} of=${prices.map((p) => [periodText(p.period), html`<${Credits} of=${p.credits} />`])} /></section>`}<//>
  <//>`
}
