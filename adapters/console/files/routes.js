// Which screen a path shows; :id is digits. The service knows the same paths (console.go), so that each can be entered.
import { Home } from './screens/home.js'
import { Lines } from './screens/lines.js'
import { Line } from './screens/line.js'

/** @type {[string, (props: { id: string }) => any][]} */
export const routes = [
  ['/', Home],
  ['/lines', Lines],
  ['/lines/:id', Line],
]
