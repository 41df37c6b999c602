// What is around every screen: where one is, where one can go, and what still waits for an answer.
import { html, useEffect, useState } from './html.js'
import { announce, go, Link, place } from './router.js'
import { account, can, choose, me, may, session, signOut } from './session.js'
import { pending, pendingForm } from './form.js'
import { language, languages, t } from './text.js'
import { brand, logo } from './brand.js'
import { paint, theme, themes } from './theme.js'
import { ByHand, Credits, Failure, Icon, Notice, Screen, Setting, Unknown } from './ui.js'
import { words } from './problem.js'
import { Done, done } from './done.js'
import { Help, help } from './keys.js'
import { Running } from './jobs.js'

/**
 * Where one can go: path, picture, the scope that it takes, which accounts may. On a phone those with a picture are in reach of
 * the thumb, and the others behind "more".
 */
const places = /** @type {[string, string, string, (() => boolean)?][]} */ ([
  ['/', 'home', ''],
  ['/lines', 'lines', 'lines:read'],
  ['/resellers', 'resellers', 'users:read', may.haveBelow],
  ['/statement', 'statement', 'ledger:read'],
  ['/activity', '', 'events:read'],
  ['/jobs', '', 'lines:read'],
  ['/webhooks', '', 'manage'],
  ['/keys', '', 'manage'],
  ['/staff', '', 'manage'],
  ['/proof', '', 'ledger:read', () => !!me().is_admin],
  ['/prices', '', '', () => !!me().is_admin],
  ['/messages', '', 'lines:read'],
  ['/sessions', '', ''],
])

/** @param {{ children?: any }} props */
export function Shell({ children }) {
  const { path } = place.use()
  const own = account.use()
  const waiting = pending.use()
  const [more, setMore] = useState(false)
  const open = places.filter(([, , scope, allowed]) => can(scope) && allowed?.() !== false)
  const present = '/' + path.split('/')[1], { staff, username } = me()
  const link = (/** @type {typeof places[number]} */ [to, icon]) => html`<${Link} key=${to} to=${to} aria-current=${to === present ? 'page' : undefined}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${t('nav.' + (to.slice(1) || 'home'))}</span><//>`
  return html`
    <a class="skip" href="#main">${t('skip')}</a>
    <header>
      <${Link} to="/" class="brand" translate=${false}><${Logo} />${brand}<//>
      <span class="who"><span class="name ${staff ? 'acting' : ''}" translate=${false}>${staff ? t('acts-for', { name: staff.username, account: username }) : username}</span>${own && !own.is_admin && html`<${Credits} of=${own.credits} />`}</span>
      <div class="broad"><${Settings} short /><${SignOut} /></div>
    </header>
    <nav aria-label=${t('nav')}>
      ${open.filter(([, icon]) => icon).map(link)}
      <button type="button" aria-expanded=${more} aria-controls="more" onClick=${() => setMore(!more)}><${Icon} name="more" /><span>${t('nav.more')}</span></button>
      <div id="more" class=${more ? 'open' : ''} onClick=${(/** @type {any} */ e) => { if (e.target.closest('a, [data-close]')) setMore(false) }}>
        ${open.filter(([, icon]) => !icon).map(link)}
        <button type="button" data-close class="desk" onClick=${() => help.set(true)}>${t('keys.title')}</button>
        <div class="narrow"><${Settings} /><${SignOut} /></div>
      </div>
      <${Running} />
    </nav>
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${waiting.map((sent) => html`<${Waiting} key=${sent.id} sent=${sent} />`)}<${Done} />
      </div>
      ${places.every(([to, , scope]) => to !== present || can(scope)) ? children
        : html`<${Screen} title=${t('nav.' + present.slice(1))}><${Notice}><p>${t('problem.insufficient-scope')}</p><//><//>`}
    </main>
    <${Help} /><${ByHand} />`
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
    ${elsewhere ? html`<div class="buttons"><${Link} class="button main" to=${sent.place}>${t('form.back')}<//></div>` // what its answer shows is shown there alone
      : state === 'sending' ? html`<p role="status">${t('form.sending')}</p>` : html`<${Unknown} form=${asked} />`}</div>`
}

/** The operator's own, beside the name that says what it is. */
export const Logo = () => logo && html`<img class="logo" src=${logo} alt="" />`

/** The language of the console, and whether it is light or dark. @param {{ short?: boolean }} props */
export function Settings({ short }) {
  const [problem, set] = useState(/** @type {any} */ (null))
  const speak = (/** @type {string} */ wanted) => {
    set(null)
    choose(wanted).catch(set)
  }
  return html`
  <${Setting} key=${!!problem} short=${short} label=${t('language')} value=${language.get()} choose=${speak} of=${Object.entries(languages)} />
  ${problem && html`<div class="toasts"><div class="toast"><div><${Failure} problem=${problem} retry=${() => location.reload()} /></div></div></div>`}
  <${Setting} short=${short} label=${t('theme')} value=${theme.use()} choose=${paint} of=${themes.map((name) => [name, t('theme.' + name)])} />`
}

export function SignOut() {
  const [problem, set] = useState(/** @type {any} */ (null))
  const out = () => signOut().then(() => go('/', { replace: true }), set)
  return html`<button type="button" onClick=${out}>${t('sign-out')}</button>
    ${problem && session.get().is !== 'out' && html`<${Failure} problem=${problem} retry=${out} />`}`
}
