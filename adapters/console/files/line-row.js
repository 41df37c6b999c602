// A line in a list: what it is called, its state at a glance, and when it expires.
import { html } from './html.js'
import { Link } from './router.js'
import { me } from './session.js'
import { t } from './text.js'
import { dateTime, left } from './format.js'
import { useName } from './names.js'
import { LineState } from './ui.js'

/** @param {import('./answers').ListedLine} line */
export const lineRow = (line) => html`<${Link} class="row line" to=${'/lines/' + line.id} data-row>
  <span class="name">${line.username}${line.notes && html`<span class="notes quiet">${line.notes}</span>`}</span>
  <${LineState} line=${line} />
  <span class="until"><time datetime=${line.expDate}>${dateTime(line.expDate)}</time> <span class="quiet">${left(line.expDate)}</span></span>
  ${line.owner !== me().id && html`<${Owner} id=${line.owner} />`}
<//>`

/** @param {{ id: number }} props */
function Owner({ id }) {
  const name = useName(id)
  return html`<span class="owner quiet">${name ? t('line.owner-name', { name }) : t('line.owner-id', { id })}</span>`
}
