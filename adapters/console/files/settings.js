// What is shown before a sign-in as well as after it: the brand, the language, light or dark, and the way out.
import { html, useState } from './html.js'
import { go } from './router.js'
import { choose, session, signOut } from './session.js'
import { language, languages, t } from './text.js'
import { brand, logo } from './brand.js'
import { paint, theme, themes } from './theme.js'
import { Failure, Icon, Setting } from './ui.js'

/** The operator's own logo, or a tile with the first letter, beside the name that says what it is. */
export const Logo = () => (logo ? html`<img class="own-logo" src=${logo} alt="" />` : html`<span class="logo" aria-hidden="true">${brand[0]}</span>`)

/** The languages, where nobody is signed in. */
export const Languages = () => html`<p class="langs">${Object.entries(languages).map(([code, name]) => html`<button key=${code} type="button" class="button link" lang=${code} data-lang=${code} aria-pressed=${language.get() === code}
  onClick=${() => choose(code).catch(() => location.reload())}>${name.replace(/ \(.*/, '')}</button>`)}</p>`

/** The language of the console, and whether it is light or dark: rows of a menu. */
export function Settings() {
  const [problem, set] = useState(/** @type {any} */ (null))
  const speak = (/** @type {string} */ wanted) => {
    set(null)
    choose(wanted).catch(set)
  }
  return html`<${Setting} icon="sun-moon" label=${t('theme')} value=${theme.use()} choose=${paint} of=${themes.map((name) => [name, t('theme.' + name)])} />
  <${Setting} key=${!!problem} icon="languages" label=${t('language')} value=${language.get()} choose=${speak} of=${Object.entries(languages)} />
  ${problem && html`<div class="toasts"><div class="toast"><div><${Failure} problem=${problem} retry=${() => location.reload()} /></div></div></div>`}`
}

/** @param {{ look?: string }} props look: its classes, where it is not in a menu */
export function SignOut({ look = '' }) {
  const [problem, set] = useState(/** @type {any} */ (null))
  const out = () => signOut().then(() => go('/', { replace: true }), set)
  return html`<button type="button" class=${look} onClick=${out}><${Icon} name="log-out" />${t('sign-out')}</button>
    ${problem && session.get().is !== 'out' && html`<${Failure} problem=${problem} retry=${out} />`}`
}
