// The statement of the own account.
import { html } from '../html.js'
import { me } from '../session.js'
import { t } from '../text.js'
import { useStatement } from '../statement-of.js'
import { Screen } from '../ui.js'

export function Statement() {
  const { actions, shown } = useStatement(me())
  return html`<${Screen} title=${t('nav.statement')} actions=${actions}>${shown}<//>`
}
