// The account's webhooks: their receivers, their events, and which of them are disabled.
import { html } from '../html.js'
import { closeForm, go, Link, place } from '../router.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { done } from '../done.js'
import { Few, given } from '../few.js'
import { bodyOf, chosen, fieldsOf, scopeText, typesText, WebhookFields, WebhookState, why } from '../webhook.js'
import { Form, Screen } from '../ui.js'

/** How many an account has at most. */
const most = 10
/** How much of an address a list shows; all of it is on the webhook's own screen. */
const shown = 80

export function Webhooks() {
  const { query } = place.use()
  return query.get('do') === 'create' ? html`<${Create} />` : html`<${Listed} />`
}

const Listed = () => html`<${Few} path="/webhooks" title=${t('nav.webhooks')} meaning=${t('webhook.meaning')} add=${t('webhook.new')} most=${most}
  full=${t('problem.too-many-webhooks')} empty=${t('webhook.none')} row=${(/** @type {import('../answers').Webhook} */ w) => html`<${Row} webhook=${w} />`} />`

/** @param {{ webhook: import('../answers').Webhook }} props */
const Row = ({ webhook: w }) => html`<${Link} class="row webhook" to=${'/webhooks/' + w.id} data-row>
  <span class="name">${w.url.length > shown ? w.url.slice(0, shown - 1) + '…' : w.url}${w.description && html`<span class="notes quiet">${w.description}</span>`}</span>
  <${WebhookState} webhook=${w} />
  <span class="quiet">${typesText(w)} · ${scopeText(w)}</span>
  ${!w.enabled && html`<span>${why(w).join(' ')}</span>`}
<//>`

function Create() {
  const form = useForm({ name: 'webhook', method: 'POST', path: '/webhooks', title: t('webhook.new'), place: '/webhooks?do=create', fields: fieldsOf() })
  const { fields, answer } = form
  useDone(form, () => {
    given.set({ of: 'webhook ' + answer.id, secret: answer.secret })
    go('/webhooks/' + answer.id, { replace: true, state: done(t('webhook.created')) })
  })
  return html`<${Screen} title=${t('webhook.new')} up="/webhooks"><section class="panel">
    <${Form} form=${form} submit=${t('reseller.create')} ready=${chosen(fields)} onSubmit=${() => form.send(bodyOf(fields))} onClose=${() => closeForm()}>
      <${WebhookFields} form=${form} />
    <//>
  </section><//>`
}
