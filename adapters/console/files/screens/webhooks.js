// The account's webhooks: which programs are told of what, and which are not any more.
import { html } from '../html.js'
import { closeForm, go, Link, openForm, place } from '../router.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { done } from '../done.js'
import { bodyOf, chosen, fieldsOf, given, scopeText, typesText, WebhookFields, WebhookState, why } from '../webhook.js'
import { Form, Icon, Read, Screen, useRead } from '../ui.js'

/** How many an account has at most. */
const most = 10
/** How much of an address a list shows; all of it is on the webhook's own screen. */
const shown = 80

export function Webhooks() {
  const { query } = place.use()
  return query.get('do') === 'create' ? html`<${Create} />` : html`<${Listed} />`
}

function Listed() {
  const all = useRead('/webhooks')
  return html`<${Screen} title=${t('nav.webhooks')}>
    <p>${t('webhook.meaning')}</p>
    <${Read} of=${all}>${(/** @type {{ data: import('../answers').Webhook[] }} */ { data }) => html`
      <div class="buttons">${data.length < most ? html`<button type="button" class="main" onClick=${() => openForm('create')}><${Icon} name="add" />${t('webhook.new')}</button>`
        : html`<p class="quiet">${t('problem.too-many-webhooks')}</p>`}</div>
      ${data.length ? html`<div><ul class="rows" aria-label=${t('nav.webhooks')}>${data.map((w) => html`<li key=${w.id}><${Row} webhook=${w} /></li>`)}</ul></div>`
        : html`<p class="empty">${t('webhook.none')}</p>`}`}<//>
  <//>`
}

/** @param {{ webhook: import('../answers').Webhook }} props */
const Row = ({ webhook: w }) => html`<${Link} class="row webhook" to=${'/webhooks/' + w.id} data-row>
  <span class="name">${w.url.length > shown ? w.url.slice(0, shown - 1) + '…' : w.url}${w.description && html`<span class="notes quiet">${w.description}</span>`}</span>
  <${WebhookState} webhook=${w} />
  <span class="quiet">${typesText(w)} · ${scopeText(w)}</span>
  ${!w.enabled && html`<span>${why(w).join(' ')}</span>`}
<//>`

function Create() {
  const form = useForm({ name: 'webhook', method: 'POST', path: '/webhooks', title: t('webhook.new'), fields: fieldsOf() })
  const { fields, answer } = form
  useDone(form, () => {
    given.set({ webhook: answer.id, secret: answer.secret })
    go('/webhooks/' + answer.id, { replace: true, state: done(t('webhook.created')) })
  })
  return html`<${Screen} title=${t('webhook.new')} up="/webhooks"><section class="panel">
    <${Form} form=${form} submit=${t('reseller.create')} ready=${chosen(fields)} onSubmit=${() => form.send(bodyOf(fields))} onClose=${() => closeForm()}>
      <${WebhookFields} form=${form} />
    <//>
  </section><//>`
}
