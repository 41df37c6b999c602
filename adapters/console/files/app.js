// The start: reads the session, and shows the sign-in or what is behind it.
import { html, render, useErrorBoundary } from './html.js'
import { begin, keyOf, session, wasIn } from './session.js'
import { language, t } from './text.js'
import { Later, readInside } from './later.js'
import { Settings, SignOut } from './settings.js'
import { SignIn } from './screens/sign-in.js'
import { brand } from './brand.js'
import { keepTexts } from './translated.js'
import { Failure, Icon, Notice, Screen } from './ui.js'
import './focus.js'

function App() {
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
  return html`<${Later} key=${keyOf(now.who)} />`
}

// Until then, and where it can't begin, the page says so by itself (index.html).
if (!document.documentElement.dataset.blocked) {
  if (wasIn()) readInside().catch(() => null) // beside the request for the session
  begin().then(() => {
    document.querySelector('.before')?.remove()
    render(html`<${App} />`, document.body)
    keepTexts()
  })
}
