// What an account and those below it did today and this month, and what they spent day by day.
import { html } from './html.js'
import { can, may, me } from './session.js'
import { t } from './text.js'
import { credits, day, ofUnits, units, whole } from './format.js'
import { Facts, Read, useRead } from './ui.js'

/** @typedef {{ day: string, trials: number, activations: number, extensions: number, spent: string, received: string }} Day */

/** What Figures show: of the own account with those below it. */
export const useFigures = () => useRead(can('lines:read') ? '/reports/summary' : null, { days: 31, tree: may.haveBelow() ? me().id : undefined })

/** @param {{ of: ReturnType<typeof useFigures> }} props */
export function Figures({ of }) {
  return html`<section class="panel"><h2>${t('figures')}</h2>
    <${Read} of=${of}>${(/** @type {import('./answers').Summary} */ s) => html`<${Shown} summary=${s} />`}<//>
  </section>`
}

const kinds = /** @type {const} */ (['trials', 'activations', 'extensions'])

/** @param {{ summary: import('./answers').Summary }} props */
function Shown({ summary: { lines, days } }) {
  const today = days[days.length - 1]
  const month = days.filter((d) => d.day.slice(0, 7) === today.day.slice(0, 7))
  const count = (/** @type {Day[]} */ of, /** @type {typeof kinds[number]} */ what) => whole(of.reduce((sum, d) => sum + d[what], 0))
  const spent = (/** @type {Day[]} */ of) => credits(ofUnits(of.reduce((sum, d) => sum + units(d.spent), 0n)))
  const number = (/** @type {number} */ n) => whole(n) + (lines.capped ? '+' : '')
  return html`
    <${Facts} of=${[
      [t('figures.running'), number(lines.running)], [t('figures.trials-running'), number(lines.trials)],
      ...kinds.map((what) => [t('figures.' + what), t('figures.so-far', { today: count([today], what), month: count(month, what) })]),
      [t('figures.spent'), t('figures.so-far', { today: spent([today]), month: spent(month) })],
    ]} />
    <${DayChart} days=${days} />`
}

/** A round number of ten-thousandths that is not less: 1, 2 or 5 with noughts. @param {bigint} most */
function roundUp(most) {
  for (let ten = 1n; ; ten *= 10n) for (const n of [1n, 2n, 5n]) if (n * ten >= most) return n * ten
}

const height = 100

/** Credits spent, a bar a day, over an axis that begins at 0. @param {{ days: Day[] }} props */
function DayChart({ days }) {
  const spent = days.map((d) => units(d.spent))
  const most = spent.reduce((a, b) => (a > b ? a : b))
  if (most === 0n) return null
  const top = roundUp(most)
  // Only places on the screen become numbers, never credits.
  const tall = (/** @type {bigint} */ n) => Number((n * BigInt(height * 100)) / top) / 100
  const said = t('figures.chart', { n: days.length, most: credits(ofUnits(most)), day: day(days[spent.indexOf(most)].day) })
  return html`<figure class="days"><figcaption>${t('figures.spent-daily')}</figcaption>
    <span class="top" aria-hidden="true">${credits(ofUnits(top))}</span><span class="zero" aria-hidden="true">0</span>
    <svg viewBox="0 0 ${days.length} ${height}" preserveAspectRatio="none" role="img" aria-label=${said}>
      <path class="grid" d="M0 0H${days.length}M0 ${height / 2}H${days.length}" vector-effect="non-scaling-stroke" />
      ${spent.map((n, i) => n > 0n && html`<rect key=${i} x=${i + 0.15} width="0.7" y=${height - tall(n)} height=${tall(n)} />`)}
      <path class="axis" d="M0 0V${height}H${days.length}" vector-effect="non-scaling-stroke" />
    </svg>
    <div class="ends" aria-hidden="true"><span>${day(days[0].day)}</span><span>${day(days[days.length - 1].day)}</span></div>
  </figure>`
}
