// A new trial in one tap. The key is made when the button is shown, so that a second tap, or a tap after a lost answer,
// makes no second trial.
import { html, useEffect } from './html.js'
import { useForm } from './form.js'
import { go } from './router.js'
import { t } from './text.js'
import { done } from './done.js'
import { Failure, Icon, Unknown } from './ui.js'

/** @param {{ plain?: boolean }} props plain: another button of the screen is the primary one */
export function NewTrial({ plain = false }) {
  const form = useForm({ name: 'trial', method: 'POST', path: '/lines/test', title: t('trial.new'), fields: {} })
  const { state, answer, problem } = form
  useEffect(() => {
    if (state === 'done') go('/lines/' + answer.id, { state: done(t('trial.done', { name: answer.username })) })
  }, [state])
  return html`<div class="trial" data-form=${state}>
    ${state === 'unknown' ? html`<${Unknown} form=${form} />`
      : html`<button type="button" class=${plain ? 'button' : 'button primary'} disabled=${form.frozen} onClick=${() => form.send({})}><${Icon} name="plus" />${t(state === 'sending' ? 'form.sending' : 'trial.new')}</button>`}
    ${state === 'refused' && problem && html`<${Failure} problem=${problem} />`}
  </div>`
}
