// How one signs in: name, password, second factor; and where one is signed in.
import { html, useState } from '../html.js'
import { ask } from '../api.js'
import { openForm, place } from '../router.js'
import { me } from '../session.js'
import { t } from '../text.js'
import { dateTime } from '../format.js'
import { OwnName, OwnPassword } from '../name-and-password.js'
import { Remove, SecondFactor, SetUp } from '../second-factor.js'
import { Failure, Good, Read, Screen, useRead, useRecord } from '../ui.js'

export function Sessions() {
  const { query } = place.use()
  const doing = query.get('do') || ''
  const signedIn = useRecord('/auth/session')
  const forms = /** @type {Record<string, any>} */ ({ password: OwnPassword, name: !me().staff && NameOfAccount, totp: SetUp, 'no-totp': Remove })
  const Doing = Object.hasOwn(forms, doing) && forms[doing]
  if (Doing) return html`<${Screen} title=${t('nav.sessions')}><${Doing} of=${signedIn} /><//>`
  return html`<${Screen} title=${t('nav.sessions')}>
    <div class="buttons"><button type="button" class="button" onClick=${() => openForm('password')}>${t('password.change')}</button>
      ${!me().staff && html`<button type="button" class="button" onClick=${() => openForm('name')}>${t('name.change')}</button>`}</div>
    <${Read} of=${signedIn}>${(/** @type {import('../answers').SignedIn} */ s) => html`<${SecondFactor} on=${s.totp} /><${Everywhere} />`}<//>
  <//>`
}

function NameOfAccount() {
  const own = useRead('/users/logged')
  return html`<${Read} of=${own}>${(/** @type {import('../answers').Account} */ account) => html`<${OwnName} account=${account} />`}<//>`
}

function Everywhere() {
  const sessions = useRead('/auth/sessions')
  return html`<h2>${t('sessions')}</h2><p>${t(me().staff ? 'sessions.own-meaning' : 'sessions.meaning')}</p><${SessionsOf} of=${sessions} />`
}

/**
 * Where the account is signed in, and its staff.
 * @param {{ of: ReturnType<typeof useRead<'/auth/sessions'>>, name?: string }} props name: of whose staff alone
 */
export function SessionsOf({ of, name }) {
  return html`<${Read} of=${of}>${(/** @type {import('../answers').ListedSession[]} */ all) => {
    const shown = all.filter((s) => !name || s.staff === name)
    return shown.length ? html`<ul class="rows">${shown.map((s) => html`<li key=${s.id}><${Session} session=${s} ended=${of.reload} /></li>`)}</ul>`
      : html`<p class="quiet">${t('sessions.none')}</p>`
  }}<//>`
}

/** @param {{ session: import('../answers').ListedSession, ended: () => void }} props */
function Session({ session, ended }) {
  const [problem, setProblem] = useState(/** @type {any} */ (null))
  const [busy, setBusy] = useState(false)
  const end = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await ask('DELETE', '/auth/sessions/' + session.id)
      ended()
    } catch (refused) {
      if (/** @type {any} */ (refused).status === 404) ended() // it has ended by itself
      else setProblem(refused)
      setBusy(false)
    }
  }
  return html`<div class="row session">
    <span class="name">${device(session.device)}${session.staff && session.staff !== me().staff?.username && html` · ${session.staff}`}${session.current && html` <${Good} good badge>${t('sessions.this')}<//>`}</span>
    <span class="quiet">${t('sessions.used', { at: dateTime(session.last_used_at), address: session.address })}</span>
    <span class="quiet">${t('sessions.since', { at: dateTime(session.created_at) })}</span>
    ${!session.current && html`<button type="button" class="button" disabled=${busy} onClick=${end}>${t('sessions.end')}</button>`}
    ${problem && html`<${Failure} problem=${problem} retry=${end} />`}
  </div>`
}

/** What a browser calls itself, in fewer words where it is one of the usual ones. @param {string} agent */
function device(agent) {
  const browser = [[/Edg(e|A|iOS)?\//, 'Edge'], [/OPR\//, 'Opera'], [/SamsungBrowser\//, 'Samsung Internet'], [/Firefox\/|FxiOS\//, 'Firefox'],
    [/Chrom(e|ium)\/|CriOS\//, 'Chrome'], [/Safari\//, 'Safari']].find(([is]) => /** @type {RegExp} */ (is).test(agent))?.[1]
  const system = [[/Android/, 'Android'], [/iPhone|iPad/, 'iOS'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/CrOS/, 'ChromeOS'], [/Linux/, 'Linux']]
    .find(([is]) => /** @type {RegExp} */ (is).test(agent))?.[1]
  return [browser, system].filter(Boolean).join(' · ') || agent || t('sessions.unknown')
}
