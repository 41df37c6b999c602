// What those who are signed in see: the screen of the address, and what is around it. Nothing here is needed before (later.js).
import { html } from './html.js'
import { go, Link, match, place } from './router.js'
import { keyOf, session } from './session.js'
import { t } from './text.js'
import { forgetAll } from './list.js'
import { forgetBranches } from './branch.js'
import { forgetNames } from './names.js'
import { latest } from './jobs.js'
import { selection } from './many.js'
import { routes } from './routes.js'
import { Shell } from './shell.js'
import { Screen } from './ui.js'
import './keys.js'

export function Inside() {
  const { path } = place.use()
  if (path === '/sign-in') {
    go('/', { replace: true })
    return null
  }
  const found = match(routes, path)
  return html`<${Shell}>
    ${found ? html`<${found.screen} key=${path} id=${found.id} />`
      : html`<${Screen} title=${t('nowhere')}><p><${Link} to="/">${t('nav.home')}<//></p><//>`}
  <//>`
}

/** A phone can install the console once somebody has signed in: the first screen need not load this. */
function installable() {
  if (document.querySelector('[rel=manifest]')) return
  const link = document.createElement('link')
  link.rel = 'manifest'
  link.href = new URL('./manifest.webmanifest', import.meta.url).href
  document.head.append(link)
}

// What was listed for one is not shown to another.
let last = ''
function enter() {
  const now = session.get()
  if (!('who' in now) || keyOf(now.who) === last) return
  last = keyOf(now.who)
  forgetAll()
  forgetBranches()
  forgetNames()
  latest.set(null)
  selection.set(null)
  installable()
}
enter()
session.watch(enter)
