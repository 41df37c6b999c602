// A webhook: its events, its deliveries, and all its actions. A new secret is shown only here.
import { html, useState } from '../html.js'
import { ask, pagesInARow } from '../api.js'
import { now } from '../clock.js'
import { closeForm, openForm, place, returnTo } from '../router.js'
import { me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { dateTime } from '../format.js'
import { plain } from '../typed.js'
import { done } from '../done.js'
import { Deliveries, Tested, useDeliveries } from '../deliveries.js'
import { given, Question, Secret, useForgotten } from '../few.js'
import { bodyOf, chosen, fieldsOf, hostOf, scopeText, typesText, WebhookFields, WebhookState, why } from '../webhook.js'
import { Choice, Facts, Failure, Field, Form, Notice, Read, Screen, Unknown, useRead, useRecord } from '../ui.js'

/** @typedef {import('../answers').Webhook} Webhook */

/** @param {{ id: string }} props */
export function OneWebhook({ id }) {
  const { query } = place.use()
  const webhook = useRecord(`/webhooks/${id}`)
  useForgotten()
  return html`<${Screen} title=${webhook.value ? hostOf(webhook.value) : t('nav.webhooks')} up="/webhooks">
    <${Read} of=${webhook}>${(/** @type {Webhook} */ w) => html`<${Shown} webhook=${w} doing=${query.get('do') || ''} changed=${webhook.set} reload=${webhook.reload} />`}<//>
  <//>`
}

/** @param {{ webhook: Webhook, doing: string, changed: (webhook: Webhook) => void, reload: () => void }} props */
function Shown({ webhook: w, doing, changed, reload }) {
  const [tests, setTests] = useState(0)
  const forms = /** @type {Record<string, any>} */ ({ edit: Edit, enable: !w.enabled && Switch, disable: w.enabled && Switch, rotate: Rotate, replay: w.enabled && Replay, delete: Delete })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  const deliveries = useDeliveries(w.id, !Doing)
  if (Doing) return html`<${Doing} key=${doing} webhook=${w} changed=${changed} sent=${deliveries.watch} />`
  const does = (/** @type {string} */ name, /** @type {string} */ label, look = '') => html`<button type="button" class=${'button ' + look} onClick=${() => openForm(name)}>${t(label)}</button>`
  const sent = () => {
    deliveries.watch(true)
    setTests(tests + 1)
  }
  return html`
    <${Secret} of=${'webhook ' + w.id} title=${t('webhook.secret')} meaning=${t('webhook.secret-once')} copy=${t('webhook.secret-copy')} />
    <p class="glance"><${WebhookState} webhook=${w} /></p>
    ${!w.enabled && html`<${Notice} tone="unsure"><p><strong>${why(w)[0]}</strong></p><p>${why(w)[1]} ${t('webhook.meanwhile')}</p><//>`}
    <div class="buttons">
      ${w.enabled ? html`<${Test} key=${tests} webhook=${w} ready=${!!deliveries.value} sent=${sent} />` : does('enable', 'webhook.enable', 'primary')}
      ${does('edit', 'line.edit')}${does('rotate', 'webhook.rotate')}
      ${w.enabled && html`${does('replay', 'webhook.replay')}${does('disable', 'webhook.disable')}`}
      ${does('delete', 'line.delete', 'danger-plain')}
    </div>
    <div aria-live="polite">${w.enabled && html`<${Tested} of=${deliveries} />`}</div>
    <section class="panel">
      <h2>${t('line.record')}</h2>
      <${Facts} of=${[
        [t('webhook.url'), w.url], [t('webhook.types'), typesText(w)], [t('filter.whose'), scopeText(w)],
        [t('webhook.description'), w.description && html`<span class="text">${w.description}</span>`],
        [t('line.id'), w.id], [t('created'), dateTime(w.created_at)],
      ]} />
    </section>
    <${Deliveries} of=${deliveries} enabled=${w.enabled} refresh=${() => { deliveries.reload(); reload() }} />`
}

/** Sends a test, in one tap. @param {{ webhook: Webhook, ready: boolean, sent: () => void }} props */
function Test({ webhook, ready, sent }) {
  const form = useForm({ name: 'test ' + webhook.id, method: 'POST', path: `/webhooks/${webhook.id}/test`, title: about('webhook.test', webhook), fields: {} })
  const { state, problem } = form
  useDone(form, sent)
  return html`<div class=${state === 'unknown' || problem ? 'wide' : ''} data-form=${state}>
    ${state === 'unknown' ? html`<${Unknown} form=${form} />`
      : html`<button type="button" class="button primary" disabled=${form.frozen || !ready} onClick=${() => form.send({})}>${t(state === 'sending' ? 'form.sending' : 'webhook.test')}</button>`}
    ${state === 'refused' && problem && html`<${Failure} problem=${problem} />`}
  </div>`
}

/** What is done to which webhook. @param {string} what @param {Webhook} webhook */
const about = (what, webhook) => `${t(what)}: ${hostOf(webhook)}`

/** @typedef {{ webhook: Webhook, changed: (webhook: Webhook) => void, sent: () => void }} OfWebhook what a form is given: changed takes the webhook as it is now; sent: entries are on their way */

/** @param {OfWebhook} props */
function Edit({ webhook, changed }) {
  const title = about('line.edit', webhook)
  const form = useForm({ name: 'edit webhook ' + webhook.id, method: 'PATCH', path: '/webhooks/' + webhook.id, title, fields: fieldsOf(webhook) })
  useDone(form, () => {
    changed(form.answer)
    closeForm(done(t('webhook.edited')))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('save')} ready=${chosen(form.fields)} onSubmit=${() => form.send(bodyOf(form.fields))} onClose=${() => closeForm()}>
      <${WebhookFields} form=${form} />
    <//>
  </section>`
}

/** Enables or disables it. @param {OfWebhook} props */
function Switch({ webhook, changed, sent }) {
  const name = webhook.enabled ? 'webhook.disable' : 'webhook.enable', title = about(name, webhook)
  return html`<${Question} name=${`${name} ${webhook.id}`} method="PATCH" path=${'/webhooks/' + webhook.id} title=${title} meaning=${t(name + '-meaning')} submit=${t(name)}
    body=${{ enabled: !webhook.enabled }} then=${(/** @type {Webhook} */ answer) => {
      closeForm(done(t(name + '-done')))
      changed(answer)
      if (!webhook.enabled) sent()
    }} />`
}

/** For how many hours the old secret may hold as well. */
const overlaps = [24, 72, 168, 0]

/** @param {OfWebhook} props */
function Rotate({ webhook }) {
  const title = about('webhook.rotate', webhook)
  const form = useForm({ name: 'rotate ' + webhook.id, method: 'POST', path: `/webhooks/${webhook.id}/rotate`, title, place: `/webhooks/${webhook.id}?do=rotate`, fields: { overlap_hours: 24 } })
  useDone(form, () => {
    const { secret, previous_expires_at: until } = form.answer
    given.set({ of: 'webhook ' + webhook.id, secret })
    closeForm(done(until ? t('webhook.rotated-until', { at: dateTime(until) }) : t('webhook.rotated')))
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('webhook.rotate')} onSubmit=${() => form.send(form.fields)} onClose=${() => closeForm()}>
      <p>${t('webhook.rotate-meaning')}</p>
      <${Choice} form=${form} name="overlap_hours" label=${t('webhook.overlap')} of=${overlaps.map((hours) => [hours, hours ? t('period.day', { n: hours / 24 }) : t('webhook.overlap-none')])} />
    <//>
  </section>`
}

const hour = 3600_000

/**
 * The events of a webhook in the last hours.
 * @param {string} path @param {Record<string, any>} query with hours @param {AbortSignal} signal
 * @returns {Promise<{ n: number, seq: number, at: string }>} how many entries, at most those of pagesInARow pages; the number and time of the first
 */
async function within(path, { hours, ...query }, signal) {
  const from = new Date(now() - hours * hour).toISOString()
  let n = 0, seq = 0, at = '', cursor = /** @type {string | null} */ ('')
  for (let pages = 0; cursor !== null && pages < pagesInARow; pages++) {
    const { data, next_cursor } = await ask('GET', path, { query: { ...query, order: 'desc', limit: 500, cursor }, signal })
    const found = data.filter((/** @type {import('../answers').Event} */ e) => e.timestamp >= from)
    n += found.length
    if (found.length) ({ seq, timestamp: at } = found[found.length - 1])
    cursor = found.length < data.length ? null : next_cursor
  }
  return { n, seq, at }
}

/** @param {OfWebhook} props */
function Replay({ webhook: w, sent }) {
  const title = about('webhook.replay', w)
  const form = useForm({ name: 'replay ' + w.id, method: 'POST', path: `/webhooks/${w.id}/replay`, title, fields: { from: '1', number: '' } })
  const { from, number } = form.fields, byNumber = from === 'entry'
  const found = useRead(/** @type {string | null} */ (byNumber ? null : '/events'), { hours: from, type: w.types.includes('*') ? [] : w.types, account: w.scope === 'own' ? me().id : '' }, within)
  const first = byNumber ? /^[1-9]\d{0,14}$/.test(plain(number)) && Number(plain(number)) : found.value?.seq
  useDone(form, () => {
    closeForm(done(t('webhook.replayed')))
    sent()
  })
  return html`<section class="panel"><h2>${title}</h2>
    <${Form} form=${form} submit=${t('webhook.replay')} ready=${!!first} onSubmit=${() => form.send({ after_seq: Number(first) - 1 })} onClose=${() => closeForm()}>
      <p>${t('webhook.replay-meaning')}</p>
      <${Choice} form=${form} name="from" label=${t('webhook.replay-from')} of=${['1', '24', '168', 'entry'].map((choice) => [choice, t('webhook.replay.' + choice)])} />
      ${byNumber ? html`<${Field} form=${form} name="number" label=${t('webhook.replay-number')} hint=${t('webhook.replay-hint')} inputmode="numeric" maxlength="15" required />`
        : html`<${Read} of=${found}>${(/** @type {{ n: number, at: string }} */ { n, at }) => html`<p role="status">${n ? t('webhook.replay-count', { n, at: dateTime(at) }) : t('webhook.replay-nothing')}</p>`}<//>`}
    <//>
  </section>`
}

/** @param {OfWebhook} props */
const Delete = ({ webhook }) => html`<${Question} name=${'delete webhook ' + webhook.id} method="DELETE" path=${'/webhooks/' + webhook.id} title=${about('line.delete', webhook)}
  meaning=${t('webhook.delete-meaning')} submit=${t('line.delete')} danger then=${() => returnTo('/webhooks', done(t('webhook.deleted', { host: hostOf(webhook) })))} />`
