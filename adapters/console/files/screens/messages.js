// The messages to the users of lines, and the contacts for accounts below. A text that is not
// the account's own comes from above, or is the language's own text.
import { html, useState } from '../html.js'
import { announce } from '../router.js'
import { now } from '../clock.js'
import { can, may, me } from '../session.js'
import { useDone, useForm } from '../form.js'
import { t } from '../text.js'
import { done } from '../done.js'
import { kinds, placeholders } from '../template.js'
import { filled, setMessages, templateIn } from '../messages.js'
import { Facts, Field, Form, Icon, Read, Screen, useRead } from '../ui.js'

/** @typedef {import('../answers').Messages} Messages */

const contact = ['whatsapp', 'telegram']

export function Messages() {
  const read = useRead(`/users/${me().id}/messages`)
  const [saved, save] = useState(0)
  const taken = (/** @type {Messages} */ messages) => {
    read.set(messages)
    setMessages(messages)
    save(saved + 1) // another form, which begins with what was saved
    announce(done(t('messages.saved')))
  }
  return html`<${Screen} title=${t('nav.messages')}>
    <p>${t(me().is_admin ? 'messages.meaning-top' : 'messages.meaning')}</p>
    <${Read} of=${read}>${(/** @type {Messages} */ messages) => (can('users:write')
      ? html`<${Own} key=${saved} messages=${messages} saved=${taken} />` : html`<${Shown} messages=${messages} />`)}<//>
  <//>`
}

/** An example of a recipient. @param {string} kind */
const sample = (kind) => {
  const days = { access: 30, reminder: 3, expired: -1, welcome: 30 }[kind] || 30
  return { username: 'maria.tv', password: '7Kd92x', expDate: new Date(now() + days * 86_400_000).toISOString() }
}

/** A message as it arrives. @param {{ text: string }} props */
const Bubble = ({ text }) => html`<p class="bubble text" translate=${false} data-message>${text}</p>`

/** The screen for users who may not change the messages. @param {{ messages: Messages }} props */
const Shown = ({ messages }) => html`
  <section class="panel"><h2>${t('messages.where')}</h2>
    <${Facts} of=${['server', 'apps'].map((name) => [t('messages.' + name), html`<span class="text">${templateIn(name, messages) || t('messages.none')}</span>`])} />
  </section>
  <div class="panels">${kinds.map((kind) => html`<section class="panel" key=${kind}><h2>${t('messages.' + kind)}</h2>
    <${Bubble} text=${filled(templateIn(kind, messages), sample(kind), messages)} /></section>`)}</div>`

/** @param {{ messages: Messages, saved: (messages: Messages) => void }} props */
function Own({ messages, saved }) {
  const names = /** @type {(keyof Messages['inherited'])[]} */ (['server', 'apps', ...kinds, ...contact])
  const above = Object.fromEntries(names.map((name) => [name, contact.includes(name) ? '' : messages.inherited[name] || (kinds.includes(name) ? t('message.default.' + name) : '')]))
  const form = useForm({
    name: 'messages', method: 'PUT', path: `/users/${me().id}/messages`, title: t('nav.messages'),
    fields: /** @type {Record<string, string>} */ (Object.fromEntries(names.map((name) => [name, messages[name] || above[name]]))),
  })
  const { fields } = form
  useDone(form, () => saved(form.answer))
  // A text that is as above stays the one of that account. The server is one row, though its field has room for more.
  const own = Object.fromEntries(names.map((name) => {
    const text = (name === 'server' ? fields[name].replace(/\s+/g, ' ') : fields[name]).trim()
    return [name, text === above[name].trim() ? null : text || null]
  }))
  const typed = /** @type {Messages} */ ({ ...own, inherited: messages.inherited })
  return html`<${Form} form=${form} submit=${t('save')} onSubmit=${() => form.send(own)}>
    <section class="panel"><h2>${t('messages.where')}</h2>
      <${FromAbove} form=${form} name="server" above=${above.server} hint=${t('messages.server.hint')} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${FromAbove} form=${form} name="apps" above=${above.apps} hint=${t('messages.apps.hint')} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${kinds.map((kind) => html`<section class="panel template" key=${kind}>
      <div>
        <${FromAbove} form=${form} name=${kind} above=${above[kind]}
          standard=${!messages.inherited[/** @type {'access'} */ (kind)]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t('messages.insert')}>${placeholders.map((name) => html`<button type="button" class="button" key=${name} disabled=${form.frozen}
          onClick=${(/** @type {any} */ e) => insert(form, kind, `{${name}}`, e.currentTarget)}><${Icon} name="plus" />${t('messages.put.' + name)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t('messages.preview')}</p><${Bubble} text=${filled(templateIn(kind, typed), sample(kind), typed)} /></div>
    </section>`)}
    ${may.haveBelow() && html`<section class="panel"><h2>${t('messages.reach')}</h2><p>${t('messages.reach.meaning')}</p>
      <${Field} form=${form} name="whatsapp" label=${t('whatsapp')} hint=${t('whatsapp.hint')} type="tel" inputmode="tel" maxlength="64" />
      <${Field} form=${form} name="telegram" label=${t('telegram')} hint=${t('messages.telegram.hint')} maxlength="64" />
    </section>`}
  <//>`
}

/**
 * A field that begins with the text from above, and leads back to it once it is changed.
 * @param {{ form: any, name: string, above: string, standard?: boolean, [rest: string]: any }} props above: that text;
 *   standard: the text of the language
 */
const FromAbove = ({ form, name, above, standard = false, ...rest }) => html`
  <${Field} form=${form} name=${name} label=${t('messages.' + name)} placeholder=${above} ...${rest} />
  ${!!above && (form.fields[name].trim() !== above.trim() ? html`<button type="button" class="button link" disabled=${form.frozen} onClick=${() => form.set({ [name]: above })}><${Icon} name="rotate-cw" />${t(standard ? 'messages.use-standard' : 'messages.use-above')}</button>`
    : html`<p class="from"><span class="badge">${t(standard ? 'messages.is-standard' : 'messages.is-above')}</span></p>`)}`

/**
 * Puts a placeholder where the cursor is.
 * @param {any} form @param {string} name @param {string} what @param {HTMLElement} button
 */
function insert(form, name, what, button) {
  const field = /** @type {HTMLTextAreaElement} */ (button.closest('.template')?.querySelector('textarea'))
  const { value, selectionStart: at, selectionEnd: end } = field
  form.set({ [name]: value.slice(0, at) + what + value.slice(end) })
  setTimeout(() => { // once it is drawn
    field.focus()
    field.setSelectionRange(at + what.length, at + what.length)
  })
}
