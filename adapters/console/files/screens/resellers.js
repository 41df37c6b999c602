// The resellers below: as a tree, or the results of a search at any level.
import { html } from '../html.js'
import { closeForm, go, openForm, place, setQuery } from '../router.js'
import { can, may, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t, languages, language } from '../text.js'
import { inCredits, units } from '../format.js'
import { done } from '../done.js'
import { List } from '../list.js'
import { resellerRow } from '../branch.js'
import { Search } from '../search.js'
import { Export } from '../many.js'
import { ContactFields, contactOf } from '../contact.js'
import { AmountField, amountOf } from '../amount.js'
import { Field, Form, Icon, Screen } from '../ui.js'

export function Resellers() {
  const { query } = place.use()
  const q = query.get('q'), all = query.get('all')
  const of = q || all ? { q } : { master: me().id }
  if (query.get('do') === 'create' && may.createResellers()) return html`<${Create} />`
  return html`<${Screen} title=${t('nav.resellers')}
    actions=${may.createResellers() && html`<button type="button" class="button primary" onClick=${() => openForm('create')}><${Icon} name="plus" />${t('reseller.new')}</button>`}>
    <div class="filters" role="search">
      <${Search} name="q" label=${t('resellers.search')} />
      <select aria-label=${t('tree.show')} value=${all || ''} onChange=${(/** @type {any} */ e) => setQuery({ all: e.target.value })}>
        <option value="">${t('tree.tree')}</option><option value="1">${t('tree.all')}</option>
      </select>
      <${Export} of="users" query=${of} />
    </div>
    <${List} path="/users" query=${of} row=${resellerRow} label=${t('nav.resellers')}
      empty=${t(q ? 'resellers.none-such' : 'resellers.none')} />
  <//>`
}

/** A new reseller right below the caller. */
function Create() {
  const form = useForm({
    name: 'create', method: 'POST', path: '/users', title: t('reseller.new'), secret: ['password'],
    fields: { username: '', password: '', is_master: 0, credits: '0', country: '', whatsapp: '', telegram: '', email: '', notes: '', language: language.get() },
  })
  const { fields, answer } = form
  const typed = amountOf(fields.credits, true)
  const amount = form.frozen ? form.said().credits : typed.amount
  useDone(form, () => {
    const moved = answer.credits !== '0'
    go('/resellers/' + answer.id, { replace: true, state: done(t('reseller.created', { name: answer.username }), moved ? { payer: answer.id, key: form.key } : {}) })
  })
  const send = () => form.send({ username: fields.username, password: fields.password, is_master: fields.is_master, credits: amount, language: fields.language, ...contactOf(fields) })
  return html`<${Screen} title=${t('reseller.new')} up="/resellers"><section class="panel">
    <${Form} form=${form} submit=${amount && units(amount) > 0n ? t('reseller.create-amount', { amount: inCredits(amount) }) : t('reseller.create')} unclear=${!!typed.wrong} onSubmit=${send} onClose=${() => closeForm()}>
      <${Field} form=${form} name="username" label=${t('username')} maxlength="64" required />
      <${Field} form=${form} name="password" label=${t('password')} hint=${t('reseller.password-hint')} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!fields.is_master} disabled=${form.frozen}
        onChange=${(/** @type {any} */ e) => form.set({ is_master: e.target.checked ? 1 : 0 })} />${t('reseller.is-master')}</label>
      ${can('credits:move') && html`<${AmountField} form=${form} typed=${typed} label=${t('reseller.first-credits')} hint=${t(me().is_admin ? 'amount.issued' : 'amount.own')} />`}
      <${ContactFields} form=${form} />
      <${Field} form=${form} name="language" label=${t('language')} kind="select">
        ${Object.entries(languages).map(([code, name]) => html`<option key=${code} value=${code} lang=${code}>${name}</option>`)}<//>
    <//>
  </section><//>`
}
