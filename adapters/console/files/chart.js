// The balance over its latest movements, as a small chart that begins at 0. What it shows is also said in words.
import { html } from './html.js'
import { t } from './text.js'
import { credits, units } from './format.js'

const width = 300, height = 80

/** @param {{ entries?: { balance: string, at: string }[] }} props the newest first, as a statement has them; its place is kept until it has them */
export function BalanceChart({ entries }) {
  if (!entries) return html`<div class="chart"></div>`
  if (entries.length < 2) return null
  const steps = [...entries].reverse()
  const balances = steps.map((e) => units(e.balance))
  const most = balances.reduce((a, b) => (a > b ? a : b)), least = balances.reduce((a, b) => (a < b ? a : b))
  const span = most > 0n ? most : 1n
  // Only places on the screen become numbers, never credits.
  const y = (/** @type {bigint} */ b) => height - 2 - Number((b * BigInt(height - 4)) / span)
  const x = (/** @type {number} */ i) => (i * width) / steps.length
  const line = balances.map((b, i) => (i ? `H${x(i).toFixed(1)}V${y(b)}` : `M0 ${y(b)}`)).join('') + 'H' + width
  const said = t('chart.balance', { n: steps.length, from: credits(steps[0].balance), to: credits(steps[steps.length - 1].balance),
    least: credits(steps[balances.indexOf(least)].balance), most: credits(steps[balances.indexOf(most)].balance) })
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label=${said}>
    <path class="area" d=${line + `V${height}H0Z`} /><path class="edge" d=${line} vector-effect="non-scaling-stroke" />
  </svg>`
}
