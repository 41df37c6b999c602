// Price books: what each plan costs, for the platform or for a reseller and all accounts below it, and from when on.
import { html, useState } from '../html.js'
import { announce, closeForm, href, Link, openForm, place } from '../router.js'
import { can, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { credits, less, listed, nearTime, percent, units, whole } from '../format.js'
import { now } from '../clock.js'
import { done } from '../done.js'
import { forgetPrices, periodText, planText } from '../prices.js'
import { amountOf } from '../amount.js'
import { useName } from '../names.js'
import { nameOf as nameOfUser } from '../typed.js'
import { Panel } from '../panel.js'
import { linesText } from '../jobs.js'
import { Credits, Facts, Failure, Field, Form, Icon, Notice, Read, Screen, Unknown, useRead } from '../ui.js'

/** @typedef {import('../answers').Plan} Plan @typedef {import('../answers').PriceBook} Book @typedef {import('../answers').PriceVersion} Version */

/** How many versions are listed. */
const listedVersions = 20

/** Those who can't change prices see what they pay. */
export const Prices = () => (me().is_admin && can('prices:write') ? html`<${Books} />` : html`<${Paid} />`)

function Paid() {
  const table = useRead('/prices')
  return html`<${Screen} title=${t('nav.prices')}>
    <${Read} of=${table}>${(/** @type {import('../answers').Answer<'GET', '/prices'>} */ { prices }) => html`<section class="panel">
      <${Facts} of=${prices.map((p) => [planText(p), html`<${Credits} of=${p.credits} />`])} /></section>`}<//>
  <//>`
}

/** The book in the address: of the reseller in it, or of the platform. */
function Books() {
  const { query } = place.use(), of = Number(/^[1-9]\d*$/.exec(query.get('of') || '')?.[0] || 0), doing = query.get('do')
  const path = of ? `/users/${of}/prices` : '/prices/book'
  const plans = useRead('/plans', { all: true }), book = useRead(path), past = useRead(path + '/history', { limit: listedVersions })
  const [turn, again] = useState(0), edited = plans.value?.data.find((/** @type {Plan} */ p) => 'plan-' + p.id === doing)
  const reload = () => {
    again(turn + 1) // with forms that begin
    forgetPrices()
    ;[plans, book, past].forEach((one) => one.reload())
  }
  const all = /** @type {any} */ ({ ...plans, value: plans.value && book.value && past.value && true, problem: plans.problem || book.problem || past.problem, reload })
  return html`<${Screen} title=${t('nav.prices')} actions=${html`<button type="button" class="button" onClick=${() => openForm('plan')}><${Icon} name="plus" />${t('plan.new')}</button>`}>
    <${Read} of=${all}>${() => html`<nav class="tabs" aria-label=${t('prices.books')}><${Tab} of=${0} at=${of} />
      ${book.value.reach.other_books.map((/** @type {number} */ id) => html`<${Tab} key=${id} of=${id} at=${of} />`)}
      ${!!of && !book.value.reach.other_books.includes(of) && html`<${Tab} of=${of} at=${of} />`}
      <a href=${href('/prices?do=book')} onClick=${(/** @type {Event} */ e) => { e.preventDefault(); openForm('book') }}><${Icon} name="plus" />${t('prices.another')}</a></nav>
      <${Shown} key=${of + ' ' + turn} of=${of} path=${path} plans=${plans.value?.data || []} book=${book.value} past=${past.value.data} reload=${reload} />`}<//>
    ${doing === 'plan' && html`<${NewPlan} sort=${Math.max(0, ...(plans.value?.data || []).map((/** @type {Plan} */ p) => p.sort)) + 1} then=${reload} />`}
    ${edited && html`<${EditPlan} key=${edited.id} plan=${edited} then=${reload} />`}
    ${doing === 'book' && html`<${Another} />`}
  <//>`
}

/** Finds the reseller that gets prices of its own. */
function Another() {
  const [q, type] = useState('')
  const found = useRead('/users', { q: nameOfUser(q), limit: 8 })
  return html`<${Panel} title=${t('prices.another')} onClose=${() => closeForm()}>
    <label class="search"><${Icon} name="search" /><input type="search" value=${q} autofocus onInput=${(/** @type {any} */ e) => type(e.target.value)} aria-label=${t('prices.find')} placeholder=${t('prices.find')} autocapitalize="none" autocomplete="off" spellcheck=${false} maxlength="64" /></label>
    <div class="finds"><${Read} of=${found}>${(/** @type {{ data: import('../answers').Account[] }} */ { data }) => html`<ul class="rows">${data.filter((r) => !r.is_admin).map((r) => html`<li key=${r.id}><${Link} class="row" to=${'/prices?of=' + r.id} translate=${false}>${r.username}<//></li>`)}</ul>`}<//></div>
  <//>`
}

/** A way to the book of an account, 0 for that of the platform. @param {{ of: number, at: number }} props */
function Tab({ of, at }) {
  const name = useName(of || me().id)
  return html`<${Link} to=${of ? '/prices?of=' + of : '/prices'} aria-current=${of === at ? 'page' : undefined}>
    ${of ? html`<span translate=${false}>${name || t('reseller.by-id', { id: of })}</span>` : t('prices.platform')}<//>`
}

/** @typedef {{ plan: Plan, was: string, amount: string, wrong: string }} Row was, amount: canonical credits, '' where it is not sold */

/** @param {{ of: number, path: string, plans: Plan[], book: Book, past: Version[], reload: () => void }} props */
function Shown({ of, path, plans, book, past, reload }) {
  const was = new Map(book.rows.map((r) => [r.plan, r.credits])), name = useName(of || me().id)
  const form = useForm({
    name: 'prices ' + of, method: 'PUT', path, title: t('nav.prices'),
    fields: /** @type {Record<string, string>} */ ({ when: 'now', at: '', note: '' }),
  })
  const { fields, frozen } = form
  const rows = plans.map((plan) => {
    const before = was.get(plan.id) || '', typed = fields['p' + plan.id]
    return { plan, was: before, ...(typed === undefined ? { amount: before, wrong: '' } : amountOf(typed)) }
  })
  const changed = rows.filter(({ was, amount, wrong }) => wrong || !same(was, amount)), wrong = rows.some((r) => r.wrong)
  const at = fields.when === 'at' ? fields.at && new Date(fields.at) : null
  useDone(form, () => {
    announce(done(t('prices.published', { when: nearTime(form.answer.effective_at) })))
    reload()
  })
  const send = () => form.send({
    rows: rows.filter((r) => r.amount).map((r) => ({ plan: r.plan.id, credits: r.amount })),
    effective_at: at ? at.toISOString() : undefined, note: fields.note.trim() || null,
  })
  return html`
    ${!!of && book.inherited_from !== null && html`<${Notice}><p>${t('prices.inherited', { name })}</p><//>`}
    <div class="cols prices">
      <div class="stack">
        <section class="panel"><table class="table book"><thead><tr><th>${t('plan')}</th><th>${t('price.choose')}</th><th class="num con">${t('plan.connections')}</th>
          <th class="num">${t('prices.today')}</th><th class="new">${t('prices.new')}</th><th class="num diff">${t('prices.change')}</th><th class="on">${t('plan.on-sale')}</th></tr></thead>
          <tbody>${rows.map((row) => html`<${PlanRow} key=${row.plan.id} row=${row} form=${form} reload=${reload} />`)}</tbody></table></section>
        <p class="quiet small">${t('plan.immutable')}</p>
        <${Versions} of=${of} path=${path} past=${past} plans=${plans} reload=${reload} />
      </div>
      <section class="panel publish"><h2>${changed.length ? t('prices.publish-n', { n: changed.length, count: whole(changed.length) }) : t('prices.publish')}</h2>
        <${Form} form=${form} submit=${at ? t('prices.publish-at', { when: nearTime(at) }) : t('prices.publish')} ready=${!!changed.length && !wrong && (fields.when === 'now' || !!at)} onSubmit=${send}
          onClose=${changed.length && !frozen ? () => { form.restart() } : undefined}>
          <${Either} form=${form} name="when" label=${t('prices.when')} of=${['now', 'at'].map((one) => [one, t('prices.when.' + one)])} />
          ${fields.when === 'at' && html`<${Field} form=${form} name="at" label=${t('prices.at')} type="datetime-local" max="9999-12-31T23:59" required hint=${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')} />`}
          <p class="quiet small">${t('prices.paid')}</p>
          <${Whom} book=${book} />
          <${Field} form=${form} name="note" label=${t('notes')} maxlength="500" />
        <//>
        ${!!of && !!past[0]?.rows.length && html`<${Inherit} of=${of} name=${name} reload=${reload} />`}
      </section>
    </div>`
}

/** The period as the API words it. @param {Plan} plan */
const periodOf = ({ period: { count, unit } }) => `${count} ${unit}${count > 1 ? 's' : ''}`

/** @param {Plan} plan */
const nameOf = (plan) => planText({ name: plan.name, period: periodOf(plan) })

/** @param {string} a @param {string} b */
const same = (a, b) => (a && b ? units(a) === units(b) : a === b)

/** What a price changes by, in words. @param {Pick<Row, 'was' | 'amount'>} props */
function Difference({ was, amount }) {
  if (same(was, amount)) return html`<span class="quiet">${t('prices.same')}</span>`
  if (!was || !amount) return t(was ? 'prices.left-out' : 'prices.added')
  const up = units(amount) > units(was), by = up ? less(amount, was) : less(was, amount)
  return html`<${Icon} name=${up ? 'arrow-up' : 'arrow-down'} /><span class="hush">${t(up ? 'prices.up' : 'prices.down')}</span> ${credits(by)} <span class="quiet">(${percent(Number((units(by) * 100n + units(was) / 2n) / units(was)))})</span>`
}

/** @param {{ row: Row, form: any, reload: () => void }} props */
function PlanRow({ row: { plan, was, amount, wrong }, form, reload }) {
  const field = 'p' + plan.id, name = nameOf(plan)
  return html`<tr class=${wrong || !same(was, amount) ? 'is-changed' : ''} data-plan=${plan.id}>
    <th scope="row"><button type="button" class="button link" title=${t('line.edit')} onClick=${() => openForm('plan-' + plan.id)}>${name}</button>${plan.packages && html`<span class="quiet small">${listed(plan.packages)}</span>`}</th>
    <td class=${plan.name === periodOf(plan) ? 'for named' : 'for'}>${t('period.' + plan.period.unit, { n: plan.period.count })}</td><td class="num con">${whole(plan.connections)}</td>
    <td class="num was" translate=${false}>${was ? credits(was) : '—'}</td>
    <td class="new"><input class="input" name=${field} inputmode="decimal" maxlength="24" aria-label=${t('prices.new-of', { plan: name })} aria-invalid=${wrong ? 'true' : undefined} value=${form.fields[field] ?? credits(was)}
      disabled=${form.frozen} onInput=${(/** @type {any} */ e) => form.set({ [field]: e.target.value })} /></td>
    <td class="num diff">${wrong || html`<${Difference} was=${was} amount=${amount} />`}</td>
    <td class="on"><${Sale} plan=${plan} reload=${reload} /></td></tr>`
}

/** Whether a plan is on sale, and what changes that. @param {{ plan: Plan, reload: () => void }} props */
function Sale({ plan, reload }) {
  const { id, on_sale: on, on_sale_changes_at: changes } = plan, name = nameOf(plan)
  const form = useForm({ name: `sale ${id} ${!on}`, method: 'PATCH', path: '/plans/' + id, title: name, fields: {} })
  useDone(form, () => {
    announce(done(t(on ? 'plan.off' : 'plan.on', { plan: name })))
    reload()
  })
  if (form.state === 'unknown') return html`<${Unknown} form=${form} />`
  return html`<button type="button" class=${on ? 'switch is-on' : 'switch'} role="switch" aria-checked=${on} aria-label=${t('plan.sells', { plan: name })} disabled=${form.frozen || !!changes} onClick=${() => form.send({ on_sale: !on })}>
    <i></i>${t(on ? 'yes' : 'no')}</button>${form.problem && html`<${Failure} problem=${form.problem} />`}`
}

/** Which accounts a change reaches. @param {{ book: Book }} props */
function Whom({ book: { reach: { resellers: n, lines, capped, other_books: others } } }) {
  return html`<div class="whom"><h3>${t('prices.whom')}</h3>
    <p>${t('prices.serves', { n, resellers: atLeast(n, capped), lines: capped ? t('at-least', { n: linesText(lines) }) : linesText(lines) })}</p>
    ${!!others.length && html`<p class="quiet">${t('prices.not-for')}</p><ul>${others.map((id) => html`<li key=${id}><${Named} id=${id} /></li>`)}</ul>`}</div>`
}

/** @param {number} n @param {boolean} capped */
const atLeast = (n, capped) => (capped ? t('at-least', { n: whole(n) }) : whole(n))

/** @param {{ id: number }} props */
const Named = ({ id }) => html`<${Link} to=${'/prices?of=' + id}>${useName(id) || t('reseller.by-id', { id })}<//>`

/** Prices as above again. @param {{ of: number, name: string, reload: () => void }} props */
function Inherit({ of, name, reload }) {
  const form = useForm({ name: 'inherit ' + of, method: 'DELETE', path: `/users/${of}/prices`, title: t('prices.inherit'), fields: {} })
  useDone(form, () => {
    announce(done(t('prices.inherits', { name })))
    reload()
  })
  if (form.state === 'unknown') return html`<${Unknown} form=${form} />`
  return html`<button type="button" class="button wide" disabled=${form.frozen} onClick=${() => form.send()}>${t('prices.inherit')}</button>${form.problem && html`<${Failure} problem=${form.problem} />`}`
}

/** @param {{ of: number, path: string, past: Version[], plans: Plan[], reload: () => void }} props */
function Versions({ of, path, past, plans, reload }) {
  if (!past.length) return null
  const names = new Map(plans.map((p) => [p.id, nameOf(p)]))
  const inForce = past.filter((v) => Date.parse(v.effective_at || '') <= now() || !v.effective_at).reduce((/** @type {Version | null} */ best, v) => (best && Date.parse(best.effective_at || '1970-01-01') >= Date.parse(v.effective_at || '1970-01-01') ? best : v), null)
  return html`<section class="panel"><h2>${t('prices.versions')}</h2>
    <table class="table dense book-log"><thead><tr><th>${t('prices.version')}</th><th>${t('prices.in-force')}</th><th>${t('prices.changes')}</th><th><span class="hush">${t('actions')}</span></th></tr></thead>
    <tbody>${past.map((v, i) => html`<tr key=${v.version} data-version=${v.version}><td>#${v.version}</td>
      <td class=${v === inForce ? '' : 'quiet'}>${v === inForce && html`<${Icon} name="check" />`}${v.effective_at ? nearTime(v.effective_at) : t('prices.first')}</td>
      <td>${changesOf(v, past[i + 1], names)}${v.note && html` <span class="quiet text">${v.note}</span>`}</td>
      <td>${Date.parse(v.effective_at || '') > now() + 60_000 && html`<${Cancel} of=${of} path=${path} version=${v} reload=${reload} />`}</td></tr>`)}</tbody></table></section>`
}

/** What a version changes of the one before it. @param {Version} v @param {Version | undefined} before @param {Map<number, string>} names */
function changesOf(v, before, names) {
  if (!v.rows.length) return t('prices.as-above')
  if (!before) return '—'
  const was = new Map(before.rows.map((r) => [r.plan, r.credits])), is = new Map(v.rows.map((r) => [r.plan, r.credits]))
  const said = [...new Set([...was.keys(), ...is.keys()])].filter((plan) => !same(was.get(plan) || '', is.get(plan) || '')).map((plan) => {
    const from = was.get(plan), to = is.get(plan)
    return `${names.get(plan) || plan} ${from ? credits(from) : '—'} → ${to ? credits(to) : '—'}`
  })
  return html`<span translate=${false}>${said.length ? listed(said) : t('prices.same')}</span>`
}

/** Removes a version that is not in force yet. @param {{ of: number, path: string, version: Version, reload: () => void }} props */
function Cancel({ of, path, version: { version }, reload }) {
  const form = useForm({ name: `cancel prices ${of} ${version}`, method: 'DELETE', path: `${path}/versions/${version}`, title: t('prices.cancel'), fields: {} })
  useDone(form, () => {
    announce(done(t('prices.cancelled', { version })))
    reload()
  })
  if (form.state === 'unknown') return html`<${Unknown} form=${form} />`
  return html`<button type="button" class="button link" disabled=${form.frozen} onClick=${() => form.send()}>${t('prices.cancel')}</button>${form.problem && html`<${Failure} problem=${form.problem} />`}`
}

/** One of two. @param {{ form: any, name: string, label: string, of: string[][] }} props */
const Either = ({ form, name, label, of }) => html`<div class="field"><span aria-hidden="true">${label}</span>
  <fieldset class="choice few short" disabled=${form.frozen}><legend class="hush">${label}</legend>${of.map(([one, text]) => html`<label key=${one}>
    <input type="radio" name=${name} value=${one} checked=${form.fields[name] === one} onChange=${() => form.set({ [name]: one })} /><span>${text}</span></label>`)}</fieldset></div>`

/** @param {{ sort: number, then: () => void }} props sort: its place */
function NewPlan({ sort, then }) {
  const form = useForm({ name: 'plan', method: 'POST', path: '/plans', title: t('plan.new'), fields: { name: '', count: '1', unit: 'month', connections: '1', packages: '' } })
  const { fields } = form
  useDone(form, () => {
    then()
    closeForm(done(t('plan.created', { plan: form.answer.name })))
  })
  const packages = fields.packages.split(/[\s,]+/).filter(Boolean)
  return html`<${Panel} title=${t('plan.new')} onClose=${() => closeForm()}>
    <${Form} form=${form} submit=${t('reseller.create')} onClose=${() => closeForm()}
      onSubmit=${() => form.send({ name: fields.name.trim(), period: { count: Number(fields.count), unit: fields.unit }, connections: Number(fields.connections), packages: packages.length ? packages : null, sort })}>
      <${Field} form=${form} name="name" label=${t('plan.name')} maxlength="64" autofocus required />
      <${Either} form=${form} name="unit" label=${t('price.choose')} of=${['day', 'month'].map((one) => [one, t('plan.unit.' + one)])} />
      <${Field} form=${form} name="count" label=${t('plan.count')} type="number" min="1" max="3660" required />
      <${Field} form=${form} name="connections" label=${t('plan.connections')} hint=${t('plan.connections-hint')} type="number" min="1" max="1000" required />
      <${Field} form=${form} name="packages" label=${t('plan.packages')} hint=${t('plan.packages-hint')} maxlength="400" />
      <p class="quiet small">${t('plan.immutable')}</p>
    <//>
  <//>`
}

/** What can change of a plan: how it is called, and where it stands. @param {{ plan: Plan, then: () => void }} props */
function EditPlan({ plan: { id, name, sort }, then }) {
  const title = t('line.edit-title', { name })
  const form = useForm({ name: 'plan ' + id, method: 'PATCH', path: '/plans/' + id, title, fields: { name, sort: String(sort) } })
  const { fields } = form
  useDone(form, () => {
    then()
    closeForm(done(t('line.edited', { name: form.answer.name })))
  })
  return html`<${Panel} title=${title} onClose=${() => closeForm()}>
    <${Form} form=${form} submit=${t('save')} onClose=${() => closeForm()} onSubmit=${() => form.send({ name: fields.name.trim(), sort: Number(fields.sort) })}>
      <${Field} form=${form} name="name" label=${t('plan.name')} maxlength="64" autofocus required />
      <${Field} form=${form} name="sort" label=${t('plan.sort')} type="number" min="0" max="1000000" required />
      <p class="quiet small">${t('plan.immutable')}</p>
    <//>
  <//>`
}
