// A line in a list, as a row of a table: its state and its expiry; beside it the most frequent action, where it is seen.
import { html, useRef, useState } from './html.js'
import { Link, place } from './router.js'
import { can, me } from './session.js'
import { t } from './text.js'
import { dateTime, daysTo, near, relative } from './format.js'
import { useName } from './names.js'
import { usePicked } from './many.js'
import { found, Marked } from './marked.js'
import { Remind } from './remind.js'
import { opened, Renew, renewed } from './renew.js'
import { Icon, LineState, Menu } from './ui.js'

/** @param {import('./answers').ListedLine} line @param {string} [filter] of the list, in which rows can be selected */
export const lineRow = (line, filter) => html`<${LineRow} key=${line.id} line=${line} filter=${filter} />`

/** @param {{ line: import('./answers').ListedLine, filter?: string }} props line: as it was read, after which it may have been renewed or activated */
function LineRow({ line: read, filter }) {
  const since = renewed.use()[read.id], open = opened.use() === read.id
  const line = since && since.updatedAt > read.updatedAt ? { ...read, ...since } : read
  const [told, tell] = useState('')
  const [picked, all, pick] = usePicked(filter, read.id)
  const { id, username: name, expDate, isTrial, effective, status } = line
  const runs = !!status && effective !== 'suspended' && effective !== 'owner_blocked', soon = runs && !isTrial && daysTo(expDate) <= 2
  const by = (filter && place.get().query.get('q')) || '', hit = found(name, by) ? null : [line.whatsapp, line.notes].find((text) => found(text, by))
  const hold = useHold(() => { if (filter && !picked) pick() })
  return html`<tr class=${[picked && 'is-picked', runs && !isTrial && 'is-active', (!status || isTrial) && 'is-brief'].filter(Boolean).join(' ')} data-id=${id} ...${filter ? hold : {}}>
    ${filter && html`<td class="pick"><label class="hit"><input type="checkbox" checked=${picked} disabled=${all} onChange=${pick} aria-label=${t('select.line', { name })} /></label></td>`}
    <th scope="row" class="name clip"><${Link} to=${'/lines/' + id} title=${name} translate=${false} data-row><${Marked} text=${name} by=${by} /><//></th>
    <td class="st"><${LineState} line=${line} /></td>
    <td class="expiry clip">${!told && html`<span title=${dateTime(expDate)}>${near(expDate)}</span> <span class=${soon ? 'rel soon' : 'rel'}>${relative(expDate)}</span>`}<span class="told" role="status">${told && html`<${Icon} name="check" />${told}`}</span>${hit && html`<span class="hit-in"><${Marked} text=${hit} by=${by} /></span>`}</td>
    <td class="phone clip"><${Marked} text=${line.whatsapp} by=${by} /></td>
    <td class="notes clip quiet">${line.owner !== me().id && html`<${Owner} id=${line.owner} />`}${line.notes && html`<span class="note-text"><${Marked} text=${line.notes} by=${by} /></span>`}</td>
    <td class="does"><span>
      ${can('lines:spend') && html`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${t(isTrial ? 'line.activate-title' : 'line.extend-title', { name })}
        onClick=${() => { tell(''); opened.set(id) }}>${t(isTrial ? 'line.activate' : 'line.extend')}</button>`}
      <${Remind} line=${line} />
      ${can('lines:write') && html`<${Menu} label=${t('more-about', { name })}>
        <${Link} to=${`/lines/${id}?do=edit`}><${Icon} name="pencil" />${t('line.edit')}<//>
        <${Link} to=${`/lines/${id}?do=${line.suspended ? 'resume' : 'suspend'}`}><${Icon} name=${line.suspended ? 'play' : 'circle-pause'} />${t(line.suspended ? 'line.resume' : 'line.suspend')}<//>
        ${can('lines:delete') && html`<hr /><${Link} class="bad" to=${`/lines/${id}?do=delete`}><${Icon} name="trash-2" />${t('line.delete')}…<//>`}<//>`}
      ${open && html`<${Renew} line=${line} then=${(/** @type {string} */ until) => { if (until) tell(t(isTrial ? 'line.active' : 'line.renewed', { until: near(until) })) }} />`}
    </span></td>
  </tr>`
}

/** Does something where a finger rests, once, in place of the menu of a link; the tap that ends it does nothing. @param {() => void} act */
function useHold(act) {
  const held = useRef({ timer: 0, touch: false, done: false })
  const end = () => clearTimeout(held.current.timer)
  const hold = () => {
    end()
    if (!held.current.done) act()
    held.current.done = true
  }
  return {
    onPointerDown: (/** @type {PointerEvent} */ e) => {
      const touch = e.pointerType === 'touch'
      held.current = { touch, done: false, timer: touch ? setTimeout(hold, 500) : 0 }
    },
    onContextMenu: (/** @type {Event} */ e) => { if (held.current.touch) { e.preventDefault(); hold() } },
    onPointerUp: end, onPointerCancel: end, onPointerMove: end,
    // No click follows: the rows have moved, and it would hit the one that is under the finger now.
    onTouchEnd: (/** @type {TouchEvent} */ e) => { if (held.current.done && e.cancelable) e.preventDefault() },
  }
}

/** @param {{ id: number }} props */
function Owner({ id }) {
  const name = useName(id)
  return html`<span class="owner">${name ? t('line.owner-name', { name }) : t('line.owner-id', { id })}</span>`
}
