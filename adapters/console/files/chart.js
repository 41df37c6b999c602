// Charts of credits, from a true 0: days as bars, a balance as the line that it went. The value of each is said where one points
// or moves with the arrow keys, and a table has all of them.
import { html, useId, useState } from './html.js'
import { t } from './text.js'
import { credits, date, inCredits, ofUnits, units } from './format.js'
import { columnAt, columnBy, stairs, tall, ticks } from './plot.js'

/** @typedef {{ key: any, name: string, value: bigint }} Point name: the time of the value */

/**
 * Its space is reserved until there is something to show.
 * @param {{ title: string, time: string, amount: string, none?: string, points: Point[] | null, ends: [string, string], bars?: boolean }} props
 *   time and amount: above the columns of the table; none: what is said where all is 0; ends: below the first and the last
 */
export function Chart({ title, time, amount, none, points, ends, bars = false }) {
  const [chosen, choose] = useState(-1)
  const name = useId(), all = points || [], count = Math.max(1, all.length)
  const shown = all[chosen] || all[all.length - 1]
  const said = shown ? t('chart.value', { time: shown.name, amount: (bars ? inCredits : credits)(ofUnits(shown.value)) }) : '\u00a0'
  const axis = ticks(all.reduce((most, { value }) => (value > most ? value : most), 0n)), top = axis[axis.length - 1]
  const line = !bars && all.length ? stairs(all.map((p) => p.value), top) : ''
  const point = (/** @type {PointerEvent} */ e) => {
    const { left, width } = /** @type {Element} */ (e.currentTarget).getBoundingClientRect()
    choose(columnAt(e.clientX - left, width, all.length))
  }
  // What a finger pointed at stays: it leaves with every touch.
  const leave = (/** @type {PointerEvent} */ e) => { if (e.pointerType === 'mouse') choose(-1) }
  const press = (/** @type {KeyboardEvent} */ e) => {
    const to = columnBy(e.key, shown ? all.indexOf(shown) : 0, all.length)
    if (to === undefined) return
    e.preventDefault()
    choose(to)
  }
  return html`<figure class="plot">
    <figcaption id=${name}>${title}</figcaption>
    <p class="said">${none && points?.every((p) => !p.value) ? none : said}</p>
    <div class="scale" aria-hidden="true">${points && [...axis].reverse().map((n) => html`<span key=${n}>${credits(ofUnits(n))}</span>`)}</div>
    <div class="area" ...${all.length ? { role: 'slider', tabIndex: 0, 'aria-labelledby': name, 'aria-valuemin': 1, 'aria-valuemax': all.length,
        'aria-valuenow': all.indexOf(shown) + 1, 'aria-valuetext': said, onPointerMove: point, onPointerDown: point, onPointerLeave: leave, onKeyDown: press } : {}}>
      <svg viewBox="0 0 ${count} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${axis.slice(1).map((n) => `M0 ${100 - tall(n, top)}H${count}`).join('')} vector-effect="non-scaling-stroke" />
        ${bars && all.map(({ key, value }, i) => value > 0n && html`<rect key=${key} class=${i === count - 1 ? 'last' : ''} x=${i + 0.15} width="0.7" y=${100 - tall(value, top)} height=${tall(value, top)} />`)}
        ${line && html`<path class="below" d=${line + 'V100H0Z'} /><path class="edge" d=${line} vector-effect="non-scaling-stroke" />`}
        ${chosen >= 0 && chosen < all.length && html`<path class="chosen" d="M${chosen + 0.5} 0V100" vector-effect="non-scaling-stroke" />`}
        <path class="axis" d="M0 0V100H${count}" vector-effect="non-scaling-stroke" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true"><span>${ends[0]}</span><strong>${ends[1]}</strong></div>
    <details><summary>${t('chart.table')}</summary>
      <table aria-labelledby=${name}><thead><tr><th scope="col">${time}</th><th scope="col">${amount}</th></tr></thead>
        <tbody>${all.map((p) => html`<tr key=${p.key}><th scope="row">${p.name}</th><td>${credits(ofUnits(p.value))}</td></tr>`)}</tbody></table>
    </details>
  </figure>`
}

/** The balance at the end of each day. @param {{ days: { day: Date, balance: string }[] | null }} props days: null until they are known */
export function BalanceChart({ days }) {
  const points = days && days.map(({ day, balance }) => ({ key: +day, name: date(day), value: units(balance) }))
  const ends = /** @type {[string, string]} */ (points?.length ? [points[0].name, points[points.length - 1].name] : ['\u00a0', ''])
  return html`<${Chart} title=${t('chart.balance')} time=${t('chart.day')} amount=${t('amount')} points=${points} ends=${ends} />`
}
