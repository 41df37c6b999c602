// Charts of credits, from a true 0: days as bars, a balance as the line that it went. The value of each is said where one points
// or moves with the arrow keys, and a table has all of them.
import { html, useId, useState } from './html.js'
import { t } from './text.js'
import { credits, daysTo, inCredits, near, ofUnits, units } from './format.js'
import { columnAt, columnBy, stairs, tall, ticks } from './plot.js'
import { Icon } from './ui.js'

/** @typedef {{ key: any, name: string, value: bigint }} Point name: the time of the value */

/**
 * Its space is reserved until there is something to show.
 * @param {{ title: string, day: string, points: Point[] | null, today: boolean, bars?: boolean, choice?: any, sum?: any }} props
 *   day: above the column of the table; today: whether the last point is of this day; choice: of what is shown; sum: is said where no
 *   value is, '' until it is known
 */
export function Chart({ title, day, points, today, bars = false, choice, sum }) {
  const [chosen, choose] = useState(-1), [listed, list] = useState(false)
  const name = useId(), all = points || [], count = Math.max(1, all.length), last = all.length - 1
  const is = chosen >= 0 && chosen <= last, at = is ? chosen : last
  const value = at < 0 ? '' : t('chart.value', { time: all[at].name, amount: (bars ? inCredits : credits)(ofUnits(all[at].value)) })
  const said = is && value
  const axis = ticks(all.reduce((most, { value }) => (value > most ? value : most), 0n)), top = axis[2]
  const line = !bars && all.length ? stairs(all.map((p) => p.value), top) : ''
  const point = (/** @type {PointerEvent} */ e) => {
    const { left, width } = /** @type {Element} */ (e.currentTarget).getBoundingClientRect()
    choose(columnAt(e.clientX - left, width, all.length))
  }
  // What a finger pointed at stays: it leaves with every touch.
  const leave = (/** @type {PointerEvent} */ e) => { if (e.pointerType === 'mouse') choose(-1) }
  const press = (/** @type {KeyboardEvent} */ e) => {
    const to = columnBy(e.key, at, all.length)
    if (to === undefined) return
    e.preventDefault()
    choose(to)
  }
  const table = html`<button type="button" class="button link" onClick=${() => list(!listed)}><${Icon} name="table-2" />${t(listed ? 'chart.no-table' : 'chart.table')}</button>`
  return html`<figure class=${`panel plot ${bars ? 'bars' : 'flat'} ${is ? 'is-chosen' : ''}`}>
    <header><h2 id=${name}>${title}</h2>${choice || html`${said && html`<span class="quiet">${said}</span>`}${table}`}</header>
    ${choice && html`<p class="sum">${said || sum || '\u00a0'}</p>`}
    <div class="scale" aria-hidden="true">${points && [...axis].reverse().map((n) => html`<span key=${n}>${credits(ofUnits(n))}</span>`)}</div>
    <div class="area" ...${last >= 0 ? { role: 'slider', tabIndex: 0, 'aria-labelledby': name, 'aria-valuemin': 1, 'aria-valuemax': all.length, 'aria-valuenow': at + 1,
        'aria-valuetext': value, onPointerMove: point, onPointerDown: point, onPointerLeave: leave, onKeyDown: press, onFocus: () => choose((now) => (now < 0 ? last : now)) } : {}}>
      <svg class="chart" viewBox="0 0 ${count} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${axis.slice(1).map((n) => `M0 ${100 - tall(n, top)}H${count}`).join('')} />
        ${bars && all.map(({ key, value }, i) => value > 0n && html`<rect key=${key} class="bar" x=${i + 0.16} width="0.68" y=${100 - tall(value, top)} height=${tall(value, top)} />`)}
        ${line && html`<path class="under" d=${line + 'V100H0Z'} /><path class="run" d=${line} />`}
        ${is && html`<path class="chosen" d="M${at + 0.5} 0V100" />`}
        <path class="axis" d="M0 100H${count}" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true">${last < 0 ? '\u00a0' : [...new Set([0, last >> 1, last])].map((i) => html`<span key=${i}>${today && i === last ? t('chart.today') : all[i].name}</span>`)}</div>
    ${choice && table}
    ${listed && html`<table class="table dense" aria-labelledby=${name}><thead><tr><th scope="col">${day}</th><th scope="col" class="num">${t('amount')}</th></tr></thead>
      <tbody>${all.map((p) => html`<tr key=${p.key}><th scope="row">${p.name}</th><td class="num">${credits(ofUnits(p.value))}</td></tr>`)}</tbody></table>`}
  </figure>`
}

/** The balance at the end of each day. @param {{ days: { day: Date, balance: string }[] | null }} props days: null until they are known */
export const BalanceChart = ({ days }) => html`<${Chart} title=${t('chart.balance')} day=${t('chart.day')} today=${!!days?.length && !daysTo(days[days.length - 1].day)}
  points=${days && days.map(({ day, balance }) => ({ key: +day, name: near(day), value: units(balance) }))} />`
