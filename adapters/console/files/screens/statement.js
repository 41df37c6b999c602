// The statement of the own account.
import { html } from '../html.js'
import { account, me } from '../session.js'
import { t } from '../text.js'
import { StatementOf } from '../statement-of.js'
import { Balance, Screen } from '../ui.js'

export function Statement() {
  const own = account.use()
  return html`<${Screen} title=${t('nav.statement')}>
    ${!me().is_admin && html`<${Balance} of=${own} />`}
    <${StatementOf} account=${me()} />
  <//>`
}
