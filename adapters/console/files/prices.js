// The price table: read once, and chosen from.
import { html, useEffect, useState } from './html.js'
import { ask } from './api.js'
import { me } from './session.js'
import { t } from './text.js'
import { units, whole } from './format.js'
import { Credits, Failure } from './ui.js'

/** @typedef {import('./answers').Price} Price */

/** By owner, 0 for the own account. @type {Map<number, Price[]>} */
const known = new Map()
/** @type {Map<number, Promise<void>>} */
const coming = new Map()

/**
 * What lines of an account cost, as they were read last.
 * @param {number} [owner] @returns {{ prices: Price[] | null, problem: any, reload: () => void }}
 */
export function usePrices(owner = me().id) {
  const [problem, fail] = useState(/** @type {any} */ (null)), [, draw] = useState(0)
  const reload = () => {
    const read = coming.get(owner) || ask('GET', '/prices', { query: owner === me().id ? {} : { owner } })
      .then(({ prices }) => { known.set(owner, prices) }).finally(() => { coming.delete(owner) })
    coming.set(owner, read)
    read.then(() => fail(null), fail).then(() => draw((n) => n + 1))
  }
  useEffect(() => { known.has(owner) ? draw((n) => n + 1) : reload() }, [owner]) // they may have come since the first showing
  return { prices: known.get(owner) || null, problem, reload }
}

/** Prices have changed: they are read again where they are shown next. */
export const forgetPrices = () => known.clear()

/** A period in the reader's language. @param {string} period as the API words it, such as '15 days' */
export function periodText(period) {
  const [, n, unit] = /^(\d+) (day|month)s?$/.exec(period) || []
  return unit ? t('period.' + unit, { n: Number(n) }) : period
}

/** A plan in the reader's language: those that a store begins with are called as their periods are. @param {{ name: string, period: string }} plan */
export const planText = ({ name, period }) => (name === period ? periodText(period) : name)

/** How many can watch at once, where that is more than one. @param {number | null} n */
export const connectionsText = (n) => (n && n > 1 ? t('plan.connections-n', { n, count: whole(n) }) : '')

/**
 * The prices at which a line is extended, or activated: while it runs it has the connections and packages that it has.
 * @param {Price[]} prices @param {Partial<import('./answers').ListedLine>} line
 */
export const pricesFor = (prices, { isTrial, status, plan, connections, packages }) => prices.filter((p) => isTrial || !status || !plan && p.connections === 1
  || p.connections === connections && String(p.packages) === String(packages))

/**
 * The plans that a running line can take at once: dearer ones of the same period.
 * @param {Price[]} prices @param {Partial<import('./answers').ListedLine>} line
 */
export function dearerFor(prices, { plan, status }) {
  const own = status && prices.find((p) => p.plan === plan)
  return own ? prices.filter((p) => p.period === own.period && units(p.credits) > units(own.credits)) : []
}

/** Chooses a plan: the field plan of a form. @param {{ form: any, prices: Price[] | null, problem: any, reload: () => void, label?: string }} props */
export function PriceChoice({ form, prices, problem, reload, label = t('price.choose') }) {
  if (problem && !prices) return html`<${Failure} problem=${problem} retry=${reload} />`
  return html`<fieldset class="choice" disabled=${form.frozen}>
    <legend>${label}</legend>
    ${!prices && [1, 2, 3, 4, 5, 6].map((place) => html`<span key=${place} class="place"></span>`)}
    ${prices?.map((p) => html`<label key=${p.plan}>
      <input type="radio" name="credits" value=${p.credits} checked=${form.fields.plan === p.plan} onChange=${() => form.set({ plan: p.plan })} data-plan=${p.plan} />
      <span><strong>${planText(p)}</strong> ${(p.name !== p.period || p.connections > 1) && html`<span class="quiet">${[p.name !== p.period && periodText(p.period), connectionsText(p.connections)].filter(Boolean).join(' · ')}</span> `}<${Credits} of=${p.credits} /></span>
    </label>`)}
  </fieldset>`
}
