// The resellers below, as a table: those right below, or all of them, or what a search finds. As long as one page has all of
// them, they are counted, filtered and sorted by balance here.
import { html, useState } from '../html.js'
import { announce, closeForm, go, href, keep, openForm, place, setQuery } from '../router.js'
import { account, can, may, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t, languages, language } from '../text.js'
import { inCredits, units, whole } from '../format.js'
import { done } from '../done.js'
import { given } from '../few.js'
import { Filters } from '../filter.js'
import { List } from '../list.js'
import { lowBelow, resellerRow } from '../branch.js'
import { Search } from '../search.js'
import { Export } from '../many.js'
import { ContactFields, contactOf } from '../contact.js'
import { AmountField, amountOf } from '../amount.js'
import { newPassword } from '../name-and-password.js'
import { Opened } from '../top-up.js'
import { Field, Form, Icon, Screen } from '../ui.js'
import { Head } from './lines.js'

/** @typedef {import('../answers').Account} Account */

/** How many of them one page has, at most. */
const most = 500

/** Those of a view. @type {Record<string, (r: Account) => boolean>} */
const views = { low: (r) => !!lowBelow(r), blocked: (r) => !r.active_tree }

/** By balance, the lowest first. @param {Account} a @param {Account} b */
const byBalance = ({ credits: a }, { credits: b }) => (units(a) < units(b) ? -1 : Number(units(a) > units(b)))

const orders = ['balance', '-balance']

/** Changes what is shown of the rows that are here, in place. @param {Record<string, string>} values */
function show(values) {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) value ? query.set(name, value) : query.delete(name)
  keep({}, query.size ? '?' + query : '')
  place.set({ ...place.get(), query })
}

export function Resellers() {
  const { query } = place.use()
  const [held, hold] = useState(/** @type {Account[] | false | null} */ (null))
  if (query.get('do') === 'create' && may.createResellers()) return html`<${Create} />`
  const q = query.get('q'), all = !!query.get('all') || !!q
  const view = held !== false && query.get('view') || '', order = held !== false && orders.find((one) => one === query.get('sort')) || ''
  const of = all ? { q } : { master: me().id }
  const seen = (/** @type {Account[]} */ rows, /** @type {string} */ name) => rows.filter((r) => r.id !== me().id && views[name]?.(r) !== false)
  const count = (/** @type {string} */ name) => held && !q && seen(held, name).length
  const arrange = (/** @type {Account[]} */ rows) => {
    const shown = seen(rows, view)
    return order ? shown.sort((a, b) => (order === 'balance' ? byBalance(a, b) : byBalance(b, a))) : shown
  }
  const tab = (/** @type {string} */ name, /** @type {boolean} */ on, /** @type {Record<string, string>} */ to, /** @type {number | false | null} */ n) => html`<a key=${name} href=${href('/resellers?' + new URLSearchParams(to))} aria-current=${on ? 'page' : undefined} data-tab=${name}
    onClick=${(/** @type {Event} */ e) => { e.preventDefault(); (to.all ? all && !q : !all) ? show({ view: to.view || '' }) : setQuery({ q: '', all: '', view: '', ...to }) }}>${t('resellers.' + name)}${typeof n === 'number' && html` <b>${whole(n)}</b>`}</a>`
  const sorting = { name: 'sort', label: t('sort'), value: order, always: true, of: ['', ...orders].map((one) => /** @type {[string, string]} */ ([one, t('sort.' + (one || 'oldest'))])), choose: (/** @type {string} */ sort) => show({ sort }) }
  const bal = held ? html`<${Head} name="num bal" label=${t('balance')} orders=${[['balance', 'ascending'], ['-balance', 'descending']]} order=${order} choose=${sorting.choose} />` : html`<th class="num bal">${t('balance')}</th>`
  const [first, ...words] = t('reseller.new').split(' ') // a phone shows the first one
  const head = html`<tr><th class="name">${t('reseller.title')}</th>${bal}<th class="sit">${t('filter.status')}</th><th class="last">${t('reseller.recharged')}</th>
    <th class="tel">${t('whatsapp')}</th><th class="notes">${t('notes')}</th><th class="does"><span class="hush">${t('actions')}</span></th></tr>`
  return html`<${Screen} title=${t('nav.resellers')} actions=${html`<${Export} of="users" query=${of} />
      ${may.createResellers() && html`<button type="button" class="button primary" onClick=${() => openForm('create')}><${Icon} name="plus" /><span>${first}<span class="words"> ${words.join(' ')}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${t('chips')}><${Filters} of=${held ? [sorting] : []}><hr /><${Export} of="users" query=${of} look="" /><//>
        ${tab('direct', !all && !view, {}, !all && count(''))}
        ${held !== false && Object.keys(views).map((name) => tab(name, view === name, { view: name, ...query.get('all') && { all: '1' } }, count(name)))}
        ${tab('all', all && !view, { all: '1' }, all && count(''))}</nav>
      <div class="filters" role="search"><${Search} name="q" label=${t('resellers.search')} /></div>
      <${List} path="/users" query=${of} row=${resellerRow} label=${t('nav.resellers')} head=${head} look="resellers" size=${most} arrange=${arrange} told=${hold}
        count=${(/** @type {number} */ n) => t('resellers.count', { n, count: whole(n) })} empty=${t(q || view ? 'resellers.none-such' : 'resellers.none')} />
    </div>
    <${Opened} then=${announce} />
  <//>`
}

/** A new reseller right below the caller, whose country it most likely has. */
function Create() {
  const own = account.use()
  const sent = useForm({
    name: 'create', method: 'POST', path: '/users', title: t('reseller.new'), secret: ['password'],
    fields: { username: '', password: newPassword(), is_master: 0, credits: '0', country: /** @type {string | undefined} */ (undefined), whatsapp: '', telegram: '', email: '', notes: '', language: language.get() },
  })
  const fields = { ...sent.fields, country: sent.fields.country ?? own?.country ?? '' }
  const form = { ...sent, fields }, { answer } = form
  const typed = amountOf(fields.credits, true)
  const amount = form.frozen ? form.said().credits : typed.amount
  useDone(form, () => {
    const moved = answer.credits !== '0'
    given.set({ of: 'reseller ' + answer.id, secret: fields.password })
    go('/resellers/' + answer.id, { replace: true, state: done(t('reseller.created', { name: answer.username }), moved ? { payer: answer.id, key: form.key } : {}) })
  })
  const send = () => form.send({ username: fields.username, password: fields.password, is_master: fields.is_master, credits: amount, language: fields.language, ...contactOf(fields) })
  return html`<${Screen} title=${t('reseller.new')} up="/resellers"><section class="panel">
    <${Form} form=${form} submit=${amount && units(amount) > 0n ? t('reseller.create-amount', { amount: inCredits(amount) }) : t('reseller.create')} unclear=${!!typed.wrong} onSubmit=${send} onClose=${() => closeForm()}>
      <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password')} hint=${t('password.generated')} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!fields.is_master} disabled=${form.frozen}
        onChange=${(/** @type {any} */ e) => form.set({ is_master: e.target.checked ? 1 : 0 })} />${t('reseller.is-master')}</label>
      ${can('credits:move') && html`<${AmountField} form=${form} typed=${typed} label=${t('reseller.first-credits')} hint=${t(me().is_admin ? 'amount.issued' : 'amount.own')} />`}
      <${ContactFields} form=${form} />
      <${Field} form=${form} name="language" label=${t('language')} kind="select">
        ${Object.entries(languages).map(([code, name]) => html`<option key=${code} value=${code} lang=${code}>${name}</option>`)}<//>
    <//>
  </section><//>`
}
