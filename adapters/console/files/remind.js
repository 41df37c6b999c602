// Reminds the user of a line that it ends, or that it has, by WhatsApp, which opens with the message written.
import { html } from './html.js'
import { Link } from './router.js'
import { t } from './text.js'
import { now } from './clock.js'
import { templateOf, textOf, useMessages } from './messages.js'
import { needsPassword } from './template.js'
import { dialled, toWhatsApp } from './whatsapp.js'
import { Icon } from './ui.js'

/** The message that a line needs. @param {{ expDate: string }} line */
export const kindOf = ({ expDate }) => (Date.parse(expDate) > now() ? 'reminder' : 'expired')

/** A row has no password: a template that says it is sent from the line's own screen. @param {{ line: import('./answers').ListedLine }} props */
export function Remind({ line }) {
  useMessages()
  const kind = kindOf(line), label = t('line.remind', { name: line.username })
  const shown = html`<${Icon} name="message-circle" />`
  return needsPassword(templateOf(kind)) ? html`<${Link} class="button ghost only" to=${'/lines/' + line.id} aria-label=${label} title=${label} data-remind>${shown}<//>`
    : html`<a class="button ghost only" href=${toWhatsApp(dialled(line.whatsapp, line.country), textOf(kind, line))} target="_blank" rel="noopener noreferrer"
      aria-label=${label} title=${label} data-remind>${shown}</a>`
}
