// A line in a list: its name, its state and its expiry; beside it the most frequent action,
// where it is seen.
import { html, useRef, useState } from './html.js'
import { Link } from './router.js'
import { can, me } from './session.js'
import { t } from './text.js'
import { dateTime, left, near } from './format.js'
import { useName } from './names.js'
import { Remind } from './remind.js'
import { opened, Renew, renewed } from './renew.js'
import { Icon, LineState } from './ui.js'

/** @param {import('./answers').ListedLine} line */
export const lineRow = (line) => html`<${LineRow} line=${line} />`

/** @param {{ line: import('./answers').ListedLine }} props line: as it was read, after which it may have been renewed */
function LineRow({ line: read }) {
  const since = renewed.use()[read.id], open = opened.use() === read.id
  const line = since && since.updatedAt > read.updatedAt ? { ...read, ...since } : read
  const [told, tell] = useState('')
  const button = useRef(/** @type {HTMLElement | null} */ (null))
  const { id, username: name, expDate, isTrial } = line
  const closed = (/** @type {string} */ until) => {
    if (until) tell(t('line.renewed', { until: near(until) }))
    button.current?.focus({ preventScroll: true })
  }
  return html`<div class="item">
    <${Link} class="row line" to=${'/lines/' + id} data-row>
      <span class="name" translate=${false}>${name}</span>
      <${LineState} line=${line} />
      <span class="second">
        <span class="until">${!told && html`<span title=${dateTime(expDate)}>${near(expDate)}</span> <span class="quiet">${left(expDate)}</span>`}<span class="told" role="status">${told && html`<${Icon} name="good" />${told}`}</span></span>
        <span class="about quiet">${line.owner !== me().id && html`<${Owner} id=${line.owner} /> `}${line.notes && html`<span class="notes">${line.notes}</span>`}</span>
      </span>
    <//>
    <div class="does">
      ${can('lines:spend') && (isTrial ? html`<${Link} class="button does-main" to=${`/lines/${id}?do=activate`} aria-label=${t('line.activate-title', { name })} title=${t('line.activate')}><${Icon} name="power" /><span>${t('line.activate')}</span><//>`
        : html`<button type="button" class="does-main" ref=${button} data-renew aria-expanded=${open} aria-label=${t('line.extend-title', { name })} title=${t('line.extend')}
          onClick=${() => { tell(''); opened.set(open ? 0 : id) }}><${Icon} name="renew" /><span>${t('line.extend')}</span></button>`)}
      <${Remind} line=${line} />
    </div>
    ${open && !isTrial && html`<${Renew} line=${line} then=${closed} />`}
  </div>`
}

/** @param {{ id: number }} props */
function Owner({ id }) {
  const name = useName(id)
  return html`<span class="owner">${name ? t('line.owner-name', { name }) : t('line.owner-id', { id })}</span>`
}
