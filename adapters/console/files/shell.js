// What is around every screen: where one is, where one can go, and what still waits for an answer.
import { html, useEffect, useState } from './html.js'
import { announce, go, Link, match, place } from './router.js'
import { account, choose, me, may, session, signOut } from './session.js'
import { pending, pendingForm } from './form.js'
import { language, t } from './text.js'
import { Credits, Failure, Icon, Language, Unknown } from './ui.js'
import { words } from './problem.js'
import { Done, done } from './done.js'
import { Help, help } from './keys.js'
import { routes } from './routes.js'

/** Where one can go: path, picture, who may. The first four are in reach of the thumb; the others are behind "more". */
const places = /** @type {[string, string, () => boolean][]} */ ([
  ['/', 'home', () => true],
  ['/lines', 'lines', () => true],
  ['/resellers', 'resellers', () => may.seeResellers()],
  ['/statement', 'statement', () => true],
  ['/activity', '', () => true],
  ['/webhooks', '', () => true],
  ['/proof', '', () => may.prove()],
  ['/prices', '', () => may.prove()],
  ['/sessions', '', () => true],
])

/** @param {{ children?: any }} props */
export function Shell({ children }) {
  const { path } = place.use()
  const own = account.use()
  const waiting = pending.use()
  const [more, setMore] = useState(false)
  const open = places.filter(([to, , allowed]) => allowed() && match(routes, to))
  const link = (/** @type {[string, string, () => boolean]} */ [to, icon]) => html`<${Link} key=${to} to=${to} aria-current=${to === '/' + path.split('/')[1] ? 'page' : undefined}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${t('nav.' + (to.slice(1) || 'home'))}</span><//>`
  return html`
    <a class="skip" href="#main">${t('skip')}</a>
    <header>
      <${Link} to="/" class="brand">resellerd<//>
      <span class="who"><span class="name">${me().username}</span>${own && !own.is_admin && html`<${Credits} of=${own.credits} />`}</span>
    </header>
    <nav aria-label=${t('nav')}>
      ${open.filter(([, icon]) => icon).map(link)}
      <button type="button" aria-expanded=${more} aria-controls="more" onClick=${() => setMore(!more)}><${Icon} name="more" /><span>${t('nav.more')}</span></button>
      <div id="more" hidden=${!more} onClick=${(/** @type {any} */ e) => { if (e.target.closest('a, [data-close]')) setMore(false) }}>
        ${open.filter(([, icon]) => !icon).map(link)}
        <button type="button" data-close class="desk" onClick=${() => help.set(true)}>${t('keys.title')}</button>
        <${Language} value=${language.get()} choose=${choose} />
        <${SignOut} />
      </div>
    </nav>
    <main id="main" tabindex="-1">
      ${waiting.map((sent) => html`<${Waiting} key=${sent.id} sent=${sent} />`)}
      <div aria-live="polite"><${Done} /></div>
      ${children}
    </main>
    <${Help} />`
}

/** A form without a screen whose outcome is unknown (form.js). @param {{ sent: any }} props */
function Waiting({ sent }) {
  const form = pendingForm(sent)
  const state = form.state.use()
  const [due, setDue] = useState(false)
  useEffect(() => {
    const soon = setTimeout(() => setDue(true), 700) // unless its screen, which may still be read, shows it
    return () => clearTimeout(soon)
  }, [])
  // Once it is answered the form is none of those that wait, and this is shown no more.
  useEffect(() => form.state.watch(() => {
    const now = form.state.get()
    if (now === 'done') announce(done(t('form.settled', { title: sent.title }), { payer: sent.payer, key: form.kept.key }))
    if (form.problem && (now === 'refused' || now === 'over')) {
      form.drop()
      announce(done(t('form.not-done', { title: sent.title, why: words(form.problem).text }), { tone: 'bad' }))
    }
  }), [])
  if (!due) return null
  const asked = { problem: form.problem, tooOld: form.tooOld(), again: () => form.again(), discard: () => form.drop() }
  return html`<div data-form=${state}><p>${t('form.pending', { title: sent.title })}</p>
    ${state === 'sending' ? html`<p role="status">${t('form.sending')}</p>` : html`<${Unknown} form=${asked} />`}</div>`
}

export function SignOut() {
  const [problem, set] = useState(/** @type {any} */ (null))
  const out = () => signOut().then(() => go('/', { replace: true }), set)
  return html`<button type="button" onClick=${out}>${t('sign-out')}</button>
    ${problem && session.get().is !== 'out' && html`<${Failure} problem=${problem} retry=${out} />`}`
}
