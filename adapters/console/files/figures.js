// The figures of an account and the accounts below it: today, this month, its lines, and the credits spent each day.
import { html, useRef, useState } from './html.js'
import { Link } from './router.js'
import { can, may, me } from './session.js'
import { t } from './text.js'
import { credits, near, percent, units, whole } from './format.js'
import { Chart } from './chart.js'
import { growth, monthOf, sum } from './plot.js'
import { Failure, Icon, useRead } from './ui.js'

/** How many days the chart can have. */
const spans = [7, 30, 90]

/**
 * The data of Figures and DayChart: of the own account with the accounts below it. It has the days of the chart and as many before
 * them. The last answer stays until there is one of more days.
 */
export function useFigures() {
  const [span, choose] = useState(30)
  const read = useRead(can('lines:read') ? '/reports/summary' : null, { days: 2 * Math.max(span, 30), tree: may.haveBelow() ? me().id : undefined })
  const last = useRef(read.value)
  last.current = read.value || last.current
  return { ...read, value: last.current, span, choose }
}

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
export function DayChart({ of: { value, span, choose } }) {
  const all = value && value.days.length >= 2 * span ? value.days.slice(-2 * span) : null, days = all && all.slice(span)
  const [now, before] = [days, all && all.slice(0, span)].map((some) => some && sum(some).spent)
  const choice = html`<div class="seg small" role="group" aria-label=${t('statement.period')}>
    ${spans.map((n) => html`<button key=${n} type="button" aria-pressed=${n === span} onClick=${() => choose(n)}>${n === spans[2] ? t('figures.days', { days: n }) : n}</button>`)}</div>`
  return html`<${Chart} bars title=${t('figures.spent')} day=${t('figures.day')} today choice=${choice}
    points=${days && days.map((d) => ({ key: d.day, name: near(d.day, 'UTC'), value: units(d.spent) }))}
    sum=${now && before && (now === '0' ? t('figures.spent-none') : html`<span><b translate=${false}>${credits(now)}</b> <span class="quiet">${t('figures.in-days', { days: span })}</span></span><${Growth} of=${growth(now, before)} />`)} />`
}

/** How much more or less it is than in as many days before. @param {{ of: number | undefined }} props */
const Growth = ({ of }) => of !== undefined && html`<span class="quiet">${!!of && html`<${Icon} name=${of < 0 ? 'trending-down' : 'trending-up'} />`}${t('figures.' + (of ? (of < 0 ? 'less' : 'more') : 'same'), { percent: percent(Math.abs(of)) })}</span>`
