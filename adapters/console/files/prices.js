// The price table: read once, and chosen from.
import { html, useEffect, useState } from './html.js'
import { ask } from './api.js'
import { t } from './text.js'
import { Credits, Failure } from './ui.js'

/** @typedef {import('./answers').Price} Price */

/** @type {Price[] | null} */
let known = null
/** @type {Promise<{ prices: Price[] }> | null} */
let coming = null

/** @returns {{ prices: Price[] | null, problem: any, reload: () => void }} */
export function usePrices() {
  const [state, set] = useState({ prices: known, problem: /** @type {any} */ (null) })
  const reload = () => {
    coming ||= ask('GET', '/prices').finally(() => { coming = null })
    coming.then(
      ({ prices }) => set({ prices: known = prices, problem: null }),
      (problem) => set({ prices: known, problem }),
    )
  }
  useEffect(() => { known ? set({ prices: known, problem: null }) : reload() }, []) // they may have come since the first showing
  return { ...state, reload }
}

/** A period in the reader's language. @param {string} period as the API words it, such as '15 days' */
export function periodText(period) {
  const [, n, unit] = /^(\d+) (day|month)s?$/.exec(period) || []
  return unit ? t('period.' + unit, { n: Number(n) }) : period
}

/** Chooses a price: the field credits of a form. @param {{ form: any }} props */
export function PriceChoice({ form }) {
  const { prices, problem, reload } = usePrices()
  if (problem) return html`<${Failure} problem=${problem} retry=${reload} />`
  return html`<fieldset class="choice" disabled=${form.frozen}>
    <legend>${t('price.choose')}</legend>
    ${!prices && [1, 2, 3, 4, 5, 6].map((place) => html`<span key=${place} class="place"></span>`)}
    ${prices?.map((p) => html`<label key=${p.credits}>
      <input type="radio" name="credits" value=${p.credits} checked=${form.fields.credits === p.credits} onChange=${() => form.set({ credits: p.credits })} />
      <span><strong>${periodText(p.period)}</strong> <${Credits} of=${p.credits} /></span>
    </label>`)}
  </fieldset>`
}
