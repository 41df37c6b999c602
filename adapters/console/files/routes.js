// Which screen a path shows; :id is digits. The service knows the same paths (console.go), so that each can be entered.
import { Activity } from './screens/activity.js'
import { Home } from './screens/home.js'
import { Job, Jobs } from './screens/jobs.js'
import { Keys, Member, OneKey, Staff } from './screens/principals.js'
import { Line } from './screens/line.js'
import { Lines } from './screens/lines.js'
import { Messages } from './screens/messages.js'
import { OneWebhook } from './screens/webhook.js'
import { Prices } from './screens/prices.js'
import { Proof } from './screens/proof.js'
import { Reseller } from './screens/reseller.js'
import { Resellers } from './screens/resellers.js'
import { Sessions } from './screens/sessions.js'
import { Statement } from './screens/statement.js'
import { Webhooks } from './screens/webhooks.js'

/** @type {[string, (props: { id: string }) => any][]} */
export const routes = [
  ['/', Home],
  ['/lines', Lines],
  ['/lines/:id', Line],
  ['/jobs', Jobs],
  ['/jobs/:id', Job],
  ['/resellers', Resellers],
  ['/resellers/:id', Reseller],
  ['/statement', Statement],
  ['/activity', Activity],
  ['/webhooks', Webhooks],
  ['/webhooks/:id', OneWebhook],
  ['/keys', Keys],
  ['/keys/:id', OneKey],
  ['/staff', Staff],
  ['/staff/:id', Member],
  ['/messages', Messages],
  ['/sessions', Sessions],
  ['/proof', Proof],
  ['/prices', Prices],
]
