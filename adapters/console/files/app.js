// The start: reads the session, and shows the screen of the address, or the sign-in before it.
import { html, render, useErrorBoundary } from './html.js'
import { go, Link, match, place } from './router.js'
import { begin, keyOf, session } from './session.js'
import { language, t } from './text.js'
import { forgetAll } from './list.js'
import { forgetBranches } from './branch.js'
import { forgetNames } from './names.js'
import { latest } from './jobs.js'
import { selection } from './many.js'
import { readRare } from './lazy.js'
import { routes } from './routes.js'
import { Settings, Shell, SignOut } from './shell.js'
import { SignIn } from './screens/sign-in.js'
import { brand } from './brand.js'
import { keepTexts } from './translated.js'
import { Failure, Icon, Notice, Screen } from './ui.js'
import './focus.js'
import './keys.js'

function App() {
  const { path } = place.use()
  const now = session.use()
  language.use()
  const [broken] = useErrorBoundary((error) => setTimeout(() => { throw error })) // the browser's console has it
  if (broken) {
    return html`<main class="alone"><${Screen} title=${brand}><${Notice} tone="bad"><p>${t('broken')}</p>
      <button type="button" class="button" onClick=${() => location.reload()}><${Icon} name="rotate-cw" />${t('load-again')}</button><//><//></main>`
  }
  switch (now.is) {
    case 'starting':
      return null
    case 'failed':
      return html`<main class="alone"><${Screen} title=${brand}>
        <${Failure} problem=${now.problem} retry=${begin} />
        <div class="settings"><${Settings} /></div><//></main>`
    case 'blocked':
      return html`<main class="alone"><${Screen} title=${t('blocked.title')}>
        <${Notice} tone="bad"><p>${t('problem.account-blocked')}</p><//><div class="buttons"><${SignOut} look="button" /></div><//></main>`
    case 'out':
      return html`<${SignIn} ended=${now.ended} dropped=${now.dropped} />`
  }
  if (path === '/sign-in') {
    go('/', { replace: true })
    return null
  }
  const found = match(routes, path)
  return html`<${Shell} key=${keyOf(now.who)}>
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
session.watch(() => {
  const now = session.get()
  if (!('who' in now) || keyOf(now.who) === last) return
  last = keyOf(now.who)
  forgetAll()
  forgetBranches()
  forgetNames()
  latest.set(null)
  selection.set(null)
  installable()
  setTimeout(() => readRare().catch(() => null), 2000) // before one is opened, and after the first screen
})

// Until then, and where it can't begin, the page says so by itself (index.html).
if (!document.documentElement.dataset.blocked) {
  begin().then(() => {
    document.querySelector('.before')?.remove()
    render(html`<${App} />`, document.body)
    keepTexts()
  })
}
