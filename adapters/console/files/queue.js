// A queue of reminders to many: one line after the other, each with its message.
import { html, useEffect, useId, useRef, useState } from './html.js'
import { base } from './api.js'
import { announce } from './router.js'
import { keyOf, me } from './session.js'
import { recall, remember } from './store.js'
import { t } from './text.js'
import { ends, whole } from './format.js'
import { now } from './clock.js'
import { done } from './done.js'
import { textOf, useMessages } from './messages.js'
import { Panel } from './panel.js'
import { kindOf } from './remind.js'
import { dialled, spelled, toWhatsApp } from './whatsapp.js'
import { Failure, Icon, Skeleton, useRead, useRows } from './ui.js'

/** How many lines a queue has at most. */
const most = 500

/** Where the browser stores which lines a queue has passed today. */
const place = () => `resellerd${base} reminded ${keyOf(me())}`
const day = () => new Date(now()).toDateString()

/** @returns {number[]} */
function passedToday() {
  const stored = JSON.parse(recall(place()) || '{}')
  return stored.day === day() ? stored.ids : []
}

/**
 * Reminders to many: a line, its message and one button, which leads to the next one. A queue that is closed goes on where
 * it was, for the rest of the day.
 * @param {{ ids?: number[], query?: Record<string, any>, onClose: () => void }} props ids: of the lines; query: or what finds them
 */
export function Queue({ ids, query = {}, onClose }) {
  const list = useRows(ids ? null : '/lines', { ...query, limit: most }, most)
  const [before] = useState(passedToday), [passed, pass] = useState(/** @type {number[]} */ ([]))
  const all = ids || /** @type {{ id: number }[]} */ (list.value?.data || []).slice(0, most).map(({ id }) => id)
  const rest = all.filter((id) => !before.includes(id)), todo = (rest.length ? rest : all).filter((id) => !passed.includes(id))
  const [id] = todo, at = all.length - todo.length, n = all.length
  const read = useRead(id ? `/lines/${id}` : null)
  const line = !useMessages().reading && read.value?.id === id ? read.value : null
  const next = () => {
    remember(place(), JSON.stringify({ day: day(), ids: [...passedToday(), id].slice(-4 * most) }))
    if (todo.length > 1) return pass([...passed, id])
    onClose()
    announce(done(t('queue.done')))
  }
  const problem = ids || list.value ? read.problem : list.problem
  return html`<${Panel} title=${n ? t('queue.title', { n, count: whole(n) }) : t('queue')} about=${n ? t('queue.at', { at: whole(at + 1), all: whole(n) }) : ''} onClose=${onClose}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${n ? 100 * at / n : 0} height="4" /></svg>
    ${problem ? html`<${Failure} problem=${problem} retry=${ids || list.value ? read.reload : list.reload} />${id && html`<button type="button" class="button link" onClick=${next}>${t('queue.skip')}</button>`}`
      : line ? html`<${Turn} key=${id} line=${line} last=${todo.length === 1} next=${next} />`
      : list.value && !n ? html`<p>${t('lines.none-such')}</p>` : html`<${Skeleton} />`}
  <//>`
}

/** @param {{ line: import('./answers').Line, last: boolean, next: () => void }} props */
function Turn({ line, last, next }) {
  const id = useId()
  const [typed, type] = useState(/** @type {string | null} */ (null))
  const link = useRef(/** @type {HTMLAnchorElement | null} */ (null))
  const number = dialled(line.whatsapp, line.country), text = typed ?? textOf(kindOf(line), line)
  useEffect(() => link.current?.focus({ preventScroll: true }), [])
  // The browser follows the link after the event: then the address may be of the next line. The second press of a double
  // click is for no line.
  const open = (/** @type {MouseEvent} */ e) => (e.detail > 1 ? e.preventDefault() : setTimeout(next))
  return html`<div class="turn">
    <div><h3 id=${id} class="name" translate=${false}>${line.username}</h3>
      <p class="quiet small">${ends(line.expDate)} · ${number ? spelled(number) : html`<span class="soon">${line.whatsapp ? t('queue.unsure', { number: line.whatsapp }) : t('queue.no-number')}</span>`}</p></div>
    ${typed === null ? html`<p class="bubble text" translate=${false} data-message>${text}</p>`
      : html`<textarea class="input" rows="8" maxlength="2000" aria-label=${t('queue.edit')} value=${typed} onInput=${(/** @type {any} */ e) => type(e.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${link} href=${toWhatsApp(number, text)} target="_blank" rel="noopener noreferrer" aria-describedby=${id} data-next onClick=${open}><${Icon} name="message-circle" />${t(last ? 'queue.last' : 'queue.next')}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${next}>${t('queue.skip')}</button>
      ${typed === null && html`<button type="button" class="button link" onClick=${() => type(text)}>${t('queue.edit')}</button>`}</div>
  </div>`
}
