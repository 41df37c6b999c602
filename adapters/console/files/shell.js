// What is around every screen: where one is, where one can go, and what still waits for an answer.
import { html, useEffect, useState } from './html.js'
import { announce, Link, place } from './router.js'
import { account, can, me, may } from './session.js'
import { pending, pendingForm } from './form.js'
import { t } from './text.js'
import { brand } from './brand.js'
import { Logo, Settings, SignOut } from './settings.js'
import { Palette } from './find.js'
import { Amount, ByHand, Credits, Icon, Menu, Notice, Offline, Screen, Unknown, useFloating } from './ui.js'
import { words } from './problem.js'
import { Done, done } from './done.js'
import { Help, help } from './keys.js'
import { Running } from './jobs.js'

/** @typedef {[string, string, string, (() => boolean)?]} Place path, icon, the scope that it takes, which accounts may */

/** The places in reach of the thumb on a phone. @type {Place[]} */
const places = [
  ['/', 'house', ''],
  ['/lines', 'tv', 'lines:read'],
  ['/resellers', 'users', 'users:read', may.haveBelow],
  ['/statement', 'receipt-text', 'ledger:read'],
]

/** The others, in groups. @type {Record<string, Place[]>} */
const groups = {
  business: [
    ['/prices', 'tag', '', () => !!me().is_admin],
    ['/messages', 'message-square-text', 'lines:read'],
    ['/activity', 'activity', 'events:read'],
    ['/jobs', 'list-checks', 'lines:read'],
    ['/proof', 'scale', 'ledger:read', () => !!me().is_admin],
  ],
  team: [
    ['/staff', 'user-round-cog', 'manage'],
    ['/keys', 'key-round', 'manage'],
    ['/webhooks', 'webhook', 'manage'],
  ],
  account: [['/sessions', 'shield-check', '']],
}

/** @param {Place} place */
const open = ([, , scope, allowed]) => can(scope) && allowed?.() !== false

/** What a place is called. @param {string} to */
const called = (to) => t('nav.' + (to.slice(1) || 'home'))

