// Which screen a path shows; :id is digits. The service knows the same paths (console.go), so that each can be entered.
import { html, useEffect, useState } from './html.js'
import { arrive, place } from './router.js'
import { Home } from './screens/home.js'
import { Lines } from './screens/lines.js'
import { Line } from './screens/line.js'
import { Resellers } from './screens/resellers.js'
import { Reseller } from './screens/reseller.js'
import { Statement } from './screens/statement.js'
import { Failure, Skeleton } from './ui.js'

/** @type {typeof import('./rare.js') | null} */
let rare = null
const { entry: begun } = place.get()

/** Reads the screens that few open. */
export const readRare = async () => { rare ||= await import('./rare.js') }

/** Such a screen. It is shown at once if its file was read. @param {keyof typeof import('./rare.js')} name */
const rarely = (name) => (/** @type {{ id: string }} */ props) => {
  const [, read] = useState(false), [problem, fail] = useState(/** @type {any} */ (null))
  useEffect(() => {
    if (rare) return
    readRare().then(() => {
      read(true)
      if (place.get().entry !== begun) arrive() // once more: there was nothing to arrive at
    }, fail)
  }, [])
  if (rare) return html`<${rare[name]} ...${props} />`
  return problem ? html`<${Failure} problem=${problem} retry=${() => location.reload()} />` : html`<${Skeleton} />`
}

/** @type {[string, (props: { id: string }) => any][]} */
export const routes = [
  ['/', Home],
  ['/lines', Lines],
  ['/lines/:id', Line],
  ['/jobs', rarely('Jobs')],
  ['/jobs/:id', rarely('Job')],
  ['/resellers', Resellers],
  ['/resellers/:id', Reseller],
  ['/statement', Statement],
  ['/activity', rarely('Activity')],
  ['/webhooks', rarely('Webhooks')],
  ['/webhooks/:id', rarely('OneWebhook')],
  ['/keys', rarely('Keys')],
  ['/keys/:id', rarely('OneKey')],
  ['/staff', rarely('Staff')],
  ['/staff/:id', rarely('Member')],
  ['/messages', rarely('Messages')],
  ['/sessions', rarely('Sessions')],
  ['/proof', rarely('Proof')],
  ['/prices', rarely('Prices')],
]
