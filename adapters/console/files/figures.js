// The figures of an account and the accounts below it: today, this month, its lines, and the credits spent each day.
import { html } from './html.js'
import { Link } from './router.js'
import { can, may, me } from './session.js'
import { t } from './text.js'
import { credits, day, units, whole } from './format.js'
import { Chart } from './chart.js'
import { monthOf, sum } from './plot.js'
import { Failure, useRead } from './ui.js'

/** The data of Figures and DayChart: of the own account with the accounts below it. */
export const useFigures = () => useRead(can('lines:read') ? '/reports/summary' : null, { days: 31, tree: may.haveBelow() ? me().id : undefined })

const kinds = /** @type {const} */ (['extensions', 'activations', 'trials'])

/** The lists of the counted lines. */
const counts = /** @type {const} */ ([
  ['running', '/lines?status=running&show=official'], ['trials', '/lines?status=running&show=trials'],
  ['expiring_7d', '/lines?when=soon&show=official'], ['expired_14d', '/lines?when=past&show=official'],
])

/** Each number has its place before it is read. @param {{ of: ReturnType<typeof useFigures> }} props */
export function Figures({ of: { value, problem, reload } }) {
  const lines = value?.lines, today = value && sum(value.days.slice(-1)), month = value && sum(monthOf(value.days))
  const tile = (/** @type {string} */ what, /** @type {string | null} */ now, /** @type {string | null} */ all) => html`<div class="tile" data-figure=${what}>
    <dt>${t('figures.' + what)}</dt><dd class="figure" translate=${false}>${now ?? '\u00a0'}</dd><dd class="quiet">${all === null ? '\u00a0' : t('figures.this-month', { amount: all })}</dd></div>`
  return html`<section class="panel numbers"><h2>${t('figures')}</h2>
    ${problem && html`<${Failure} problem=${problem} retry=${reload} />`}
    <dl class="tiles">
      ${kinds.map((what) => tile(what, today && whole(today[what]), month && whole(month[what])))}
      ${tile('spent', today && credits(today.spent), month && credits(month.spent))}
    </dl>
    <ul class="tiles">${counts.map(([what, to]) => html`<li key=${what}><${Link} class="tile" to=${to} data-count=${what}>
      <span class="figure">${lines ? whole(lines[what]) + (lines.capped ? '+' : '') : '\u00a0'}</span><span>${t(what === 'trials' ? 'figures.running-trials' : 'figures.' + what)}</span><//></li>`)}</ul>
  </section>`
}

/** Credits spent, a bar a day. @param {{ of: ReturnType<typeof useFigures> }} props */
export function DayChart({ of: { value } }) {
  const points = value && value.days.map((d) => ({ key: d.day, name: day(d.day), value: units(d.spent) }))
  const ends = points ? [points[0].name, t('chart.today', { day: points[points.length - 1].name })] : ['\u00a0', '']
  return html`<section class="panel"><${Chart} bars title=${t('figures.spent-daily')} time=${t('chart.day')} amount=${t('amount')} none=${t('figures.spent-none')} points=${points} ends=${ends} /></section>`
}
