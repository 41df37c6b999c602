// Which screen a path shows; :id is digits. The service knows the same paths (console.go), so that each can be entered.
import { Home } from './screens/home.js'
import { Lines } from './screens/lines.js'
import { Resellers } from './screens/resellers.js'
import { rarely } from './lazy.js'

/** @type {[string, (props: { id: string }) => any][]} */
export const routes = [
  ['/', Home],
  ['/lines', Lines],
  ['/lines/:id', rarely('Line')],
  ['/jobs', rarely('Jobs')],
  ['/jobs/:id', rarely('Job')],
  ['/resellers', Resellers],
  ['/resellers/:id', rarely('Reseller')],
  ['/statement', rarely('Statement')],
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
