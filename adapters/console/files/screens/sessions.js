// Where the account is signed in, and its password.
import { html, useState } from '../html.js'
import { ask } from '../api.js'
import { openForm, place } from '../router.js'
import { t } from '../text.js'
import { dateTime } from '../format.js'
import { OwnName, OwnPassword } from '../name-and-password.js'
import { Failure, Read, Screen, useRead } from '../ui.js'

export function Sessions() {
  const { query } = place.use()
  const own = useRead('/users/logged')
  const sessions = useRead('/auth/sessions')
  const doing = query.get('do')
  if (doing === 'password') return html`<${Screen} title=${t('nav.sessions')}><${OwnPassword} /><//>`
  if (doing === 'name') {
    return html`<${Screen} title=${t('nav.sessions')}><${Read} of=${own}>${(/** @type {import('../answers').Account} */ account) => html`<${OwnName} account=${account} />`}<//><//>`
  }
  return html`<${Screen} title=${t('nav.sessions')}>
    <div class="buttons"><button type="button" onClick=${() => openForm('password')}>${t('password.change')}</button>
      <button type="button" onClick=${() => openForm('name')}>${t('name.change')}</button></div>
    <p>${t('sessions.meaning')}</p>
    <${Read} of=${sessions}>${(/** @type {import('../answers').ListedSession[]} */ all) => html`<ul class="rows">
      ${all.map((s) => html`<li key=${s.id}><${Session} session=${s} ended=${sessions.reload} /></li>`)}
    </ul>`}<//>
  <//>`
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
    <span class="name">${device(session.device)}${session.current && html` <span class="state active">${t('sessions.this')}</span>`}</span>
    <span class="quiet">${t('sessions.used', { at: dateTime(session.last_used_at), address: session.address })}</span>
    <span class="quiet">${t('sessions.since', { at: dateTime(session.created_at) })}</span>
    ${!session.current && html`<button type="button" disabled=${busy} onClick=${end}>${t('sessions.end')}</button>`}
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
