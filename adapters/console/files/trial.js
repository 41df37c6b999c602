// A new trial in one tap. The key is made when the button is shown, so that a second tap, or a tap after a lost answer,
// makes no second trial.
import { html, useEffect } from './html.js'
import { useForm } from './form.js'
import { go } from './router.js'
import { t } from './text.js'
import { done } from './done.js'
import { Failure, Icon, Unknown } from './ui.js'

/** A form without fields that leads to its trial. @param {string} name of the form @param {() => void} [then] before that */
export function useTrial(name, then) {
  const form = useForm({ name, method: 'POST', path: '/lines/test', title: t('trial.new'), fields: {} })
  useEffect(() => {
    if (form.state !== 'done') return
    then?.()
    go('/lines/' + form.answer.id, { state: done(t('trial.done', { name: form.answer.username })) })
  }, [form.state])
  return form
}

/** Why there is no trial yet. @param {{ form: ReturnType<typeof useTrial> }} props */
export const NoTrial = ({ form }) => (form.state === 'unknown' ? html`<${Unknown} form=${form} />` : form.state === 'refused' && form.problem && html`<${Failure} problem=${form.problem} />`)

/** @param {{ plain?: boolean }} props plain: another button of the screen is the primary one */
export function NewTrial({ plain = false }) {
  const form = useTrial('trial'), { state } = form
  return html`<div class="trial" data-form=${state}>
    ${state !== 'unknown' && html`<button type="button" class=${plain ? 'button' : 'button primary'} disabled=${form.frozen} onClick=${() => form.send({})}><${Icon} name="plus" />${t(state === 'sending' ? 'form.sending' : 'trial.new')}</button>`}
    <${NoTrial} form=${form} />
  </div>`
}
