// The statement of the own account.
import { html } from '../html.js'
import { account, me } from '../session.js'
import { t } from '../text.js'
import { StatementOf } from '../statement-of.js'
import { Credits, Screen } from '../ui.js'

export function Statement() {
  const own = account.use()
  return html`<${Screen} title=${t('nav.statement')}>
    ${own && !own.is_admin && html`<p class="big"><${Credits} of=${own.credits} /></p>`}
    <${StatementOf} account=${me()} />
  <//>`
}