/** @param {{ children?: any }} props */
export function Shell({ children }) {
  const { path } = place.use()
  const waiting = pending.use()
  const [more, setMore] = useState(false)
  const sheet = useFloating(more, () => setMore(false))
  const present = '/' + path.split('/')[1], name = actor()
  const link = (/** @type {Place} */ [to, icon]) => html`<${Link} key=${to} to=${to} title=${called(to)} aria-current=${to === present ? 'page' : undefined}>
    <${Icon} name=${icon} /><span>${called(to)}</span><//>`
  return html`
    <a class="skip" href="#main">${t('skip')}</a>
    <nav class="places" aria-label=${t('nav')}>
      <${Link} to="/" class="brand" translate=${false}><${Logo} /><span class="clip">${brand}</span><//>
      ${places.filter(open).map(link)}
      <div class="rest" ref=${sheet}>
        <button type="button" aria-expanded=${more} aria-controls="more" onClick=${() => setMore(!more)}><${Icon} name="menu" /><span>${t('nav.more')}</span></button>
        ${more && html`<div class="veil" onClick=${() => setMore(false)}></div>`}
        <div id="more" class=${more ? 'more open' : 'more'} onClick=${(/** @type {any} */ e) => { if (e.target.closest('a')) setMore(false) }}>
          <div class="me"><span class="avatar" aria-hidden="true">${name[0].toUpperCase()}</span><span><b class="clip" translate=${false}>${name}</b><${OwnCredits} /></span></div>
          ${Object.entries(groups).map(([group, all]) => all.some(open) && html`<div key=${group} class=${'group ' + group}><p class="group-name">${t('nav.group.' + group)}</p>${all.filter(open).map(link)}</div>`)}
          <div class="narrow"><${Settings} /><${SignOut} /></div>
        </div>
      </div>
      <${Running} />
    </nav>
    <header class="top" data-who=${name}>
      <${Link} to="/" class="start" aria-label=${brand}><${Logo} /><//>
      <${Finder} />
      <${OwnCredits} link />
      <${Menu} label=${name} look="avatar" face=${name[0].toUpperCase()}>
        <p class="menu-head" translate=${false}>${name}</p>
        <${Link} to="/sessions"><${Icon} name="shield-check" />${t('nav.sessions')}<//>
        <${Settings} />
        <button type="button" onClick=${() => help.set(true)}><${Icon} name="keyboard" />${t('keys.title')}<kbd>?</kbd></button>
        <hr />
        <${SignOut} />
      <//>
    </header>
    <${Offline} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${waiting.map((sent) => html`<${Waiting} key=${sent.id} sent=${sent} />`)}<${Done} />
      </div>
      ${[...places, ...Object.values(groups).flat()].every(([to, , scope]) => to !== present || can(scope)) ? children
        : html`<${Screen} title=${t('nav.' + present.slice(1))}><${Notice}><p>${t('problem.insufficient-scope')}</p><//><//>`}
    </main>
    <${Help} /><${ByHand} />`
}

/** The name of the user, with the account for which a member of the staff acts. */
function actor() {
  const { staff, username } = me()
  return staff ? t('acts-for', { name: staff.username, account: username }) : username
}

/** The button that opens the search (find.js). It looks like a field. */
function Finder() {
  const [shown, show] = useState(false)
  return html`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${() => show(true)}>
    <${Icon} name="search" /><span class="clip">${t('search')}${can('lines:read') && html` <span class="desk">${t('search.what')}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${shown && html`<${Palette} places=${[...places, ...Object.values(groups).flat()].filter(open).map(([to, icon]) => [to, icon, called(to)])} close=${() => show(false)} />`}`
}

/** The balance of the account. @param {{ link?: boolean }} props link: to the statement */
function OwnCredits({ link = false }) {
  const own = account.use()
  if (!own || own.is_admin) return null
  if (!link) return html`<span class="quiet"><${Credits} of=${own.credits} /></span>`
  const shown = html`<${Icon} name="coins" /><${Amount} of=${own.credits} />`
  return can('ledger:read') ? html`<${Link} to="/statement" class="balance">${shown}<//>` : html`<span class="balance">${shown}</span>`
}

/** A form without a screen whose outcome is unknown (form.js). @param {{ sent: any }} props */
function Waiting({ sent }) {
  const form = pendingForm(sent)
  const state = form.state.use()
  const [due, setDue] = useState(false)
  const { path } = place.use(), elsewhere = sent.place && sent.place !== path + location.search
  useEffect(() => {
    setDue(false)
    const soon = setTimeout(() => setDue(true), sent.place && !elsewhere ? 5000 : 700) // unless its screen, which may still be read, shows it
    return () => clearTimeout(soon)
  }, [elsewhere])
  // After its answer the form does not wait any more, and this is not shown.
  useEffect(() => form.state.watch(() => {
    const now = form.state.get()
    if (now === 'done' && !sent.place) announce(done(t('form.settled', { title: sent.title }), { payer: sent.payer, key: form.kept.key }))
    if (form.problem && (now === 'refused' || now === 'over')) {
      form.drop()
      announce(done(t('form.not-done', { title: sent.title, why: words(form.problem).text }), { tone: 'bad' }))
    }
  }), [])
  if (!due) return null
  const asked = { problem: form.problem, pays: !!sent.payer, tooOld: form.tooOld(), again: () => form.again(), discard: () => form.drop() }
  return html`<div class="toast" data-form=${state}><p>${t('form.pending', { title: sent.title })}</p>
    ${elsewhere ? html`<div class="buttons"><${Link} class="button primary" to=${sent.place}>${t('form.back')}<//></div>` // what its answer shows is shown there alone
      : state === 'sending' ? html`<p role="status">${t('form.sending')}</p>` : html`<${Unknown} form=${asked} />`}</div>`
}
